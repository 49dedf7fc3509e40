"""Comparing methods on an error in Chromium: target, span, the way to the trace and back, a word of a set."""

import re
from urllib.parse import parse_qs, urlencode, urlparse

import pytest

from seer.explain import explain
from seer.relevance.effects import span_effect
from seer.study import Study
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser

METHODS = ("lrp", "gradient_input", "integrated_gradients", "occlusion")


def query(page):
    return {key: values[0] for key, values in parse_qs(urlparse(page.url).query).items()}


def cells(page):
    """Of the first picture: for each word its cells as (text, number, x, y, background)."""
    return (
        page.locator(".seer-words")
        .first.locator(".col")
        .evaluate_all(
            """columns => columns.map(column => [...column.children].map(cell => {
            const box = cell.getBoundingClientRect();
            return [cell.textContent, cell.dataset.r, Math.round(box.x), Math.round(box.y),
                    getComputedStyle(cell).backgroundColor];
        }))"""
        )
    )


def written(value):
    return f"{value:+.2f}".replace("-", "−").replace("+0.00", "0.00").replace("−0.00", "0.00")


def choose(page, key, option):
    """Open a select box, type, and take the option: a long list draws only the part on show."""
    page.locator(f".st-key-{key} [role=combobox], .st-key-{key} [data-baseweb=select]").first.click()
    page.keyboard.type(option)
    page.get_by_role("option", name=option, exact=True).first.click()


def test_four_methods_on_an_error_with_its_trace(page, app_url):
    study = Study.open("demo")
    page.goto(f"{app_url}/relevance?{urlencode({'true': 'neg', 'pred': 'pos'})}")
    settled(page)
    page.get_by_role("button", name="Next error").click()
    page.wait_for_url("**row=*")
    settled(page)
    row = study.corpus.position(query(page)["row"])
    page.locator(".seer-verdict", has_text="Wrong").first.wait_for()
    words = list(study.sentence(row).words)
    page.wait_for_function("word => document.querySelector('.seer-words .col span').textContent === word", arg=words[0])

    # Every word is a column of four cells that say what the library says.
    found = [explain(study, row, name) for name in METHODS]
    shown = cells(page)
    assert [column[0][0] for column in shown] == words
    for place, column in enumerate(shown):
        assert [cell[0] for cell in column] == [words[place]] * 4
        assert [cell[1] for cell in column] == [written(explanation.relevance[place]) for explanation in found]
        assert len({cell[2] for cell in column}) == 1  # aligned: one under another
        assert len({cell[3] for cell in column}) == 4
    steps = [[cell[3] - column[0][3] for cell in column] for column in shown]
    assert all(abs(one - first) <= 1 for step in steps for one, first in zip(step, steps[0], strict=True))

    # Another class: other numbers, and the link says so.
    choose(page, "relevance-target", "neg")
    page.wait_for_url("**v.target=neg*")
    expected = explain(study, row, "lrp", "neg")
    strongest = int(abs(expected.relevance).argmax())
    page.wait_for_function(
        "([place, number]) => document.querySelectorAll('.seer-words .col')[place].firstChild.dataset.r === number",
        arg=[strongest, written(expected.relevance[strongest])],
    )

    # A span, marked by its two ends.
    choose(page, "relevance-span-first", f"1 {words[0]}")
    page.wait_for_url("**v.span=1-*")
    choose(page, "relevance-span-last", f"3 {words[2]}")
    page.wait_for_url("**v.span=1-3*")
    page.wait_for_function("document.querySelectorAll('.seer-words .framed').length === 3")
    _, ids = study.tokenizer.encode([study.corpus.text(row)])
    given = span_effect(study.classifier, ids, 0, 2).span[0]
    marked = study.corpus.text(row)[: study.sentence(row).span[2, 1]]
    said = page.locator(".seer-verdict", has_text=f"“{' '.join(marked.split())}” gives")
    said.wait_for()
    verdict = said.inner_text()
    assert float(re.search(r"gives ([+−]?[\d.]+)", verdict)[1].replace("−", "-")) == pytest.approx(given, abs=0.006)

    # To the trace, where the relevance lies under the states, and back: all that was chosen is still chosen.
    before = query(page)
    page.get_by_role("link", name="Sentence trace").last.click()
    page.wait_for_url("**/trace?**")
    page.locator(".seer-text.states").wait_for()
    assert page.locator(".st-key-chips").get_by_role("button", name="true: neg").count() == 1
    page.locator(".st-key-trace-relevance label").first.click()
    page.locator(".seer-text.scored i.r").first.wait_for()
    marks = page.locator(".seer-text.scored i.r").evaluate_all("marks => marks.map(mark => mark.dataset.r)")
    assert marks == [written(value) for value in expected.relevance]
    page.get_by_role("link", name="Word relevance").last.click()
    page.wait_for_url("**/relevance?**")
    settled(page)
    page.wait_for_function("document.querySelectorAll('.seer-words .framed').length === 3")
    after = query(page)
    assert {key: after.get(key) for key in before} == before
    assert [column[0][0] for column in cells(page)] == words
    assert page.console_errors == []


def test_methods_stay_aligned_on_a_phone_and_a_word_of_a_set_filters(page, app_url):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}/relevance?row=6133")
    settled(page)
    shown = cells(page)
    assert all(len({cell[2] for cell in column}) == 1 for column in shown)
    assert len({column[0][3] for column in shown}) > 3  # it wraps
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    widest = page.locator(".seer-words .col").evaluate_all(
        "all => Math.max(...all.map(c => c.getBoundingClientRect().right))"
    )
    assert widest <= 390

    page.set_viewport_size({"width": 1400, "height": 1000})
    page.goto(f"{app_url}/relevance?{urlencode({'true': 'neg', 'pred': 'pos', 'v.tab': 'A set of sentences'})}")
    bars = page.locator(
        "[data-testid=stVegaLiteChart] svg .mark-rect path, [data-testid=stVegaLiteChart] svg .mark-bar path"
    )
    bars.first.wait_for()
    settled(page)
    bars.first.click()
    page.wait_for_url("**word=*")
    page.locator(".seer-words .framed").first.wait_for()
    word = query(page)["word"]
    assert {text.strip() for text in page.locator(".seer-words .framed span").all_inner_texts()} == {word}
    assert page.console_errors == []
