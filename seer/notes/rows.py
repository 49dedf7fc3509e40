"""Changes in and out of the tables of a connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import islice

from seer.notes.record import Change, note_from_json, note_json

NAMES = tuple(field.name for field in fields(Change))
SELECT = f"SELECT {', '.join(f'change.{name}' for name in NAMES)} FROM change"
STANDING = f"{SELECT} JOIN latest ON change.seq = latest.seq"

_INSERT = f"INSERT INTO change ({', '.join(NAMES)}) VALUES ({', '.join('?' * len(NAMES))})"
_PARAMETERS = 500
"""Values of one statement; old builds of SQLite allow 999."""


def select(connection: sqlite3.Connection, statement: str, values: Sequence[object] = ()) -> list[Change]:
    """The changes that a statement beginning with ``SELECT`` of this module finds."""
    return [
        Change(own, row_id, note_from_json(note), *rest)
        for own, row_id, note, *rest in connection.execute(statement, values)
    ]


def standing(connection: sqlite3.Connection, row_ids: Iterable[str]) -> dict[str, Change]:
    """Row id → the change that stands, for those of the rows that have one."""
    found = _in_parts(connection, f"{STANDING} WHERE latest.row_id IN", row_ids)
    return {change.row_id: change for change in found}


def by_id(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, Change]:
    """Id → change, for those of the ids that are there."""
    return {change.id: change for change in _in_parts(connection, f"{SELECT} WHERE change.id IN", ids)}


def rows_since(connection: sqlite3.Connection, revision: int) -> set[str]:
    """Rows with a change after a revision."""
    return {row_id for (row_id,) in connection.execute("SELECT row_id FROM change WHERE seq > ?", (revision,))}


def insert(connection: sqlite3.Connection, changes: Iterable[Change]) -> None:
    """Add changes to the history; what stands follows from them."""
    rows = ([_stored(change, name) for name in NAMES] for change in changes)
    connection.executemany(_INSERT, rows)


def _stored(change: Change, name: str) -> str | None:
    value: str | None = note_json(change.note) if name == "note" else getattr(change, name)
    return value


def _in_parts(connection: sqlite3.Connection, statement: str, values: Iterable[str]) -> Iterator[Change]:
    rest = iter(values)
    while part := list(islice(rest, _PARAMETERS)):
        yield from select(connection, f"{statement} ({', '.join('?' * len(part))})", part)
