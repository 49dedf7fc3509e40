"""The note beside a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

import streamlit as st

from seer.charts.captions import counted
from seer.hosting import notes_read_only
from seer.notes import ACTIONS, CAUSES, CLOSED, Change, Note, NoteFields
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.notes.drafts import drop, keep, kept, save_again, with_draft
from seer.ui.notes.note_keys import STEP, after, cause_fields
from seer.ui.notes.notebook import Notebook
from seer.ui.notes.writing import attempt, message, open_row, said, save, take, take_back, undoable
from seer.ui.selection import shortened

_FIELDS = "_notes_fields"
"""In the session: ``_Held`` of each field."""
_HISTORY = 12
"""Changes of a row that are listed."""


class _Held(NamedTuple):
    """A field: how often it was made anew, the value that it began with, and the one that it holds."""

    version: int
    first: Any
    now: Any


def note_panel(view: View, book: Notebook, rows: IntArray, row: int) -> None:
    """The note on the shown sentence: every field is saved at once.

    Args:
        view: of the page.
        book: the notes.
        rows: positions of the list, in its order.
        row: position of the shown sentence.
    """
    row_id = str(view.study.corpus.ids[row])
    note = with_draft(book, row_id)
    with st.container(gap="small", key="note"):
        _causes(book, row_id, note, after(view, book, rows, row))
        _other_fields(view, book, row_id, note)
        _last_line(book)
        _history(book, row_id)


def _causes(book: Notebook, row_id: str, note: Note, following: str | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**What went wrong?**", width="stretch")
        st.toggle(
            "check and go on",
            help="A cause also marks the sentence as checked and opens the next one that is not.",
            disabled=book.closed,
            **state.bound("note-step", f"view.{STEP}", empty=True),
        )
    with st.container(horizontal=True, gap="xsmall"):
        for number, cause in enumerate((*CAUSES, None), 1):
            fields, chosen, digit = cause_fields(cause), cause is not None and note.cause == cause, number % 10
            # The row is in the key: a click on a button of one sentence never reaches the next one.
            st.button(
                f"{cause or 'no cause'} {digit if chosen else f':gray[{digit}]'}",
                key=f"note-cause-{digit}-{row_id}",
                type="primary" if chosen else "secondary",
                disabled=book.closed,
                on_click=take,
                args=(book, row_id, fields, following if "status" in fields else None, row_id),
            )


def _other_fields(view: View, book: Notebook, row_id: str, note: Note) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        first, options = _field(book, row_id, "action", note.action)
        st.selectbox("Action", ACTIONS, index=_at(ACTIONS, first), placeholder="what to do", width=168, **options)
        if note.action == "relabel" or note.label:
            first, options = _field(book, row_id, "label", note.label)
            classes = view.study.classes
            offered = list(dict.fromkeys(name for name in (*classes, first, note.label) if name is not None))
            st.selectbox("New label", offered, index=_at(offered, first), placeholder="which", width=120, **options)
        first, options = _field(book, row_id, "status", note.status == "checked")
        st.checkbox("Checked", value=first, width="content", **options)
    first, options = _field(book, row_id, "text", note.text)
    st.text_area(
        "In your own words",
        value=first,
        height=68,
        placeholder="Note; saved when you leave the field",
        label_visibility="collapsed",
        **options,
    )


def _at(offered: Sequence[str], value: str | None) -> int | None:
    return None if value is None else offered.index(value)


def _field(book: Notebook, row_id: str, name: str, value: Any) -> tuple[Any, dict[str, Any]]:
    """The first value of a widget that saves what a person enters, and the other arguments.

    A value that changed otherwise than by this widget makes another widget of it, and none is given its value through
    the session: the browser may report what an element held before it got a value, and that nobody entered.
    """
    fields: dict[tuple[Path, str, str], _Held] = st.session_state.setdefault(_FIELDS, {})
    place = book.notes.path, row_id, name
    held = fields.get(place, _Held(0, value, value))
    if held.now != value:
        held = _Held(held.version + 1, value, value)
    fields[place] = held
    key = f"note-{name}-{row_id}" + (f"-{held.version}" if held.version else "")
    # A widget that comes back after other sentences begins with what stands now.
    first = held.first if key in st.session_state else value
    fields[place] = held._replace(first=first)
    return first, {
        "key": key,
        "on_change": state.by_hand(_take_field),
        "args": (book, row_id, name, key, value),
        "disabled": book.closed,
    }


def _take_field(book: Notebook, row_id: str, name: str, key: str, drawn: object) -> None:
    value = st.session_state[key]
    # A widget that is about to go may report once more what was drawn: nobody entered that.
    if value == drawn:
        return
    fields: dict[tuple[Path, str, str], _Held] = st.session_state[_FIELDS]
    fields[book.notes.path, row_id, name] = fields[book.notes.path, row_id, name]._replace(now=value)
    entered: dict[str, Any] = {name: ("checked" if value else "to do") if name == "status" else value}
    if name == "action" and value != "relabel":
        entered["label"] = None
    wanted = cast(NoteFields, entered)
    if save(book, [row_id], wanted):
        drop(book, row_id, wanted)
    else:
        keep(book, row_id, wanted)
    if state.current().row is None:  # it stays open, also where its note takes it out of the list
        open_row(row_id)


def _last_line(book: Notebook) -> None:
    """What came of the last change, and the way back."""
    message(CLOSED if notes_read_only() else "Saved at once; nothing is overwritten unseen.")
    mine, unsaved = undoable(book), kept(book)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Undo :gray[U]",
            key="note-undo",
            icon=":material/undo:",
            disabled=book.closed or not mine,
            help=f"Takes back: {state.literal(shortened(mine[-1].line, 120))}" if mine else "Nothing to take back.",
            on_click=take_back,
            args=(book,),
        )
        if unsaved:
            st.button(
                f"Save again ({len(unsaved):,})",
                key="note-again",
                icon=":material/save:",
                help=f"On {state.literal(', '.join(unsaved[:5]))}.",
                on_click=save_again,
                args=(book, save),
            )


def _history(book: Notebook, row_id: str) -> None:
    changes = (attempt(lambda: book.notes.history(row_id)) if book.fault is None else None) or []
    if not changes:
        return
    with st.expander(f"History · {counted(len(changes), 'change')}"):
        st.caption(_history_lines(changes))


def _history_lines(changes: Sequence[Change]) -> str:
    """The last changes of a row as a list, the newest first."""
    lines = []
    for change in list(reversed(changes))[:_HISTORY]:
        when = datetime.fromisoformat(change.time).strftime("%Y-%m-%d %H:%M")
        what = said(change.note) if change.note else "note taken away"
        who = f"{change.author} · undo" if change.undoes else change.author
        lines.append(f"- {state.literal(f'{when} UTC · {who}: {what}')}")
    rest = len(changes) - _HISTORY
    return "\n".join([*lines, *([f"- {rest:,} earlier: the plan page gives out all."] if rest > 0 else [])])
