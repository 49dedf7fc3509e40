"""Notes as files, with their whole history: CSV for spreadsheets, JSON lines for programs; both read back without loss.

The CSV has a line a change, by row id and time; ``current`` says which one stands. A cell that a spreadsheet would run
as a formula gets a ``'`` in front, which is taken away again. The JSON lines have an object a row:
``{"row_id": …, "note": {…} or null, "history": [change, …]}``.

A note that is edited in a file comes back as a new change; a line that names only a row and its note is a change too.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from itertools import groupby
from typing import Any

import pyarrow as pa
from pyarrow import csv

from seer.errors import NotesError
from seer.notes.record import Change, Note, change_from_record
from seer.table import guarded, unguarded

NOTE_COLUMNS = tuple(field.name for field in fields(Note))
CHANGE_COLUMNS = ("author", "time", "id", "batch", "replaces", "undoes", "restores", "study", "corpus")
COLUMNS = ("row_id", "current", *NOTE_COLUMNS, *CHANGE_COLUMNS)

_BLOCK = 1 << 24
"""Bytes that hold any one line of a file."""


def csv_bytes(changes: Iterable[Change]) -> bytes:
    """The history as CSV, UTF-8 with a byte-order mark; a change that took the note away has no status."""
    columns: dict[str, list[str | None]] = {name: [] for name in COLUMNS}
    for history in _by_row(changes):
        for change in history:
            cells = {name: getattr(change, name) for name in ("row_id", *CHANGE_COLUMNS)}
            cells |= asdict(change.note) if change.note else dict.fromkeys(NOTE_COLUMNS)
            cells["current"] = "yes" if change is history[-1] else "no"
            for name in COLUMNS:
                columns[name].append(cells[name] or "")
    out = io.BytesIO()
    out.write(b"\xef\xbb\xbf")
    csv.write_csv(pa.table({name: guarded(pa.array(cells, pa.string())) for name, cells in columns.items()}), out)
    return out.getvalue()


def read_csv(content: bytes) -> list[Change]:
    """The changes of a CSV file; columns other than ``row_id`` may be missing.

    Raises:
        NotesError: it is no such file, or a line is not as it should be; the sentence names the line.
    """
    if not content.strip():
        raise NotesError(_no_notes("CSV", "an empty file"))
    head = content.split(b"\n", 1)[0]
    delimiter = max((b",", b";", b"\t"), key=head.count).decode()
    try:
        names = head.decode("utf-8-sig").strip().replace('"', "").split(delimiter)
        found = csv.read_csv(
            io.BytesIO(content),
            read_options=csv.ReadOptions(block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        raise NotesError(_no_notes("CSV", f"a file that cannot be read ({error})")) from error
    if "row_id" not in found.column_names:
        raise NotesError(_no_notes("CSV", f"the columns {', '.join(found.column_names)}"))
    columns = {name: unguarded(found[name]).to_pylist() for name in COLUMNS if name in found.column_names}
    records = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return [_checked(number, record, _cells_note(record)) for number, record in enumerate(records, 1)]


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
        for history in _by_row(changes)
    )
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def read_jsonl(content: bytes) -> list[Change]:
    """The changes of a file of JSON lines; a line without ``history`` is one change.

    Raises:
        NotesError: as ``read_csv``.
    """
    changes: list[Change] = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            changes += _row_changes(number, line)
    if not changes:
        raise NotesError(_no_notes("JSON lines", "a file without any"))
    return changes


def _row_changes(number: int, line: bytes) -> Iterator[Change]:
    try:
        record = json.loads(line)
        history = record.get("history") or []
        past = [_checked(number, {**entry, "row_id": record.get("row_id")}, entry.get("note")) for entry in history]
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise NotesError(_no_notes("JSON lines", f"something else in line {number}")) from error
    yield from past
    if "note" not in record and past:
        return
    if not past:
        yield _checked(number, record, record.get("note"))
    elif record["note"] != _note_record(latest := max(past, key=lambda change: change.order)):
        yield replace(latest, note=_checked(number, record, record["note"]).note)


def _checked(number: int, record: Mapping[str, Any], note: Any) -> Change:
    """The change of a record; a refusal names its place in the file."""
    try:
        return change_from_record(record, None if note is None else Note(**note))
    except NotesError as error:
        raise NotesError(f"Note {number} of the file: {error}") from error
    except TypeError as error:
        raise NotesError(f"Note {number} of the file: expected {', '.join(NOTE_COLUMNS)}, got {note!r}.") from error


def _cells_note(record: Mapping[str, str]) -> dict[str, str | None] | None:
    """The note of a CSV line; none when all its cells are empty."""
    cells = {name: record.get(name) or None for name in NOTE_COLUMNS}
    if not any(cells.values()):
        return None
    return cells | {"text": cells["text"] or "", "status": cells["status"] or "to do"}


def _note_record(change: Change) -> dict[str, Any] | None:
    return asdict(change.note) if change.note else None


def _by_row(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """The changes of each row, the earliest first."""
    ordered = sorted(changes, key=lambda change: (change.row_id, change.order))
    return (list(group) for _, group in groupby(ordered, key=lambda change: change.row_id))


def _no_notes(kind: str, got: str) -> str:
    return f"Expected notes as {kind} with a row_id each, got {got}; export notes to see how such a file looks."
