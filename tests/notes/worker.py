"""What other processes do to a file of notes in the tests."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path

from seer.notes import Note, Notes


def write(path: Path, author: str, count: int, begin: Event, pipe: Connection) -> None:
    """Write so many notes, one a row and one in ten on a row that all authors share.

    Sends that it is ready, then the id of each note when it is saved, and the waits that it was told of.
    """
    waited: list[float] = []
    notes = Notes(path, waiting=waited.append)
    pipe.send("ready")
    begin.wait()
    for number in range(count):
        row_id = f"shared-{number}" if number % 10 == 0 else f"{author}-{number}"
        pipe.send(notes.put(row_id, Note("irony", f"{author} {number}"), author).change.id)
    pipe.send(waited)
    pipe.close()


def hold(path: Path, seconds: float, held: Event) -> None:
    """Hold the write lock."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        held.set()
        time.sleep(seconds)
        connection.execute("ROLLBACK")
