"""Notes as JSON lines for programs, with their whole history, and files of notes read back whatever their format.

An object a row: ``{"row_id": …, "note": {…} or null, "history": [change, …]}``. A note that is altered in a file comes
back as a new change; an object that names only a row and its note, or a part of it, is a change too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from seer.errors import NotesError
from seer.notes.entry import Entry, NotesFile, entry_from_record, left_out
from seer.notes.plain import decoded
from seer.notes.record import Change, by_row
from seer.notes.spreadsheet import CHANGE_COLUMNS, read_csv

_LINE_ENDS = re.compile("\r\n|\r|\n")


def read_notes(content: bytes) -> NotesFile:
    """The notes of a file; what it holds tells the format, its name nothing.

    Raises:
        NotesError: it is no file of notes.
    """
    text, _ = decoded(content)
    return read_jsonl(content) if text.lstrip()[:1] in ("{", "[") else read_csv(content)


def jsonl_bytes(changes: Iterable[Change]) -> bytes:
    """The history as JSON lines, one a row of the corpus, in UTF-8."""
    lines = (
        {
            "row_id": history[-1].row_id,
            "note": _note_record(history[-1]),
            "history": [
                {"note": _note_record(change), **{name: getattr(change, name) for name in CHANGE_COLUMNS}}
                for change in history
            ],
        }
        for history in by_row(changes)
    )
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def read_jsonl(content: bytes) -> NotesFile:
    """The notes of a file of JSON lines; an object without a note and without a history says nothing.

    Raises:
        NotesError: as ``read_csv``.
    """
    text, told = decoded(content)
    entries: list[Entry] = []
    silent = 0
    for number, line in enumerate(_LINE_ENDS.split(text), 1):
        if line.strip():
            found = list(_row_entries(number, _object(number, line)))
            entries += found
            silent += not found
    if not entries:
        raise NotesError(_no_notes("only lines without a note" if silent else "a file without any"))
    return NotesFile(tuple(entries), told + left_out(silent))


def _row_entries(number: int, record: Mapping[str, Any]) -> Iterator[Entry]:
    history = record.get("history") or []
    if not isinstance(history, list) or not all(isinstance(change, dict) for change in history):
        raise NotesError(_no_notes(f"something else as the history in line {number:,}"))
    past = [
        entry_from_record({**change, "row_id": record.get("row_id")}, change["note"], number)
        for change in history
        if "note" in change
    ]
    yield from past
    if record.get("note", {}) == {}:
        return
    if not past:
        yield entry_from_record(record, record["note"], number)
        return
    latest = max(enumerate(past), key=_later)[1]
    own = entry_from_record({"row_id": record.get("row_id")}, record["note"], number)
    if own.onto(latest.change.note) != latest.change.note:
        yield replace(own, change=replace(latest.change, note=own.change.note))


def _later(entry: tuple[int, Entry]) -> tuple[bool, str, str, int]:
    """What is later in a history: an entry without a time comes on top, in the order of the file."""
    place, change = entry[0], entry[1].change
    return not change.time, change.time, change.id if change.time else "", place


def _object(number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotesError(_no_notes(f"something else in line {number:,}")) from error
    if not isinstance(record, dict):
        raise NotesError(_no_notes(f"something else in line {number:,}"))
    return record


def _note_record(change: Change) -> dict[str, Any] | None:
    return asdict(change.note) if change.note else None


def _no_notes(got: str) -> str:
    return (
        f"Expected notes as JSON lines, an object with a row_id in each, got {got}; export notes to see how such a "
        "file looks."
    )
