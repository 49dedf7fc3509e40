"""How a delimited file is written: its delimiter, its quotes, its header; found before any row is read."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from seer.corpus.asked import Written
from seer.corpus.bounds import MOST_CELL, MOST_COLUMNS, refuse_columns
from seer.corpus.guess import SAMPLE, has_header
from seer.corpus.reading import HEAD
from seer.errors import DataError

DELIMITER_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "space"}
_DELIMITERS = (",", "\t", ";", "|")
_SNIFFED = 200
_SEPARATOR = re.compile("sep=(.)", re.IGNORECASE)

# For the whole process, and for good: two sessions may read at the same time, and one must not shorten the other's.
# A quote that is never closed must not make the rest of a large file one field.
csv.field_size_limit(MOST_CELL)


class Record(NamedTuple):
    """One record of a file, blank lines left out.

    ``begin`` and ``end`` are its first and last line, from 1. A record whose quotes are broken is its first line alone:
    ``broken`` is the line on which that showed, ``None`` for every other record.
    """

    begin: int
    end: int
    cells: list[str]
    broken: int | None = None


@dataclass(frozen=True)
class Dialect:
    """How a delimited file is written.

    Attributes:
        delimiter: between the fields; ``None`` where each line is one field.
        quoted: whether a field may stand in double quotes; else a quote is a character like any other.
        header: whether the first record names the columns.
        columns: their names; of a name that is there twice, each copy carries its position: ``text#1``, ``text#4``.
            Without a header ``column 1``, ``column 2`` and so on.
        sample: the first ``HEAD`` records after the header, and others from the whole file.
        notices: sentences for a person.
    """

    delimiter: str | None
    quoted: bool
    header: bool
    columns: tuple[str, ...]
    sample: list[list[str]]
    notices: list[str]

    def records(self, lines: Sequence[str]) -> Iterator[Record]:
        """All records after the header."""
        return islice(split_records(lines, self.delimiter, quoted=self.quoted), int(self.header), None)


def split_records(lines: Sequence[str], delimiter: str | None, *, quoted: bool) -> Iterator[Record]:
    """The records of a file; after one with broken quotes it goes on with the line that follows its first."""
    if delimiter is None and not quoted:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield Record(number, number, [line.rstrip("\r\n")])
        return
    begin = 0
    while begin < len(lines):
        reader = csv.reader(
            (lines[at] for at in range(begin, len(lines))),
            delimiter=delimiter or ",",
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
            strict=quoted,
        )
        start = begin
        try:
            for cells in reader:
                end = start + reader.line_num
                if len(cells) > 1 or (cells and cells[0].strip()):
                    yield Record(begin + 1, end, cells)
                begin = end
            return
        except csv.Error:
            yield Record(begin + 1, begin + 1, [lines[begin].rstrip("\r\n")], start + reader.line_num)
            begin += 1


def separator_line(lines: Sequence[str]) -> str | None:
    """The delimiter that a spreadsheet wrote as ``sep=;`` on the first line, ``None`` without such a line."""
    said = _SEPARATOR.fullmatch(lines[0].strip("\r\n")) if lines else None
    return said[1] if said else None


def sniff(
    lines: Sequence[str], name: str, written: Written, *, usual: str, common: Collection[str], asked: Collection[str]
) -> Dialect:
    """Find delimiter, quoting and header of a delimited file.

    Args:
        lines: the whole file.
        name: of the file, for messages.
        written: what the person says of it; what is left out is found, a delimiter among comma, tab, semicolon and bar.
        usual: the delimiter that the file's suffix promises; it wins a tie.
        common: common names of columns.
        asked: names of columns that the person gave.

    Raises:
        DataError: no row at all.
    """
    if not any(line.strip() for line in lines):
        raise DataError(f"{name} is empty; rows are needed, and usually a header line.")
    chosen: str | None = written.delimiter or _find_delimiter(lines, usual)
    notices = []
    if written.delimiter is None and chosen != usual:
        notices.append(f"The fields of {name} are separated by a {DELIMITER_NAMES[str(chosen)]}.")
    quoted, plain_notice = _quoting(lines, str(chosen), name)
    notices += plain_notice
    first = next(split_records(lines, chosen, quoted=quoted))
    if first.broken:
        raise DataError(f"{name}, line {first.begin}: a quote in the first record is not closed; mend that line.")
    refuse_columns(len(first.cells), name)
    if len(first.cells) == 1:  # nothing to cut: each line is one field, whatever it holds
        chosen, notices = None, []
        quoted = quoted and all(
            len(cells) == 1 and at is None for _, _, cells, at in split_records(lines, None, quoted=True)
        )
    records = list(_spread(split_records(lines, chosen, quoted=quoted), max(len(lines) // SAMPLE, 1)))
    header = has_header(records, common, asked) if written.header is None else written.header
    if header:
        return Dialect(chosen, quoted, True, _names(records[0]), records[1:], notices)
    width = Counter(map(len, records)).most_common(1)[0][0]
    return Dialect(chosen, quoted, False, tuple(f"column {place}" for place in range(1, width + 1)), records, notices)


def _spread(records: Iterator[Record], step: int) -> Iterator[list[str]]:
    """The cells of the first records and of one in ``step`` after them: a file may be sorted by its labels."""
    for place, record in enumerate(records):
        if (place <= HEAD or place % step == 0) and not record.broken:
            yield record.cells[:MOST_COLUMNS]


class _Shape(NamedTuple):
    """What a way of reading quotes makes of a file."""

    records: int
    misfits: int
    broken: int
    in_quotes: int


def _quoting(lines: Sequence[str], delimiter: str, name: str) -> tuple[bool, list[str]]:
    """Whether quotes stand around fields; if not although there are some, a notice says so."""
    if not any('"' in line for line in lines):
        return False, []
    as_quotes, as_letters = (_shape(split_records(lines, delimiter, quoted=quoted)) for quoted in (True, False))
    troubled = as_quotes.broken or as_letters.records > as_quotes.records
    # Whoever quotes the names of the columns quotes fields; else most records have to.
    mostly = 2 * as_letters.in_quotes > as_letters.records or _all_quoted(lines, delimiter)
    misfits = as_quotes.misfits + as_quotes.broken
    if troubled and not mostly and as_letters.misfits < max(misfits, 1):
        return False, [f"Quotes in {name} do not come in pairs around fields; they were read as ordinary characters."]
    return True, []


def _all_quoted(lines: Sequence[str], delimiter: str) -> bool:
    first = next(split_records(lines, delimiter, quoted=False)).cells
    return len(first) > 1 and all(map(_in_quotes, first))


def _in_quotes(cell: str) -> bool:
    return len(cell) > 1 and cell[0] == cell[-1] == '"'


def _shape(records: Iterator[Record]) -> _Shape:
    widths: Counter[int] = Counter()
    width = broken = in_quotes = 0
    for _, _, cells, at in records:
        if at is not None:
            broken += 1
            continue
        width = width or len(cells)
        widths[len(cells)] += 1
        in_quotes += any(map(_in_quotes, cells))
    return _Shape(widths.total() + broken, widths.total() - widths[width], broken, in_quotes)


def _find_delimiter(lines: Sequence[str], usual: str) -> str:
    """The delimiter that cuts the first record and, evenly, the next ones; a tie goes to the usual one."""
    candidates = (usual, *(delimiter for delimiter in _DELIMITERS if delimiter != usual))
    scores = []
    for delimiter in candidates:
        shares = []
        for quoted in (True, False):
            records = islice(split_records(lines, delimiter, quoted=quoted), _SNIFFED)
            widths = [len(record.cells) for record in records]
            shares.append(sum(width == widths[0] for width in widths) / len(widths))
        scores.append(max(shares) if widths[0] > 1 else 0.0)
    return candidates[scores.index(max(scores))]


def _names(cells: list[str]) -> tuple[str, ...]:
    names = [cell.strip() for cell in cells]
    counts = Counter(names)
    return tuple(name if counts[name] == 1 else f"{name}#{i}" for i, name in enumerate(names, start=1))
