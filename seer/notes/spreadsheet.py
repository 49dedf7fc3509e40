"""Notes as CSV for spreadsheets: the whole history, or what stands beside each sentence; both are read back.

A cell that a spreadsheet would run as a formula gets a ``'`` in front, which is taken away again. Every cell is read as
the text that it is: no id becomes a number, no word a missing value.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from seer.cells import guarded, unguarded
from seer.errors import NotesError, shown
from seer.notes.entry import Entry, NotesFile, entry_from_record, left_out
from seer.notes.plain import decoded
from seer.notes.record import NOTE_FIELDS, Change, by_row
from seer.study import Study
from seer.table import records

CHANGE_COLUMNS = ("author", "time", "id", "batch", "replaces", "undoes", "restores", "study", "corpus")
COLUMNS = ("row_id", "current", *NOTE_FIELDS, *CHANGE_COLUMNS)

READABLE = {
    "row_id": "row_id",
    "sentence": "sentence",
    "true": "true",
    "predicted": "predicted",
    "confidence": "confidence",
    "cause": "cause",
    "action": "action",
    "label": "new label",
    "status": "status",
    "text": "note",
    "author": "author",
    "time": "time",
}
"""The columns for people: what each holds and what it is called."""

_READ = ("row_id", *NOTE_FIELDS, *CHANGE_COLUMNS)
_CALLED = {name.replace("_", " "): name for name in _READ} | {"note": "text", "new label": "label"}
_SPARE = {"current", "split", *READABLE.values()}
"""Columns that say nothing about the note."""

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_MOST_NAMED = 5
_ANY_LENGTH = 2**31 - 1


def csv_bytes(changes: Iterable[Change]) -> bytes:
    """The history, a line a change, by row id and time; ``current`` says which one stands.

    UTF-8 with a byte-order mark. A change that took the note away has no status.
    """
    columns: dict[str, list[str | None]] = {name: [] for name in COLUMNS}
    for history in by_row(changes):
        for change in history:
            cells = {name: getattr(change, name) for name in ("row_id", *CHANGE_COLUMNS)}
            cells |= asdict(change.note) if change.note else dict.fromkeys(NOTE_FIELDS)
            cells["current"] = "yes" if change is history[-1] else "no"
            for name in COLUMNS:
                columns[name].append(cells[name] or "")
    return _written(columns)


def readable_csv(study: Study, notes: Mapping[str, Change]) -> bytes:
    """The notes that stand, a line a sentence: its text, class, prediction and confidence, the note, who and when.

    A line whose note is altered comes back as a change of that note; of a sentence that is gone only the note is there.

    Args:
        study: the study.
        notes: ``Notes.current()``, or a part of it.
    """
    present = [row_id for row_id in notes if row_id in study.corpus]
    rows = np.array([study.corpus.position(row_id) for row_id in present], dtype=np.int64)
    sentences = dict(zip(present, records(study, rows), strict=True))
    columns: dict[str, list[str | None]] = {name: [] for name in READABLE.values()}
    for row_id, change in notes.items():
        facts: dict[str, str | None] = {"row_id": row_id, "author": change.author, "time": change.time}
        facts |= asdict(change.note) if change.note else dict.fromkeys(NOTE_FIELDS)
        if sentence := sentences.get(row_id):
            sure = "" if sentence.confidence is None else f"{sentence.confidence:.4f}"
            facts |= {"sentence": sentence.text, "true": sentence.true, "predicted": sentence.predicted}
            facts["confidence"] = sure
        for name, column in READABLE.items():
            columns[column].append(facts.get(name) or "")
    return _written(columns)


def read_csv(content: bytes) -> NotesFile:
    """The notes of a CSV file: ``row_id`` and at least one column of a note, in any order and case.

    A column that is absent leaves what stands on the row; an empty cell takes that part of the note away. A line that
    names a row and nothing of its note says nothing, but a line of the history without any takes the note away.

    Raises:
        NotesError: it is no such file, or a line is not as it should be; the sentence names the line.
    """
    text, told = decoded(content)
    if not text.strip():
        raise NotesError(_no_notes("an empty file"))
    with _cells_of_any_length():
        delimiter = max(_DELIMITERS, key=lambda sign: _fit(text, sign))
        (_, head), *found = list(_records(text, delimiter)) or [(1, [])]
    lines, rows = [line for line, _ in found], [cells for _, cells in found]
    places, strays = _columns(head)
    _refuse_uneven(lines, head, rows)
    columns = {name: unguarded(pa.array([row[at] for row in rows], pa.string())).to_pylist() for name, at in places}
    given = [name for name in NOTE_FIELDS if name in columns]
    entries = []
    for line, *cells in zip(lines, *columns.values(), strict=True):
        entry = _entry(line, dict(zip(columns, cells, strict=True)), given)
        entries += [entry] if entry else []
    if not entries:
        raise NotesError(_no_notes("only lines without a note" if rows else "a header without lines"))
    told += (f"The cells are separated by {_DELIMITERS[delimiter]}.",) if delimiter != "," else ()
    told += (f"Not read: {_listed('the column', strays)}.",) if strays else ()
    return NotesFile(tuple(entries), (*told, *left_out(len(rows) - len(entries))))


def _entry(line: int, record: Mapping[str, str], given: Sequence[str]) -> Entry | None:
    """What a line says; nothing when it only names a row."""
    note = {name: record[name] or None for name in given}
    if not any(note.values()):
        if not (record.get("id") or record.get("time")):
            return None
        if len(given) == len(NOTE_FIELDS):
            return entry_from_record(record, None, line)
    note |= {name: note[name] or usual for name, usual in (("text", ""), ("status", "to do")) if name in note}
    return entry_from_record(record, note, line)


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The records that hold anything, each with the line on which it begins."""
    reader, begin = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        raise NotesError(
            f"Line {begin:,} of the file: a quote is not closed, or stands inside a cell; double it or remove it."
        ) from error


def _fit(text: str, delimiter: str) -> tuple[bool, int]:
    """How well a delimiter cuts the header: whether there is a row id, and into how many columns."""
    try:
        names = [_folded(cell) for _, cells in islice(_records(text, delimiter), 1) for cell in cells]
    except NotesError:
        return False, 0
    return "row id" in names, len(names)


def _columns(head: Sequence[str]) -> tuple[list[tuple[str, int]], list[str]]:
    """What is read and where it stands, and the names of columns that are not known.

    Raises:
        NotesError: no row id, nothing of a note, or one of them twice.
    """
    names = [_folded(cell) for cell in head]
    # Beside a note the text is that of the sentence.
    called = {name: what for name, what in _CALLED.items() if name != "text" or "note" not in names}
    places = [(called[name], at) for at, name in enumerate(names) if name in called]
    found = [name for name, _ in places]
    if twice := [name for name in found if found.count(name) > 1]:
        raise NotesError(f"The file has two columns for the {twice[0]}, so it is not clear which counts; keep one.")
    if "row_id" not in found:
        raise NotesError(_no_notes(_listed("the column", [name.strip() for name in head])))
    if not set(found) & set(NOTE_FIELDS):
        raise NotesError(
            f"Expected a column with {', '.join(NOTE_FIELDS[:-1])} or {NOTE_FIELDS[-1]} of a note, got "
            f"{_listed('the column', [name.strip() for name in head])}; export notes to see how such a file looks."
        )
    strays = [name.strip() for name, folded in zip(head, names, strict=True) if folded not in {*_CALLED, *_SPARE, ""}]
    return places, strays


def _refuse_uneven(lines: Sequence[int], head: Sequence[str], rows: Sequence[list[str]]) -> None:
    """Refuse a record that has more or fewer cells than the header; empty ones at its end do not count."""
    for line, cells in zip(lines, rows, strict=True):
        while len(cells) > len(head) and not cells[-1]:
            cells.pop()
        if len(cells) != len(head):
            raise NotesError(
                f"Line {line:,} of the file: expected {len(head):,} cells as in the header, got {len(cells):,}; put a "
                "text that holds the separator in double quotes."
            )


def _written(columns: Mapping[str, Sequence[str | None]]) -> bytes:
    out = io.BytesIO()
    out.write(b"\xef\xbb\xbf")
    table = pa.table({name: guarded(pa.array(cells, pa.string())) for name, cells in columns.items()})
    arrow_csv.write_csv(table, out)
    return out.getvalue()


def _folded(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split())


def _listed(noun: str, names: Sequence[str]) -> str:
    said = ", ".join(shown(name, 40).strip("'\"") for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{noun}{'' if len(names) == 1 else 's'} {said}{f' and {more:,} more' if more > 0 else ''}"


def _no_notes(got: str) -> str:
    return f"Expected notes as CSV with a row_id each, got {got}; export notes to see how such a file looks."


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """A cell that is too long is then named with its line, as any other."""
    before = csv.field_size_limit(_ANY_LENGTH)
    try:
        yield
    finally:
        csv.field_size_limit(before)
