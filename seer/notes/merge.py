"""The history of a file joined with the history that is here: a union by the id of each change."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from seer.errors import NotesError
from seer.notes import rows
from seer.notes.record import Change, derived_id, note_json, time_after


@dataclass(frozen=True)
class Merged:
    """What came of an import.

    Attributes:
        added: changes that were not here.
        known: changes that were here already.
        edited: those among the added that are a note of the history, altered by hand in the file.
        conflicts: rows that changed in the file and here, where neither side had seen the other: the later note stands,
            the other one is in the history.
    """

    added: int
    known: int
    edited: int
    conflicts: tuple[str, ...]


def merge(connection: sqlite3.Connection, incoming: Sequence[Change]) -> Merged:
    """Add those changes that are not here yet; none that is here is altered or dropped.

    A change whose note differs from the one of the same id here was edited in the file: it becomes a new change on top,
    its id made from both, so that the same file brings it once.

    Raises:
        NotesError: a change belongs to one row here and to another in the file; nothing is added.
    """
    here = rows.standing(connection, dict.fromkeys(change.row_id for change in incoming))
    named = {change.id for change in incoming}
    present = rows.by_id(connection, named)
    present |= rows.by_id(connection, [_edited_id(change) for change in incoming])
    newest = {row_id: change.time for row_id, change in here.items()}
    for change in incoming:
        newest[change.row_id] = max(newest.get(change.row_id, ""), change.time)
    fresh: list[Change] = []
    edited = 0
    for change in incoming:
        twin = present.get(change.id)
        if twin is not None and twin.row_id != change.row_id:
            raise NotesError(
                f"A change of row {twin.row_id!r} is one of row {change.row_id!r} in the file, so nothing was "
                "imported; a spreadsheet may have altered the ids: import the file as it was exported."
            )
        if twin is not None:
            if twin.note == change.note or _edited_id(change) in present:
                continue
            change = replace(change, id=_edited_id(change), time="", replaces=twin.id, undoes=None, restores=None)
            change = replace(change, batch=change.id)
            edited += 1
        if not change.time:
            change = replace(change, time=time_after(newest[change.row_id]))
            newest[change.row_id] = change.time
        present[change.id] = change
        fresh.append(change)
    rows.insert(connection, fresh)
    touched = dict.fromkeys(change.row_id for change in fresh)
    unseen = tuple(row_id for row_id in touched if row_id in here and here[row_id].id not in named)
    return Merged(len(fresh), len(incoming) - len(fresh), edited, unseen)


def _edited_id(change: Change) -> str:
    return derived_id(change.id, note_json(change.note))
