"""Changes in and out of the tables of a connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from datetime import datetime
from itertools import groupby, islice
from typing import Any

from seer.errors import NotesError, shown
from seer.notes.database import DamagedRowError
from seer.notes.record import Change, note_from_json, note_json

NAMES = tuple(field.name for field in fields(Change))
SELECT = f"SELECT {', '.join(f'change.{name}' for name in NAMES)} FROM change"
STANDING = f"{SELECT} JOIN latest ON change.seq = latest.seq"

_INSERT = f"INSERT INTO change ({', '.join(NAMES)}) VALUES ({', '.join('?' * len(NAMES))})"
_PARAMETERS = 500
"""Values of one statement; old builds of SQLite allow 999."""


def select(connection: sqlite3.Connection, statement: str, values: Sequence[object] = ()) -> list[Change]:
    """The changes that a statement beginning with ``SELECT`` of this module finds.

    Raises:
        DamagedRowError: one of them is not as it was written.
    """
    return [_change(cells) for cells in connection.execute(statement, values)]


def standing(connection: sqlite3.Connection, row_ids: Iterable[str]) -> dict[str, Change]:
    """Row id → the change that stands, for those of the rows that have one."""
    found = _in_parts(connection, f"{STANDING} WHERE latest.row_id IN", row_ids)
    return {change.row_id: change for change in found}


def by_id(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, Change]:
    """Id → change, for those of the ids that are there."""
    return {change.id: change for change in _in_parts(connection, f"{SELECT} WHERE change.id IN", ids)}


def histories(connection: sqlite3.Connection, row_ids: Iterable[str]) -> dict[str, list[Change]]:
    """Row id → its changes, the earliest first, for those of the rows that have one."""
    found = _in_parts(connection, f"{SELECT} WHERE change.row_id IN", row_ids)
    ordered = sorted(found, key=lambda change: (change.row_id, change.order))
    return {row_id: list(changes) for row_id, changes in groupby(ordered, key=lambda change: change.row_id)}


def rows_since(connection: sqlite3.Connection, revision: int) -> set[str]:
    """Rows with a change after a revision."""
    return {row_id for (row_id,) in connection.execute("SELECT row_id FROM change WHERE seq > ?", (revision,))}


def insert(connection: sqlite3.Connection, changes: Iterable[Change]) -> None:
    """Add changes to the history; what stands follows from them."""
    rows = ([_stored(change, name) for name in NAMES] for change in changes)
    connection.executemany(_INSERT, rows)


def _change(cells: Sequence[Any]) -> Change:
    own, row_id, note, *rest = cells
    try:
        if not all(cell is None or isinstance(cell, str) for cell in cells):
            raise TypeError
        change = Change(own, row_id, note_from_json(note), *rest)
        datetime.fromisoformat(change.time)
    except (NotesError, TypeError, ValueError, RecursionError) as error:
        raise DamagedRowError(f"the note on the row {shown(row_id)} cannot be read") from error
    return change


def _stored(change: Change, name: str) -> str | None:
    value: str | None = note_json(change.note) if name == "note" else getattr(change, name)
    return value


def _in_parts(connection: sqlite3.Connection, statement: str, values: Iterable[str]) -> Iterator[Change]:
    rest = iter(values)
    while part := list(islice(rest, _PARAMETERS)):
        yield from select(connection, f"{statement} ({', '.join('?' * len(part))})", part)
