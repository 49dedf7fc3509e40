"""From raw tables to a Corpus: columns, texts, ids, limit and splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seer.corpus.columns import Asked, Columns, choose_one
from seer.corpus.labels import code_labels
from seer.corpus.record import SPLITS, TEST, TRAIN, UNLABELLED, VALIDATION, Corpus, IntArray
from seer.corpus.sampling import stratified_parts, stratified_sample
from seer.errors import DataError
from seer.text import PAIR_BREAK

_OTHER_NAMES = dict.fromkeys(("val", "valid", "dev", "development", "eval"), VALIDATION)
_HELD_OUT = 0.1
_VISIBLE = r"[^\s\p{Z}\p{Cc}\p{Cf}]"
"""A character that is neither a blank nor invisible."""


@dataclass(frozen=True)
class Part:
    """One file or one split as it was read.

    Attributes:
        split: its name.
        table: its rows, with the columns they came with.
        class_names: names behind the numbers of a column, for columns that bring them.
        rows: row number of each row in its source, from 0; None when no row was left out.
    """

    split: str
    table: pa.Table
    class_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: IntArray | None = None


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


def assemble(parts: Sequence[Part], asked: Asked, where: str) -> tuple[Labelled, Columns, list[str]]:
    """Read texts, labels and ids out of the parts of one data set.

    Returns:
        the rows; the columns they were read from; notices.

    Raises:
        DataError: a column is missing or cannot be used, or there is no row.
    """
    if not sum(len(part.table) for part in parts):
        raise DataError(f"{where} has no rows; at least one is needed.")
    parts = [part for part in parts if len(part.table)]
    columns = asked.choose(parts[0].table.column_names, where)
    for part in parts[1:]:
        for name in columns.names:
            role = "label" if name == columns.label else "text"
            choose_one(part.table.column_names, name, (), role, f"{where}, {part.split}")
    notices = [] if columns.usual or asked.complete else [columns.guess_notice()]
    texts, text_notices = _texts([part.table[columns.text] for part in parts], where)
    if columns.second is None:
        text_notices += _empty_texts(texts)
    else:
        seconds, said = _texts([part.table[columns.second] for part in parts], where)
        text_notices += said + _empty_sides(texts, seconds)
        texts = join_pairs(texts, seconds)
    labels, classes, label_notices = code_labels(
        [part.table[columns.label] for part in parts], [part.class_names.get(columns.label) for part in parts], where
    )
    ids, id_notices = _ids(parts)
    origin = np.repeat(np.arange(len(parts)), [len(part.table) for part in parts])
    rows = Labelled(ids, texts, labels, classes, origin, tuple(part.split for part in parts), asked.paired)
    return rows, columns, notices + text_notices + label_notices + id_notices


def _texts(columns: Sequence[pa.ChunkedArray], where: str) -> tuple[pa.ChunkedArray, list[str]]:
    """The text columns joined, as strings without nulls."""
    chunks, broken = [], 0
    for column in columns:
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
            raise DataError(f"{where}: the text column holds values of type {kind}, not texts. Name another column.")
        strings = column.cast(pa.string()).fill_null("")
        try:
            strings.validate(full=True)
        except pa.ArrowInvalid:
            decoded = [value.decode("utf-8", "replace") for value in strings.cast(pa.binary()).to_pylist()]
            broken += sum("\ufffd" in value for value in decoded)
            strings = pa.chunked_array([pa.array(decoded, pa.string())])
        chunks += strings.chunks
    notices = []
    if broken:
        notices.append(f"{broken:,} texts hold bytes that are no character; each such place shows as U+FFFD.")
    return pa.chunked_array(chunks, type=pa.string()), notices


def _empty_texts(texts: pa.ChunkedArray) -> list[str]:
    """A notice that counts the sentences without text, if there are any."""
    empty = pc.sum(pc.equal(pc.binary_length(texts), 0)).as_py()
    said = f"{empty:,} {'row has' if empty == 1 else 'rows have'} an empty text and get no prediction."
    return [said] if empty else []


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


def finish(
    name: str,
    rows: Labelled,
    *,
    seed: int,
    limit: int | None,
    source: Mapping[str, Any],
    notices: Sequence[str],
    split: str | None = None,
) -> Corpus:
    """Take the subset asked for, give every row its split, and make the corpus.

    Args:
        name: the corpus' name.
        rows: all rows of the set.
        seed: of the subset and of the split.
        limit: rows to keep, with the same mix of splits and classes; None for all.
        source: how to load the set again.
        notices: what loading has noticed so far.
        split: of all rows; by default the set's own splits, or shares of one.
    """
    ids, texts, labels, origin = rows.ids, rows.texts, rows.labels, rows.origin
    notices = list(notices)
    if limit is not None and limit < len(labels):
        strata = np.unique(origin * (len(rows.classes) + 1) + labels + 1, return_inverse=True)[1]
        kept = stratified_sample(strata, limit, seed)
        ids, texts, labels, origin = ids.take(pa.array(kept)), texts.take(pa.array(kept)), labels[kept], origin[kept]
        notices.append(
            f"{limit:,} of {len(rows.labels):,} rows were taken, with the same mix of classes (seed {seed})."
        )
    if split is not None:
        splits = pa.array([split]).take(pa.array(np.zeros(len(labels), dtype=np.int64)))
    else:
        splits, said = _split(name, labels, rows.classes, origin, rows.splits, seed)
        notices += said
    table = pa.table({"id": ids, "text": texts, "label": pa.array(labels, pa.int32()), "split": splits})
    return Corpus(name, table, rows.classes, source, tuple(notices), paired=rows.paired)


def _split(
    name: str, labels: IntArray, classes: tuple[str, ...], origin: IntArray, splits: tuple[str, ...], seed: int
) -> tuple[pa.Array, list[str]]:
    """(n,) split names: the set's own, with what is missing carved out of the training rows."""
    if len(splits) == 1:
        part = stratified_parts(labels + 1, (_HELD_OUT, _HELD_OUT), seed)
        shares = ", ".join(f"{(part == i).sum():,} {split}" for i, split in enumerate(SPLITS))
        notices = [f"The set has no splits of its own; its rows were shared out as {shares} (seed {seed})."]
        notices += _rare_notices(labels, classes, len(SPLITS))
        notices += [
            f"The {split} split is empty: there are too few rows." for i, split in enumerate(SPLITS) if i not in part
        ]
        return pa.array(SPLITS).take(pa.array(part)), notices
    known = [_OTHER_NAMES.get(split, split) for split in splits]
    final = [own if known.count(own) > 1 else new for own, new in zip(splits, known, strict=True)]
    notices = [f"The split “{a}” is taken as {b}." for a, b in zip(splits, final, strict=True) if a != b]
    if TRAIN not in final:
        raise DataError(f"{name} has no split named train; it has {', '.join(splits)}. A training split is needed.")
    names = np.array([*final, VALIDATION], dtype=object)
    index = origin.copy()
    if VALIDATION not in final:
        training = np.flatnonzero(origin == final.index(TRAIN))
        part = stratified_parts(labels[training] + 1, (_HELD_OUT,), seed)
        index[training[part == 1]] = len(final)
        notices.append(
            f"The set has no validation split; {(part == 1).sum():,} of its {len(training):,} training rows "
            f"became one (seed {seed})."
        )
        notices += _rare_notices(labels[training], classes, 2)
    if TEST not in final:
        notices.append("The set has no test split; figures can be given for train and validation only.")
    return pa.array(names[index], pa.string()), notices


def _rare_notices(labels: IntArray, classes: tuple[str, ...], parts: int) -> list[str]:
    """A sentence for each class with too few rows to be in every part."""
    counts = np.bincount(labels[labels != UNLABELLED], minlength=len(classes))
    return [
        f"The class “{classes[i]}” has only {counts[i]} {'row' if counts[i] == 1 else 'rows'}, which went to train."
        for i in np.flatnonzero((counts > 0) & (counts < parts))
    ]
