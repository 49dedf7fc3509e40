"""The pages with forty classes in a browser: nothing cut off, nothing in the console, charts that can be read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seer.report import report_html
from seer.study import Study
from tests.browser.conftest import running_app, settled
from tests.browser.test_pages import PAGES, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SMALLEST = 8
"""Pixels of a readable number."""


@pytest.fixture(scope="module")
def many_url(forty_study: Study, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_app(forty_study.folder.parent, tmp_path_factory.mktemp("notes")) as app:
        yield app.url


@pytest.mark.parametrize("path", ["", "states", "triage", "relevance"])
def test_pages_of_forty_classes_fit_and_open_clean(page: Any, many_url: str, path: str) -> None:
    warnings: list[str] = []
    page.on("console", lambda message: warnings.append(message.text) if "legend" in message.text else None)
    visit(page, f"{many_url}/{path}?study=forty", {**PAGES, "relevance": "Word relevance"}[path])
    for width, scheme in ((1400, "light"), (390, "dark")):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.console_errors == []
    assert warnings == []
    assert page.get_by_text("Something went wrong").count() == 0


@pytest.mark.parametrize("width", [1400, 390])
def test_labels_of_the_matrix_stand_apart(page: Any, many_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 3000})
    visit(page, f"{many_url}/?study=forty&v.matrix=all+40", "Overview")
    chart = page.locator(".st-key-overview-confusion [data-testid=stVegaLiteChart]")
    chart.wait_for()
    settled(page)
    svg = chart.evaluate("node => node.querySelector('svg') !== null")
    assert svg or chart.locator("canvas").count() == 1
    box = chart.bounding_box()
    assert box["height"] / 41 > SMALLEST
    assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", [1400, 390])
def test_the_report_of_forty_classes_fits(page: Any, forty_study: Study, tmp_path: Path, width: int) -> None:
    file = tmp_path / "report.html"
    file.write_text(report_html(forty_study, "test", errors=5), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.console_errors == []
    assert page.locator(".matrix.many").count() == 1


def test_a_pair_in_the_table_opens_triage(page: Any, many_url: str) -> None:
    visit(page, f"{many_url}/?study=forty", "Overview")
    page.get_by_role("heading", name="Confused most often").wait_for()
    table = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    page.mouse.click(table["x"] + 60, table["y"] + 52)
    page.get_by_role("heading", name="Misprediction triage", level=1).wait_for()
    settled(page)
    assert "true=" in page.url
    assert "pred=" in page.url
