"""The study of pairs that comes with the program: in the menu, and every page opens on it."""

from pathlib import Path

import pytest

from tests.pages.test_every_page import open_page

PAGES = ("overview", "states", "transitions", "triage", "trace", "relevance", "pairs", "plan")


@pytest.mark.parametrize("page", PAGES)
def test_opens(root: Path, page: str) -> None:
    app = open_page(root, page, study="demo-pairs")
    assert not app.exception
    assert not app.error
    assert app.title[0].value


def test_the_menu_offers_both_demos(root: Path) -> None:
    app = open_page(root, "overview")
    menu = app.selectbox(key="frame-study")
    assert menu.options[:2] == ["demo", "demo-pairs"]
    menu.select("demo-pairs").run()
    assert not app.exception
    assert "demo-pairs" in app.query_params["study"]
