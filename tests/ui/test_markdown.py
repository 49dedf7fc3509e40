"""Texts for labels; what Streamlit makes of them is tested in Chromium."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.ui.markdown import literal

TURNED = st.text(alphabet=st.sampled_from("ab\u202a\u202e\u202c\u2066\u2068\u2069"))


@pytest.mark.hard_inputs(18)
@given(st.text(st.characters(blacklist_categories=("Cf", "Cs"))))
def test_a_text_is_whole_without_what_was_added(text: str) -> None:
    shown = literal(text).replace(":small[]", "")
    shown = re.sub(r"&#(32|9);", lambda blank: chr(int(blank[1])), shown)
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown) == text


@pytest.mark.hard_inputs(17)
@given(TURNED)
def test_a_turn_ends_with_its_text(text: str) -> None:
    depth = []
    for sign in literal(text):
        if sign in "\u202a\u202e":
            depth.append("\u202c")
        elif sign in "\u2066\u2068":
            depth.append("\u2069")
        elif depth and sign == depth[-1]:
            depth.pop()
    assert depth == []
    assert literal(text).startswith(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a_b", r"a\_b"),
        ("a -> b", r"a \-:small[]\> b"),
        ("x@y", "x:small[]@y"),
        ("  two", "&#32; two"),
        ("\u202eturned", "\u202eturned\u202c"),
        ("plain words, a comma", "plain words, a comma"),
    ],
)
def test_by_hand(text: str, shown: str) -> None:
    assert literal(text) == shown
