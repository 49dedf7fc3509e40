"""Rows in plain lists as a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seer.corpus import SCHEMA, UNLABELLED, Corpus
from seer.corpus.labels import code_labels
from seer.corpus.plain import whole_characters
from seer.errors import DataError
from seer.traces import IntArray

USUAL_SPLIT = "data"
"""Split of rows that name none."""


def corpus_of_rows(
    texts: Sequence[str | None],
    *,
    labels: Sequence[Any] | None = None,
    classes: Sequence[str] | None = None,
    splits: Sequence[Any] | None = None,
    ids: Sequence[Any] | None = None,
    name: str = "rows",
) -> Corpus:
    """Make a corpus of n rows.

    Args:
        texts: of the rows.
        labels: class names, or whole numbers that count the classes from 0; ``None``, a blank or -1 is no label.
        classes: in the order of a model's outputs; by default the labels in their order.
        splits: name of each row's split; what was trained on must be called ``train``.
        ids: of the rows, by default their numbers from 0.
        name: what a person calls the data.

    Raises:
        DataError: the lists differ in length, a label is no class, or there is no label and no class.
    """
    count = len(texts)
    for what, given in (("labels", labels), ("splits", splits), ("ids", ids)):
        if given is not None and len(given) != count:
            raise DataError(f"{name}: expected {what} of {count:,} rows, got {len(given):,}.")
    numbers, found, notices = _coded(name, labels, classes, count)
    columns = {
        "id": [_text(value) for value in (range(count) if ids is None else ids)],
        "text": ["" if text is None else _text(text) for text in texts],
        "label": numbers.tolist(),
        "split": [_text(value) for value in ([USUAL_SPLIT] * count if splits is None else splits)],
    }
    table = pa.table(columns, schema=SCHEMA)
    return Corpus(name, table, found, {"kind": "rows", "name": name}, tuple(notices))


def _text(value: Any) -> str:
    """A value as text; U+FFFD stands for half a character, which no file takes."""
    return whole_characters(str(value))[0]


def label_column(labels: Sequence[Any]) -> pa.ChunkedArray:
    """Labels as one column; whole numbers that a missing one made into floats are whole again.

    Raises:
        DataError: they are of several kinds.
    """
    try:
        whole = [whole_characters(label)[0] if isinstance(label, str) else label for label in labels]
        column = pa.chunked_array([pa.array(whole, from_pandas=True)])
        if pa.types.is_floating(column.type) and pc.all(pc.equal(column, pc.floor(column))).as_py() is not False:
            return column.cast(pa.int64())
    except (ValueError, TypeError, OverflowError) as error:  # pyarrow's own are among them
        raise DataError("The labels must be all names or all whole numbers; write them in one way.") from error
    return column


def _coded(
    name: str, labels: Sequence[Any] | None, classes: Sequence[str] | None, count: int
) -> tuple[IntArray, tuple[str, ...], list[str]]:
    """(n,) class numbers, −1 without a label; class names; notices."""
    if labels is None:
        if classes is None:
            raise DataError(f"{name} has no label and names no class; name the classes in the order of the outputs.")
        return np.full(count, UNLABELLED, dtype=np.int32), tuple(classes), []
    column = label_column(labels)
    if classes is None:
        return code_labels([column], [None], name)
    if pa.types.is_integer(column.type) or pa.types.is_null(column.type):
        codes, found, notices = code_labels([column.cast(pa.int64())], [tuple(classes)], name, needed=False)
        return codes, found, notices
    codes, found, notices = code_labels([column], [None], name, needed=False)
    number = {own: place for place, own in enumerate(classes)}
    odd = [own for own in found if own not in number]
    if odd:
        raise DataError(f"{name}: the label {odd[0]!r} is none of the classes {', '.join(classes)}; name every class.")
    lookup = np.array([*(number[own] for own in found), UNLABELLED], dtype=np.int32)
    return lookup[codes], tuple(classes), notices
