"""What could not be saved: kept for its row, shown in its fields, and saved when the notes can be written again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import streamlit as st

from seer.notes import Note, NoteFields
from seer.notes.record import edited
from seer.ui.notes.notebook import Notebook

_DRAFTS = "_notes_drafts"


def with_draft(book: Notebook, row_id: str) -> Note:
    """The note on a row with what could not be saved."""
    return edited(book.note(row_id), _drafts().get((book.notes.path, row_id), NoteFields()))


def keep(book: Notebook, row_id: str, fields: NoteFields) -> None:
    """Keep fields that could not be saved."""
    place = book.notes.path, row_id
    _drafts()[place] = cast(NoteFields, {**_drafts().get(place, {}), **fields})


def drop(book: Notebook, row_id: str, fields: NoteFields) -> None:
    """Forget fields that are saved by now."""
    place = book.notes.path, row_id
    left = {name: value for name, value in _drafts().get(place, {}).items() if name not in fields}
    if left:
        _drafts()[place] = cast(NoteFields, left)
    else:
        _drafts().pop(place, None)


def kept(book: Notebook) -> list[str]:
    """Ids of the rows with something that could not be saved."""
    return [row_id for path, row_id in _drafts() if path == book.notes.path]


def save_again(book: Notebook, save: Callable[[Notebook, list[str], NoteFields], bool]) -> None:
    """Save what is kept, row by row, until one fails."""
    for row_id in kept(book):
        fields = _drafts()[book.notes.path, row_id]
        if not save(book, [row_id], fields):
            return
        drop(book, row_id, fields)


def _drafts() -> dict[tuple[Path, str], NoteFields]:
    drafts: dict[tuple[Path, str], NoteFields] = st.session_state.setdefault(_DRAFTS, {})
    return drafts
