"""What loading a data set has understood so far: also there when it had to stop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from seer.corpus.columns import Columns
from seer.corpus.guess import SAMPLE
from seer.errors import DataError

MOST_SHOWN = 200
"""Characters of a rejected record that are shown."""
_NAMED = 3
HEAD = 5
"""Records of a file that are kept as they are written."""

MOST_REJECTED = 0.25
"""With a larger share of records that do not fit, a file is not what it was taken for."""


@dataclass(frozen=True)
class Rejected:
    """A row that was left out, or that was left without a label.

    Attributes:
        file: name of the file, or of the hub set's split.
        line: where it begins, from 1: a line, or what else ``FileRead.unit`` counts.
        reason: why, in a few words.
        content: its beginning, as written.
    """

    file: str
    line: int
    reason: str
    content: str


def rejected(file: str, line: int, reason: str, content: str) -> Rejected:
    """A ``Rejected`` whose content is cut to a length that a table can show."""
    content = content.rstrip("\r\n")
    return Rejected(file, line, reason, content if len(content) <= MOST_SHOWN else f"{content[: MOST_SHOWN - 1]}…")


@dataclass(frozen=True)
class FileRead:
    """How one file, or one split of a hub set, was read.

    Attributes:
        split: the split that its rows came as.
        file: its name.
        columns: all of its columns, in their order.
        head: the first records, a raw cell a column; as many cells as a record has.
        unit: what ``Rejected.line`` counts: line, record (of a JSON list) or row.
        encoding: the codec's name, ``None`` where there is no text file.
        delimiter: between the fields, ``None`` where there is none.
        header: whether the first record names the columns; ``None`` where the format does.
        quoted: whether a field may stand in double quotes.
        records: records in it, without the header and blank lines.
        read: those that became rows.
        rejected: those that did not.
    """

    split: str
    file: str
    columns: tuple[str, ...]
    head: tuple[tuple[str, ...], ...] = ()
    unit: str = "line"
    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    quoted: bool = False
    records: int = 0
    read: int = 0
    rejected: int = 0


@dataclass
class Reading:
    """Filled while a data set is loaded, file by file.

    Attributes:
        files: how each file was read.
        columns: the columns of all of them.
        guessed: which of delimiter, encoding, header, text, label and second were guessed.
        rejected: records that were left out.
        unlabelled: rows without a label, where the set has a label column.
        notices: sentences for a person.
        most_rows: rows of a file that this server takes, ``None`` without such a limit; a file that tells them
            beforehand is not read beyond.
    """

    files: list[FileRead] = field(default_factory=list)
    columns: Columns | None = None
    guessed: set[str] = field(default_factory=set)
    rejected: list[Rejected] = field(default_factory=list)
    unlabelled: list[Rejected] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    most_rows: int | None = None

    def note(self, found: FileRead) -> None:
        """Take up what is known of a file, in place of what was known before."""
        self.files = [file for file in self.files if (file.split, file.file) != (found.split, found.file)]
        self.files.append(found)

    def reject(self, bad: Sequence[Rejected], records: int) -> None:
        """Leave records of the last file out, with a notice that counts them and names the first."""
        if bad:
            self.rejected += bad
            counted = f"{len(bad):,} of {records:,} records {'was' if len(bad) == 1 else 'were'}"
            unit = self.files[-1].unit
            places = "; ".join(f"{unit} {row.line:,}: {row.reason}" for row in bad[:_NAMED])
            self.notices.append(f"{counted} left out of {bad[0].file} ({places}{'; …' if len(bad) > _NAMED else ''}).")

    def call(self, name: str, called: str) -> None:
        """Put what a person calls the set in the place of its name, in notices where that stands as a word."""
        word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
        self.notices = [word.sub(lambda _: called, notice) for notice in self.notices]
        self.files = [replace(file, file=called) if file.file == name else file for file in self.files]
        for rows in (self.rejected, self.unlabelled):
            rows[:] = [replace(row, file=called) if row.file == name else row for row in rows]

    def refuse_too_many(self, bad: Sequence[Rejected], records: int, remedy: str) -> None:
        """Stop when so many records of the last file do not fit that it is not what it was taken for.

        Raises:
            DataError: gives the first places.
        """
        if len(bad) <= MOST_REJECTED * records:
            return
        self.rejected += bad
        unit = self.files[-1].unit
        places = ", ".join(f"{row.line:,}" for row in bad[:_NAMED]) + (" …" if len(bad) > _NAMED else "")
        raise DataError(
            f"{bad[0].file}, {unit} {bad[0].line:,}: {bad[0].reason}. {len(bad):,} of {records:,} records do not fit "
            f"({unit} {places}), too many to leave out. {remedy}"
        )


def table_sample(table: pa.Table) -> list[list[str]]:
    """Records from the whole of a table, a cell a column; a list, a record of its own and bytes are empty ones."""
    rows = table.take(pa.array(range(0, len(table), len(table) // SAMPLE + 1))).to_pylist()
    plain = (str, int, float)
    return [[str(cell) if isinstance(cell, plain) else "" for cell in row.values()] for row in rows]


def table_read(split: str, name: str, table: pa.Table) -> FileRead:
    """What is known of a table whose format leaves no doubt."""
    head = (tuple("" if cell is None else str(cell) for cell in row.values()) for row in table[:HEAD].to_pylist())
    return FileRead(
        split, name, tuple(table.column_names), tuple(head), unit="row", records=len(table), read=len(table)
    )
