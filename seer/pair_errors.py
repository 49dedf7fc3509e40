"""How often a model of sentence pairs is wrong: by class, by the words that both sentences share, and by length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seer.rates import wilson_interval
from seer.study import Study
from seer.text import UNKNOWN_ID
from seer.traces import NO_CLASS, FloatArray, IntArray

_OVERLAPS = ((0.25, "below 25%"), (0.5, "25–49%"), (0.75, "50–74%"), (1.0, "75–99%"), (np.inf, "all of them"))
"""Where each group of overlaps ends, and its name."""
_LENGTHS = 5
"""Groups of lengths."""


@dataclass(frozen=True)
class ErrorRate:
    """How many of a group's labelled pairs are wrong; the rate lies in ``low``–``high`` (Wilson, 95 %)."""

    name: str
    labelled: int
    errors: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class PairMeasures:
    """Of n pairs.

    Attributes:
        overlap: (n,) share of the hypothesis's different words that the premise has too; words outside the vocabulary
            count for none; NaN for a hypothesis without a word.
        words: (n,) words of both sentences.
    """

    overlap: FloatArray
    words: IntArray


def pair_measures(study: Study) -> PairMeasures:
    """The measures of all rows of a study of sentence pairs, in the order of the corpus.

    Raises:
        ModelError: the study reads single sentences.
    """
    assert study.pair_model
    offsets, ids, first = study.tokenizer.encode_pairs(study.corpus.texts())
    lengths = np.diff(offsets)
    pair = np.repeat(np.arange(len(first)), lengths)
    inside = np.arange(len(ids)) - offsets[:-1][pair] < first[pair]
    key = pair * np.int64(study.tokenizer.size) + ids
    asked = np.unique(key[~inside])
    shared = np.isin(asked, key[inside & (ids != UNKNOWN_ID)], assume_unique=False)
    of = asked // study.tokenizer.size
    count = np.bincount(of, minlength=len(first))
    both = np.bincount(of[shared], minlength=len(first))
    overlap: FloatArray = np.divide(both, count, out=np.full(len(first), np.nan), where=count > 0)
    return PairMeasures(overlap, lengths)


def errors_by_class(study: Study, rows: IntArray) -> list[ErrorRate]:
    """Of each true class, how often the rows (m,) are wrong."""
    labels = study.corpus.labels[rows]
    return _rates(study, rows, labels, study.classes)


def errors_by_overlap(study: Study, rows: IntArray, measures: PairMeasures) -> list[ErrorRate]:
    """Of each group of overlaps, how often the rows (m,) are wrong; pairs without an overlap are left out."""
    overlap = measures.overlap[rows]
    ends = np.array([end for end, _ in _OVERLAPS])
    group = np.where(np.isnan(overlap), -1, np.searchsorted(ends, overlap, side="right"))
    return _rates(study, rows, group, [name for _, name in _OVERLAPS])


def errors_by_length(study: Study, rows: IntArray, measures: PairMeasures) -> list[ErrorRate]:
    """Of each group of lengths, how often the rows (m,) are wrong; in the whole data all groups are about as large."""
    shares = np.arange(1, _LENGTHS) / _LENGTHS
    ends = np.unique(np.quantile(measures.words, shares).astype(np.int64))
    begins = [int(measures.words.min()), *(int(end) + 1 for end in ends)]
    names = [
        *(str(begin) if begin == end else f"{begin}–{end}" for begin, end in zip(begins, ends.tolist(), strict=False)),
        f"{begins[-1]} and more",
    ]
    return _rates(study, rows, np.searchsorted(ends, measures.words[rows]), names)


def _rates(study: Study, rows: IntArray, group: IntArray, names: Sequence[str]) -> list[ErrorRate]:
    """The groups that have a labelled row, by the number of each row's group; below 0 is none."""
    labels, prediction = study.corpus.labels[rows], study.traces.prediction[rows]
    judged = (labels != NO_CLASS) & (prediction != NO_CLASS) & (group >= 0)
    labelled = np.bincount(group[judged], minlength=len(names))
    errors = np.bincount(group[judged & (labels != prediction)], minlength=len(names))
    bounds = wilson_interval(errors, labelled)
    return [
        ErrorRate(name, int(total), int(wrong), int(wrong) / int(total), float(low), float(high))
        for name, total, wrong, (low, high) in zip(names, labelled, errors, bounds, strict=True)
        if total
    ]
