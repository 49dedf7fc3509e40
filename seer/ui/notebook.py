"""The notes of the opened study as a page sees them: read anew in each run, and what came of the last change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
import streamlit as st

from seer.charts.captions import counted
from seer.errors import NotesError
from seer.notes import CAUSES, FILE, WAIT, Change, Note, NoteFields, Notes
from seer.slices import Mask
from seer.study import Study
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.selection import PAGE, shortened

NOTES_VARIABLE = "SEER_NOTES"
"""Environment variable: a folder for the notes of all studies, where the studies' own may not be written."""

GUEST = "guest"
"""Author of a note by somebody who gave no name."""

NOTE = "note"
"""View option: which sentences a list keeps by their note."""
UNCHECKED, CHECKED, NO_CAUSE = "unchecked", "checked", "no-cause"
KEPT = {"": "checked or not", UNCHECKED: "not checked", CHECKED: "checked", NO_CAUSE: "without a cause"} | {
    cause: f"cause: {cause}" for cause in CAUSES
}
"""Values of ``NOTE`` and what they are called."""

_AUTHOR, _SAID, _MINE, _OWN = "_notes_author", "_notes_said", "_notes_mine", "_notes_own"
_NAMED = 3
"""Row ids named in a message."""

Kind = Literal["done", "warning", "error"]
Result = TypeVar("Result")


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


@dataclass(frozen=True)
class Mine:
    """A change that this session made and may take back: where, its batch, the row when it was one, and its name."""

    path: Path
    batch: str
    row: str | None
    line: str = field(compare=False)


def notes_path(view: View) -> Path:
    """Where the notes of the study are kept: in the folder that ``SEER_NOTES`` names, else with the study."""
    folder = os.environ.get(NOTES_VARIABLE)
    return Path(folder) / f"{view.selection.study}.sqlite" if folder else view.study.folder / FILE


def open_notebook(view: View) -> Notebook:
    """The notes of the study as they now stand; a fault is told in a sentence and the page goes on without them."""
    study, path = view.study, notes_path(view)
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
    """Somebody else writes for long: say so now, also from a callback, where the page is not drawn yet."""
    st.toast(f"Another program holds the notes; waited {seconds:.0f} s so far.", icon=":material/hourglass_top:")


def author() -> str:
    """Who writes the notes of this session."""
    name: str = st.session_state.get(_AUTHOR, "")
    return name.strip() or GUEST


def author_field() -> None:
    """The field for the person's name, in the sidebar."""
    if st.session_state.get("notes-author") != st.session_state.get(_AUTHOR, ""):
        st.session_state["notes-author"] = st.session_state.get(_AUTHOR, "")
    with st.sidebar:
        st.text_input(
            "Your name",
            key="notes-author",
            placeholder=GUEST,
            max_chars=80,
            on_change=lambda: st.session_state.update({_AUTHOR: st.session_state["notes-author"]}),
            help="Stands beside each note that you write.",
        )


def note_filter() -> str:
    """The chosen value of ``NOTE``; all sentences for one that is not known."""
    wanted = state.view_option(NOTE, "")
    return wanted if wanted in KEPT else ""


def note_filter_field() -> None:
    """The field that keeps sentences by their note."""
    if st.session_state.get("notes-kept") != note_filter():
        st.session_state["notes-kept"] = note_filter()
    st.selectbox(
        "Notes",
        KEPT,
        format_func=KEPT.__getitem__,
        key="notes-kept",
        on_change=lambda: state.change_view(**{NOTE: st.session_state["notes-kept"] or None, PAGE: None}),
        label_visibility="collapsed",
        width=176,
    )


def note_cell(note: Note | None) -> str | None:
    """Status and cause in a cell: ``✓ negation``, ``negation``, ``✓ checked`` or ``noted``."""
    if note is None:
        return None
    checked = note.status == "checked"
    return f"{'✓ ' if checked else ''}{note.cause or ('checked' if checked else 'noted')}"


def said(note: Note | NoteFields) -> str:
    """A note, or what a change of it sets, in words."""
    fields = vars(note) if isinstance(note, Note) else note
    parts = [fields["cause"] or "no cause"] if "cause" in fields else []
    if "action" in fields and (fields["action"] or not isinstance(note, Note)):
        parts.append(str(fields["action"] or "no action"))
    if fields.get("label"):
        parts.append(f"as {shortened(str(fields['label']))}")
    parts += [str(fields["status"])] if "status" in fields else []
    parts += [f"“{shortened(str(fields['text']))}”" if fields["text"] else "no text"] if "text" in fields else []
    return ", ".join(parts)


def attempt(work: Callable[[], Result]) -> Result | None:
    """The result, or ``None`` and a message to be shown: nothing was changed then."""
    try:
        return work()
    except NotesError as error:
        tell("error", str(error))
        return None


def take(book: Notebook, row_ids: Iterable[str], fields: NoteFields, after: str | None = None) -> None:
    """``save`` as a callback."""
    save(book, row_ids, fields, after)


def save(book: Notebook, row_ids: Iterable[str], fields: NoteFields, after: str | None = None) -> bool:
    """Set fields of the notes of rows, the others stay as they are there now; then go to another row.

    Nothing of what others wrote in the meantime is lost: a field that both set is in the history, and it is told.

    Returns:
        Whether it is saved.
    """
    ids = list(row_ids)
    batch = attempt(lambda: book.notes.put_many(ids, fields, author(), book.revision))
    if batch is None:
        return False
    name = ids[0] if len(ids) == 1 else counted(len(ids), "sentence")
    others = _by_others(book, batch.overtaken, batch.id)
    if batch.written:
        _own().add(batch.id)
        st.session_state.setdefault(_MINE, []).append(
            Mine(book.notes.path, batch.id, ids[0] if len(ids) == 1 else None, f"{said(fields)} on {name}")
        )
    line = f"Saved on {name}: {said(fields)}."
    if batch.unchanged and len(ids) > 1:
        line += f" {batch.unchanged:,} stood so already."
    tell("warning" if others else "done", f"{line} {others}".rstrip())
    if after is not None:
        state.select(state.current().change(row=after).with_view(**{PAGE: None}))
    elif len(ids) == 1:  # the sentence stays open, also where its note takes it out of the list
        state.change(row=ids[0])
    return True


def _by_others(book: Notebook, overtaken: tuple[str, ...], batch: str) -> str:
    """Who saved notes on the rows since this session looked, in a sentence."""
    found = []
    for row_id in overtaken[:_NAMED]:
        seen = book.current.get(row_id)
        since = [change for change in book.notes.history(row_id) if seen is None or change.order > seen.order]
        found += [change for change in since if change.batch not in _own() and change.batch != batch]
    if not found:
        return ""
    last = found[-1]
    what = said(last.note) if last.note else "took the note away"
    more = f" and {len(overtaken) - 1:,} other rows" if len(overtaken) > 1 else ""
    return (
        f"{last.author} had changed {last.row_id}{more} since you looked ({what}): the fields that you did not set "
        "stay as they are, and the history has both."
    )


def last_change(book: Notebook) -> Mine | None:
    """What this session may take back next."""
    mine: list[Mine] = st.session_state.get(_MINE, [])
    return next((change for change in reversed(mine) if change.path == book.notes.path), None)


def undo(book: Notebook) -> None:
    """Take back the session's last change, after a reload the author's; what was changed since is left alone."""
    mine = last_change(book)
    undone = attempt(lambda: book.notes.undo(author(), mine.batch if mine else None))
    if undone is None:
        return
    _own().add(undone.id)
    if mine:
        st.session_state[_MINE].remove(mine)
    if undone.batch is None:
        tell("done", f"{author()} has nothing to take back.")
        return
    line = f"Taken back{f': {mine.line}' if mine else ''}; {counted(undone.restored, 'sentence')} as before."
    if undone.left:
        named = ", ".join(undone.left[:_NAMED]) + (" and others" if len(undone.left) > _NAMED else "")
        tell("warning", f"{line} {len(undone.left):,} changed since and left alone: {named}.")
    else:
        tell("done", line)
    if mine and mine.row:
        state.select(state.current().change(row=mine.row).with_view(**{PAGE: None}))


def tell(kind: Kind, sentence: str) -> None:
    """Keep a message for the next run."""
    st.session_state[_SAID] = (kind, sentence)


def message(otherwise: str = "") -> None:
    """Show the message of the last change, once; always one element, so that nothing moves."""
    kind, sentence = st.session_state.pop(_SAID, ("done", otherwise))
    if kind == "warning":
        st.warning(state.literal(sentence), icon=":material/group:")
    elif kind == "error":
        st.error(state.literal(sentence), icon=":material/error:")
    else:
        st.caption(state.literal(sentence))


def _own() -> set[str]:
    """Batches that this session wrote."""
    own: set[str] = st.session_state.setdefault(_OWN, set())
    return own
