"""Hidden states and predictions that something else saved, out of an ``.npz`` or a Parquet file.

An ``.npz`` holds flat arrays over N words of n rows: ``states`` (N, H), ``lengths`` (n,) or ``offsets`` (n+1,), and
``probability`` or ``logits`` (N, C). It may hold ``tokens`` (N,), of the rows ``texts``, ``labels``, ``splits`` and
``ids`` (n,), and ``classes`` (C,). A Parquet file holds a row a sentence: ``states`` and ``predictions`` or ``logits``,
each a list of numbers a word, ``text`` or ``tokens``, and perhaps ``label``, ``split`` and ``id``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seer.corpus import Corpus
from seer.corpus.classes import with_classes
from seer.errors import DataError
from seer.recorded.npz import read_npz
from seer.recorded.parquet import read_parquet
from seer.recorded.parts import NAMES
from seer.recorded.rows import USUAL_SPLIT, corpus_of_rows, label_column
from seer.traces import FloatArray, IntArray


@dataclass(frozen=True)
class StatesFile:
    """What a file of states holds; see ``study_of_states`` for the parts.

    Attributes:
        corpus: n rows.
        states: (N, H).
        lengths: (n,).
        probability: (N, C).
        tokens: the words of each row, ``None`` where the file names none.
    """

    corpus: Corpus
    states: FloatArray
    lengths: IntArray
    probability: FloatArray
    tokens: list[list[str]] | None


def read_states(
    path: str | Path, *, rows: Corpus | None = None, classes: Sequence[str] | None = None, split: str = USUAL_SPLIT
) -> StatesFile:
    """Read a file of states and predictions.

    Args:
        path: ``.npz`` or ``.parquet``.
        rows: texts and labels, in the order of the file's rows, where the file does not hold them.
        classes: names of the predictions' columns; by default those the file names, else the labels' in their order.
        split: name of the split of rows that name none.

    Raises:
        DataError: the file cannot be read, lacks a part, or its parts do not fit each other.
    """
    path = Path(path)
    readers = {".npz": read_npz, ".parquet": read_parquet}
    if path.suffix.lower() not in readers:
        raise DataError(f"{path.name}: states must be in a file that ends in {' or '.join(readers)}.")
    if not os.path.isfile(path):  # of a path that is too long pathlib raises
        raise DataError(f"There is no file {path}.")
    parts = readers[path.suffix.lower()](path)
    for needed in ("states", "probability"):
        if needed not in parts:
            called = NAMES[needed] if needed == "states" else (*NAMES[needed], "logits")
            raise DataError(f"{path.name} holds no {' or '.join(called)}; it holds {', '.join(sorted(parts))}.")
    named = classes if classes is not None else parts.get("classes")
    shape = np.shape(parts["probability"])
    if len(shape) != 2:
        raise DataError(f"{path.name}: expected the predictions as rows of numbers; got an array of the shape {shape}.")
    columns = int(shape[1])
    if named is not None and len(named) != columns:
        raise DataError(
            f"{path.name}: the predictions have {columns} columns, and {len(named)} classes are named "
            f"({', '.join(map(str, named))}); name one a column, in their order."
        )
    corpus = (
        _own_rows(path, parts, named, columns, split) if rows is None else _fitted(path, rows, parts, named, columns)
    )
    return StatesFile(corpus, parts["states"], parts["lengths"], parts["probability"], parts.get("tokens"))


def _fitted(path: Path, rows: Corpus, parts: Mapping[str, Any], classes: Sequence[str] | None, columns: int) -> Corpus:
    """The given rows with the classes of the predictions."""
    if len(rows) != len(parts["lengths"]):
        raise DataError(
            f"{path.name} has states of {len(parts['lengths']):,} rows, and {rows.name} has {len(rows):,} rows; both "
            "need the same rows in the same order."
        )
    if classes is not None:
        return with_classes(rows, classes).corpus
    return _ordered(path, rows, columns)


def _own_rows(path: Path, parts: Mapping[str, Any], classes: Sequence[str] | None, columns: int, split: str) -> Corpus:
    """The rows that the file holds itself."""
    count, tokens, labels = len(parts["lengths"]), parts.get("tokens"), parts.get("labels")
    if "texts" not in parts and tokens is None:
        raise DataError(
            f"{path.name} holds neither texts nor tokens; give the file with the texts too (--data), in the same order."
        )
    texts = parts["texts"] if "texts" in parts else [" ".join(words) for words in tokens or ()]
    if len(texts) != count:
        raise DataError(f"{path.name}: expected texts of {count:,} rows, got {len(texts):,}.")
    named = classes is not None or (labels is not None and pa.types.is_string(label_column(labels).type))
    rows = corpus_of_rows(
        texts,
        labels=labels,
        classes=classes if named else [str(number) for number in range(columns)],
        splits=parts.get("splits", [split] * count),
        ids=parts.get("ids"),
        name=path.name,
    )
    return rows if classes is not None or not named else _ordered(path, rows, columns)


def _ordered(path: Path, rows: Corpus, columns: int) -> Corpus:
    """The rows, whose classes are those of the predictions in the order of their names."""
    if len(rows.classes) != columns:
        raise DataError(
            f"{path.name}: the predictions have {columns} columns, and {rows.name} has {len(rows.classes)} classes "
            f"({', '.join(rows.classes)}); name one a column, in their order (--classes)."
        )
    said = f"The columns of the predictions are taken as {', '.join(rows.classes)}, in this order."
    return replace(rows, notices=(*rows.notices, said))
