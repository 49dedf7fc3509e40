"""One note for all sentences of a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import streamlit as st

from seer.charts.captions import counted
from seer.notes import ACTIONS, CAUSES, NoteFields
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.notes.notebook import Notebook
from seer.ui.notes.writing import said, save
from seer.ui.selection import Selection

_BULK = "_notes_bulk"
_KEEP = "as it is"


def bulk_button(view: View, book: Notebook, rows: IntArray) -> None:
    """The button that opens the one change for all listed sentences."""
    st.button(
        f"Note on all {len(rows):,}",
        key="notes-bulk",
        icon=":material/playlist_add_check:",
        disabled=not len(rows) or book.closed,
        help="One change for every sentence that matches the filter, after you have confirmed how many.",
        on_click=_open_bulk,
        args=(view, book, rows),
    )
    opened: Bulk | None = st.session_state.get(_BULK)
    if opened is not None and opened.asked == state.current():
        _bulk_dialog(view.study.classes, opened.ids, opened.book, opened.noted)
    else:
        _close_bulk()


class Bulk(NamedTuple):
    """What the person saw when the dialog opened: the Selection, the rows, the notes, how many of the rows had one."""

    asked: Selection
    ids: list[str]
    book: Notebook
    noted: int


def _open_bulk(view: View, book: Notebook, rows: IntArray) -> None:
    ids = [str(row_id) for row_id in view.study.corpus.ids[rows]]
    st.session_state[_BULK] = Bulk(state.current(), ids, book, int(book.columns.noted[rows].sum()))


def _close_bulk() -> None:
    st.session_state.pop(_BULK, None)


@st.dialog("One note for all of the list", icon=":material/playlist_add_check:", on_dismiss=_close_bulk)
def _bulk_dialog(classes: Sequence[str], ids: list[str], book: Notebook, noted: int) -> None:
    """Choose fields, see the number, confirm. ``book`` is what the person saw when the dialog opened."""
    have = "has" if noted == 1 else "have"
    st.markdown(
        f"It goes to the **{counted(len(ids), 'sentence')}** that match the filter; {noted:,} of them {have} a note. "
        "What is left as it is keeps what stands on each sentence."
    )
    fields: dict[str, Any] = {}
    for name, label, offered, none in (
        ("cause", "Cause", CAUSES, "no cause"),
        ("action", "Action", ACTIONS, "no action"),
        ("status", "Status", ("checked", "to do"), None),
    ):
        options = [*offered, *([none] if none else [])]
        chosen = st.selectbox(label, options, index=None, placeholder=_KEEP, key=f"bulk-{name}")
        if chosen is not None:
            fields[name] = None if chosen == none else chosen
        if name == "action" and chosen == "relabel":
            label_of = st.selectbox("New label", classes, index=None, placeholder=_KEEP, key="bulk-label")
            fields |= {} if label_of is None else {"label": label_of}
        elif name == "action" and chosen is not None:
            fields["label"] = None  # a new label belongs to “relabel”
        elif name == "status":
            st.caption("A key marks its sentence as checked. Here that is done only where “checked” is chosen.")
    cleared = st.checkbox("Take the written note away", key="bulk-clear")
    text = st.text_area("Note", placeholder=_KEEP, height=68, key="bulk-text", disabled=cleared)
    if cleared or text:
        fields["text"] = "" if cleared else text
    wanted = cast(NoteFields, fields)
    st.caption(state.literal(f"Sets: {said(wanted)}." if wanted else "Nothing is chosen yet."))
    if st.button(
        f"Set on {counted(len(ids), 'sentence')}", key="bulk-set", type="primary", disabled=not wanted, width="stretch"
    ):
        save(book, ids, wanted)
        _close_bulk()
        st.rerun()
