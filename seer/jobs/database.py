"""The records of all jobs in one SQLite file, opened for one transaction at a time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from seer.errors import JobError
from seer.jobs.place import jobs_folder
from seer.jobs.record import FIELDS, Job

FILE = "jobs.sqlite"
WAIT = 10.0
"""Seconds to wait while another process writes."""

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
    """Whether there has been a job at all."""
    return (jobs_folder() / FILE).is_file()


@contextmanager
def transaction(*, writing: bool = True) -> Iterator[sqlite3.Connection]:
    """A connection whose work is done as a whole, or not at all.

    Args:
        writing: hold the write lock from the start; else read one state of the file, which must be there.

    Raises:
        JobError: the file is held, damaged, or cannot be written.
    """
    path = jobs_folder() / FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=WAIT, isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            _make(connection)
            connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
            yield connection  # closing without COMMIT rolls back
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise JobError(
            f"The records of jobs in {path} cannot be used ({error}); try again, or move the file away while no "
            "job runs."
        ) from error
    except OSError as error:
        raise JobError(f"Jobs cannot be kept in {path.parent} ({error}); name a folder that can be written.") from error


def _make(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'job'").fetchone() is None:
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
    """All records, oldest first."""
    return tuple(map(_job, connection.execute("SELECT * FROM job ORDER BY created, id")))


def one(connection: sqlite3.Connection, job_id: str) -> Job | None:
    """The record of that id."""
    found = connection.execute("SELECT * FROM job WHERE id = ?", [job_id]).fetchone()
    return None if found is None else _job(found)


def _job(row: sqlite3.Row) -> Job:
    values = dict(row)
    return Job(**values | {"argv": tuple(json.loads(values["argv"])), "stopping": bool(values["stopping"])})
