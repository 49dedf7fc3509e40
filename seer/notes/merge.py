"""What a file says joined with the history that is here: a union by the id of each change.

A line without an id is the change that its row, its time and its author name; without a time too, it is a new change on
top of what stands, and its id follows from what it says and from what stood there, so that a file brings it once.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from seer.errors import NotesError, shown
from seer.notes import rows
from seer.notes.entry import NOBODY, Entry
from seer.notes.record import Change, Note, derived_id, note_json, time_after


@dataclass(frozen=True)
class Merged:
    """What comes of an import.

    Attributes:
        added: changes that were not here.
        known: changes that were here already, or would change nothing.
        edited: those among the added that are a note of the history, altered by hand in the file.
        conflicts: rows that changed in the file and here, where neither side had seen the other: the later note stands,
            the other one is in the history.
        fresh: rows that had no note and now have one.
        altered: rows whose note is now another one, or is taken away.
        older: those among the added on rows whose note stays as it is.
    """

    added: int
    known: int
    edited: int
    conflicts: tuple[str, ...]
    fresh: tuple[str, ...]
    altered: tuple[str, ...]
    older: int


def merge(connection: sqlite3.Connection, entries: Sequence[Entry]) -> Merged:
    """Add what is not here yet; nothing that is here is altered or dropped.

    A change whose note differs from the one of the same id here was edited in the file: it becomes a new change on top,
    its id made from both.

    Raises:
        NotesError: a change belongs to one row here and to another in the file; nothing is added.
    """
    changes, merged = joined(connection, entries)
    rows.insert(connection, changes)
    return merged


def joined(connection: sqlite3.Connection | None, entries: Sequence[Entry]) -> tuple[list[Change], Merged]:
    """The changes that ``merge`` would add to the history of a file, or to none, and what would come of it."""
    row_ids = dict.fromkeys(entry.change.row_id for entry in entries)
    named = dict.fromkeys(entry.change.id for entry in entries if entry.change.id)
    here = rows.histories(connection, row_ids) if connection else {}
    join = _Join(here, rows.by_id(connection, named) if connection else {})
    on_top: dict[str, list[Entry]] = {}
    for entry in entries:
        if not join.placed(entry):
            on_top.setdefault(entry.change.row_id, []).append(entry)
    for row_id, above in on_top.items():
        join.put_on_top(row_id, above)
    before = {row_id: latest(here.get(row_id, ())) for row_id in row_ids}
    stood = {row_id: change.note if change else None for row_id, change in before.items()}
    stands = {row_id: join.stands(row_id) for row_id in row_ids}
    touched = {change.row_id: before[change.row_id] for change in join.added}
    return join.added, Merged(
        added=len(join.added),
        known=len(entries) - len(join.added),
        edited=join.edited,
        conflicts=tuple(row for row, change in touched.items() if change and change.id not in join.seen),
        fresh=tuple(row for row in row_ids if stood[row] is None and stands[row] is not None),
        altered=tuple(row for row in row_ids if stood[row] not in (None, stands[row])),
        older=sum(stood[change.row_id] == stands[change.row_id] for change in join.added),
    )


def latest(changes: Iterable[Change]) -> Change | None:
    """The change that stands."""
    return max(changes, key=lambda change: change.order, default=None)


class _Join:
    """The histories of rows as they grow.

    Attributes:
        seen: ids of changes that the file knows of.
        added: changes that were not here.
        edited: how many of these are altered notes of the history.
    """

    def __init__(self, here: Mapping[str, Sequence[Change]], named: Mapping[str, Change]) -> None:
        self.seen: set[str] = set()
        self.added: list[Change] = []
        self.edited = 0
        self._past = {row_id: list(changes) for row_id, changes in here.items()}
        self._ids = dict(named) | {change.id: change for changes in here.values() for change in changes}
        self._times: Counter[str] = Counter()

    def stands(self, row_id: str) -> Note | None:
        """The note that now stands on a row."""
        change = latest(self._past.get(row_id, ()))
        return change.note if change else None

    def placed(self, entry: Entry) -> bool:
        """Whether the entry is in the history, put there at its time if it was not; what belongs on top is not."""
        change, twin = entry.change, self._twin(entry)
        self.seen.add(twin.id if twin else change.id)
        if twin is not None:
            return entry.onto(twin.note) == twin.note
        if not change.time:
            return False
        earlier = (past for past in self._past.get(change.row_id, ()) if past.time <= change.time)
        self._add(self._made(entry, self._said(entry), latest(earlier)))
        return True

    def put_on_top(self, row_id: str, entries: Iterable[Entry]) -> None:
        """Add altered notes and entries without a time, in their order, unless all of what they say stands already."""
        past = self._past.get(row_id, [])
        brought = {old.id for old in past}
        base, made, altered = latest(past), list[Change](), 0
        stood = base.note if base else None
        for entry in entries:
            if (twin := self._twin(entry)) is not None:
                change = self._altered(entry, twin)
                altered += change is not None
            else:
                said = self._said(entry)
                again = not entry.change.id and any(derived_id(said, old.replaces) in brought for old in past)
                change = None if again else self._made(entry, said, base)
            if change is not None:
                base = replace(change, time=time_after(base.time if base else None))
                self._ids[base.id] = base
                made.append(base)
        if any(change.note != stood for change in made):
            self.edited += altered
            for change in made:
                self._add(change)

    def _add(self, change: Change) -> None:
        self._ids[change.id] = change
        self._past.setdefault(change.row_id, []).append(change)
        self.added.append(change)

    def _twin(self, entry: Entry) -> Change | None:
        """The change of the history that an entry repeats: by its id, else by its time and author."""
        change = entry.change
        if not change.id:
            moments = (past for past in self._past.get(change.row_id, ()) if change.time and past.time == change.time)
            return latest(past for past in moments if change.author in ("", past.author))
        twin = self._ids.get(change.id)
        if twin is not None and twin.row_id != change.row_id:
            raise NotesError(
                f"Line {entry.line:,} of the file: a change of row {shown(twin.row_id)} is one of row "
                f"{shown(change.row_id)} there, so nothing was imported; a spreadsheet may have altered the ids: "
                "import the file as it was exported."
            )
        return twin

    def _said(self, entry: Entry) -> str:
        """What an entry says, told from an earlier one of the file that says the same."""
        first = entry.content(0)
        self._times[first] += 1
        return entry.content(self._times[first] - 1)

    def _made(self, entry: Entry, said: str, base: Change | None) -> Change:
        """The change that an entry is where another one stands, or none."""
        change, below = entry.change, base.id if base else None
        own = change.id or derived_id(said, below)
        return replace(
            change,
            id=own,
            note=entry.onto(base.note if base else None),
            author=change.author or NOBODY,
            batch=change.batch or own,
            replaces=change.replaces if change.id else below,
        )

    def _altered(self, entry: Entry, twin: Change) -> Change | None:
        """The change that an altered note of the history is; none when it is not altered, or brought before."""
        change, note = entry.change, entry.onto(twin.note)
        own = derived_id(twin.id, note_json(note))
        if note == twin.note or own in self._ids:
            return None
        return Change(
            own,
            twin.row_id,
            note,
            change.author or twin.author,
            change.time,
            own,
            replaces=twin.id,
            study=change.study or twin.study,
            corpus=change.corpus or twin.corpus,
        )
