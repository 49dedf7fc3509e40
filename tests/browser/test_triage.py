"""Triage in a browser: rows open by id, the matrix filters, the link carries all, the file is whole."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from seer.slices import Filter, matching_rows
from seer.study import Study
from seer.table import order_rows
from seer.ui.sentences import ROW_HEIGHT
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser

HEADER, ROW = 35, ROW_HEIGHT


def open_triage(page: Any, url: str, query: str = "") -> None:
    page.goto(f"{url}/triage{query}")
    page.get_by_text("Sentence ", exact=False).filter(has_text=" of ").first.wait_for(timeout=60_000)
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
    settled(page)


def click_table(page: Any, x: float, y: float) -> None:
    box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    page.mouse.click(box["x"] + x, box["y"] + y)
    settled(page)


def click_cell(page: Any, right: bool, down: bool) -> None:
    box = page.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg").first.bounding_box()
    page.mouse.click(
        box["x"] + box["width"] * (0.85 if right else 0.45), box["y"] + box["height"] * (0.85 if down else 0.5)
    )
    settled(page)


def shows(page: Any, row_id: str) -> None:
    page.get_by_text(f"Sentence {row_id} ·").first.wait_for()


@pytest.mark.hard_inputs(32)
def test_a_click_opens_the_sentence_by_its_id(page: Any, app_url: str, demo: Study) -> None:
    errors = matching_rows(demo, Filter("test", outcome="wrong"))
    ids = [str(demo.corpus.ids[row]) for row in order_rows(demo, errors, "errors")]
    open_triage(page, app_url)
    shows(page, ids[0])
    before = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    click_table(page, 150, HEADER + 3.5 * ROW)
    shows(page, ids[3])
    assert page.locator("[data-testid=stDataFrame]").first.bounding_box() == before
    page.locator(".st-key-sentences-next button").click()
    settled(page)
    shows(page, ids[4])

    by_length = [str(demo.corpus.ids[row]) for row in order_rows(demo, errors, "short")]
    click_table(page, before["width"] - 155, HEADER / 2)  # the header of the words column sorts
    assert "v.sort=short" in page.url
    shows(page, ids[4])
    click_table(page, 150, HEADER + 2.5 * ROW)
    shows(page, by_length[2])
    assert f"row={by_length[2]}" in page.url
    assert page.console_errors == []


def test_the_matrix_filters_and_a_second_click_clears(page: Any, app_url: str) -> None:
    open_triage(page, app_url)
    click_cell(page, right=True, down=False)
    assert "true=neg&pred=pos" in page.url
    click_cell(page, right=True, down=False)
    assert "true=" not in page.url
    page.get_by_text("✕ wrong").first.wait_for()
    assert page.console_errors == []


def test_a_link_and_a_file_hold_the_same_slice(page: Any, app_url: str, demo: Study, tmp_path: Path) -> None:
    rows = order_rows(demo, matching_rows(demo, Filter("test", true=0, query="not", outcome="wrong")), "unsure")
    last = str(demo.corpus.ids[rows[-1]])
    open_triage(page, app_url, f"?true=neg&q=not&outcome=wrong&v.sort=unsure&row={last}")
    shows(page, last)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV", exact=True).click()
    waiting.value.save_as(tmp_path / "slice.csv")
    text = (tmp_path / "slice.csv").read_text(encoding="utf-8-sig")
    found = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [line["id"] for line in found] == [str(demo.corpus.ids[row]) for row in rows]
    assert page.console_errors == []
