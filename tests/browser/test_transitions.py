"""Clicks in the graph and on the map, in Chromium."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser


def chosen(page, key="state"):
    return parse_qs(urlsplit(page.url).query).get(key, [None])[0]


def heading(page, text):
    page.get_by_role("heading", name=text, exact=True).wait_for()


def click_state(page, state):
    graph = page.locator(".graph")
    graph.locator("canvas").wait_for()
    spot = graph.evaluate("(root, state) => root.graph.where(state)", state)
    page.mouse.click(spot["x"], spot["y"])


def test_a_click_in_the_graph_chooses_the_state_of_the_states_page(page, app_url, tmp_path):
    outside = []
    page.on("request", lambda request: outside.append(request.url) if app_url not in request.url else None)
    page.goto(f"{app_url}/transitions")
    settled(page)
    for state in (3, 5):
        click_state(page, state)
        heading(page, f"State S{state}")
        assert chosen(page) == str(state)
        page.wait_for_timeout(300)
    with page.expect_download() as download:
        page.get_by_role("button", name="HTML").click()
    file = Path(tmp_path / download.value.suggested_filename)
    download.value.save_as(file)
    assert file.name.startswith("demo-test-")
    assert "createStateGraph" in file.read_text(encoding="utf-8")

    page.get_by_role("link", name="States", exact=True).click()
    heading(page, "States")
    heading(page, "State S5")
    assert chosen(page) == "5"
    assert [url for url in outside if not url.startswith(("data:", "blob:"))] == []
    assert page.console_errors == []


def test_the_map_takes_a_click_again_after_the_box_chose_another(page, app_url):
    page.set_viewport_size({"width": 1400, "height": 1200})
    page.goto(f"{app_url}/states")
    settled(page)
    label = page.locator("[data-testid=stVegaLiteChart] svg:visible").first.get_by_text("S2", exact=True)
    label.click()
    heading(page, "State S2")
    box = page.get_by_role("combobox", name="State", exact=False).last
    box.click()
    page.get_by_role("option", name="S4 ").click()
    heading(page, "State S4")
    settled(page)
    label.click()
    heading(page, "State S2")
    assert chosen(page) == "2"
    assert page.console_errors == []


@pytest.mark.parametrize("path", ["states?state=2", "transitions?state=2"])
def test_nothing_is_wider_than_a_phone(page, app_url, path):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}/{path}")
    settled(page)
    heading(page, "State S2")
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert page.console_errors == []
