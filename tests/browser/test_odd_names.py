"""Markup and Markdown in every name and text, in Chromium: shown as it is, nothing runs, nothing goes outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from seer.charts.export import standalone_html
from seer.report import report_html
from seer.study import Study
from tests.browser.conftest import running_app, settled
from tests.odd import CLASSES, EATEN, IMAGE, MARKDOWN, PAIRS, SEEN, STUDY, odd_notes, odd_study

pytestmark = pytest.mark.browser

PAGES = ("", "transitions", "triage", "trace", "relevance", "pairs", "plan", "studies")
SHOWS = {
    "triage": (EATEN, "<b>neg</b>", "R&D's", IMAGE, MARKDOWN, STUDY),
    "trace": (EATEN, IMAGE, STUDY),
    "transitions": (EATEN, STUDY),
    "pairs": (EATEN, PAIRS),
}
"""What must be readable on a page, as it is written."""

READABLE = """() => [document.body.innerText,
    ...[...document.querySelectorAll('input, textarea')].map(e => e.value),
    ...[...document.querySelectorAll('[aria-label], [data-testid=stDataFrame] td')].map(
        e => e.getAttribute('aria-label') || e.textContent)].join('\\n')"""
"""All that a person reads on a page: what stands on it, in fields and in tables."""

MADE = "main img[src*='127.0.0.1:9'], a[href^='http://127.0.0.1:9/'], main .katex"


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Study]]:
    """Address of an app on the odd study, and the study."""
    folder = tmp_path_factory.mktemp("odd")
    study = odd_study(folder / "studies")
    odd_study(folder / "studies", paired=True)
    odd_notes(study, folder / "notes" / f"{STUDY}.sqlite")
    with running_app(folder / "studies", folder / "notes") as app:
        yield app.url, study


@pytest.fixture
def watched(page: Any) -> Iterator[Any]:
    """A page whose requests and dialogs are kept; at the end nothing may have run."""
    page.requested, page.dialogs = [], []
    page.on("request", lambda request: page.requested.append(request.url))
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    assert page.dialogs == []
    assert page.evaluate("window.hacked") is None
    assert page.console_errors == []


def outside(page: Any, address: str) -> list[str]:
    return [
        url for url in page.requested if not url.startswith((address, "data:", "blob:", address.replace("http", "ws")))
    ]


@pytest.mark.hard_inputs(18, 39)
@pytest.mark.parametrize("path", PAGES)
def test_markup_in_data_is_inert_on_every_page(watched: Any, odd: tuple[str, Study], path: str) -> None:
    url, study = odd
    row = str(study.corpus.ids[study.rows(SEEN)[3]])
    query = {"study": PAIRS if path == "pairs" else STUDY, "split": SEEN, "row": row, "state": 2} | (
        {"true": CLASSES[1]} if path != "triage" else {}
    )
    watched.goto(f"{url}/{path}?{urlencode(query)}")
    watched.locator("h1").wait_for(timeout=60_000)
    settled(watched)
    assert watched.get_by_text("Something went wrong").count() == 0
    assert watched.locator(MADE).count() == 0
    for _ in range(20):  # tables are drawn after the page stands still
        readable = watched.evaluate(READABLE)
        missing = [text for text in SHOWS.get(path, ()) if text not in readable]
        if not missing:
            break
        watched.wait_for_timeout(250)
    assert missing == []
    assert "R&amp;D" not in readable
    assert "&lt;b&gt;" not in readable
    assert outside(watched, url) == []


@pytest.mark.hard_inputs(39)
def test_tooltips_of_the_graph_show_markup_as_text(watched: Any, odd: tuple[str, Study]) -> None:
    url, study = odd
    watched.goto(f"{url}/transitions?{urlencode({'study': STUDY, 'split': SEEN})}")
    watched.locator(".graph canvas").first.wait_for(timeout=60_000)
    settled(watched)
    majority = {study.machine(SEEN).classes[at] for at in study.machine(SEEN).majority[1:]}
    graph, seen = watched.locator(".graph").first, set()
    for state in range(1, study.machine(SEEN).states + 1):
        spot = graph.evaluate("(root, state) => root.graph.where(state)", state)
        watched.mouse.move(spot["x"], spot["y"], steps=3)
        watched.locator(".vis-tooltip").filter(visible=True).wait_for()
        seen |= set(watched.locator(".vis-tooltip").all_inner_texts())
    assert watched.locator(".vis-tooltip img, .vis-tooltip b").count() == 0
    assert any(name in text for name in majority for text in seen), seen
    assert outside(watched, url) == []


@pytest.mark.hard_inputs(39)
@pytest.mark.parametrize("kind", ["graph", "report"])
def test_exported_files_show_markup_as_text(watched: Any, odd: tuple[str, Study], tmp_path: Path, kind: str) -> None:
    _, study = odd
    notes = odd_notes(study, tmp_path / "notes.sqlite")
    if kind == "graph":
        content = standalone_html(study.machine(SEEN), title=f"{STUDY} {IMAGE}")
    else:
        content = report_html(study, SEEN, notes.current())
    path = tmp_path / "file.html"
    path.write_text(content, encoding="utf-8")
    watched.goto(path.as_uri())
    watched.locator("canvas").first.wait_for()
    assert watched.locator("img").count() == 0
    assert watched.locator("a[href^='http://127.0.0.1:9/'], script[src]").count() == 0
    text = watched.locator("body").inner_text()
    assert IMAGE in text
    assert "R&amp;D" not in text
    if kind == "report":
        for name in (*CLASSES, STUDY, EATEN):
            assert name in watched.locator("body").text_content(), name
    assert [url for url in watched.requested if url != path.as_uri() and not url.startswith(("data:", "blob:"))] == []
