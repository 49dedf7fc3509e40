"""A Parquet file of states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from seer.corpus.bounds import DAMAGED, check_parquet, unreadable
from seer.corpus.bridge import check_names
from seer.errors import DataError
from seer.recorded.parts import named_parts, softmax
from seer.traces import FloatArray, IntArray


def read_parquet(path: Path) -> dict[str, Any]:
    """The parts of a Parquet file, a row a sentence.

    Raises:
        DataError: it is damaged or too large, or its parts do not fit each other.
    """
    try:
        check_parquet(path, path.name)
        with pq.ParquetFile(path) as file:
            table = file.read(use_threads=False)
        table.validate(full=True)
    except DAMAGED as error:
        raise unreadable(path.name, "Parquet", error) from error
    check_names(table.column_names, path.name)
    parts = named_parts(path, {name: table[name] for name in table.column_names})
    lengths: dict[str, IntArray] = {}
    for part in ("states", "probability", "logits"):
        if part in parts:
            lengths[part], parts[part] = _ragged(path, part, parts[part])
    if "logits" in parts and "probability" not in parts:
        parts["probability"], lengths["probability"] = softmax(path, parts["logits"]), lengths["logits"]
    if "states" in lengths and "probability" in lengths:
        wrong = np.flatnonzero(lengths["states"] != lengths["probability"])
        if len(wrong):
            row = int(wrong[0])
            raise DataError(
                f"{path.name}, row {row}: {lengths['states'][row]} states and {lengths['probability'][row]} "
                "predictions; each word needs one of both."
            )
    parts["lengths"] = lengths.get("states", np.zeros(table.num_rows, dtype=np.int64))
    for name in ("texts", "labels", "splits", "ids", "tokens"):
        if name in parts:
            parts[name] = parts[name].to_pylist()
    parts.pop("classes", None)
    return parts


def _ragged(path: Path, name: str, column: pa.ChunkedArray) -> tuple[IntArray, FloatArray]:
    """(n,) words of each row and (N, W) numbers, out of a column of lists of lists.

    Raises:
        DataError: it is none, or a row or a word has no numbers, or not as many as the others.
    """
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not _is_list(whole.type) or not _is_list(whole.type.value_type):
        raise DataError(f"{path.name}: the column {name} holds {whole.type}; it needs a list of numbers a word.")
    if whole.null_count:
        raise DataError(f"{path.name}, row {int(np.flatnonzero(whole.is_null())[0])}: its {name} are missing.")
    lengths = np.asarray(whole.value_lengths().fill_null(0), dtype=np.int64)
    words = whole.flatten()
    sizes = np.asarray(words.value_lengths().fill_null(-1), dtype=np.int64) if len(words) else np.zeros(0, np.int64)
    width = int(sizes[0]) if len(sizes) else 0
    odd = np.flatnonzero((sizes != width) | (sizes < 0))
    if len(odd):
        row = int(np.searchsorted(np.cumsum(lengths), odd[0], side="right"))
        if sizes[odd[0]] < 0:
            raise DataError(f"{path.name}, row {row}: a word has no {name}.")
        got = sizes[odd[0]]
        raise DataError(f"{path.name}, row {row}: a word has {got} numbers as {name}, the first of the file {width}.")
    numbers = words.flatten()
    if not (pa.types.is_floating(numbers.type) or pa.types.is_integer(numbers.type)):
        raise DataError(f"{path.name}: the {name} are {numbers.type}; they must be numbers.")
    with_gaps = numbers.cast(pa.float32(), safe=False)  # of a large whole number the nearest
    values = np.asarray(with_gaps.fill_null(np.nan) if with_gaps.null_count else with_gaps)
    return lengths, values.reshape(-1, max(1, width))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))
