"""CSV and TSV files: records that do not fit are left out by line and reason, and no stray quote swallows one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from seer.corpus.asked import Asked, Written
from seer.corpus.assemble import Part
from seer.corpus.bridge import copied_table
from seer.corpus.columns import COMMON_NAMES, JOINED, Columns
from seer.corpus.dialect import DELIMITER_NAMES, Dialect, separator_line, sniff
from seer.corpus.fitting import Fit
from seer.corpus.plain import Plain, read_plain
from seer.corpus.reading import HEAD, FileRead, Reading, Rejected, rejected
from seer.errors import DataError

USUAL_DELIMITER: Mapping[str, str] = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
"""By the ending of the file's name."""

_FEW_SHORT = 0.05
"""Up to this share, records that end before the label are broken lines; above it, they are rows without a label."""


def read_delimited(
    split: str, path: Path, kind: str, asked: Asked, written: Written, reading: Reading
) -> tuple[Part, Columns]:
    """Read one file.

    Args:
        split: the split of its rows.
        path: the file.
        kind: its ending, a key of ``USUAL_DELIMITER``.
        asked: what is known of the columns.
        written: what is known of the file.
        reading: told what is understood.

    Raises:
        DataError: the file cannot be read, or too many of its records do not fit; gives the line.
    """
    plain, dialect = _opened(path, kind, asked, written, reading)
    found = FileRead(
        split,
        path.name,
        dialect.columns,
        tuple(map(tuple, dialect.sample[:HEAD])),
        encoding=plain.encoding,
        delimiter=dialect.delimiter,
        header=dialect.header,
        quoted=dialect.quoted,
    )
    reading.note(found)
    columns = _chosen(plain, dialect, asked, written)
    own_id = (name for name in dialect.columns if name.strip().lower() == "id")
    names = tuple(dict.fromkeys((*columns.names, *own_id)))
    fit, rows = Fit(plain, dialect, columns), _Rows()
    table = copied_table(path, names, _fitting(fit, names, rows))
    reading.note(replace(found, records=rows.total, read=len(table), rejected=len(rows.bad)))
    if not rows.total:
        raise DataError(f"{path.name} has a header but no rows; at least one is needed.")
    called = DELIMITER_NAMES.get(dialect.delimiter or ",", repr(dialect.delimiter))
    mend = f"Put texts that hold a {called} in double quotes, or name another delimiter with --delimiter."
    reading.refuse_too_many(rows.bad, rows.total, mend)
    if rows.spans and columns.label is not None:
        fit.refuse_swallowed(rows.spans, set(table[columns.label].unique().to_pylist()) - {""})
    table = _without_short(table, fit, rows, reading)
    reading.note(replace(found, records=rows.total, read=len(table), rejected=len(rows.bad)))
    reading.reject(rows.bad, rows.total)
    numbers, lines = (np.array(places, dtype=np.int64) for places in (rows.numbers, rows.lines))
    return Part(split, table, path.name, rows=numbers, lines=lines), columns


def _opened(path: Path, kind: str, asked: Asked, written: Written, reading: Reading) -> tuple[Plain, Dialect]:
    """The lines of a file, and how they are written."""
    plain = read_plain(path, written.encoding)
    if _like_json(plain.lines):
        raise DataError(f"{path.name} looks like JSON; let its name end in .json or .jsonl.")
    reading.guessed |= {what for what, given in vars(written).items() if given is None}
    separator = separator_line(plain.lines)
    if separator is not None:
        plain = replace(plain, lines=["", *plain.lines[1:]])
        written = replace(written, delimiter=written.delimiter or separator)
    sought = (*asked.named.values(), *asked.like.values())
    named = {name for text in sought if text for name in (text, *text.split(JOINED))}
    dialect = sniff(plain.lines, path.name, written, usual=USUAL_DELIMITER[kind], common=COMMON_NAMES, asked=named)
    reading.notices += plain.notices + dialect.notices
    return plain, dialect


def _like_json(lines: Sequence[str]) -> bool:
    """Whether the first line is a JSON object or a list of such, or begins one that has several lines."""
    begin = next((line.strip() for line in lines if line.strip()), "")
    if not begin.startswith(("{", "[")):
        return False
    try:
        found = json.loads(begin)
    except (ValueError, RecursionError):
        return begin in ("{", "[", "[{")
    values = found if isinstance(found, list) else [found]
    return bool(values) and all(isinstance(value, dict) for value in values)


def _chosen(plain: Plain, dialect: Dialect, asked: Asked, written: Written) -> Columns:
    """The columns; where none will do, the error says that there may be no header."""
    try:
        return asked.choose(dialect.columns, plain.name, lambda: dialect.sample, named=dialect.header)
    except DataError as error:
        names = {name.lower() for name in dialect.columns}
        if dialect.header and written.header is None and not names & COMMON_NAMES:
            hint = "If its first line holds no names, say --no-header (in Python header=False)."
            raise DataError(f"{error} {hint}") from error
        raise


@dataclass
class _Rows:
    """What became of the records of a file: the rows, by number from 0 and first line, and those that do not fit.

    ``short`` are the rows that end before the label, ``spans`` the first and last line of rows with several.
    """

    total: int = 0
    numbers: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    short: list[bool] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    bad: list[Rejected] = field(default_factory=list)


def _fitting(fit: Fit, names: Sequence[str], rows: _Rows) -> Iterator[list[str]]:
    """The cells of the named columns, record by record that fits; ``rows`` is filled."""
    places = [fit.dialect.columns.index(name) for name in names]
    for record in fit.dialect.records(fit.plain.lines):
        rows.total += 1
        reason = fit.fault(record)
        if reason is not None:
            rows.bad.append(_left_out(fit, record.begin, record.end, reason))
            continue
        rows.numbers.append(rows.total - 1)
        rows.lines.append(record.begin)
        rows.short.append(len(record.cells) <= fit.label_at)
        if record.end > record.begin:
            rows.spans.append((record.begin, record.end))
        yield [record.cells[at] if at < len(record.cells) else "" for at in places]


def _left_out(fit: Fit, begin: int, end: int, reason: str) -> Rejected:
    return rejected(fit.plain.name, begin, reason, fit.plain.content(begin, end))


def _without_short(table: pa.Table, fit: Fit, rows: _Rows, reading: Reading) -> pa.Table:
    """Leave records out that end before the label when they are few; many are rows without a label."""
    short = np.array(rows.short, dtype=bool)
    count = int(short.sum())
    if not count:
        return table
    if count > _FEW_SHORT * rows.total:
        reading.notices.append(
            f"{count:,} of {rows.total:,} records of {fit.plain.name} end before the label; they are taken as rows "
            "without one."
        )
        return table
    rows.bad += [
        _left_out(fit, rows.lines[at], rows.lines[at], "ends before the label") for at in np.flatnonzero(short)
    ]
    rows.bad.sort(key=lambda row: row.line)
    kept = np.flatnonzero(~short).tolist()
    rows.numbers, rows.lines = [rows.numbers[at] for at in kept], [rows.lines[at] for at in kept]
    return table.take(pa.array(kept))
