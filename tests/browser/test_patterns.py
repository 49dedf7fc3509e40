"""Patterns in Chromium: a row lights up the graph, filters every page, frames words; links open the same view."""

import pytest
from playwright.sync_api import TimeoutError

from seer.mining import buggy_patterns
from seer.slices import Filter, matching_rows
from tests.browser.conftest import settled
from tests.browser.test_transitions import chosen

pytestmark = pytest.mark.browser

HEADER, ROW, HIGH, HELD, SETTLING = 37, 35, 65, 100, 100
"""Pixels of a table's header, of a row and of one over three lines, milliseconds of a press, looks at a moving page."""


def press(page, key, row, height=ROW):
    """A press on a row of the table with that key, again when the table was still moving and the press went astray."""
    table = page.locator(f"[class*='st-key-{key}'] [data-testid=stDataFrame]")
    before = page.url
    for _ in range(3):
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        page.mouse.move(box["x"] + 110, box["y"] + HEADER + height * row + height / 2)
        page.mouse.down()
        page.wait_for_timeout(HELD)
        page.mouse.up()
        try:
            page.wait_for_function("before => location.href !== before", arg=before, timeout=8_000)
        except TimeoutError:
            continue
        break
    assert page.url != before
    settled(page)


def test_a_pattern_is_chosen_followed_and_let_go(page, app_url, demo):
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.goto(f"{app_url}/transitions")
    settled(page)
    page.get_by_role("tab", name="Buggy").click()
    page.wait_for_url("**v.patterns=Buggy*")
    settled(page)
    page.get_by_role("radio", name="states", exact=True).click()
    page.wait_for_url("**v.kind=*")
    settled(page)
    patterns = buggy_patterns(demo, "test", "states")
    rank = next(rank for rank in range(5) if len(patterns.key(rank)[0]) > 1)
    path = patterns.key(rank)[0]
    place = page.locator("[class*='st-key-buggy-states'] [data-testid=stDataFrame]").bounding_box()["y"]
    press(page, "buggy-states", rank, HIGH)
    assert chosen(page, "path") == "-".join(map(str, path))
    graph = page.locator(".graph canvas").bounding_box()
    assert graph["y"] >= 0  # its path lights up in view, beside the table
    assert graph["y"] + graph["height"] <= 1000
    assert page.locator("[class*='st-key-buggy-states'] [data-testid=stDataFrame]").bounding_box()["y"] == place
    rows = matching_rows(demo, Filter("test", pattern=path))
    page.get_by_text(f"{len(rows)} of 853 sentences of the test split pass").wait_for()
    assert page.locator(".seer-text .marked").count() >= 2 * len(path)

    page.get_by_role("link", name=f"All {len(rows)} in triage").click()
    page.get_by_role("heading", name="Misprediction triage").wait_for()
    settled(page)
    assert chosen(page, "path") == "-".join(map(str, path))
    page.go_back()
    page.get_by_role("tab", name="Buggy").wait_for()
    settled(page)
    press(page, "buggy-states", rank, HIGH)
    assert chosen(page, "path") is None
    assert page.console_errors == []


def test_a_sentence_shows_its_patterns_and_opens_a_similar_one(page, app_url, demo):
    page.set_viewport_size({"width": 1400, "height": 3000})
    page.goto(f"{app_url}/trace")
    page.wait_for_function("document.querySelector('textarea')?.value")  # Streamlit loads a text area when it is needed
    settled(page)
    text = page.locator("textarea").first.input_value()
    press(page, "trace-patterns", 0)
    assert page.locator("textarea").first.input_value() == text
    assert page.locator(".seer-text .marked").count() > 0
    row = chosen(page, "row")
    assert demo.corpus.text(demo.corpus.position(row)) == text
    press(page, "trace-similar", 0)
    assert chosen(page, "row") not in (None, row)
    assert page.console_errors == []


def test_patterns_fit_a_phone(page, app_url):
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("transitions?v.patterns=Buggy&path=15-10&word=but", "trace?path=15-10"):
        page.goto(f"{app_url}/{path}")
        settled(page)
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
        if path.startswith("transitions"):
            graph, tab = page.locator(".graph canvas"), page.get_by_role("tab", name="Buggy")
            for _ in range(SETTLING):  # parts still move while the page is being drawn
                gap = tab.bounding_box()["y"] - sum(map(graph.bounding_box().get, ("y", "height")))
                if 0 < gap < 200:
                    break
                page.wait_for_timeout(HELD)
            assert 0 < gap < 200
    assert page.console_errors == []
