"""The fields that filter sentences, each tied to the Selection."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from seer.slices import query_fault
from seer.ui import state
from seer.ui.codec import Outcome
from seer.ui.frame import View
from seer.ui.selection import state_name

Shown = Literal["wrong", "right", "all"]

SHOWN: dict[Shown, str] = {"wrong": "✕ wrong", "right": "✓ right", "all": "all"}
_FITS = 14
"""Letters of a class that a narrow box shows."""

ALL = "all"
"""View option: the person has chosen what to show, so that no outcome means all sentences and not the errors."""


def shown_outcome(view: View) -> Outcome | None:
    """The outcome that the list shows: the Selection's, and the errors until the person has chosen.

    Where a cell of the confusion matrix is chosen, or nothing has a label, all are shown at first.
    """
    chosen = view.selection
    if chosen.outcome is not None or state.view_option(ALL, False):
        return chosen.outcome
    cell = chosen.true is not None and chosen.predicted is not None
    return None if cell or not view.study.accuracy(view.split).labelled else "wrong"


def query_error(view: View) -> str | None:
    """Why the typed query is not in force, or ``None``; ``view`` has left such a query out."""
    return None if view.selection.query else query_fault(state.current().query, state.current().regex)


def filter_fields(view: View) -> None:
    """Two rows of fields: outcome, classes and state; confidence, words and text."""
    classes = view.study.classes
    with st.container(horizontal=True, gap="small"):
        _outcome_field(view)
        for label, field in (("True class", "true"), ("Predicted class", "predicted")):
            st.selectbox(
                label,
                classes,
                index=None,
                placeholder="any",
                width=116 if max(map(len, classes)) <= _FITS else 230,
                **state.bound(f"filter-{field}", field, choices=classes),
            )
        st.selectbox(
            "State",
            range(1, view.study.states + 1),
            index=None,
            placeholder="any",
            format_func=state_name,
            width=110,
            **state.bound("filter-state", "state", choices=range(1, view.study.states + 1)),
        )
    with st.container(horizontal=True, gap="small"):
        st.slider(
            "Confidence",
            0.0,
            1.0,
            step=0.01,
            format="percent",
            width=150,
            help="Probability of the predicted class after the last word.",
            **state.bound("filter-confidence", "confidence", empty=(0.0, 1.0)),
        )
        longest = max(1, int(view.study.traces.lengths.max()), *(state.current().length or ()))
        st.slider("Words", 0, longest, step=1, width=150, **state.bound("filter-length", "length", empty=(0, longest)))
        _text_field(view)


def _outcome_field(view: View) -> None:
    shown = shown_outcome(view) or "all"
    st.segmented_control(
        "Show",
        list(SHOWN),
        format_func=SHOWN.__getitem__,
        required=True,
        help=f"{view.noun.capitalize()}s without a label, and without a word, are neither right nor wrong: they stand "
        "under “all”.",
        **state.tied("filter-outcome", shown, _take_outcome),
    )


def _take_outcome(shown: str) -> None:
    selection = state.current().change(outcome=None if shown == "all" else shown)
    state.select(selection.with_view(**{ALL: "1"}, page=None))


def _text_field(view: View) -> None:
    with st.container(width="stretch", gap=None):
        st.text_input(
            "Text",
            type="search",
            placeholder="regular expression" if state.current().regex else "contains",
            help="Upper and lower case are the same. Regular expressions have the RE2 syntax.",
            **state.bound("filter-query", "query", empty=""),
        )
        fault = query_error(view)
        if fault is not None:
            st.caption(f":red[✕ {state.literal(fault)}] It is left out until it is mended.")
    with st.container(width="content"):
        st.space("small")
        st.checkbox("regex", **state.bound("filter-regex", "regex", empty=False))
