"""Which sentence to open: the next wrong one in an order, and one worth seeing when nothing is chosen."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seer.study import Study
from seer.text import PAIR_BREAK, split_pair
from seer.traces import NO_CLASS, IntArray

GOOD_LENGTH = (8, 25)
"""Words of an example: long enough to change its mind, short enough to be read at a glance."""


def wrong_rows(study: Study, rows: IntArray) -> IntArray:
    """Those of the rows (m,) that have a label and a prediction which differ, in their order."""
    labels, prediction = study.corpus.labels[rows], study.traces.prediction[rows]
    wrong: IntArray = rows[(labels != NO_CLASS) & (prediction != NO_CLASS) & (labels != prediction)]
    return wrong


def next_row(rows: IntArray, current: int | None, total: int, seed: int | None = None) -> int | None:
    """The row after ``current``, the first one again after the last.

    Args:
        rows: (m,) positions to choose from; ``current`` need not be one of them.
        current: a position, ``None`` to begin.
        total: rows of the corpus; positions lie below it.
        seed: go in a shuffled order, the same for the same seed, so that no row comes twice before all came once.

    Returns:
        A position, or ``None`` when there are no rows.
    """
    if not len(rows):
        return None
    place = np.arange(total) if seed is None else np.random.default_rng(seed).permutation(total)
    ordered = rows[np.argsort(place[rows])]
    if current is None:
        return int(ordered[0])
    after = int(np.searchsorted(place[ordered], place[current], side="right"))
    return int(ordered[after % len(ordered)])


def sampled(rows: IntArray, most: int, seed: int = 0) -> IntArray:
    """At most so many of the rows (m,), drawn with the seed, in their order."""
    if len(rows) <= most:
        return rows
    drawn: IntArray = np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
    return drawn


def same_premise(study: Study, row: int, split: str | None = None, most: int = 12) -> IntArray:
    """Other rows of a study of pairs with the premise of a row, each hypothesis once, in the order of the corpus.

    Args:
        study: of sentence pairs.
        row: a position, of any split.
        split: name of the split the others are from, all without one.
        most: rows returned at most.
    """
    among = study.rows(split)
    own = study.corpus.text(row)
    premise, _ = split_pair(own)
    texts = study.corpus.table["text"].take(pa.array(among))
    rows = among[pc.starts_with(texts, premise + PAIR_BREAK).to_numpy()]
    seen = {own: row}
    for other in rows:
        seen.setdefault(study.corpus.text(int(other)), int(other))
    return np.array(list(seen.values())[1 : most + 1], dtype=np.int64)


def shared_premises(study: Study, rows: IntArray) -> IntArray:
    """Those of the rows (m,) of a study of pairs whose premise another of them has too; all of them when none has."""
    texts = study.corpus.table["text"].take(pa.array(rows))
    premises = pc.replace_substring_regex(texts, rf"(?s){PAIR_BREAK}.*", "").combine_chunks().dictionary_encode()
    number = premises.indices.to_numpy()
    shared: IntArray = rows[np.bincount(number, minlength=1)[number] > 1]
    return shared if len(shared) else rows


def example_row(study: Study, rows: IntArray) -> int | None:
    """The one of the rows (m,) that shows most: read wrongly, after the prediction changed on the way.

    Wrong before right, with a flip before without, of a good length before others; then the surest. ``None`` when none
    of them has a word.
    """
    traces = study.traces.select(rows)
    read = np.flatnonzero(traces.lengths)
    if not len(read):
        return None
    changes = (traces.predicted[1:] != traces.predicted[:-1]) & ~traces.first[1:]
    flips = np.bincount(traces.sentence[1:][changes], minlength=traces.sentences)
    labels = study.corpus.labels[rows]
    wrong = (labels != NO_CLASS) & (labels != traces.prediction)
    fits = (traces.lengths >= GOOD_LENGTH[0]) & (traces.lengths <= GOOD_LENGTH[1])
    keys = (-traces.confidence, ~fits, flips == 0, ~wrong)  # the last one counts most
    return int(rows[read[np.lexsort([key[read] for key in keys])[0]]])
