"""JSON and JSONL files: records as they are written, each value with its own type."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from seer.corpus.asked import Asked
from seer.corpus.assemble import Part
from seer.corpus.bounds import MOST_CELL, refuse_columns, refuse_rows
from seer.corpus.bridge import copied_table
from seer.corpus.columns import Columns
from seer.corpus.guess import SAMPLE
from seer.corpus.plain import Plain, half_character_notice, read_plain, whole_characters
from seer.corpus.reading import HEAD, MOST_SHOWN, FileRead, Reading, Rejected, rejected
from seer.errors import DataError, shown

_NAMED = 5
_MOST_VALUES = 10_000_000
"""Of a file, about: an empty list is two characters there, and sixty bytes in memory."""
_TOO_LONG = "a number has too many digits to be read"
_KINDS: dict[type, str] = {list: "a list", dict: "an object"}


class _Entry(NamedTuple):
    """One value of the file at its line, or at its place in a list, from 1; or why there is none."""

    place: int
    value: Any
    fault: str | None = None


def read_json(
    split: str, path: Path, kind: str, asked: Asked, encoding: str | None, reading: Reading
) -> tuple[Part, Columns]:
    """Read a JSON or JSONL file; records whose text or label is a list or an object are left out.

    Python's own parser, then a ``Dataset`` of what it found: the JSON reader of ``datasets`` turns texts that look like
    dates into dates, and in a column of mixed types takes the texts "null" and "1" for nothing and for a number.

    Args:
        split: the split of its rows.
        path: the file.
        kind: its ending.
        asked: what is known of the columns.
        encoding: of the file, None to find it.
        reading: told what is understood.

    Raises:
        DataError: not JSON (gives the line), hardly a record with named fields, or a missing column.
    """
    plain = read_plain(path, encoding, long_lines=kind == ".json")
    _refuse_many(plain)
    reading.guessed |= {"encoding"} if encoding is None else set()
    reading.notices += plain.notices
    entries, unit = _entries(plain, kind)
    objects = [entry.value for entry in entries if entry.fault is None]
    keys = tuple(dict.fromkeys(key for value in objects for key in value))
    refuse_columns(len(keys), path.name)
    head = tuple(tuple(_raw(value.get(key)) for key in keys) for value in objects[:HEAD])
    found = FileRead(split, path.name, keys, head, unit=unit, encoding=plain.encoding, records=len(entries))
    reading.note(found)
    bad = [_left_out(plain, unit, entry) for entry in entries if entry.fault]
    reading.note(replace(found, rejected=len(bad)))
    reading.refuse_too_many(bad, len(entries), "Expected one object a line, or a list of objects.")
    columns = asked.choose(keys, path.name, lambda: _sample(objects, keys))
    entries = [entry if entry.fault else entry._replace(fault=_misfit(entry.value, columns)) for entry in entries]
    bad = [_left_out(plain, unit, entry) for entry in entries if entry.fault]
    kept = [row for row, entry in enumerate(entries) if not entry.fault]
    reading.note(replace(found, read=len(kept), rejected=len(bad)))
    reading.reject(bad, len(entries))
    if not kept:
        raise DataError(f"{path.name}, {unit} {bad[0].line:,}: {bad[0].reason}; so it is in every record.")
    return _part(split, path, entries, kept, keys, columns, reading), columns


def _sample(objects: Sequence[dict[str, Any]], keys: Sequence[str]) -> list[list[str]]:
    """Records from the whole file, a cell a key; a list or an object is an empty one."""
    return [[_scalar(value.get(key)) for key in keys] for value in objects[:: len(objects) // SAMPLE + 1]]


def _part(
    split: str,
    path: Path,
    entries: Sequence[_Entry],
    kept: Sequence[int],
    keys: Sequence[str],
    columns: Columns,
    reading: Reading,
) -> Part:
    """The needed columns of the records that are kept."""
    names = [
        *dict.fromkeys(columns.names),
        *(key for key in keys if key.strip().lower() == "id" and key not in columns.names),
    ]
    if columns.label is not None:
        reading.notices += _merge_notice([entries[row].value.get(columns.label) for row in kept], path.name)
    halves = 0

    def cells(row: int) -> Iterator[str]:
        nonlocal halves
        for name in names:
            text, count = whole_characters(_scalar(entries[row].value.get(name)))
            halves += count
            yield text

    table = copied_table(path, names, (list(cells(row)) for row in kept))
    reading.notices += [half_character_notice(halves, path.name)] if halves else []
    places = np.array([entries[row].place for row in kept], dtype=np.int64)
    return Part(split, table, path.name, rows=np.array(kept, dtype=np.int64), lines=places)


def _entries(plain: Plain, kind: str) -> tuple[list[_Entry], str]:
    """The objects of a JSON file: a list of them, a list under one key, or one a line; and what their places count.

    Raises:
        DataError: there is none, or the whole file is no JSON.
    """
    if not any(line.strip() for line in plain.lines):
        raise DataError(f"{plain.name} is empty; at least one record is needed.")
    if kind == ".json":
        try:
            whole = _loaded(plain.text)
        except RecursionError:
            raise DataError(f"{plain.name}: the JSON is nested too deeply; expected a list of flat objects.") from None
        except json.JSONDecodeError as error:
            # Some .json files hold one object a line.
            if not plain.text.lstrip().startswith("{"):
                raise DataError(f"{plain.name}, line {error.lineno}: not valid JSON ({error.msg}).") from None
        except ValueError:
            raise DataError(f"{plain.name}: {_TOO_LONG}; write it as a text.") from None
        else:
            if isinstance(whole, dict):
                inner = list(whole.values())
                whole = inner[0] if len(inner) == 1 and isinstance(inner[0], list) else [whole]
            values = whole if isinstance(whole, list) else [whole]
            refuse_rows(len(values), plain.name)
            if not values:
                raise DataError(f"{plain.name} has no rows; at least one record is needed.")
            return [_checked(place, value) for place, value in enumerate(values, start=1)], "record"
    numbered = enumerate(plain.lines, start=1)
    return [_parsed(plain, place, line) for place, line in numbered if line.strip()], "line"


def _refuse_many(plain: Plain) -> None:
    """Stop at a file with so many values that they would fill the memory."""
    values = sum(line.count(mark) for line in plain.lines for mark in ",[{")
    if values > _MOST_VALUES:
        raise DataError(
            f"{plain.name} holds about {values:,} values, and at most {_MOST_VALUES:,} can be read; load a part of it."
        )


def _parsed(plain: Plain, place: int, line: str) -> _Entry:
    if place in plain.broken:
        return _Entry(place, None, f"the byte {plain.broken[place]} is not UTF-8")
    try:
        return _checked(place, _loaded(line.rstrip("\r\n")))
    except json.JSONDecodeError as error:
        return _Entry(place, None, f"not valid JSON ({error.msg}: character {error.colno})")
    except ValueError:
        return _Entry(place, None, _TOO_LONG)
    except RecursionError:
        return _Entry(place, None, "the JSON is nested too deeply to be read")


def _loaded(text: str) -> Any:
    """A JSON value; NaN, as Python and pandas write what is missing, is null."""
    return json.loads(text, parse_constant=lambda name: None if name == "NaN" else float(name))


def _checked(place: int, value: Any) -> _Entry:
    if not isinstance(value, dict):
        value = value[:MOST_SHOWN] if isinstance(value, str) else value
        got = _raw(value) if isinstance(value, list) else json.dumps(value)
        return _Entry(place, value, f"an object with named fields is needed, got {got[:40]}")
    for name, held in value.items():
        if max(len(name), len(held) if isinstance(held, str) else 0) > MOST_CELL:
            return _Entry(place, None, f"the field {shown(name)} has more than {MOST_CELL:,} characters")
    # a half character in a name can be written nowhere
    return _Entry(place, {whole_characters(name)[0]: held for name, held in value.items()})


def _misfit(value: dict[str, Any], columns: Columns) -> str | None:
    """Why a record cannot be a row: a text or a label that is no single value."""
    for name in columns.names:
        if isinstance(value.get(name), (list, dict)):
            return f"field “{name}” holds {_KINDS[type(value[name])]} where a single value is needed"
    return None


def _left_out(plain: Plain, unit: str, entry: _Entry) -> Rejected:
    content = plain.content(entry.place, entry.place) if unit == "line" else _raw(entry.value)
    return rejected(plain.name, entry.place, entry.fault or "", content)


def _merge_notice(labels: Sequence[Any], name: str) -> list[str]:
    """A sentence when a label is written both as a number and as a text."""
    written = {(_scalar(label), isinstance(label, str)) for label in labels}
    both = sorted(label for label, is_text in written if label and is_text and (label, False) in written)
    named = ", ".join(both[:_NAMED])
    return [f"{name} holds the label {named} both as a number and as a text; they were taken as one."] if both else []


def _scalar(value: Any) -> str:
    """A JSON value as text: 1.0 is "1", true is "true", nothing is empty."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, (list, dict)):
        return ""
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)


def _raw(value: Any) -> str:
    """A JSON value as a cell of the preview."""
    if not isinstance(value, (list, dict)):
        return whole_characters(_scalar(value))[0]
    try:
        return whole_characters(json.dumps(value, ensure_ascii=False))[0]
    except RecursionError:  # written from deeper in the program than it was read
        return f"{_KINDS[type(value)]}, nested too deeply to be shown"
