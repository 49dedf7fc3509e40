"""JSON and JSONL files: records as they are written, each value with its own type."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from seer.corpus.assemble import Part
from seer.corpus.bridge import arrow_table, quiet_reader
from seer.corpus.columns import Asked
from seer.corpus.plain import half_character_notice, read_plain, whole_characters
from seer.errors import DataError

_NAMED = 5


def read_json(split: str, path: Path, asked: Asked) -> tuple[Part, list[str]]:
    """Read a JSON or JSONL file; records whose text or label is a list or an object are left out with a notice.

    Python's own parser, then a ``Dataset`` from its columns: the JSON reader of ``datasets`` turns texts that look like
    dates into dates, and in a column of mixed types takes the texts "null" and "1" for nothing and for a number.

    Raises:
        DataError: not JSON (gives the line), a record that is no object, or a missing column.
    """
    content, notices = read_plain(path)
    records = _records(content, path)
    keys = tuple(dict.fromkeys(key for record in records for key in record))
    chosen = asked.choose(keys, path.name)
    kept, said = _usable(records, chosen.names, path.name)
    notices += said + _merge_notice([records[row].get(chosen.label) for row in kept], path.name)
    names = [*chosen.names, *(key for key in keys if key.strip().lower() == "id" and key not in chosen.names)]
    columns, halves = {}, 0
    for name in names:
        values = [_scalar(records[row].get(name)) for row in kept]
        pairs = [(value, 0) if value is None or value.isascii() else whole_characters(value) for value in values]
        columns[name] = [value for value, _ in pairs]
        halves += sum(count for _, count in pairs)
    notices += [half_character_notice(halves, path.name)] if halves else []
    with quiet_reader(path) as (datasets, _, _):
        features = datasets.Features({name: datasets.Value("string") for name in names})
        table = arrow_table(datasets.Dataset.from_dict(columns, features=features))
    return Part(split, table, rows=np.array(kept, dtype=np.int64)), notices


def _records(content: str, path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON file: a list of them, a list under one key, or one a line."""
    numbered, place = _whole_file(content, path)
    for number, record in numbered:
        if not isinstance(record, dict):
            shown = json.dumps(record)[:40]
            raise DataError(f"{path.name}, {place} {number}: an object with named fields is needed, got {shown}.")
    return [record for _, record in numbered]


def _whole_file(content: str, path: Path) -> tuple[list[tuple[int, Any]], str]:
    """Numbered records, and what the numbers count."""
    if path.suffix.lower() == ".json":
        try:
            whole = json.loads(content)
        except RecursionError:
            raise DataError(f"{path.name}: the JSON is nested too deeply; expected a list of flat objects.") from None
        except json.JSONDecodeError as error:
            # Some .json files hold one object a line.
            if not content.lstrip().startswith("{"):
                raise DataError(f"{path.name}, line {error.lineno}: not valid JSON ({error.msg}).") from None
        else:
            if isinstance(whole, dict):
                inner = list(whole.values())
                whole = inner[0] if len(inner) == 1 and isinstance(inner[0], list) else [whole]
            return list(enumerate(whole if isinstance(whole, list) else [whole], start=1)), "record"
    numbered = []
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            try:
                numbered.append((number, json.loads(line)))
            except json.JSONDecodeError as error:
                raise DataError(f"{path.name}, line {number}: not valid JSON ({error.msg}).") from None
            except RecursionError:
                raise DataError(f"{path.name}, line {number}: the JSON is nested too deeply to be read.") from None
    return numbered, "line"


def _usable(records: Sequence[dict[str, Any]], fields: tuple[str, ...], name: str) -> tuple[list[int], list[str]]:
    """Row numbers of the records with a text and a label that are single values, and a notice about the others."""
    bad = {
        row: field
        for row, record in enumerate(records)
        for field in reversed(fields)
        if isinstance(record.get(field), (list, dict))
    }
    if not bad:
        return list(range(len(records))), []
    places = [f"record {row + 1}, field “{field}”" for row, field in list(bad.items())[:_NAMED]]
    shown = "; ".join(places) + (" …" if len(bad) > _NAMED else "")
    return [row for row in range(len(records)) if row not in bad], [
        f"{len(bad):,} of {len(records):,} records of {name} were left out: they hold a list or an object where a "
        f"single value is needed ({shown})."
    ]


def _merge_notice(labels: Sequence[Any], name: str) -> list[str]:
    """A sentence when a label is written both as a number and as a text."""
    written = {(_scalar(label), isinstance(label, str)) for label in labels}
    both = sorted(label for label, is_text in written if label is not None and is_text and (label, False) in written)
    shown = ", ".join(both[:_NAMED])
    return [f"{name} holds the label {shown} both as a number and as a text; they were taken as one."] if both else []


def _scalar(value: Any) -> str | None:
    """A JSON value as text: 1.0 is "1", true is "true", nothing stays nothing."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, dict)):
        return None
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)
