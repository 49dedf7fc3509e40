from urllib.parse import urlencode

import pytest

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser

NASTY = '<img src=x onerror="window.hacked=1"> <b>not</b> $x$ :smile: & \u202eturned\nשלום good'
COPY = "<script>window.hacked=1</script> a good film"


def words(page, place):
    """Text of the words of the sentence at a place, without what the style sheet writes."""
    return page.locator(".seer-text.states").nth(place).inner_text()


def type_into(page, key, text):
    area = page.locator(f".st-key-{key} textarea")
    area.fill(text)
    area.press("Control+Enter")


@pytest.mark.hard_inputs(17, 18, 39)
def test_markup_in_a_text_shows_as_text_and_a_link_reopens_it(page, browser, app_url):
    page.goto(f"{app_url}/trace")
    settled(page)
    page.locator(".st-key-trace-text", has_text="example").wait_for()
    type_into(page, "trace-text", NASTY)
    page.locator(".seer-text.states .w", has_text="onerror").wait_for()
    assert words(page, 0) == NASTY
    page.get_by_role("button", name="Edit a copy").click()
    page.locator(".st-key-trace-edited").wait_for()
    type_into(page, "trace-edited", COPY)
    page.locator(".seer-text.states .w", has_text="</script>").wait_for()
    page.locator(".seer-facts").wait_for()
    # What stands in the text became no element, and nothing ran.
    assert page.locator("main img[src=x], .seer-text b, .seer-text script").count() == 0
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    context = browser.new_context()
    other = context.new_page()
    other.goto(page.url)
    other.locator(".seer-facts").wait_for()
    settled(other)
    assert [words(other, place) for place in (0, 1)] == [NASTY, COPY]
    assert other.locator(".st-key-trace-text textarea").input_value() == NASTY
    assert other.locator(".st-key-trace-edited textarea").input_value() == COPY
    assert other.locator(".seer-facts").inner_text() == page.locator(".seer-facts").inner_text()
    assert other.evaluate("window.hacked") is None
    context.close()
    assert page.console_errors == []


def test_a_search_opens_a_sentence_and_a_chosen_state_is_framed(page, app_url):
    page.goto(f"{app_url}/trace?{urlencode({'q': 'funny', 'state': 3})}")
    settled(page)
    found = page.locator(".st-key-trace-found [data-testid=stButton] button").first
    text = found.inner_text().split("…")[0].strip()
    found.click()
    page.wait_for_url("**row=*")
    settled(page)
    page.wait_for_function(
        "text => document.querySelector('.seer-text.states').innerText.replace(/\\s+/g, ' ').includes(text)",
        arg=" ".join(text.split()[-5:]),
    )
    marked = page.locator(".seer-text.states .marked i")
    assert marked.count() > 0
    assert {mark.get_attribute("data-state") for mark in marked.all()} == {"S3"}
    assert page.console_errors == []


def test_no_word_breaks_the_curve(page, app_url):
    # Vega's parser takes some of these for names, wherever they stand in an expression.
    text = (
        "what if it __proto__ \"quoted\" 'single' back\\slash \\ </script>\nconstructor toString {{x}} ${y} \u2028 end"
    )
    page.goto(f"{app_url}/trace?{urlencode({'text': text})}")
    settled(page)
    chart = page.locator("[data-testid=stVegaLiteChart] svg").first
    for word in ("if", "__proto__", "\\", "</script>", "constructor", "toString"):
        chart.get_by_text(word, exact=True).first.wait_for()
    assert page.console_errors == []
