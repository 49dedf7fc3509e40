"""The notes of the opened study as a page sees them, read anew in each run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from seer.errors import NotesError
from seer.hosting import notes_read_only
from seer.notes import CAUSES, WAIT, Change, Note, Notes, notes_path
from seer.slices import Mask
from seer.study import Study
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.selection import PAGE

NOTE = "note"
"""View option: which sentences a list keeps by their note."""
UNCHECKED, CHECKED, NO_CAUSE = "unchecked", "checked", "no-cause"
KEPT = {"": "checked or not", UNCHECKED: "not checked", CHECKED: "checked", NO_CAUSE: "without a cause"} | {
    cause: f"cause: {cause}" for cause in CAUSES
}
"""Values of ``NOTE`` and what they are called."""


@dataclass(frozen=True, eq=False)
class Columns:
    """What the notes say of each of the n sentences: (n,) with a note, (n,) checked, (n,) place in ``CAUSES`` or -1."""

    noted: Mask
    checked: Mask
    cause: IntArray


@dataclass(frozen=True, eq=False)
class Notebook:
    """The notes as they stood when the run began.

    Attributes:
        notes: to write them.
        revision: of what was read.
        current: row id → the change that stands.
        columns: the same by position.
        fault: why they cannot be read, in a sentence; then there are none.
    """

    notes: Notes
    revision: int
    current: Mapping[str, Change]
    columns: Columns
    fault: str | None = None

    @property
    def closed(self) -> bool:
        """Whether nothing can be written."""
        return self.fault is not None or notes_read_only()

    def note(self, row_id: str) -> Note | None:
        """What stands on a row."""
        change = self.current.get(row_id)
        return change.note if change else None

    def progress(self, rows: IntArray) -> str:
        """How many of the rows are checked, in words."""
        return f"{int(self.columns.checked[rows].sum()):,} of {len(rows):,} checked"

    def kept(self, rows: IntArray) -> IntArray:
        """Those of the rows (m,) that the view option ``NOTE`` keeps, in their order."""
        wanted = note_filter()
        if not wanted:
            return rows
        if wanted in (UNCHECKED, CHECKED):
            keep = self.columns.checked[rows] == (wanted == CHECKED)
        else:
            causes: list[str] = [*CAUSES]
            keep = self.columns.cause[rows] == (-1 if wanted == NO_CAUSE else causes.index(wanted))
        found: IntArray = rows[keep]
        return found


def open_notebook(view: View) -> Notebook:
    """The notes of the study as they now stand; a fault is told in a sentence and the page goes on without them."""
    study, path = view.study, notes_path(view.study.folder, view.selection.study)
    notes = Notes(path, study.hash, study.corpus.fingerprint, WAIT, _tell_waiting)
    try:
        revision = notes.revision()
        current, columns = _read(study, notes, study.hash, str(path), revision)
        return Notebook(notes, revision, current, columns)
    except NotesError as error:
        st.error(state.literal(str(error)), icon=":material/error:")
        return Notebook(notes, 0, {}, _columns(study, {}), str(error))


@st.cache_resource(max_entries=8, show_spinner=False)
def _read(_study: Study, _notes: Notes, version: str, path: str, revision: int) -> tuple[Mapping[str, Change], Columns]:
    """The notes of a revision; shared by all sessions and never changed."""
    current = _notes.current()
    return current, _columns(_study, current)


def _columns(study: Study, current: Mapping[str, Change]) -> Columns:
    corpus, count = study.corpus, len(study.corpus)
    found = [(corpus.position(row_id), change.note) for row_id, change in current.items() if row_id in corpus]
    rows = np.array([row for row, _ in found], dtype=np.int64)
    noted, checked, cause = np.zeros(count, bool), np.zeros(count, bool), np.full(count, -1, np.int64)
    noted[rows] = True
    checked[rows] = [note is not None and note.status == "checked" for _, note in found]
    cause[rows] = [CAUSES.index(note.cause) if note and note.cause else -1 for _, note in found]
    return Columns(noted, checked, cause)


def _tell_waiting(seconds: float) -> None:
    """Somebody else writes for long: say so now, also from a callback, where the page is not drawn yet.

    Where the browser has asked for the next run, or has gone, any message ends this one. What is being written is
    written first: the run then ends at the next message.
    """
    with suppress(StopException):
        st.toast(f"Another program holds the notes; waited {seconds:.0f} s so far.", icon=":material/hourglass_top:")


def note_filter() -> str:
    """The chosen value of ``NOTE``; all sentences for one that is not known."""
    wanted = state.view_option(NOTE, "")
    return wanted if wanted in KEPT else ""


def note_filter_field() -> None:
    """The field that keeps sentences by their note."""
    st.selectbox(
        "Notes",
        KEPT,
        format_func=KEPT.__getitem__,
        label_visibility="collapsed",
        width=176,
        **state.tied("notes-kept", note_filter(), lambda kept: state.change_view(**{NOTE: kept or None, PAGE: None})),
    )


def note_cell(note: Note | None) -> str | None:
    """Status and cause in a cell: ``✓ negation``, ``negation``, ``✓ checked`` or ``noted``."""
    if note is None:
        return None
    checked = note.status == "checked"
    return f"{'✓ ' if checked else ''}{note.cause or ('checked' if checked else 'noted')}"
