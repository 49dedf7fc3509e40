"""Every page in a browser: nothing in the console, nothing from outside, nothing cut off, links that hold."""

from typing import Any

import pytest

from seer.study import Study
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser

PAGES = {
    "": "Overview",
    "states": "States",
    "transitions": "Transition graph",
    "triage": "Misprediction triage",
    "trace": "Sentence trace",
    "plan": "Plan",
}


def visit(page: Any, url: str, title: str) -> None:
    page.goto(url)
    page.get_by_role("heading", name=title, level=1).wait_for(timeout=60_000)
    settled(page)


def content(page: Any) -> str:
    text: str = page.locator("[data-testid=stMain]").inner_text()
    return text


@pytest.mark.parametrize("path", PAGES)
def test_pages_open_clean(page: Any, app_url: str, path: str) -> None:
    outside: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if app_url not in request.url else None)
    visit(page, f"{app_url}/{path}", PAGES[path])
    for width, scheme, ground in ((1400, "light", "rgb(255, 255, 255)"), (390, "dark", "rgb(18, 22, 28)")):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        drawn = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
        assert drawn == ground
    assert page.console_errors == []
    assert [url for url in outside if not url.startswith(("data:", "blob:"))] == []
    assert page.get_by_text("encountered an error").count() == 0
    assert page.get_by_text("Something went wrong").count() == 0


def test_overview_shows_the_figures_and_a_cell_opens_triage(page: Any, app_url: str, demo: Study) -> None:
    visit(page, app_url, "Overview")
    accuracy = demo.accuracy("test")
    for figure in (f"{accuracy.value:.1%}", str(accuracy.errors), f"{demo.quality.fidelity_step:.1%}"):
        page.get_by_text(figure, exact=True).first.wait_for()
    chart = page.locator("[data-testid=stVegaLiteChart]").first.bounding_box()
    page.mouse.click(chart["x"] + chart["width"] * 0.82, chart["y"] + chart["height"] * 0.5)
    page.get_by_role("heading", name="Misprediction triage", level=1).wait_for()
    settled(page)
    assert {"true=neg", "pred=pos"} <= set(page.url.split("?")[1].split("&"))


def test_a_choice_follows_through_the_menu_and_its_chip_removes_it(page: Any, app_url: str) -> None:
    visit(page, f"{app_url}/states?study=demo&state=7", "States")
    page.get_by_role("heading", name="State S7").wait_for()
    for title in ("Transition graph", "Misprediction triage", "Sentence trace"):
        page.locator("[data-testid=stSidebar]").get_by_role("link", name=title).click()
        page.get_by_role("heading", name=title, level=1).wait_for()
        settled(page)
        assert "state=7" in page.url
        assert page.get_by_role("button", name="S7", exact=False).first.is_visible()
    page.locator(".st-key-chips").get_by_role("button").first.click()
    settled(page)
    assert "state=7" not in page.url


def test_a_copied_link_opens_the_same_view_in_a_fresh_browser(page: Any, browser: Any, app_url: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    query = "study=demo&split=validation&state=3&true=pos&outcome=wrong&len=5..30&conf=0.6..1.0&q=the&row=100"
    visit(page, f"{app_url}/triage?{query}", "Misprediction triage")
    page.get_by_role("button", name="Copy a link to this view").click()
    page.get_by_role("button", name="Copy a link to this view").get_by_text("Copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(app_url)
    page.get_by_role("button", name="Copy a link to this view").get_by_text("Copy link").wait_for()
    shown = content(page)
    assert "contains “the”" in shown
    fresh = browser.new_context(viewport={"width": 1400, "height": 1000})
    other = fresh.new_page()
    visit(other, link, "Misprediction triage")
    for _ in range(40):  # the last parts come after the first run has ended
        if content(other) == shown:
            break
        other.wait_for_timeout(250)
    assert content(other) == shown
    fresh.close()


def test_a_link_to_what_is_gone_opens_the_nearest_view_and_says_so(page: Any, app_url: str) -> None:
    visit(page, f"{app_url}/states?study=nowhere&state=99&split=dev&true=x&row=zz&bogus=1", "States")
    for part in ("no study 'nowhere'", "bogus"):
        page.get_by_text(part, exact=False).first.wait_for()
    visit(page, f"{app_url}/states?study=demo&state=99&split=dev&row=zz", "States")
    for part in ("no state S99", "no split 'dev'", "no sentence 'zz'"):
        page.get_by_text(part, exact=False).first.wait_for()
