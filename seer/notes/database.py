"""The SQLite file behind the notes: how it is made, opened for one call, waited for, and refused when it is not ours.

The file is made under another name and linked into place, so it is there whole or not at all. It is never opened but
through SQLite: closing a plain file handle would drop the locks that other threads of this process hold on it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from seer.errors import NotesError

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]

SCHEMA_VERSION = 1
APPLICATION = int.from_bytes(b"seer")

_ATTEMPT = 1.0
"""Seconds that SQLite waits for a lock before the caller hears of it."""
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_FULL}

_TABLES = f"""
BEGIN;
CREATE TABLE change (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    row_id TEXT NOT NULL,
    note TEXT,
    author TEXT NOT NULL,
    time TEXT NOT NULL,
    batch TEXT NOT NULL,
    replaces TEXT,
    undoes TEXT,
    restores TEXT,
    study TEXT NOT NULL,
    corpus TEXT NOT NULL
);
CREATE INDEX change_row ON change (row_id, time, id);
CREATE INDEX change_batch ON change (batch);
CREATE INDEX change_author ON change (author, time, id);
CREATE INDEX change_undoes ON change (undoes) WHERE undoes IS NOT NULL;
CREATE TABLE latest (
    row_id TEXT PRIMARY KEY,
    time TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES change (seq)
) WITHOUT ROWID;
CREATE TRIGGER change_stands AFTER INSERT ON change BEGIN
    INSERT INTO latest VALUES (new.row_id, new.time, new.id, new.seq)
    ON CONFLICT (row_id) DO UPDATE SET time = excluded.time, id = excluded.id, seq = excluded.seq
    WHERE (excluded.time, excluded.id) > (latest.time, latest.id);
END;
CREATE TRIGGER change_kept BEFORE UPDATE ON change BEGIN SELECT RAISE(ABORT, 'the history only grows'); END;
CREATE TRIGGER change_not_deleted BEFORE DELETE ON change BEGIN SELECT RAISE(ABORT, 'the history only grows'); END;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
PRAGMA journal_mode = WAL;
"""


class DamagedRowError(Exception):
    """A row of a sound file does not hold what was written there; its text says which one."""


def present(path: Path) -> bool:
    """Whether the file is there.

    Raises:
        NotesError: it never can be: a file stands where a folder should, links lead in a circle, or the name is too
            long.
    """
    try:
        path.stat()
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _no_place(path, error) from error
    return True


def read(path: Path, work: Work[Result], wait: float, waiting: Callable[[float], None]) -> Result:
    """Run ``work`` on a connection that sees one state of the file, which must be there.

    Raises:
        NotesError: as ``write``.
    """

    def attempt(timeout: float) -> Result:
        with closing(_open(path, timeout)) as connection:
            connection.execute("BEGIN")
            return work(connection)

    return _waited(path, attempt, wait, waiting)


def write(path: Path, work: Work[Result], wait: float, waiting: Callable[[float], None]) -> Result:
    """Run ``work`` in one transaction that holds the write lock; the file is made when it is absent.

    When this returns, the changes are on the disk. When it raises, nothing is changed.

    Args:
        path: the file.
        work: reads and writes; may be run again after a lock, so it must keep nothing outside.
        wait: seconds to wait for the lock.
        waiting: called about once a second with the seconds waited so far.

    Raises:
        NotesError: the lock is held for longer, or the file is damaged, foreign, or cannot be written.
    """

    def attempt(timeout: float) -> Result:
        if not present(path):
            _make(path)
        with closing(_open(path, timeout)) as connection:  # closing without COMMIT rolls back
            connection.execute("BEGIN IMMEDIATE")
            result = work(connection)
            connection.execute("COMMIT")
            return result

    return _waited(path, attempt, wait, waiting)


def _waited(path: Path, attempt: Callable[[float], Result], wait: float, waiting: Callable[[float], None]) -> Result:
    started = time.monotonic()
    while True:
        left = wait - (time.monotonic() - started)
        try:
            return attempt(max(0.0, min(_ATTEMPT, left)))
        except sqlite3.Error as error:
            if not _is(error, _LOCKED):
                raise _sentence(path, error) from error
            waited = time.monotonic() - started
            if waited >= wait:
                raise NotesError(
                    f"The notes in {path} are held by another process for more than {wait:g} seconds, so nothing was "
                    "saved; try again, or close the program that holds them."
                ) from error
            waiting(waited)
            time.sleep(min(0.02, wait - waited))  # SQLite returns at once from some locks
        except OSError as error:
            raise _no_place(path, error) from error
        except DamagedRowError as error:
            raise NotesError(_damaged(path, str(error))) from error


def _open(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection to a file of notes, after a look whether it is one."""
    if path.is_dir():
        raise NotesError(f"Expected a file of notes, got the folder {path}; name another file.")
    address = Path(os.path.realpath(path)).as_uri()
    try:
        return _checked(sqlite3.connect(f"{address}?mode=rw", timeout, isolation_level=None, uri=True), path)
    except sqlite3.OperationalError as error:
        # In a folder that cannot be written there is no place for SQLite's log, and nobody who writes one.
        if (
            _is(error, {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
            and present(path)
            and not Path(f"{path}-wal").exists()
        ):
            return _checked(
                sqlite3.connect(f"{address}?mode=ro&immutable=1", timeout, isolation_level=None, uri=True), path
            )
        raise


def _checked(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    try:
        connection.execute("PRAGMA synchronous = FULL")
        found = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if found != APPLICATION:
            raise NotesError(f"{path} is no file of notes; it was not touched. Move it away or name another file.")
        if version != SCHEMA_VERSION:
            raise NotesError(
                f"Expected notes of schema version {SCHEMA_VERSION} in {path}, got {version}; they were not touched. "
                "Open them with the version of seer that wrote them, and export them there."
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _make(path: Path) -> None:
    """Put an empty file of notes in place, unless another process was faster."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A study clears leftovers of this name when it is written the next time.
    folder = Path(tempfile.mkdtemp(prefix=f".writing-{os.getpid()}-", dir=path.parent))
    try:
        fresh = folder / path.name
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            connection.executescript(_TABLES)
        try:
            os.link(fresh, path)
        except FileExistsError:
            return
        except OSError:  # a file system without links
            if not present(path):
                os.replace(fresh, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is(error: sqlite3.Error, codes: set[int]) -> bool:
    """Whether the error is one of the codes, whatever its extension in the higher bits."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in codes


def _sentence(path: Path, error: sqlite3.Error) -> NotesError:
    if _is(error, {sqlite3.SQLITE_NOTADB}):
        return NotesError(f"{path} is no file of notes; it was not touched. Move it away or name another file.")
    if _is(error, {sqlite3.SQLITE_CORRUPT}):
        return NotesError(_damaged(path, str(error)))
    if _is(error, _UNWRITABLE):
        return NotesError(f"The notes in {path} cannot be written ({error}); make room, or name a file elsewhere.")
    return NotesError(f"The notes in {path} cannot be used ({error}); try again, or move the file away.")


def _damaged(path: Path, what: str) -> str:
    return (
        f"The notes in {path} are damaged ({what}), and were not touched; put a copy of them in their place, or move "
        "them away and import what was exported."
    )


def _no_place(path: Path, error: OSError | ValueError) -> NotesError:
    reason = getattr(error, "strerror", None) or error
    return NotesError(f"The notes cannot be kept in {path} ({reason}); name a file in a folder that can be written.")
