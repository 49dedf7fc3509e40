"""Finding a sentence: by its words, or from error to error."""

from __future__ import annotations

import streamlit as st

from seer.picks import next_row, wrong_rows
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.panels import outcome_words

FOUND = 5
"""Sentences of a search on show at once."""

SEED = 0
"""Of the order in which “random error” goes through the errors."""


def search_panel(view: View, current: int | None) -> None:
    """A search in the filtered sentences and the buttons that go from error to error.

    Args:
        view: of the page.
        current: position of the sentence on show, ``None`` for a typed one.
    """
    rows = view.rows()
    errors = wrong_rows(view.study, rows)
    regex = view.selection.regex
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            f"Find a {view.noun}" + (" (regular expression)" if regex else ""),
            placeholder=f"Words in the text, such as: {'guitar' if view.study.paired else 'funny'}",
            help=f"Looks in the {view.noun}s that pass the filters shown above.",
            width=360,
            **state.bound("trace-query", "query", empty=""),
        )
        for label, icon, seed, guide in (
            ("Random error", ":material/shuffle:", SEED, "in a shuffled order"),
            ("Next error", ":material/arrow_forward:", None, "in the order of the data set"),
        ):
            st.button(
                label,
                key=f"trace-{label}",
                icon=icon,
                disabled=not len(errors),
                help=f"Of the {len(errors):,} wrong among the {len(rows):,} {view.noun}s that pass the filters, "
                f"{guide}.",
                on_click=_open,
                args=(view, next_row(errors, current, len(view.study.corpus), seed)),
            )
    if view.selection.query:
        _found(view, rows, current)


def _open(view: View, row: int | None) -> None:
    if row is not None:
        state.change(row=str(view.study.corpus.ids[row]))


def _found(view: View, rows: IntArray, current: int | None) -> None:
    if not len(rows):
        below = "" if current is None else " The sentence below is the one that was open before."
        empty(f"No {view.noun} that passes the filters has these words. Change the words or remove a filter.{below}")
        return
    pages = -(-len(rows) // FOUND)
    with st.container(border=True, gap=None, key="trace-found"):
        page = 1
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.caption(f"{len(rows):,} found")
            if pages > 1:
                # The key holds the filter: another search begins at its first page.
                key = f"trace-found-{hash(view.filter())}"
                page = st.pagination(pages, max_visible_pages=5, key=key)
        for row in rows[(page - 1) * FOUND : page * FOUND]:
            # Buttons, not links: a link to the page one is on leaves the address as it was.
            st.button(
                state.literal(view.line(view.study.corpus.text(int(row)), 120)),
                key=f"trace-found-{view.study.corpus.ids[row]}",
                icon=_sign(view, int(row)),
                help=state.literal(outcome_words(view, int(row))),
                type="tertiary",
                wrap=False,
                on_click=_open,
                args=(view, int(row)),
            )


def _sign(view: View, row: int) -> str:
    label, prediction = int(view.study.corpus.labels[row]), int(view.study.traces.prediction[row])
    if label < 0 or prediction < 0:
        return ":material/remove:"
    return ":material/check:" if label == prediction else ":material/close:"
