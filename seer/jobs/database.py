"""The records of all jobs in one SQLite file, opened for one transaction at a time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, get_args, get_type_hints

from seer.errors import JobError
from seer.jobs.place import jobs_folder
from seer.jobs.record import FIELDS, Job, State

FILE = "jobs.sqlite"
WAIT = 10.0
"""Seconds to wait while another process writes."""

_HELD = "are held by another process; try again in a moment"
_NO_ROOM = "cannot be read or written, since the disk is full or fails; make room on it, then try again"
_CLOSED = "cannot be opened or written; give this server the right to write its folder of studies"
_DAMAGED = f"are damaged, or the file is none of this program; move .jobs/{FILE} out of the folder of studies"
_ADVICE = {
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_FULL: _NO_ROOM,
    sqlite3.SQLITE_IOERR: _NO_ROOM,
    sqlite3.SQLITE_CANTOPEN: _CLOSED,
    sqlite3.SQLITE_PERM: _CLOSED,
    sqlite3.SQLITE_READONLY: _CLOSED,
}
"""What is the matter with the records and what to do, by SQLite's primary code; anything else is damage."""

_KINDS = {name: kind for name, kind in get_type_hints(Job).items() if name not in ("argv", "state", "stopping")}
"""The types of the fields that are stored as they are: SQLite itself takes any value in any column."""

_TABLE = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS job (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, argv TEXT NOT NULL, study TEXT NOT NULL, data TEXT NOT NULL,
    author TEXT NOT NULL, state TEXT NOT NULL, created REAL NOT NULL, started REAL, ended REAL, pid INTEGER, born TEXT,
    stage TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL, left REAL, told REAL, stopping INTEGER NOT NULL,
    error TEXT
);
PRAGMA application_id = {int.from_bytes(b"jobs")};
COMMIT;
"""


def present() -> bool:
    """Whether there has been a job at all.

    Raises:
        JobError: that cannot be seen.
    """
    try:
        return (jobs_folder() / FILE).is_file()
    except OSError as error:
        raise _no_place(error) from error


@contextmanager
def transaction(*, writing: bool = True, wait: float = WAIT) -> Iterator[sqlite3.Connection]:
    """A connection whose work is done as a whole, or not at all.

    Args:
        writing: hold the write lock from the start; else read one state of the file, which must be there.
        wait: seconds to wait while another process writes.

    Raises:
        JobError: the file is held, damaged, or cannot be read or written.
    """
    path = jobs_folder() / FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=wait, isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            _make(connection)
            connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
            yield connection  # closing without COMMIT rolls back
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the upper bits say more than is needed
        raise JobError(f"The records of jobs {_ADVICE.get(code, _DAMAGED)}.") from error
    except OSError as error:
        raise _no_place(error) from error


def _no_place(error: OSError) -> JobError:
    return JobError(
        f"Jobs cannot be kept in the folder of studies ({error.strerror or 'no cause given'}); make room there, or "
        "give this server the right to write it."
    )


def _make(connection: sqlite3.Connection) -> None:
    # Only in a file without any table: another program's stays as it is.
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_TABLE)


def add(connection: sqlite3.Connection, job: Job) -> None:
    """Put a new record."""
    values = [json.dumps(job.argv) if name == "argv" else getattr(job, name) for name in FIELDS]
    connection.execute(f"INSERT INTO job ({', '.join(FIELDS)}) VALUES ({', '.join('?' * len(FIELDS))})", values)


def change(connection: sqlite3.Connection, job_id: str, **values: Any) -> None:
    """Change fields of a record."""
    setting = ", ".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE job SET {setting} WHERE id = ?", [*values.values(), job_id])


def every(connection: sqlite3.Connection) -> tuple[Job, ...]:
    """All records, in the order in which they came, whatever the clock said.

    Raises:
        JobError: one of them cannot be read.
    """
    return tuple(map(_job, connection.execute(f"SELECT {', '.join(FIELDS)} FROM job ORDER BY rowid")))


def one(connection: sqlite3.Connection, job_id: str) -> Job | None:
    """The record of that id.

    Raises:
        JobError: it cannot be read.
    """
    found = connection.execute(f"SELECT {', '.join(FIELDS)} FROM job WHERE id = ?", [job_id]).fetchone()
    return None if found is None else _job(found)


def _job(row: sqlite3.Row) -> Job:
    values = dict(row)
    try:
        argv = json.loads(values["argv"])
    except (TypeError, ValueError):
        argv = None  # as bad as any other value that is no list
    words = isinstance(argv, list) and argv and all(isinstance(word, str) for word in argv)
    typed = all(isinstance(values[name], kind) for name, kind in _KINDS.items())
    if not (words and typed and values["state"] in get_args(State)):
        raise JobError(f"The records of jobs {_DAMAGED}.")
    return Job(**values | {"argv": tuple(argv), "stopping": bool(values["stopping"])})
