"""The note beside a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast

import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.notes import ACTIONS, CAUSES, Note, NoteFields
from seer.table import place_of
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.note_writing import GUEST, attempt, author, last_change, message, save, take, undo
from seer.ui.notebook import Notebook

STEP = "step"
"""View option: whether a cause checks the sentence and goes on to the next."""

KEYS = "Keys: 1–9 cause, 0 no cause, N next, P previous, U takes back."
_DRAFTS = "_notes_drafts"
_UNSEEN = object()


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
                args=(book, row_id, fields, after if step and cause is not None else None, state.current().row),
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
        "args": (book, row_id, name, key, value),
        "disabled": book.fault is not None,
    }


def _take_field(book: Notebook, row_id: str, name: str, key: str, drawn: object) -> None:
    value = st.session_state[key]
    # A widget that is about to go may report once more what was drawn: nobody entered that.
    if value == drawn:
        return
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
        _take_field(book, row_id, key.split("-")[1], key, _UNSEEN)


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
