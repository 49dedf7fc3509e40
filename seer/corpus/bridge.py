"""Between the library ``datasets`` and Arrow tables."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa

from seer.corpus.bounds import DAMAGED, unreadable
from seer.errors import DataError

_settings = Lock()


def arrow_table(dataset: Any) -> pa.Table:
    """The rows of a ``datasets.Dataset`` as an Arrow table; a selection or shuffle on it is honoured."""
    table: pa.Table = dataset.with_format("arrow")[:]
    return table.replace_schema_metadata(None)


def repaired(table: pa.Table, name: str) -> tuple[pa.Table, list[str]]:
    """A table whose texts are texts, and a sentence where some were not: nothing checks what a Parquet file holds."""
    broken = 0
    for place, column in enumerate(table.columns):
        if not is_text(column.type):
            continue
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            cells = column.cast(pa.binary()).to_pylist()
            texts = [None if cell is None else cell.decode("utf-8", "replace") for cell in cells]
            broken += sum(text is not None and text.encode() != cell for text, cell in zip(texts, cells, strict=True))
            table = table.set_column(place, table.column_names[place], pa.chunked_array([pa.array(texts, pa.string())]))
    hold = "cell holds" if broken == 1 else "cells hold"
    said = f"In {name} {broken:,} {hold} bytes that are no character; each such place shows as U+FFFD."
    return table, [said] if broken else []


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def class_names(dataset: Any) -> dict[str, tuple[str, ...]]:
    """Names of each ``ClassLabel`` column of a ``datasets.Dataset``, in their own order."""
    return {name: tuple(kind.names) for name, kind in dataset.features.items() if hasattr(kind, "int2str")}


def check_names(names: Sequence[str], called: str) -> None:
    """Stop at a table with two columns of one name.

    Raises:
        DataError: names the first.
    """
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise DataError(f"{called} has {count} columns {name!r}; give each column its own name.")


@contextmanager
def quiet_reader(path: Path) -> Iterator[tuple[Any, Path, dict[str, Any]]]:
    """``datasets`` without its progress bars and log lines, a place for a copy of the file, and a cache that goes away.

    The copy has a plain name, since ``datasets`` reads ``[`` and ``*`` in a name as a pattern. The private cache keeps
    a file from being mistaken for another one that had its name.

    Raises:
        DataError: for what ``datasets`` raises inside.
    """
    import datasets  # here, since it takes up to a second and the built-in sets do without it

    with tempfile.TemporaryDirectory(prefix="seer-") as folder, _settings:
        bars, level = datasets.utils.are_progress_bars_disabled(), datasets.utils.logging.get_verbosity()
        datasets.disable_progress_bars()
        datasets.utils.logging.set_verbosity(datasets.utils.logging.CRITICAL)
        try:
            yield datasets, Path(folder, f"data{path.suffix.lower()}"), {"cache_dir": folder, "keep_in_memory": True}
        except (*DAMAGED, datasets.exceptions.DatasetsError) as error:
            raise unreadable(path.name, path.name.lower().removesuffix(".gz").rpartition(".")[2], error) from error
        finally:
            datasets.utils.logging.set_verbosity(level)
            if not bars:
                datasets.enable_progress_bars()


def copied_table(path: Path, names: Sequence[str], cells: Iterable[Sequence[str]]) -> pa.Table:
    """Records written to a CSV file that leaves no doubt, and read from there by ``datasets``.

    Args:
        path: the file that they are from.
        names: of the columns.
        cells: the records, a cell a column.

    Raises:
        DataError: ``datasets`` cannot read them, or reads another number of them.
    """
    with quiet_reader(path) as (datasets, copy, options):
        copy, count = copy.with_suffix(".csv"), 0
        with copy.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            writer.writerow(names)
            for record in cells:
                writer.writerow(record)
                count += 1
        if not count:
            return pa.table({name: pa.array([], pa.string()) for name in names})
        dataset = datasets.Dataset.from_csv(
            str(copy),
            features=datasets.Features({name: datasets.Value("string") for name in names}),
            names=list(names),
            header=0,
            index_col=False,
            encoding="utf-8",
            keep_default_na=False,  # "NA", "null" and "None" are words
            **options,
        )
        table = arrow_table(dataset)
    if len(table) != count:
        raise DataError(f"{path.name}: {count:,} records fit, but {len(table):,} were read.")
    return table


def first_line(error: BaseException) -> str:
    """The first line of the deepest cause, where ``datasets`` puts what happened."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
