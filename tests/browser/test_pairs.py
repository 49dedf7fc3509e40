"""Sentence pairs in Chromium: three hypotheses, signed view, a cell and a word taken out, the link, a phone."""

import re
from urllib.parse import parse_qs, urlencode, urlparse

import pytest

from seer.pair_reading import read_pairs, without
from seer.study import Study
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser

PREMISE = "A woman is playing the violin <b>loudly</b>"
HYPOTHESES = ("A woman is playing an instrument", "Nobody is playing the violin", "A woman is eating")
CELLS = ".mark-rect [role=graphics-symbol]"
COUNT = """([place, parts, count]) =>
  document.querySelectorAll("[data-testid=stVegaLiteChart]")[place].querySelectorAll(parts).length === count"""


def query(page):
    return {key: values[0] for key, values in parse_qs(urlparse(page.url).query).items()}


def settle(page):
    settled(page)
    page.locator(f"[data-testid=stVegaLiteChart] {CELLS}").first.wait_for()


def type_into(page, key, text):
    area = page.locator(f".st-key-{key} textarea")
    area.fill(text)
    area.press("Control+Enter")
    page.wait_for_function(
        "([key, text]) => document.querySelector(`.st-key-${key} textarea`).value === text", arg=[key, text]
    )
    settle(page)


def picture(page, place):
    """A chart by its place: attention and saliency of each pair in turn, then gates and theirs."""
    return page.locator("[data-testid=stVegaLiteChart]").nth(place)


def numbers(page):
    """What stands beside the bars of all pairs."""
    return page.locator(".seer-bars .number").all_inner_texts()


def compared(page, app_url):
    """Open the page and type the premise and three hypotheses."""
    page.goto(f"{app_url}/pairs?study=demo-pairs")
    settle(page)
    type_into(page, "pairs-premise", PREMISE)
    type_into(page, "pairs-hypothesis-0", HYPOTHESES[0])
    for place in (1, 2):
        page.get_by_role("button", name="Add a hypothesis").click()
        page.locator(f".st-key-pairs-hypothesis-{place}").wait_for()
        settle(page)
        type_into(page, f"pairs-hypothesis-{place}", HYPOTHESES[place])


def test_three_hypotheses_signed_a_cell_taken_out_and_the_link_reopened(page, browser, app_url):
    study = Study.open("demo-pairs")
    found = read_pairs(study, [(PREMISE, hypothesis) for hypothesis in HYPOTHESES])
    compared(page, app_url)
    assert numbers(page) == [f"{share:.2f}" for read in found for share in read.probability]
    page.locator(".st-key-pairs-scale button", has_text="signed").first.click()
    page.wait_for_url("**scale=signed**")
    settle(page)

    # Every word stands at its place, and what the pointer shows are the library's numbers.
    words = len(found[1].premise_words), len(found[1].hypothesis_words)
    cells = picture(page, 3).locator(CELLS)
    assert cells.count() == words[0] * words[1]
    told = cells.evaluate_all("cells => cells.map(cell => cell.getAttribute('aria-label'))")
    assert told == [
        f"{one} – {other}: {found[1].saliency[i, j]:+.3g}"
        for i, one in enumerate(found[1].premise_words)
        for j, other in enumerate(found[1].hypothesis_words)
    ]
    colours = set(cells.evaluate_all("cells => cells.map(cell => cell.getAttribute('fill').toUpperCase())"))
    assert len(colours) == 2

    # A click takes the pair of words out, there alone; a second one puts it back.
    cells.nth(4 * words[1] + 3).click()
    page.wait_for_url("**take=2c4.3**")
    settle(page)
    after = without(study, PREMISE, HYPOTHESES[1], cell=(4, 3))
    moved = [f"{one:.3f} → {other:.3f}" for one, other in zip(found[1].probability, after, strict=True)]
    assert numbers(page)[3:6] == moved
    assert " → " not in "".join(numbers(page)[:3] + numbers(page)[6:])
    picture(page, 3).locator(CELLS).nth(4 * words[1] + 3).click()
    page.wait_for_function("!location.search.includes('take')")
    settle(page)
    assert " → " not in "".join(numbers(page))

    # So does a click on a word beside the cells, and on one of the buttons.
    picture(page, 3).get_by_text("Nobody", exact=True).last.click()
    page.wait_for_url("**take=2h0**")
    settle(page)
    after = without(study, PREMISE, HYPOTHESES[1], word=(1, 0))
    assert [number.split(" → ")[1] for number in numbers(page)[3:6]] == [f"{share:.3f}" for share in after]

    context = browser.new_context(viewport={"width": 390, "height": 844})
    other = context.new_page()
    other.goto(page.url)
    settle(other)
    assert numbers(other) == numbers(page)
    assert other.locator(".st-key-pairs-premise textarea").input_value() == PREMISE
    assert [other.locator(f".st-key-pairs-hypothesis-{k} textarea").input_value() for k in range(3)] == list(HYPOTHESES)
    assert other.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    other.locator("[class*=st-key-pairs-words-premise] button", has_text="violin").first.click()
    other.wait_for_url("**take=p5**")
    settle(other)
    assert all(" → " in number for number in numbers(other))
    assert other.locator("main img[src=x], .seer-moved b b").count() == 0
    context.close()
    assert page.console_errors == []


def test_gates_are_switched_and_a_point_takes_its_word_out(page, app_url):
    text = f"{PREMISE}\n{HYPOTHESES[1]}"
    page.goto(f"{app_url}/pairs?{urlencode({'study': 'demo-pairs', 'text': text})}")
    settle(page)
    points = ".mark-symbol.role-mark [role=graphics-symbol]"
    gates = picture(page, 3)
    gates.locator(points).first.wait_for()
    words = sum(len(part) for part in read_pairs(Study.open("demo-pairs"), [(PREMISE, HYPOTHESES[1])])[0].words)
    assert gates.locator(points).count() == 3 * 4 * words
    page.locator(".st-key-pairs-gates button", has_text="input").first.click()
    page.wait_for_url("**gates=fo**")
    settle(page)
    page.wait_for_function(COUNT, arg=[3, points, 2 * 4 * words])
    picture(page, 3).locator(points).nth(3).click(force=True)
    page.wait_for_url("**take=p3**")
    settle(page)
    assert re.search("word 4 of the premise", page.locator(".st-key-pairs-taken").inner_text())
    assert query(page)["v.gates"] == "fo"
    assert page.console_errors == []
