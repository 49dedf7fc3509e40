"""Word relevance on the trace page: a switch that lays it under the states, and the way to its own page."""

from __future__ import annotations

import streamlit as st

from seer.charts.relevance import scale_html
from seer.charts.scale import Line
from seer.relevance.methods import METHODS
from seer.traces import SentenceTrace
from seer.ui import state
from seer.ui.frame import View
from seer.ui.relevance.shared import (
    MOST_WORDS,
    RELEVANCE_PAGE,
    chosen_target,
    explained_by,
    line_of,
    quick_methods,
    title_of,
)

SWITCH = "relevance"
"""View option: relevance stands under the states."""


def relevance_choice(view: View, trace: SentenceTrace | None) -> tuple[str, str] | None:
    """The method and the class whose relevance is laid under the states, ``None`` where it is off or not possible.

    Args:
        view: of the page.
        trace: the sentence; an edited copy is explained for the same class.
    """
    if trace is None or not _possible(view, trace) or not state.view_option(SWITCH, False):
        return None
    present = quick_methods(view.study)
    by = state.view_option("by", present[0])
    return by if by in present else present[0], chosen_target(view) or str(trace.prediction)


def relevance_under(view: View, trace: SentenceTrace | None, choice: tuple[str, str] | None) -> Line | None:
    """The relevance of a sentence's words by the choice, ``None`` without one or where LRP overflows, which is said."""
    if trace is None or choice is None or not _possible(view, trace):
        return None
    found = explained_by(view, trace.text, choice[:1], choice[1], f"trace-{len(trace.text)}")
    return line_of(found[0]) if found else None


def relevance_controls(view: View, trace: SentenceTrace | None, row_id: str | None) -> None:
    """The switch, the method, what the numbers mean, and the link.

    Args:
        view: of the page.
        trace: the sentence on show.
        row_id: its id, ``None`` for a typed one.
    """
    if trace is None or not _possible(view, trace):
        return
    choice = relevance_choice(view, trace)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.toggle(
            "Relevance",
            help="Lays under each state how much the word speaks for the class.",
            **state.bound("trace-relevance", f"view.{SWITCH}", empty=False),
        )
        if choice is not None:
            present = quick_methods(view.study)
            st.selectbox(
                "Method",
                present,
                format_func=title_of,
                label_visibility="collapsed",
                width=210,
                **state.bound("trace-by", "view.by", empty=present[0], choices=present),
            )
        st.page_link(
            RELEVANCE_PAGE,
            label="Word relevance",
            icon=":material/format_color_text:",
            query_params=state.link_query() if row_id is None else state.link_query(row=row_id),
        )
    if choice is not None:
        method, target = choice
        st.html(scale_html(target, unsigned=not METHODS[method].signed, unknown=False))


def _possible(view: View, trace: SentenceTrace) -> bool:
    return view.study.has_model and not view.study.paired and 0 < len(trace) <= MOST_WORDS
