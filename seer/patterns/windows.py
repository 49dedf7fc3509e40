"""Windows over ragged sequences: every stretch of L symbols within a sentence, numbered and counted exactly.

Windows grow by one symbol at a time. A window is kept while enough sentences hold its content; as no longer content is
held by more sentences than the shorter ones inside it (Agrawal and Srikant, VLDB 1994), nothing frequent is lost on the
way. Each step is a few passes over arrays, most of them linear: no window is ever an object.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from seer.errors import DataError
from seer.traces import NO_CLASS, IntArray, Traces

Mask = npt.NDArray[np.bool_]

DENSE = 8
"""Keys are counted in a table when it has at most this many cells a window, else by sorting."""

LARGEST = 2**63 - 1
"""Largest key."""


@dataclass(frozen=True)
class Level:
    """The m windows of one length whose content is one of P patterns, in order of their steps.

    Attributes:
        length: symbols in a window.
        step: (m,) int32 where each window begins, ascending.
        sentence: (m,) int32 sentence of each window.
        pattern: (m,) int32 content of each window, 0..P-1, numbered in lexicographic order.
        first: (P,) int32 the first step at which each pattern begins.
        support: (P,) int32 sentences that hold the pattern.
        marked: (P,) int32 marked sentences that hold it.
        prefix: (P,) int32 the pattern of the level before that it begins with; empty at length 1.
        suffix: (P,) int32 the pattern of the level before that it ends with; empty at length 1.
    """

    length: int
    step: IntArray
    sentence: IntArray
    pattern: IntArray
    first: IntArray
    support: IntArray
    marked: IntArray
    prefix: IntArray
    suffix: IntArray

    @classmethod
    def start(cls, symbols: IntArray, traces: Traces, kept: Mask, marked: Mask, minimum: int) -> Self:
        """Windows of one symbol.

        Args:
            symbols: (N,) each at least 0.
            traces: N steps of n sentences.
            kept: (n,) whether a sentence is looked at.
            marked: (n,) whether it is marked.
            minimum: sentences that must hold a pattern, 1 or more.
        """
        sentence = np.repeat(np.arange(traces.sentences, dtype=np.int32), traces.lengths)
        step = np.flatnonzero(np.repeat(kept, traces.lengths)).astype(np.int32)
        return cls._counted(1, step, sentence[step], symbols[step], _size(symbols), marked, minimum)[0]

    def longer(self, symbols: IntArray, marked: Mask, minimum: int) -> Self:
        """Windows one symbol longer, from those whose two ends are both among the patterns here."""
        follows = self.step[1:] - self.step[:-1] == 1
        if self.length == 1:  # longer windows that begin side by side overlap, so they share their sentence
            follows &= self.sentence[1:] == self.sentence[:-1]
        here = np.flatnonzero(follows)
        step, size = self.step[here], _size(symbols)
        key = self.pattern[here] * np.int64(size) + symbols[step + self.length]
        level, shown = self._counted(
            self.length + 1, step, self.sentence[here], key, len(self.first) * size, marked, minimum
        )
        begin = here[shown]
        return replace(level, prefix=self.pattern[begin], suffix=self.pattern[begin + 1])

    @classmethod
    def _counted(
        cls, length: int, step: IntArray, sentence: IntArray, key: IntArray, keys: int, marked: Mask, minimum: int
    ) -> tuple[Self, IntArray]:
        """The windows whose key is frequent, and for each pattern, (P,), the place of its first window in ``key``."""
        # Occurrences bound support from above and cost one pass: most keys go here, before sentences are looked at.
        number, patterns = renumber(key, keys, minimum)
        kept = np.flatnonzero(number >= 0)
        number = number[kept]
        holding = incidence(number, sentence[kept], patterns, len(marked))
        support = np.diff(holding.indptr)
        enough = support >= minimum
        if not enough.all():
            number = _numbers(enough)[number]
            frequent = np.flatnonzero(number >= 0)
            kept, number = kept[frequent], number[frequent]
        shown = np.empty(int(enough.sum()), dtype=np.int64)
        shown[number[::-1]] = kept[::-1]  # of equal places the last one written stays
        marks = _row_sums(holding, marked)[enough]
        none = np.zeros(0, dtype=np.int32)
        first = step[shown]
        level = cls(length, step[kept], sentence[kept], number, first, support[enough], marks, none, none)
        return level, shown


def levels(symbols: IntArray, traces: Traces, kept: Mask, marked: Mask, minimum: int, longest: int) -> Iterator[Level]:
    """The windows of length 1, 2, … ``longest``, a level at a time, until none is left."""
    level = Level.start(symbols, traces, kept, marked, minimum)
    while len(level.first):
        yield level
        if level.length == longest:
            return
        level = level.longer(symbols, marked, minimum)


def _size(symbols: IntArray) -> int:
    return int(symbols.max(initial=0)) + 1


def renumber(key: IntArray, keys: int, minimum: int) -> tuple[IntArray, int]:
    """Number the keys that occur ``minimum`` times or more, in ascending order.

    Args:
        key: (m,) each below ``keys``.
        keys: how many there can be.
        minimum: occurrences that a key needs, 1 or more.

    Returns:
        (m,) int32 the number of each key, -1 below the minimum; how many numbers there are.
    """
    if keys <= DENSE * len(key) + 1024:
        often = np.bincount(key, minlength=keys) >= minimum
        return _numbers(often)[key], int(often.sum())
    _, place, occurrences = np.unique(key, return_inverse=True, return_counts=True)
    often = occurrences >= minimum
    return _numbers(often)[place], int(often.sum())


def _numbers(chosen: Mask) -> IntArray:
    """(P,) int32: 0, 1, 2, … for the chosen, -1 for the others."""
    numbers = np.cumsum(chosen, dtype=np.int32)
    numbers -= 1
    numbers[~chosen] = -1
    return numbers


def incidence(pattern: IntArray, sentence: IntArray, patterns: int, sentences: int) -> sparse.csr_array:
    """(P, n) bool: which sentences hold which pattern, from (m,) windows in ascending order of sentence.

    A counting sort: its rows come out in order and repeats beside each other, so each pair is merged in linear time.
    """
    ones = np.ones(len(pattern), dtype=bool)
    return sparse.csr_array((ones, (pattern, sentence)), shape=(patterns, sentences))


def _row_sums(holding: sparse.csr_array, marked: Mask) -> IntArray:
    if not holding.nnz:
        return np.zeros(holding.shape[0], dtype=np.int32)
    sums: IntArray = np.add.reduceat(marked[holding.indices], holding.indptr[:-1], dtype=np.int32)
    return sums


def judged(traces: Traces, labels: IntArray, confusion: tuple[int, int] | None = None) -> tuple[Mask, Mask]:
    """(n,) which sentences failed and which are correct; a sentence without a label or a token is neither.

    Args:
        traces: n sentences.
        labels: (n,) true class, ``NO_CLASS`` without one.
        confusion: only sentences of this (true, predicted) class count as failed; all correct ones stay.

    Raises:
        DataError: the labels are not one a sentence.
    """
    if len(labels) != traces.sentences:
        raise DataError(f"Expected a label for each of the {traces.sentences} sentences, got {len(labels)} labels.")
    known = (labels != NO_CLASS) & (traces.prediction != NO_CLASS)
    correct = known & (traces.prediction == labels)
    if confusion is None:
        return known & ~correct, correct
    true, predicted = confusion
    return known & ~correct & (labels == true) & (traces.prediction == predicted), correct


class PhraseCount(NamedTuple):
    """Words read over a window, as vocabulary ids; how often, and how often of these in failed sentences."""

    words: tuple[int, ...]
    occurrences: int
    failed: int = 0


def count_by_group(
    group: IntArray, groups: int, columns: Sequence[IntArray], failed: Mask | None = None, top: int | None = None
) -> list[list[PhraseCount]]:
    """The distinct rows of each group: those with most failures first, then the most frequent, then the lower.

    Args:
        group: (m,) group of each row, 0..groups-1.
        groups: how many groups there are.
        columns: (m,) arrays of numbers of at least 0, such as the first, second, … word of m windows.
        failed: (m,) whether the sentence of a row failed; none when None.
        top: how many rows a group at most, all when None.
    """
    key = fold([group, *columns], [groups, *(int(column.max(initial=0)) + 1 for column in columns)])
    order = stable_order(key)
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    counts = np.diff(begins, append=len(key))
    shown = order[begins]
    if failed is None or not len(key):
        failures = np.zeros_like(counts)
    else:
        failures = np.add.reduceat(failed[order], begins, dtype=np.int64)
    owner = group[shown]
    falling = [part.max(initial=0) - part for part in (failures, counts)]
    ranked = stable_order(fold([owner, *falling], [groups, *(int(part.max(initial=0)) + 1 for part in falling)]))
    bounds = np.searchsorted(owner, np.arange(groups + 1))
    if top is not None:
        ranked = ranked[np.arange(len(ranked)) - bounds[owner] < top]
        bounds = np.concatenate([[0], np.cumsum(np.minimum(np.diff(bounds), top))])
    rows = zip(*(np.asarray(column)[shown[ranked]].tolist() for column in columns), strict=True)
    records = list(map(PhraseCount, rows, counts[ranked].tolist(), failures[ranked].tolist()))
    return [records[begin:end] for begin, end in itertools.pairwise(bounds.tolist())]


def fold(columns: Sequence[IntArray], sizes: Sequence[int]) -> IntArray:
    """(m,) int64 keys that sort and compare like the rows of the columns, (m,) each with values below its size."""
    key, keys = np.asarray(columns[0], dtype=np.int64), sizes[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        if keys * size > LARGEST:
            distinct, key = np.unique(key, return_inverse=True)
            keys = len(distinct)
        key, keys = key * size + column, keys * size
    return key


def stable_order(key: IntArray) -> IntArray:
    """(m,) the order of keys of at least 0, equal ones as they came; small keys are sorted by counting."""
    return np.argsort(key.astype(np.uint16) if key.max(initial=0) < 2**16 else key, kind="stable")
