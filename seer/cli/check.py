"""Check data before anything is made of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from seer.cli.data import DataOptions, reads_data
from seer.cli.output import Json, print_data, table, tell
from seer.corpus import DataCheck, FileRead, Rejected, Repeats
from seer.errors import DataError, SettingError

_ROWS = 10
_CUT = 60
_COLUMNS = 8
"""Columns of a file that are shown."""


@reads_data()
def check(
    data: DataOptions,
    rejected: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the rows left out or without a label as CSV here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how data would be read: columns, classes, what is left out, repeated texts."""
    found = data.check()
    if rejected is not None:
        _refuse_own(rejected, data)
        try:
            rejected.write_text(found.rejected_csv(), encoding="utf-8-sig", newline="")
        except OSError as error:
            raise DataError(f"The table {rejected} cannot be written: {error.strerror or error}.") from error
    if not as_json:
        tell(found.notices)
    print_data(as_json, found.record(), lambda: _tables(found))
    if found.fault is not None:
        raise DataError(found.fault)


def _refuse_own(target: Path, data: DataOptions) -> None:
    """Keep the data themselves from being overwritten."""
    for source in (data.data, data.validation, data.test):
        if source and os.path.exists(source) and os.path.exists(target) and os.path.samefile(source, target):
            raise SettingError(f"{target} is one of the files that are checked; name another file for --rejected.")


def _tables(found: DataCheck) -> Iterable[Table | str]:
    if found.files:
        yield table([_file(file, found.fault is not None) for file in found.files], found.name)
    for file in found.files[:1]:
        if file.head:
            yield _preview(file, () if found.columns is None else found.columns.names)
    if found.columns is not None:
        guessed = ("guessed" if role in found.guessed else "" for role in found.columns.record())
        rows = zip(found.columns.record().items(), guessed, strict=True)
        yield table(
            [{"role": role, "column": name, "": how} for (role, name), how in rows if name is not None], "Columns"
        )
    if found.counts:
        yield table([{"class": name, **parts} for name, parts in found.counts.items()], "Rows by class and split")
    yield from _lists(found)


def _lists(found: DataCheck) -> Iterable[Table | str]:
    for rows, title in ((found.rejected, "Left out"), (found.unlabelled, "Without a label")):
        if rows:
            yield table([_row(row) for row in rows[:_ROWS]], _titled(title, rows))
    repeats = (
        (found.duplicates, "Texts that stand earlier in their split"),
        (found.conflicts, "Texts with more than one label"),
        (found.overlaps, "Texts that stand in an earlier split"),
    )
    for repeated, title in repeats:
        if repeated.count:
            counted = "1 row" if repeated.count == 1 else f"{repeated.count:,} rows"
            yield table(_texts(repeated), f"{title}: {counted}")


def _file(file: FileRead, refused: bool) -> dict[str, Any]:
    """How a file was read; where reading stopped before anything was counted, the counts are not known."""
    unknown = refused and not file.read
    return {
        "file": file.file,
        "split": file.split,
        "encoding": file.encoding,
        "delimiter": None if file.delimiter is None else repr(file.delimiter),
        "header": file.header,
        "records": None if unknown and not file.records else file.records,
        "read": None if unknown else file.read,
        "left out": None if unknown and not file.rejected else file.rejected,
    }


def _preview(file: FileRead, chosen: Sequence[str]) -> Table:
    """The first records; of many columns those that are read, and the first others."""
    records = [_cells(file, record) for record in file.head]
    names = list(dict.fromkeys(name for record in records for name in record))
    first = [name for name in names if name in chosen] + [name for name in names if name not in chosen]
    kept = [name for name in names if name in first[:_COLUMNS]]
    title = f"The first records of {file.file}" + (f", {len(kept)} of {len(names)} columns" * (len(names) > len(kept)))
    return table([{name: record.get(name) for name in kept} for record in records], title)


def _cells(file: FileRead, record: Sequence[str]) -> dict[str, Any]:
    """A record under its columns; a cell too many stands under a number."""
    spare = [f"({place})" for place in range(len(file.columns) + 1, len(record) + 1)]
    names = [*file.columns, *spare]
    return {name: _cut(record[place]) if place < len(record) else None for place, name in enumerate(names)}


def _row(row: Rejected) -> dict[str, Any]:
    return {"file": row.file, "line": row.line, "reason": row.reason, "content": _cut(row.content)}


def _titled(title: str, rows: Sequence[Rejected]) -> str:
    shown = f"; the first {_ROWS}, all of them with --rejected FILE" if len(rows) > _ROWS else ""
    return f"{title}: {len(rows):,}{shown}"


def _texts(repeats: Repeats) -> list[dict[str, Any]]:
    return [
        {
            "text": _cut(text.text),
            "rows": text.rows,
            "ids": ", ".join(text.ids[:_ROWS]),
            "labels": ", ".join(dict.fromkeys("–" if label is None else label for label in text.labels)),
        }
        for text in repeats.rows[:_ROWS]
    ]


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[: _CUT - 1]}…"
