"""Writing notes from a page: saved at once, taken back, and what came of it in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

import streamlit as st

from seer.charts.captions import counted
from seer.errors import NotesError
from seer.notes import Change, Note, NoteFields
from seer.ui import state
from seer.ui.notes.notebook import Notebook
from seer.ui.notes.person import author
from seer.ui.notes.person import author_field as author_field
from seer.ui.selection import PAGE, shortened

_SAID, _MINE, _OWN = "_notes_said", "_notes_mine", "_notes_own"
_NAMED = 3
"""Row ids named in a message."""
_TOLD = 2
"""Plain messages shown of those that came together."""
_EARLIER = 50
"""Changes of earlier visits that can be taken back."""

Kind = Literal["done", "warning", "error"]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Mine:
    """A change that the person made and may take back: its batch, the row when it was one, when, and its name."""

    batch: str
    row: str | None
    time: str
    line: str = field(compare=False)


def said(note: Note | NoteFields) -> str:
    """What a note says, or what a change of it sets, in words: only the change speaks of what is empty."""
    whole, fields = isinstance(note, Note), vars(note) if isinstance(note, Note) else note
    parts = []
    for name, none in (
        ("cause", "no cause"),
        ("action", "no action"),
        ("label", None),
        ("status", None),
        ("text", "no text"),
    ):
        value = fields.get(name)
        if value:
            text = shortened(str(value))
            parts.append({"label": f"as {text}", "text": f"“{text}”"}.get(name, text))
        elif name in fields and none and not whole:
            parts.append(none)
    return ", ".join(parts)


def attempt(work: Callable[[], Result]) -> Result | None:
    """The result, or ``None`` and a message to be shown: nothing was changed then."""
    try:
        return work()
    except NotesError as error:
        tell("error", str(error))
        return None


def take(book: Notebook, row_id: str, fields: NoteFields, after: str | None, drawn: str) -> None:
    """``save`` for the sentence that a button names, then go on, unless another sentence was opened since.

    Args:
        book: the notes.
        row_id: of the sentence that the button belongs to.
        fields: to set.
        after: row to open then.
        drawn: row of the sentence that was open when the button was drawn.
    """
    if save(book, [row_id], fields) and (state.current().row or drawn) == row_id:
        open_row(after or row_id)


def open_row(row_id: str) -> None:
    """Open a sentence, on the page of the list that has it."""
    state.select(state.current().change(row=row_id).with_view(**{PAGE: None}))


def save(book: Notebook, row_ids: Iterable[str], fields: NoteFields) -> bool:
    """Set fields of the notes of rows, the others stay as they are there now.

    Nothing of what others wrote in the meantime is lost: a field that both set is in the history, and it is told.

    Returns:
        Whether it is saved.
    """
    ids, mine = list(row_ids), _mine(book)
    batch = attempt(lambda: book.notes.put_many(ids, fields, author(), book.revision))
    if batch is None:
        return False
    name = ids[0] if len(ids) == 1 else counted(len(ids), "sentence")
    others = _by_others(book, batch.overtaken, batch.id)
    if batch.written:
        _own().add(batch.id)
        row, time = (ids[0] if len(ids) == 1 else None), datetime.now(UTC).isoformat()
        mine.append(Mine(batch.id, row, time, f"{said(fields)} on {name}"))
    line = f"Saved on {name}: {said(fields)}.{_instead_of(book, ids, fields)}"
    if batch.unchanged and len(ids) > 1:
        line += f" {batch.unchanged:,} stood so already."
    tell("warning" if others else "done", f"{line} {others}".rstrip())
    return True


def _instead_of(book: Notebook, ids: list[str], fields: NoteFields) -> str:
    """The cause that gave way on a single row, in a sentence."""
    before = book.note(ids[0]) if len(ids) == 1 and "cause" in fields else None
    return f" It was {before.cause}." if before and before.cause and before.cause != fields["cause"] else ""


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


def undoable(book: Notebook) -> list[Mine]:
    """What the person may take back, the next one last."""
    return _mine(book)


def undo(book: Notebook) -> None:
    """Take back the person's last change; what was changed since is left alone."""
    mine = next(iter(reversed(_mine(book))), None)
    if mine is None:
        tell("done", f"{author()} has nothing to take back.")
        return
    undone = attempt(lambda: book.notes.undo(author(), mine.batch))
    if undone is None:
        return
    _own().add(undone.id)
    _mine(book).remove(mine)
    if not undone.restored:
        tell("warning", f"Nothing was taken back: {_left(book, undone.left)}.")
        return
    line = f"Taken back: {mine.line}; {counted(undone.restored, 'sentence')} as before."
    if undone.left:
        tell("warning", f"{line} Left alone: {_left(book, undone.left)}.")
    else:
        tell("done", line)


def take_back(book: Notebook) -> None:
    """``undo``, then open the sentence that it was about."""
    mine = next(iter(reversed(_mine(book))), None)
    undo(book)
    if mine is not None and mine.row is not None:
        open_row(mine.row)


def _left(book: Notebook, rows: tuple[str, ...]) -> str:
    """Which rows were changed since, by whom, in a clause."""
    named = ", ".join(rows[:_NAMED]) + (f" and {len(rows) - _NAMED:,} more" if len(rows) > _NAMED else "")
    last = attempt(lambda: book.notes.history(rows[0])) if rows else None
    by = f" by {last[-1].author}" if last and len(rows) == 1 else ""
    return f"{named} {'was' if len(rows) == 1 else 'were'} changed since{by}, and the later note stays"


def _mine(book: Notebook) -> list[Mine]:
    """The person's changes that are not taken back yet, in their order; those of earlier visits are looked up once."""
    stacks: dict[Path, list[Mine]] = st.session_state.setdefault(_MINE, {})
    stack = stacks.setdefault(book.notes.path, [])
    seen: set[tuple[Path, str]] = st.session_state.setdefault(f"{_MINE}-seen", set())
    who = book.notes.path, author()
    if who not in seen and book.fault is None:
        seen.add(who)
        present = {mine.batch for mine in stack}
        stack += [mine for mine in _earlier(book) if mine.batch not in present]
        stack.sort(key=lambda mine: mine.time)
    return stack


def _earlier(book: Notebook) -> list[Mine]:
    """The author's changes in the history that an undo would take back at least in part."""
    if not book.revision:
        return []
    history = attempt(book.notes.history) or []
    stands: dict[str, Change] = {change.row_id: change for change in sorted(history, key=lambda change: change.order)}
    undone, name = {change.undoes for change in history}, author()
    batches: dict[str, list[Change]] = {}
    for change in history:
        if change.author == name and change.undoes is None and change.batch not in undone:
            batches.setdefault(change.batch, []).append(change)
    found = [
        Mine(
            batch,
            changes[0].row_id if len(changes) == 1 else None,
            max(change.time for change in changes),
            f"{said(changes[0].note or Note())} on "
            + (changes[0].row_id if len(changes) == 1 else counted(len(changes), "sentence")),
        )
        for batch, changes in batches.items()
        if any(stands[change.row_id].meaning == change.meaning for change in changes)
    ]
    return sorted(found, key=lambda mine: mine.time)[-_EARLIER:]


def tell(kind: Kind, sentence: str) -> None:
    """Keep a message for the next run, after those that are kept already."""
    told: list[tuple[Kind, str]] = st.session_state.setdefault(_SAID, [])
    if (kind, sentence) not in told:
        told.append((kind, sentence))


def message(otherwise: str = "") -> None:
    """Show the messages of the last changes, once; always one element, so that nothing moves."""
    told: list[tuple[Kind, str]] = st.session_state.pop(_SAID, [])
    kinds = {kind for kind, _ in told}
    plain = [sentence for kind, sentence in told if kind == "done"]
    more = [f"{counted(len(plain) - _TOLD, 'change')} before."] if len(plain) > _TOLD else []
    grave = [sentence for kind, sentence in told if kind != "done"]
    line = " ".join([*grave, *plain[-_TOLD:], *more]) or otherwise
    if "error" in kinds:
        st.error(state.literal(line), icon=":material/error:")
    elif "warning" in kinds:
        st.warning(state.literal(line), icon=":material/group:")
    else:
        st.caption(state.literal(line))


def _own() -> set[str]:
    """Batches that this session wrote."""
    own: set[str] = st.session_state.setdefault(_OWN, set())
    return own
