"""The notes of a study: one SQLite file whose history only grows.

Each change is a row with the whole new note. What stands on a row is its last change by time, then id; a trigger keeps
track of it inside the transaction that writes the change. Nothing is overwritten: who saves over a change that he has
not seen is told of it, and both are in the history.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from seer.errors import NotesError
from seer.notes import database
from seer.notes.merge import Merged, merge
from seer.notes.record import Change, Note, NoteFields, clean, edited, new_id, note_from_json, note_json, row_key
"""
