import re
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.charts.palette import DIVERGING, DIVERGING_DARK, contrast, diverging, text_on
from seer.charts.relevance import STYLE, agreement_html, scale_html, words_html
from seer.charts.scale import LEVELS, Line, largest, level, printed, written

NASTY = ["<b>no</b>", '"q"', "it's", "&amp;", "</span>", "שלום", "\\"]


def line(*values, name="LRP", code="L", **options):
    return Line(name, code, np.array(values, dtype=float), **options)


def cells(html):
    """(word as written, classes, number) of each cell, column by column."""
    found = re.findall(r'<span class="([^"]*)" data-r="([^"]*)" title="[^"]*">(.*?)</span>', html, re.DOTALL)
    return [(unescape(re.sub("<[^>]*>", "", word)), kinds, number) for kinds, number, word in found]


def test_the_scale_is_centred_symmetric_and_clipped():
    assert level(0, 1) == level(float("nan"), 1) == level(1, 0) == ""
    assert level(1, 1) == level(5, 1) == f"p{LEVELS}"
    assert level(-1, 1) == f"m{LEVELS}"
    assert level(0.5, 1)[1:] == level(-0.5, 1)[1:]


@given(st.floats(-1, 1))
def test_stronger_values_never_take_a_fainter_colour(value):
    def strength(shown):
        return int(level(shown, 1)[1:] or 0)

    assert strength(value) <= strength(min(1, abs(value) + 0.1))


def test_every_level_has_the_palettes_colour_and_text_that_reads_on_it():
    for step in range(1, LEVELS + 1):
        for name, sign in (("p", 1), ("m", -1)):
            light, dark = diverging(sign * step / LEVELS), diverging(sign * step / LEVELS, dark=True)
            assert f".{name}{step} {{ background: {light}; background: light-dark({light}, {dark});" in STYLE
            assert f"color: light-dark({text_on(light)}, {text_on(dark)})" in STYLE
            assert min(contrast(text_on(light), light), contrast(text_on(dark), dark)) >= 4.5
    assert f"light-dark({DIVERGING[0]}, {DIVERGING_DARK[0]})" in STYLE


@pytest.mark.parametrize(
    ("value", "limit", "signed", "text"),
    [
        (0.784, 2, True, "+0.78"),
        (-0.784, 2, True, "−0.78"),
        (0.784, 2, False, "0.78"),
        (0.001, 2, True, "0.00"),
        (0.0, 0.0, True, "0.00"),
        (-12.34, 20, True, "−12.3"),
        (0.0412, 0.05, True, "+0.041"),
        (-2.2e-5, 1e-4, True, "−2e−5"),
        (0.0, 1e-4, True, "0"),
        (2.2e30, 2.2e30, True, "+2e30"),
        (-3.0, 2.2e30, True, "−3e0"),
        (float("nan"), 1, True, "–"),
    ],
)
def test_numbers_say_their_sign_in_few_signs(value, limit, signed, text):
    assert written(value, limit, signed) == text


def test_tables_print_what_is_there():
    assert [printed(size) % size for size in (1e-5, 0.5, 12345.0, 1e9)] == [
        "+1.00e-05",
        "+0.5000",
        "+12345.00",
        "+1.00e+09",
    ]
    assert printed(0.5, signed=False) % 0.5 == "0.5000"


def test_each_word_is_a_column_with_a_cell_a_line():
    words = ["not", "bad", "."]
    lines = [line(1, -2, 0), line(0.5, 0.25, -0.5, name="Occlusion", code="Occ")]
    html = words_html(words, lines, known=[True, False, True], framed=[0, 1], struck=[1])
    assert cells(html) == [
        ("not", "p10", "+1.00"),
        ("not", f"p{LEVELS}", "+0.50"),
        ("bad", f"m{LEVELS}", "−2.00"),
        ("bad", "p10", "+0.25"),
        (".", "", "0.00"),
        (".", f"m{LEVELS}", "−0.50"),
    ]
    assert re.findall(r'class="col( framed)?"', html) == [" framed", " framed", ""]
    assert html.count("<s><u>bad</u></s>") == 2
    assert "not · word 1 · LRP +1" in html
    assert "bad · word 2, not in the vocabulary · Occlusion +0.25" in html
    assert r"--long:'LRP\A Occlusion'" in unescape(html)
    assert r"--short:'L\A Occ'" in unescape(html)


def test_lines_may_share_a_scale():
    html = words_html(["a"], [line(1, limit=4), line(4, limit=4)])
    assert [kinds for _, kinds, _ in cells(html)] == ["p5", "p20"]


@given(st.lists(st.text(min_size=1, max_size=8), max_size=6))
def test_words_and_names_are_escaped(words):
    words = [*words, *NASTY]
    html = words_html(words, [line(*range(len(words)), name="</style>'\\\"<b>", code="'")], known=[False] * len(words))
    assert [word for word, *_ in cells(html)] == words
    assert set(re.findall(r"<(\w+)", html)) <= {"div", "span", "u", "b"}
    style = unescape(re.search(r'style="([^"]*)"', html)[1])
    assert re.fullmatch(r"--room:[\d.]+rem;--long:'[^'\\\"<>]*'; --short:'[^'\\\"<>]*';", style)


def test_a_part_says_what_it_leaves_out():
    html = words_html([f"w{n}" for n in range(20)], [line(*range(20))], first=5, most=3, bare=True)
    assert [word for word, *_ in cells(html)] == ["w5", "w6", "w7"]
    assert "5 words before" in html
    assert "12 words more" in html
    # The colours of a part are those of the whole.
    assert cells(html)[0][1] == level(5, 19)


def test_a_word_without_relevance_is_no_zero():
    assert cells(words_html(["a", "b"], [line(np.nan, 1)]))[0] == ("a", "", "–")
    assert largest(np.array([np.nan])) == 0


def test_the_legend_names_the_class_and_what_has_no_sign():
    html = scale_html("<i>", unsigned=True)
    assert "against &lt;i&gt;" in html
    assert "only how strong" in html
    assert "only how strong" not in scale_html("pos")
    assert "largest on show" in scale_html("pos", shared=True)


def test_the_matrix_has_each_pair_as_a_number():
    matrix = np.array([[1, 0.5, np.nan], [0.5, 1, -1], [np.nan, -1, 1]])
    html = agreement_html(["<b>", "Two", "Three"], ["A", "B", "C"], matrix)
    found = re.findall(r'<td class="([^"]*)"[^>]*>([^<]*)</td>', html)
    assert [text for _, text in found] == ["1", "+0.50", "–", "+0.50", "1", "−1.00", "–", "−1.00", "1"]
    assert [kind for kind, _ in found] == ["", "p10", "", "p10", "", "m20", "", "m20", ""]
    assert "<b>" not in html
    assert html.count('scope="row"') == html.count('scope="col"') == 3
