"""What ``literal`` writes is shown by Streamlit sign by sign, wherever Streamlit reads Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import ROOT, running_app

TEXTS = (
    "cost $5 then $9 *really* :red[x] :smile: # a_b_",
    "a -> b <- c <-> d -- e --- f >= g <= h ~= i != j => k ----- -->> <=>",
    ":material/close: :streamlit: :+1: :small[x] :blue-badge[x] ::material/a: :red[:smile:] :::x",
    "http://127.0.0.1:9/x https://a.b ahttp://c www.abc.de me@abc.de x@y @ mailto:a@b.c HTTP://A.B",
    "![i](http://127.0.0.1:9/i.png) [l](/x) [^1] [x]: y [ ] todo",
    "<b>x</b> <img src=x onerror=alert(1)> <!-- c --> <div>",
    "&lt; &amp; &#65; &nbsp; R&D's \"q\" 'q' ... (c) +- 1/2",
    "    four blanks",
    "title\n===\nnext\n---",
    "p\n\n    code\n\ttab",
    "1. one\n2) two\n- three\n+ four\n> five",
    "| a | b |\n|---|---|\n| c | d |",
    "~~~\ncode\n~~~ `c` ``d`` ^x^ ==m== ~s~ ~~t~~ __u__ ***v***",
    r"\alpha \$ \\ \-> $$x$$ trailing\ ",
    "* * *",
    "#",
    "half � and \u202eturned",
)

PLACES = {
    "caption": "[data-testid=stCaptionContainer]",
    "warning": "[data-testid=stAlertContainer]",
    "button": ".stButton button",
    "expander": "summary [data-testid=stMarkdownContainer]",
    "checkbox": ".stCheckbox [data-testid=stWidgetLabel]",
    "metric": "[data-testid=stMetricLabel]",
    "choice": "[data-testid=stButtonGroup] button",
    "tab": "[role=tab]",
    "area": ".stTextArea label",
}
"""Kinds of elements with Markdown in them, and where a page has it."""

APP = f"""
import sys

sys.path.insert(0, {str(ROOT)!r})
import streamlit as st
from seer.ui.markdown import literal

for number, text in enumerate({TEXTS!r}):
    shown = literal(text)
    with st.container(key=f"text-{{number}}"):
        st.caption(shown)
        st.warning(shown)
        st.button(shown, key=f"button-{{number}}", help=shown)
        st.expander(shown)
        st.checkbox(shown, key=f"checkbox-{{number}}")
        st.metric(shown, "1")
        st.segmented_control("Choice", [shown], key=f"choice-{{number}}")
        st.tabs([shown])
        st.text_area(shown, key=f"area-{{number}}")
st.caption("all drawn")
"""


@pytest.mark.browser
@pytest.mark.hard_inputs(18, 39)
def test_streamlit_shows_a_text_sign_by_sign(page: Any, tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(APP, encoding="utf-8")
    with running_app(tmp_path, tmp_path, str(script)) as app:
        page.goto(app.url)
        page.get_by_text("all drawn").wait_for(timeout=60_000)
        page.wait_for_timeout(1000)
        for number, text in enumerate(TEXTS):
            part = page.locator(f".st-key-text-{number}")
            for place, where in PLACES.items():
                shown = part.locator(where).first
                assert shown.text_content().rstrip("\u202c").split() == text.split(), (place, text)
                assert shown.locator("a, code, em, strong, img, table, li, hr, .katex").count() == 0, (place, text)
        assert page.console_errors == []
