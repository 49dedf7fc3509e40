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
from seer.ui.note_writing import save
from seer.ui.notebook import Notebook
from seer.ui.selection import Selection

_BULK = "_notes_bulk"
_KEEP = "as it is"


def bulk_button(view: View, book: Notebook, rows: IntArray) -> None:
    """The button that opens the one change for all listed sentences."""
    st.button(
        f"Note on all {len(rows):,}",
        key="notes-bulk",
        icon=":material/playlist_add_check:",
        disabled=not len(rows) or book.fault is not None,
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
    st.markdown(
        f"It goes to the **{counted(len(ids), 'sentence')}** that match the filter; {noted:,} of them have a note. "
        "Fields left as they are keep what stands on each sentence."
    )
    fields: dict[str, Any] = {}
    for name, label, offered in (
        ("cause", "Cause", CAUSES),
        ("action", "Action", ACTIONS),
        ("status", "Status", ("checked", "to do")),
    ):
        fields[name] = st.selectbox(label, offered, index=None, placeholder=_KEEP, key=f"bulk-{name}")
        if name == "action" and fields[name] == "relabel":
            fields["label"] = st.selectbox("New label", classes, index=None, placeholder=_KEEP, key="bulk-label")
    fields["text"] = st.text_area("Note", placeholder=_KEEP, height=68, key="bulk-text") or None
    wanted = cast(NoteFields, {name: value for name, value in fields.items() if value is not None})
    if st.button(
        f"Set on {counted(len(ids), 'sentence')}", key="bulk-set", type="primary", disabled=not wanted, width="stretch"
    ):
        save(book, ids, wanted)
        _close_bulk()
        st.rerun()
