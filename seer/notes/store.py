"""The notes of a study: one SQLite file whose history only grows.

Each change is a row with the whole new note. What stands on a row is its last change by time, then id; a trigger keeps
track of it inside the transaction that writes the change. Nothing is overwritten: whoever saves over a change
unseen is told of it, and both are in the history.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from seer.errors import NotesError
from seer.hosting import NOTES_READ_ONLY, notes_read_only
from seer.notes import database, rows
from seer.notes.entry import Entry
from seer.notes.merge import Merged, joined, merge
from seer.notes.record import Change, Note, NoteFields, clean, edited, new_id, row_key, time_after

WAIT = 30.0
"""Seconds to wait for another process that writes."""

CLOSED = f"This server shows notes and takes none ({NOTES_READ_ONLY})."

_LAST_BATCH = """
    SELECT batch FROM change WHERE author = ? AND undoes IS NULL
    AND batch NOT IN (SELECT undoes FROM change WHERE undoes IS NOT NULL) ORDER BY time DESC, id DESC LIMIT 1
"""


@dataclass(frozen=True)
class Saved:
    """What came of one note.

    Attributes:
        change: what stands on the row now.
        overtaken: what stood there instead of the version that the note was based on; it stays in the history.
    """

    change: Change
    overtaken: Change | None


@dataclass(frozen=True)
class Batch:
    """What came of a change of many rows.

    Attributes:
        id: to undo it.
        written: rows that changed.
        unchanged: rows that stood so already.
        overtaken: changed rows where another note was saved since the caller looked.
    """

    id: str
    written: int
    unchanged: int
    overtaken: tuple[str, ...]


@dataclass(frozen=True)
class Undone:
    """What came of an undo.

    Attributes:
        id: of the undo, a batch too; undoing that does the batch again.
        batch: what was taken back, ``None`` when the author has nothing to undo.
        restored: rows that stand as before.
        left: rows that were changed since, and are left alone.
    """

    id: str
    batch: str | None
    restored: int
    left: tuple[str, ...]


def _silent(seconds: float) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Notes:
    """The notes in a file; absent until the first one is written. One connection a call: any thread may use it.

    Every method raises ``NotesError`` when the file is damaged, foreign, cannot be written, or stays locked.

    Attributes:
        path: the file, usually ``FILE`` in the study's folder.
        study: hash of the study that is looked at, written with each change.
        corpus: fingerprint of its sentences, likewise.
        wait: seconds to wait for a lock.
        waiting: called about once a second while waiting, with the seconds so far.
    """

    path: Path
    study: str = ""
    corpus: str = ""
    wait: float = WAIT
    waiting: Callable[[float], None] = _silent

    def exists(self) -> bool:
        """Whether the file is there."""
        return database.present(self.path)

    def current(self) -> dict[str, Change]:
        """Row id → the change that stands, for every row with a note, in the order of row ids."""
        found = self._select(f"{rows.STANDING} WHERE note IS NOT NULL ORDER BY latest.row_id")
        return {change.row_id: change for change in found}

    def history(self, row_id: str | None = None) -> list[Change]:
        """All changes of a row, or of all rows by row id, the earliest first."""
        if row_id is None:
            return self._select(f"{rows.SELECT} ORDER BY row_id, time, id")
        return self._select(f"{rows.SELECT} WHERE row_id = ? ORDER BY time, id", clean("row id", row_id))

    def revision(self) -> int:
        """A number that grows with every change: the same number, the same notes."""
        if not self.exists():
            return 0
        return database.read(self.path, _revision, self.wait, self.waiting)

    def put(self, row_id: str, note: Note, author: str, based_on: str | None = None) -> Saved:
        """Save a note. Saving what stands already writes nothing.

        Args:
            row_id: of the corpus.
            note: the whole note.
            author: who says so.
            based_on: id of the change that the person saw on the row, ``None`` when there was none.

        Returns:
            What stands now and, when that is not what the person had seen, what stood before. The new note is saved in
            any case.
        """
        key, author = row_key(row_id), _author(author)

        def work(connection: sqlite3.Connection) -> Saved:
            before = rows.standing(connection, [key]).get(key)
            if before and before.note == note:
                return Saved(before, None)
            change = self._change(key, note, author, new_id(), before)
            rows.insert(connection, [change])
            unseen = before is not None and before.id != based_on and (before.note or based_on) is not None
            return Saved(change, before if unseen else None)

        return self._write(work)

    def put_many(self, row_ids: Iterable[str], change: NoteFields, author: str, seen: int | None = None) -> Batch:
        """Set some fields of the notes of many rows in one transaction; the other fields stay as they are on each row.

        Args:
            row_ids: of the corpus.
            change: the fields to set.
            author: who says so.
            seen: ``revision()`` when the caller looked, to be told of rows that changed since.
        """
        keys, author = list(dict.fromkeys(map(row_key, row_ids))), _author(author)
        edited(None, change)  # refuse a wrong value before the lock

        def work(connection: sqlite3.Connection) -> Batch:
            before, batch = rows.standing(connection, keys), new_id()
            wanted = {key: edited(before[key].note if key in before else None, change) for key in keys}
            written = [key for key, note in wanted.items() if key not in before or before[key].note != note]
            since = rows.rows_since(connection, seen) if seen is not None else set()
            rows.insert(connection, [self._change(key, wanted[key], author, batch, before.get(key)) for key in written])
            overtaken = tuple(key for key in written if key in since)
            return Batch(batch, len(written), len(keys) - len(written), overtaken)

        return self._write(work)

    def undo(self, author: str, batch: str | None = None) -> Undone:
        """Take back a batch, by default the author's last one that is not taken back yet, by adding the reverse.

        A row that was changed since, by whomever, is left alone; changes that were undone themselves do not count.
        """
        author = _author(author)

        def work(connection: sqlite3.Connection) -> Undone:
            found = connection.execute(_LAST_BATCH, (author,)).fetchone() if batch is None else (batch,)
            undo = new_id()
            if found is None:
                return Undone(undo, None, 0, ())
            statement = f"{rows.SELECT} WHERE batch = ? ORDER BY time, id"
            members = {change.row_id: change for change in rows.select(connection, statement, found)}
            if not members:
                raise NotesError(f"There is no batch {found[0]!r} in {self.path}; take its id from the history.")
            now = rows.standing(connection, members)
            earlier = rows.by_id(connection, [change.replaces for change in members.values() if change.replaces])
            reverse, left = [], []
            for row_id, change in members.items():
                if now[row_id].meaning != change.meaning or (change.replaces and change.replaces not in earlier):
                    left.append(row_id)
                    continue
                past = earlier[change.replaces] if change.replaces else None
                note, restores = (past.note, past.meaning) if past else (None, None)
                reverse.append(self._change(row_id, note, author, undo, now[row_id], found[0], restores))
            rows.insert(connection, reverse)
            return Undone(undo, found[0], len(reverse), tuple(left))

        return self._write(work)

    def merge(self, entries: Iterable[Entry]) -> Merged:
        """Join what a file says (``read_notes``) with the history; see ``seer.notes.merge``."""
        incoming = list(entries)
        return self._write(lambda connection: merge(connection, incoming))

    def preview(self, entries: Iterable[Entry]) -> Merged:
        """What would come of ``merge`` now; nothing is written."""
        incoming = list(entries)
        if not self.exists():
            return joined(None, incoming)[1]
        return database.read(self.path, lambda connection: joined(connection, incoming)[1], self.wait, self.waiting)

    def _change(
        self,
        row_id: str,
        note: Note | None,
        author: str,
        batch: str,
        before: Change | None,
        undoes: str | None = None,
        restores: str | None = None,
    ) -> Change:
        replaces, time = (before.id, time_after(before.time)) if before else (None, time_after(None))
        return Change(new_id(), row_id, note, author, time, batch, replaces, undoes, restores, self.study, self.corpus)

    def _select(self, statement: str, *values: str) -> list[Change]:
        if not self.exists():
            return []
        work = partial(rows.select, statement=statement, values=values)
        return database.read(self.path, work, self.wait, self.waiting)

    def _write(self, work: database.Work[database.Result]) -> database.Result:
        if notes_read_only():
            raise NotesError(CLOSED)
        return database.write(self.path, work, self.wait, self.waiting)


def _author(name: str) -> str:
    if not name.strip():
        raise NotesError("Expected the name of who writes the note, got an empty one; give a name.")
    return clean("author", name)


def _revision(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM change").fetchone()[0])
