"""The note beside a sentence, and one change for all sentences of a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, NamedTuple, cast

import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.notes import ACTIONS, CAUSES, Note, NoteFields
from seer.table import place_of
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.notebook import GUEST, Notebook, attempt, author, last_change, message, save, take, undo
from seer.ui.selection import Selection

STEP = "step"
"""View option: whether a cause checks the sentence and goes on to the next."""

KEYS = "Keys: 1–9 cause, 0 no cause, N next, P previous, U takes back."
_DRAFTS, _BULK = "_notes_drafts", "_notes_bulk"
_KEEP = "as it is"


def note_panel(view: View, book: Notebook, rows: IntArray, row: int) -> None:
    """The note on the shown sentence: every field is saved at once.

    Args:
        view: of the page.
        book: the notes.
        rows: positions of the list, in its order.
        row: position of the shown sentence.
    """
    row_id, ids = str(view.study.corpus.ids[row]), view.study.corpus.ids
    place = place_of(rows, row)
    following = 0 if place is None else place + 1
    after = str(ids[rows[following]]) if following < len(rows) else None
    note = book.note(row_id) or Note()
    with st.container(gap="small", key="note"):
        _cause_keys(book, row_id, note, after)
        _other_fields(view, book, row_id, note)
        _last_line(book, row_id)
        _history(book, row_id)


def _cause_keys(book: Notebook, row_id: str, note: Note, after: str | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**What went wrong?**", width="stretch")
        st.toggle(
            "check and go on",
            help="A cause also marks the sentence as checked and opens the next one.",
            disabled=book.fault is not None,
            **state.bound("note-step", f"view.{STEP}", empty=True),
        )
    step = state.view_option(STEP, True)
    with st.container(horizontal=True, gap="xsmall"):
        for key, cause in enumerate((*CAUSES, None), 1):
            fields: NoteFields = {"cause": cause}
            if step and cause is not None:
                fields["status"] = "checked"
            # The row is in the key: a press that was meant for a sentence never reaches the next one.
            st.button(
                cause or "no cause",
                key=f"note-cause-{key % 10}-{row_id}",
                type="primary" if cause is not None and note.cause == cause else "secondary",
                shortcut=str(key % 10),
                disabled=book.fault is not None,
                on_click=take,
                args=(book, [row_id], fields, after if step and cause is not None else None),
            )


def _other_fields(view: View, book: Notebook, row_id: str, note: Note) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Action",
            ACTIONS,
            index=None,
            placeholder="what to do",
            width=168,
            **_field(book, row_id, "action", note.action),
        )
        if note.action == "relabel" or note.label:
            classes = view.study.classes
            offered = [*classes, *([note.label] if note.label and note.label not in classes else [])]
            st.selectbox(
                "New label",
                offered,
                index=None,
                placeholder="which",
                width=120,
                **_field(book, row_id, "label", note.label),
            )
        st.checkbox("Checked", width="content", **_field(book, row_id, "status", note.status == "checked"))
    st.text_area(
        "In your own words",
        height=68,
        placeholder="Note; saved when you leave the field",
        label_visibility="collapsed",
        **_field(book, row_id, "text", note.text),
    )


def _field(book: Notebook, row_id: str, name: str, stands: object) -> dict[str, Any]:
    """Arguments of a widget that shows what stands and saves what a person enters."""
    key = f"note-{name}-{row_id}"
    value = _drafts().get(key, stands)
    # Assigned only when it differs: an assignment goes to the browser.
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return {
        "key": key,
        "on_change": _take_field,
        "args": (book, row_id, name, key),
        "disabled": book.fault is not None,
    }


def _take_field(book: Notebook, row_id: str, name: str, key: str) -> None:
    value = st.session_state[key]
    fields: dict[str, Any] = {name: ("checked" if value else "to do") if name == "status" else value}
    if name == "action" and value != "relabel":
        fields["label"] = None
    if save(book, [row_id], cast(NoteFields, fields)):
        _drafts().pop(key, None)
    else:  # what was entered stays in the field
        _drafts()[key] = value


def _take_again(book: Notebook, row_id: str, keys: Sequence[str]) -> None:
    for key in keys:
        st.session_state[key] = _drafts()[key]
        _take_field(book, row_id, key.split("-")[1], key)


def _drafts() -> dict[str, object]:
    """Values that could not be saved, by the key of their field."""
    drafts: dict[str, object] = st.session_state.setdefault(_DRAFTS, {})
    return drafts


def _last_line(book: Notebook, row_id: str) -> None:
    """What came of the last change, and the way back."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(width="stretch"):
            message(KEYS)
        unsaved = [key for key in _drafts() if key.startswith("note-") and key.endswith(f"-{row_id}")]
        if unsaved:
            st.button(
                "Save again",
                key="note-again",
                icon=":material/save:",
                on_click=_take_again,
                args=(book, row_id, unsaved),
            )
        mine, name = last_change(book), author()
        what = f"Takes back: {state.literal(mine.line if mine else f'the last change by {name}')}"
        # Guests are many: what one of them did in another session is not this one's to take back.
        stuck = mine is None and name == GUEST
        st.button(
            "Undo",
            key="note-undo",
            icon=":material/undo:",
            shortcut="U",
            disabled=book.fault is not None or not book.revision or stuck,
            help="Nothing to take back; with your name in the sidebar, also changes of earlier visits."
            if stuck
            else what,
            on_click=undo,
            args=(book,),
        )


def _history(book: Notebook, row_id: str) -> None:
    changes = (attempt(lambda: book.notes.history(row_id)) if book.fault is None else None) or []
    if not changes:
        return
    with st.expander(f"History · {counted(len(changes), 'change')}"):
        frame = pd.DataFrame(
            [
                {
                    "UTC": datetime.fromisoformat(change.time).strftime("%Y-%m-%d %H:%M"),
                    "by": change.author,
                    **(asdict(change.note) if change.note else {"text": "(note taken away)"}),
                    "undo": "↶" if change.undoes else None,
                }
                for change in reversed(changes)
            ],
            columns=["UTC", "by", "status", "cause", "action", "label", "text", "undo"],
        )
        st.dataframe(frame, hide_index=True, placeholder="–", alt=f"The changes of the note on {row_id}, newest first.")


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
