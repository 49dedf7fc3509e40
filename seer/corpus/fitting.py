"""Whether a record of a delimited file fits its columns, and whether it is clear where a broken one ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from seer.corpus.columns import Columns
from seer.corpus.dialect import Dialect, Record, split_records
from seer.corpus.plain import Plain
from seer.errors import DataError

_OPEN = "a quote is not closed, or stands inside a field"


@dataclass(frozen=True)
class Fit:
    """What a record of a file must have.

    Attributes:
        plain: the file.
        dialect: how it is written.
        columns: which of its columns are needed.
    """

    plain: Plain
    dialect: Dialect
    columns: Columns

    @cached_property
    def text_at(self) -> int:
        """The last place of a text."""
        texts = [name for name in (*self.columns.parts, self.columns.second) if name is not None]
        return max(self.dialect.columns.index(name) for name in texts)

    @cached_property
    def label_at(self) -> int:
        """The place of the label, -1 without one."""
        label = self.columns.label
        return -1 if label is None else self.dialect.columns.index(label)

    def fault(self, record: Record) -> str | None:
        """Why a record does not fit; ``None`` when it does, or ends before its label only.

        Raises:
            DataError: its quotes leave open where it ends.
        """
        width, count = len(self.dialect.columns), len(record.cells)
        if record.broken is not None:
            if self._ends_with_its_line(record.begin):
                return _OPEN
            raise DataError(
                f"{self.plain.name}, line {record.begin:,}: {_OPEN}, and where the record ends is not clear. Double "
                "the quote or remove it."
            )
        for line in self.plain.broken and range(record.begin, record.end + 1):
            if line in self.plain.broken:
                return f"the byte {self.plain.broken[line]} is not UTF-8"
        if self.dialect.header and tuple(cell.strip() for cell in record.cells) == self.dialect.columns:
            return "repeats the header"
        if count > width and any(cell.strip() for cell in record.cells[width:]):
            return f"{count} fields, but {'the header has' if self.dialect.header else 'most records have'} {width}"
        return f"only {count} of {width} fields" if count <= self.text_at else None

    def refuse_swallowed(self, spans: Iterable[tuple[int, int]], labels: Collection[str]) -> None:
        """Stop when a quoted field holds whole records, each with a label of its own: a stray quote swallowed them.

        Args:
            spans: first and last line of each record that has several.
            labels: all labels that were read.

        Raises:
            DataError: there is such a record.
        """
        delimiter, width = self.dialect.delimiter, len(self.dialect.columns)
        if self.label_at < 0 or delimiter is None:
            return
        for begin, end in spans:
            parts = (line.rstrip("\r\n").split(delimiter) for line in self.plain.lines[begin - 1 : end - 1])
            if any(len(part) == width and part[self.label_at].strip() in labels for part in parts):
                raise DataError(
                    f"{self.plain.name}, the record that begins on line {begin:,} and ends on line {end:,}: a quoted "
                    "field runs over whole records. Double or remove the quote that opens it."
                )

    def _ends_with_its_line(self, line: int) -> bool:
        """Whether a record with broken quotes is one line: they come in pairs, or the next line is a record."""
        lines = self.plain.lines
        if lines[line - 1].count('"') % 2 == 0 or not any(lines[at].strip() for at in range(line, len(lines))):
            return True
        following = self._lone_label(lines[line])
        return following is not None and (self.label_at < 0 or self._lone_labels[following] > 1)

    @cached_property
    def _lone_labels(self) -> Counter[str]:
        """The labels of the lines that are a record each."""
        return Counter(label for line in self.plain.lines if (label := self._lone_label(line)) is not None)

    def _lone_label(self, line: str) -> str | None:
        """The label of a line that is a whole record, empty where there is none; ``None`` when it is not."""
        records = list(split_records([line], self.dialect.delimiter, quoted=self.dialect.quoted))
        whole = len(records) == 1 and not records[0].broken and line.count('"') % 2 == 0
        if not whole or len(records[0].cells) != len(self.dialect.columns):
            return None
        return records[0].cells[self.label_at].strip() if self.label_at >= 0 else ""
