"""From the rows of a set to a corpus: the subset asked for, and the split of every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from seer.corpus.assemble import Labelled
from seer.corpus.record import SPLITS, TEST, TRAIN, UNLABELLED, VALIDATION, Corpus, IntArray
from seer.corpus.sampling import stratified_parts, stratified_sample
from seer.errors import DataError

_OTHER_NAMES = dict.fromkeys(("val", "valid", "dev", "development", "eval"), VALIDATION)
_HELD_OUT = 0.1
_NAMED = 5


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
    """A sentence about the classes with too few rows to be in every part."""
    counts = np.bincount(labels[labels != UNLABELLED], minlength=len(classes))
    rare = np.flatnonzero((counts > 0) & (counts < parts)).tolist()
    if len(rare) == 1:
        rows = "1 row" if counts[rare[0]] == 1 else f"{counts[rare[0]]} rows"
        return [f"The class “{classes[rare[0]]}” has only {rows}, which went to train."]
    named = ", ".join(f"“{classes[i]}” ({counts[i]})" for i in rare[:_NAMED]) + (" …" if len(rare) > _NAMED else "")
    return [f"{len(rare):,} classes have fewer than {parts} rows, which went to train: {named}."] if rare else []
