import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.charts.scale import Line
from seer.charts.sentence import chip_html, legend_html, sentence_html
from seer.text import Tokenizer
from seer.traces import SentenceTrace

TOKENIZER = Tokenizer.train(["a good film , not a bad one"], min_count=1)
NASTY = ["<b>neg</b>", "\"pos\" & 'co'"]


def make_trace(text, classes=("neg", "pos"), seed=0):
    span = TOKENIZER.spans(text)
    steps, rng = len(span), np.random.default_rng(seed)
    probability = rng.dirichlet(np.ones(len(classes)), steps) if steps else np.zeros((0, len(classes)))
    return SentenceTrace(
        text=text,
        classes=tuple(classes),
        span=span,
        known=rng.random(steps) < 0.5,
        state=rng.integers(1, 21, steps).astype(np.int16),
        predicted=probability.argmax(axis=1).astype(np.int16),
        probability=probability,
    )


def without_tags(html):
    return unescape(re.sub(r"<[^>]*>", "", html))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "a good film",
        "  leading, trailing  \n",
        '<img src=x onerror="alert(1)"> & "quotes" \'single\' &amp; <br />',
        "$x$ :smile: **bold** `code` 😀👨‍👩‍👧",
        "שלום hello world 123 \u202eoverride",
    ],
)
@pytest.mark.parametrize("states", [False, True])
def test_the_text_is_what_is_left_without_the_tags(text, states):
    html = sentence_html(make_trace(text, NASTY), states=states, marked=[0], changed=[1], moved=[1])
    assert without_tags(html) == text
    assert "<img" not in html
    assert "<b>" not in html


@given(st.text(max_size=60), st.booleans())
def test_any_text_is_kept(text, states):
    html = sentence_html(make_trace(text, NASTY), states=states)
    assert without_tags(html) == text
    # Nothing of the text opens a tag: there are only our own.
    assert set(re.findall(r"<(\w+)", html)) <= {"div", "span", "i"}


def test_marks_stand_at_their_words():
    trace = make_trace("a good film , not bad")
    html = sentence_html(trace, states=True, marked=[1], changed=[2], moved=[3])
    words = re.findall(r'<span class="w([^"]*)"[^>]*>([^<]*)<i data-state="(S\d+)"', html)
    assert [word for _, word, _ in words] == list(trace.words)
    assert [state for *_, state in words] == [f"S{state}" for state in trace.state]
    has = {
        kind: [i for i, (names, *_) in enumerate(words) if kind in names.split()]
        for kind in ("marked", "changed", "moved", "flip", "unknown")
    }
    assert has == {
        "marked": [1],
        "changed": [2],
        "moved": [3],
        "flip": trace.flips.tolist(),
        "unknown": np.flatnonzero(~trace.known).tolist(),
    }


def test_long_texts_are_cut_and_say_so():
    trace = make_trace("good " * 30)
    html = sentence_html(trace, first=10, most=5)
    assert html.count('class="w') == 5
    assert "10 words before" in html
    assert "15 words more" in html


def test_class_names_are_escaped():
    for html in (legend_html(NASTY, states=True, marked="<i>", compared=True), chip_html(NASTY, NASTY[0])):
        assert "<b>neg</b>" not in html
        assert "&lt;b&gt;neg&lt;/b&gt;" in html


def test_words_of_a_turned_text_know_their_side():
    html = sentence_html(make_trace("שלום hello 12 !"), states=True)
    names = [set(found.split()) & {"ltr", "rtl"} for found in re.findall(r'class="(w[^"]*)"', html)]
    assert names == [{"rtl"}, {"ltr"}, {"ltr"}, set()]
    assert "ltr" not in sentence_html(make_trace("plain text"))


def test_a_change_without_room_for_its_name_is_a_mark():
    trace = make_trace("film a conscientious bad film", ("negative", "positive"))
    html = sentence_html(replace(trace, predicted=np.array([0, 1, 0, 1, 1], dtype=np.int16)), states=True)
    assert re.findall(r'changes to (\w+)[^>]*>([^<]*)<i data-state="S\d+" data-to="([^"]*)"', html) == [
        ("positive", "a", "⇄"),
        ("negative", "conscientious", "→ negative"),
        ("positive", "bad", "→ positive"),
    ]


def test_relevance_stands_under_the_states_and_leaves_the_text_alone():
    trace = make_trace("a good film <b>")
    line = Line("LRP", "LRP", np.linspace(-1, 1, len(trace)))
    html = sentence_html(trace, states=True, relevance=line)
    assert without_tags(html) == trace.text
    numbers = re.findall(r'<i class="r ([^"]*)" data-r="([^"]*)">', html)
    assert len(numbers) == len(trace)
    assert (numbers[0], numbers[-1]) == (("m20", "−1.00"), ("p20", "+1.00"))
    assert "LRP −1" in html
    assert 'class="r' not in sentence_html(trace, relevance=line)
    assert 'class="r' not in sentence_html(trace, states=True)
