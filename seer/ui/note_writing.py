"""Writing notes from a page: saved at once, taken back, and what came of it in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

import streamlit as st

from seer.charts.captions import counted
from seer.errors import NotesError
from seer.notes import Note, NoteFields
from seer.ui import state
from seer.ui.notebook import Notebook
from seer.ui.selection import PAGE, shortened

GUEST = "guest"
"""Author of a note by somebody who gave no name."""

_AUTHOR, _SAID, _MINE, _OWN = "_notes_author", "_notes_said", "_notes_mine", "_notes_own"
_NAMED = 3
"""Row ids named in a message."""

Kind = Literal["done", "warning", "error"]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Mine:
    """A change that this session made and may take back: where, its batch, the row when it was one, and its name."""

    path: Path
    batch: str
    row: str | None
    line: str = field(compare=False)


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


def take(book: Notebook, row_id: str, fields: NoteFields, after: str | None, asked: str | None) -> None:
    """``save`` for the open sentence, as a callback of a button whose key names the row.

    While a run draws the next sentence, the buttons of the one before may still be in the browser, and a key of the
    keyboard presses both: what is not for the open sentence is dropped.

    Args:
        book: the notes.
        row_id: of the sentence that the button belongs to.
        fields: to set.
        after: row to open then.
        asked: row of the Selection when the button was drawn: none at first, or one that the study lacks.
    """
    if state.current().row in (row_id, asked):
        save(book, [row_id], fields, after)


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
    elif (
        len(ids) == 1 and state.current().row is None
    ):  # the sentence stays open, also where its note takes it out of the list
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
