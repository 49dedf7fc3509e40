"""Right-to-left text in Chromium: its words in their order and place, and everything beside it as usual."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.models.training import TrainingSettings
from tests.browser.conftest import running_app, settled
from tests.conftest import make_corpus

pytestmark = pytest.mark.browser

HEBREW = "הסרט הזה טוב iPhone 15 Pro 2024-05"
WORDS = ["הסרט", "הזה", "טוב", "iPhone", "15", "Pro", "2024", "-", "05"]
TURNED = "a good \u202eturned film"
STUDY = "turned\u202e"
CLASSES = ("pos\u202e", "שלילי")
SENTENCE_PAGES = ("triage", "trace", "relevance")
FIRST, OTHERS = ("", "triage", "trace"), ("states", "transitions", "relevance", "plan")

BACKWARDS = """() => {
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const text = node.textContent.trimEnd()
    if (!/^[\\x20-\\x7e]{4,}$/.test(text) || node.parentElement.closest('.seer-text, svg, style, script')) continue
    const box = at => {
      const range = document.createRange()
      range.setStart(node, at); range.setEnd(node, at + 1)
      return range.getBoundingClientRect()
    }
    const first = box(text.search(/[A-Za-z0-9]/) < 0 ? 0 : text.search(/[A-Za-z0-9]/)), last = box(text.length - 1)
    if (first.width && last.width && Math.abs(first.top - last.top) < 2 && first.left > last.left) found.push(text)
  }
  return found
}"""
"""Plain texts of the page, outside of sentences, that are drawn from right to left."""


@pytest.fixture(scope="module")
def turned_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an app with a study of texts and classes that turn the direction."""
    folder = tmp_path_factory.mktemp("turned")
    texts = (HEBREW, TURNED, "טוב מאוד", "רע good", "a bad film")
    rows = [(f"{texts[place % 5]} {place}", place % 2, ("train", "test")[place // 5 % 2]) for place in range(80)]
    train_study(
        make_corpus(rows, CLASSES),
        folder / "studies" / STUDY,
        architecture={"embedding": 4, "hidden": 6},
        training=TrainingSettings(epochs=2),
        analysis=AnalysisSettings(states=4, components=2),
    )
    with running_app(folder / "studies", folder / "notes") as app:
        yield app.url


def opened(page: Any, address: str) -> None:
    page.goto(address)
    page.locator("h1").wait_for(timeout=60_000)
    settled(page)


@pytest.mark.hard_inputs(17)
def test_words_from_right_to_left_keep_their_order_and_colour(page: Any, turned_url: str) -> None:
    opened(page, f"{turned_url}/trace?{urlencode({'study': STUDY, 'text': HEBREW})}")
    drawn = page.locator(".seer-text.states").first.locator(".w")
    drawn.first.wait_for()
    assert [word.inner_text() for word in drawn.all()] == WORDS
    assert [word.get_attribute("title").split(" · ")[0].split(",")[0] for word in drawn.all()] == [
        f"word {step}" for step in range(1, len(WORDS) + 1)
    ]
    assert all("rgba" in word.get_attribute("style") for word in drawn.all())
    places = [word.bounding_box() for word in drawn.all()]
    left = [box["x"] for box in places]
    assert left[0] > left[1] > left[2] > left[3], "Hebrew goes to the left, and the English words stand left of it"
    assert left[3] < left[4] < left[5], "the English words go to the right"
    assert page.console_errors == []


@pytest.mark.hard_inputs(17)
@pytest.mark.parametrize("path", [*FIRST, *(pytest.param(path, marks=pytest.mark.slow) for path in OTHERS)])
def test_a_turned_text_does_not_turn_its_neighbours(page: Any, turned_url: str, path: str) -> None:
    turned = {"study": STUDY, "row": "r6", "true": CLASSES[0], "q": "\u202eturned"}
    hebrew = {"study": STUDY, "row": "r5"}
    for asked in (turned, hebrew) if path in SENTENCE_PAGES else (turned,):
        opened(page, f"{turned_url}/{path}?{urlencode(asked)}")
        assert page.evaluate(BACKWARDS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.console_errors == []
