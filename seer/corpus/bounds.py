"""How large a file may become in memory: a few kilobytes can be made to fill any.

Every bound is looked at before what it bounds is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from seer.errors import DataError

MOST_UNPACKED = 1_000_000_000
"""A packed file may grow to so many bytes, or to twice its own where that is more."""

MOST_ROWS = 2_000_000
"""Rows of a file, or lines."""

MOST_COLUMNS = 200_000

MOST_CELL = 10_000_000
"""Characters of one cell, or bytes of one line."""

DAMAGED = (
    OSError,
    ValueError,  # of which pyarrow's ArrowInvalid is one
    TypeError,
    LookupError,
    NotImplementedError,
    pa.lib.ArrowCapacityError,
    pa.lib.ArrowSerializationError,
)
"""What the readers of Parquet files raise for damaged ones. No lack of memory is among them."""

_BATCH = 1 << 16
_DICTIONARY = {"PLAIN", "RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY"}
"""Encodings that are read into a dictionary as they are."""
_LEVELS = 4
"""Bytes that the reader needs for each value of a list beside it."""
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8, "BYTE_ARRAY": 4}


def most_unpacked(path: Path) -> int:
    """Bytes that a file on disk may grow to."""
    return max(MOST_UNPACKED, 2 * path.stat().st_size)


def unreadable(name: str, kind: str, error: BaseException) -> DataError:
    """The error about a file that its reader gave up; what that said is for programmers, and may tell its path."""
    if isinstance(error, OSError) and error.strerror:
        return DataError(f"{name} cannot be read: {error.strerror}.")
    return DataError(f"{name} cannot be read as a {kind} file: it is damaged, or of another kind; save it again.")


def grown(name: str, most: int) -> DataError:
    """The error about a file that unpacks to more."""
    return DataError(f"{name} unpacks to more than {most:,} bytes; load a part of it.")


def rows_fault(rows: int, most: int | None) -> str | None:
    """Why data with so many rows are not taken where ``most`` are (``None``: any number), ``None`` when they are."""
    if most is None or rows <= most:
        return None
    return f"This server takes {most:,} rows (SEER_MAX_ROWS), the data has {rows:,}; use fewer of them."


def refuse_rows(rows: int, name: str) -> None:
    """Stop at too many rows.

    Raises:
        DataError: gives both numbers.
    """
    if rows > MOST_ROWS:
        raise DataError(f"{name} has {rows:,} rows, and at most {MOST_ROWS:,} can be read; load a part of it.")


def refuse_columns(columns: int, name: str) -> None:
    """Stop at too many columns.

    Raises:
        DataError: gives both numbers.
    """
    if columns > MOST_COLUMNS:
        raise DataError(
            f"{name} has {columns:,} columns, and at most {MOST_COLUMNS:,} can be read; keep those that are needed."
        )


def refuse_long_line(data: bytes, name: str) -> None:
    """Stop at a text file with a line that no row is.

    Raises:
        DataError: names the line.
    """
    begin = 0
    while len(data) - begin > MOST_CELL:
        end = max(data.rfind(mark, begin, begin + MOST_CELL + 1) for mark in (b"\n", b"\r"))
        if end < 0:
            line = 1 + (data.count(b"\n", 0, begin) or data.count(b"\r", 0, begin))
            raise DataError(
                f"{name}, line {line:,}: it has more than {MOST_CELL:,} bytes, the most that can be read; cut it, or "
                "leave it out."
            )
        begin = end + 1


def check_parquet(path: Path, name: str, most_rows: int | None = None) -> None:
    """Stop at a Parquet file that would grow beyond the bounds: its columns are packed, and equal cells held once.

    Args:
        path: the file.
        name: what a person calls it.
        most_rows: that this server takes, ``None`` without such a limit.

    Raises:
        DataError: gives the bound.
        Exception: one of ``DAMAGED``.
    """
    with parquet.ParquetFile(path) as file:
        facts, leaves = file.metadata, [file.schema.column(at) for at in range(len(file.schema))]
    groups = [facts.row_group(group) for group in range(facts.num_row_groups)]
    fault = rows_fault(facts.num_rows, most_rows)
    if fault is not None:
        raise DataError(fault)
    refuse_rows(facts.num_rows, name)
    refuse_columns(len(leaves), name)
    most, total = most_unpacked(path), 0
    for at, leaf in enumerate(leaves):
        width = _WIDTHS.get(leaf.physical_type, leaf.length) + (_LEVELS if leaf.max_repetition_level else 0)
        chunks = (group.column(at) for group in groups)
        total += sum(max(chunk.total_uncompressed_size, chunk.num_values * width) for chunk in chunks)
    if total > most:
        raise grown(name, most)
    for at, leaf in enumerate(leaves):
        if leaf.physical_type != "BYTE_ARRAY":
            continue
        texts = [group.column(at) for group in groups]
        if any(chunk.total_uncompressed_size > MOST_CELL * max(1, chunk.num_values) for chunk in texts):
            raise _long_cell(name, leaf.path)
        total -= sum(chunk.total_uncompressed_size for chunk in texts)
        for lengths in _cell_lengths(path, leaf.path, texts):
            if lengths.max(initial=0) > MOST_CELL:
                raise _long_cell(name, leaf.path)
            total += int(lengths.sum()) + _WIDTHS["BYTE_ARRAY"] * len(lengths)
            if total > most:
                raise grown(name, most)


def _long_cell(name: str, column: str) -> DataError:
    return DataError(
        f"{name}: a cell of the column {column} has more than {MOST_CELL:,} bytes, the most that can be read; cut it, "
        "or leave it out."
    )


def _cell_lengths(path: Path, column: str, chunks: list[Any]) -> Iterator[np.typing.NDArray[np.int64]]:
    """The bytes of each cell of a column of texts, batch by batch; none that is held once is copied for that."""
    rows, apart = _BATCH, [column]
    if not _DICTIONARY.issuperset(coding for chunk in chunks for coding in chunk.encodings):
        # No dictionary comes of these, and a cell may be all of the one before it and more.
        rows, apart = max(1, min(rows, MOST_UNPACKED // max(1, *(c.total_uncompressed_size for c in chunks)))), []
    with parquet.ParquetFile(path, read_dictionary=apart) as file:
        for batch in file.iter_batches(rows, columns=[column], use_threads=False):
            cells = batch.column(0)
            while pa.types.is_nested(cells.type):
                cells = cells.flatten()[0] if pa.types.is_struct(cells.type) else cells.flatten()
            coded = pa.types.is_dictionary(cells.type)
            lengths = pc.binary_length(cells.dictionary if coded else cells)
            lengths = lengths.take(cells.indices) if coded else lengths
            yield lengths.drop_null().to_numpy(zero_copy_only=False).astype(np.int64)
