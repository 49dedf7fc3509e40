"""From the raw tables of a data set to its texts, labels and ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from seer.corpus.asked import choose_one
from seer.corpus.bridge import is_text
from seer.corpus.columns import Columns
from seer.corpus.labels import code_labels, why_unlabelled
from seer.corpus.reading import Reading, Rejected, rejected
from seer.corpus.record import TRAIN, UNLABELLED, IntArray
from seer.errors import DataError
from seer.text import PAIR_BREAK

_VISIBLE = r"[^\s\p{Z}\p{Cc}\p{Cf}]"
"""A character that is neither a blank nor invisible."""


@dataclass(frozen=True)
class Part:
    """One file or one split as it was read.

    Attributes:
        split: its name.
        table: its rows, with the columns they came with.
        file: name of the file; empty where there is none.
        class_names: names behind the numbers of a column, for columns that bring them.
        rows: row number of each row in its source, from 0; None when no row was left out.
        lines: where each row begins in its file, from 1; None when these are the row numbers.
    """

    split: str
    table: pa.Table
    file: str = ""
    class_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: IntArray | None = None
    lines: IntArray | None = None


@dataclass(frozen=True)
class Labelled:
    """n rows before they are split: parallel arrays, and the class names and split names that two of them index.

    ``paired`` rows are sentence pairs, joined as ``join_pairs`` does.
    """

    ids: pa.ChunkedArray | pa.Array
    texts: pa.ChunkedArray | pa.Array
    labels: IntArray
    classes: tuple[str, ...]
    origin: IntArray
    splits: tuple[str, ...]
    paired: bool = False


def join_pairs(premises: pa.ChunkedArray, hypotheses: pa.ChunkedArray) -> pa.ChunkedArray:
    """(n,) premise, line break, hypothesis; a line break inside a sentence becomes a blank."""
    sides = [pc.replace_substring(side, PAIR_BREAK, " ") for side in (premises, hypotheses)]
    return pc.binary_join_element_wise(*sides, PAIR_BREAK)


def assemble(
    parts: Sequence[Part], columns: Columns, where: str, reading: Reading, *, paired: bool, needed: bool = True
) -> Labelled:
    """Read texts, labels and ids out of the parts of one data set.

    Args:
        parts: of one data set.
        columns: the columns to read.
        where: the data set's name, for messages.
        reading: told of rows without a label, and what else is noticed.
        paired: the rows are sentence pairs.
        needed: refuse a label column without any label.

    Raises:
        DataError: a column is missing or cannot be used, or there is no row.
    """
    if not sum(len(part.table) for part in parts):
        raise DataError(f"{where} has no rows; at least one is needed.")
    parts = [part for part in parts if len(part.table)]
    for part in parts[1:]:
        for name in columns.names:
            role = "label" if name == columns.label else "text"
            choose_one(part.table.column_names, name, (), role, f"{where}, {part.split}")
    texts = _texts([columns.texts(part.table) for part in parts], where)
    if columns.second is None:
        notices = _empty_texts(texts)
    else:
        seconds = _texts([part.table[columns.second] for part in parts], where)
        notices = _empty_sides(texts, seconds)
        texts = join_pairs(texts, seconds)
    labels, classes, said = _labels(parts, columns.label, where, needed)
    ids, id_notices = _ids(parts)
    origin = np.repeat(np.arange(len(parts)), [len(part.table) for part in parts])
    if columns.label is not None:
        reading.unlabelled += _unlabelled(parts, columns.label, labels, texts)
    reading.notices += notices + said + id_notices
    return Labelled(ids, texts, labels, classes, origin, tuple(part.split for part in parts), paired)


def _labels(
    parts: Sequence[Part], label: str | None, where: str, needed: bool
) -> tuple[npt.NDArray[np.int32], tuple[str, ...], list[str]]:
    """Class indices, class names and notices; without a label column no row has a label and there is no class."""
    if label is None:
        count = sum(len(part.table) for part in parts)
        return np.full(count, UNLABELLED, dtype=np.int32), (), [f"None of the {count:,} rows of {where} has a label."]
    return code_labels(
        [part.table[label] for part in parts],
        [part.class_names.get(label) for part in parts],
        where,
        training=next((place for place, part in enumerate(parts) if part.split == TRAIN), None),
        needed=needed,
    )


def _unlabelled(parts: Sequence[Part], label: str, labels: IntArray, texts: pa.ChunkedArray) -> list[Rejected]:
    """The rows without a label, each with the reason."""
    found, begin = [], 0
    for part in parts:
        bare = np.flatnonzero(labels[begin : begin + len(part.table)] == UNLABELLED)
        written = part.table[label].take(pa.array(bare)).to_pylist()
        contents = texts.take(pa.array(bare + begin)).to_pylist()
        places = part.lines[bare] if part.lines is not None else bare + 1
        for place, value, text in zip(places.tolist(), written, contents, strict=True):
            found.append(rejected(part.file or part.split, place, why_unlabelled(value), text))
        begin += len(part.table)
    return found


def _texts(columns: Sequence[pa.ChunkedArray], where: str) -> pa.ChunkedArray:
    """The text columns joined, as strings without nulls."""
    chunks = []
    for column in columns:
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not is_text(kind):
            raise DataError(f"{where}: the text column holds values of type {kind}, not texts. Name another column.")
        chunks += column.cast(pa.string()).fill_null("").chunks
    return pa.chunked_array(chunks, type=pa.string())


def _empty_texts(texts: pa.ChunkedArray) -> list[str]:
    """A notice that counts the sentences without text, if there are any."""
    empty = pc.sum(pc.equal(pc.binary_length(texts), 0)).as_py()
    have, get = ("row has", "gets") if empty == 1 else ("rows have", "get")
    return [f"{empty:,} {have} an empty text and {get} no prediction."] if empty else []


def _empty_sides(premises: pa.ChunkedArray, hypotheses: pa.ChunkedArray) -> list[str]:
    """A notice that counts the pairs without text on one side and on both, if there are any; blanks are no text."""
    first, second = (pc.match_substring_regex(side, _VISIBLE).to_numpy() for side in (premises, hypotheses))
    one, both = int((first ^ second).sum()), int((~first & ~second).sum())
    said = []
    if one:
        have = "pair has" if one == 1 else "pairs have"
        said.append(f"{one:,} {have} one side without text; the model still reads the other side.")
    if both:
        have, get = ("pair has", "gets") if both == 1 else ("pairs have", "get")
        said.append(f"{both:,} {have} no text at all and {get} no prediction.")
    return [" ".join(said)] if said else []


def _ids(parts: Sequence[Part]) -> tuple[pa.ChunkedArray, list[str]]:
    """The set's own ids when they are complete and unique, else row numbers, with the split where there are several."""
    numbered = []
    for part in parts:
        numbers = pa.array(np.arange(len(part.table)) if part.rows is None else part.rows).cast(pa.string())
        numbered.append(numbers if len(parts) == 1 else pc.binary_join_element_wise(part.split, numbers, "-"))
    fallback = pa.chunked_array(numbered, type=pa.string())
    names = [next((name for name in part.table.column_names if name.strip().lower() == "id"), None) for part in parts]
    if None in names:
        return fallback, []
    own = [part.table[name] for part, name in zip(parts, names, strict=True)]
    if not all(pa.types.is_integer(column.type) or pa.types.is_string(column.type) for column in own):
        return fallback, ["The column “id” holds neither numbers nor texts; rows are named by their number instead."]
    ids = pa.chunked_array([chunk for column in own for chunk in column.cast(pa.string()).chunks], type=pa.string())
    complete = ids.null_count == 0 and pc.min(pc.binary_length(ids)).as_py() > 0
    if complete and pc.count_distinct(ids).as_py() == len(ids):
        return ids, []
    reason = "is not unique" if complete else "is not complete"
    return fallback, [f"The column “id” {reason}; rows are named by their number instead."]
