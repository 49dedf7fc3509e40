"""Means of many groups at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seer.traces import FloatArray, IntArray


@dataclass(frozen=True)
class Mean:
    """A mean over occurrences, its standard error, and the median, which one odd sentence does not move.

    All are NaN without an occurrence, the error also with only one.
    """

    value: float
    error: float
    median: float


def grouped_means(
    group: IntArray, groups: int, sentence: IntArray, values: FloatArray
) -> tuple[list[int], list[int], list[list[Mean]]]:
    """Of each group of M occurrences: how many, in how many sentences, and the means of each of K values.

    Args:
        group: (M,) of each occurrence, from 0.
        groups: how many there are; some may be empty.
        sentence: (M,) where it stands.
        values: (M, K).
    """
    count = np.bincount(group, minlength=groups)
    inside = np.unique(np.stack([group, sentence]), axis=1)[0]
    columns = zip(*(_column(group, count, column) for column in values.T), strict=True)
    return count.tolist(), np.bincount(inside, minlength=groups).tolist(), [list(means) for means in columns]


def _column(group: IntArray, count: IntArray, values: FloatArray) -> list[Mean]:
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(group, weights=values, minlength=len(count)) / count
        squares = np.bincount(group, weights=(values - mean[group]) ** 2, minlength=len(count))
        error = np.sqrt(squares / (count - 1) / count)
    ordered, begin = values[np.lexsort((values, group))], np.cumsum(count) - count
    seen = count > 0
    median = np.full(len(count), np.nan)
    median[seen] = (ordered[(begin + (count - 1) // 2)[seen]] + ordered[(begin + count // 2)[seen]]) / 2
    return [Mean(*each) for each in zip(mean.tolist(), error.tolist(), median.tolist(), strict=True)]
