import numpy as np
import pytest

from seer.charts.reading import difference_html, flips_line, remarks, verdict_html
from seer.compare import compare
from seer.traces import SentenceTrace
from tests.charts.test_sentence import NASTY, make_trace, without_tags


def certain(text, known=True, stride=1):
    trace = make_trace(text)
    steps = len(trace)
    return SentenceTrace(
        text=text,
        classes=("neg", "pos"),
        span=trace.span,
        known=np.full(steps, known),
        state=np.arange(1, steps + 1, dtype=np.int16),
        predicted=np.zeros(steps, dtype=np.int16),
        probability=np.tile([0.9, 0.1], (steps, 1)),
        stride=stride,
    )


def test_the_verdict_says_right_and_wrong_in_words_and_signs():
    trace = certain("a good film")
    assert without_tags(verdict_html(trace, "neg")) == "✓ Right: read as neg with probability 0.90, and it is neg."
    assert without_tags(verdict_html(trace, "pos")) == "✕ Wrong: read as neg with probability 0.90, but it is pos."
    assert without_tags(verdict_html(trace)) == "Read as neg with probability 0.90."
    assert "gives no class" in verdict_html(trace, unlabelled=True)
    assert without_tags(verdict_html(certain(""), "pos")) == "– No prediction. It is pos."
    assert "<b>neg</b>" not in verdict_html(make_trace("a film", NASTY), NASTY[0])


@pytest.mark.parametrize(
    ("text", "known", "word"),
    [
        ("", True, "empty"),
        (" \n ", True, "blank"),
        ("... !", True, "only punctuation"),
        ("xx yy", False, "No word is in the vocabulary"),
    ],
)
def test_odd_texts_get_a_clear_word(text, known, word):
    assert any(word in remark for remark in remarks(certain(text, known)))


def test_a_stride_is_said_and_an_ordinary_text_needs_no_remark():
    assert remarks(certain("a good film")) == []
    assert "after every 3 words" in remarks(certain("a good film", stride=3))[0]


def test_flips_are_named():
    trace = make_trace("a good film , not bad")
    line = flips_line(trace)
    assert all(f"word {flip + 1}" in line for flip in trace.flips[:4])
    assert flips_line(certain("a good film")) == "The prediction is neg after every word."
    assert flips_line(certain("")) == ""


def test_what_an_edit_changed():
    first, second = certain("a good film"), certain("a <b>bad</b> film")
    said = without_tags(difference_html(first, second, compare(first, second)))
    assert "the same in both" in said
    assert "1 out, 3 in" in said
    assert "0.90 → 0.90" in said
    assert "at word 4" in said
    assert "never" in difference_html(first, first, compare(first, first))
    nothing = certain("")
    assert "none" in difference_html(first, nothing, compare(first, nothing))
