"""What changed between a sentence and an edited copy of it."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from seer.traces import FloatArray, IntArray, SentenceTrace

LONGEST = 1500
"""Words between the common beginning and end that are still compared one by one."""


@dataclass(frozen=True)
class Difference:
    """Two readings beside each other.

    Attributes:
        removed: steps of the first whose word the second lacks.
        added: steps of the second whose word the first lacks.
        shared: (M, 2) steps of the words that both have.
        moved: (m, 2) those of ``shared`` after which the two are in different states.
        parting: first step at which the states differ, or at which one has ended; ``None`` when all are the same.
        change: (C,) final probability of the second minus the first; ``None`` when one has no word.
        coarse: the texts differ in more words than are compared one by one: all between the common beginning and the
            common end count as changed.
    """

    removed: tuple[int, ...]
    added: tuple[int, ...]
    shared: IntArray
    moved: IntArray
    parting: int | None
    change: FloatArray | None
    coarse: bool


def compare(first: SentenceTrace, second: SentenceTrace) -> Difference:
    """Align the words of two traces of one study (difflib) and set states and predictions against each other."""
    shared, coarse = _shared_words(first.words, second.words)
    moved = shared[first.state[shared[:, 0]] != second.state[shared[:, 1]]]
    return Difference(
        removed=_others(len(first), shared[:, 0]),
        added=_others(len(second), shared[:, 1]),
        shared=shared,
        moved=moved,
        parting=_parting(first.state, second.state),
        change=second.probability[-1] - first.probability[-1] if len(first) and len(second) else None,
        coarse=coarse,
    )


def _shared_words(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[IntArray, bool]:
    shortest = min(len(first), len(second))
    begin = next((i for i in range(shortest) if first[i] != second[i]), shortest)
    most = shortest - begin
    end = next((i for i in range(most) if first[-1 - i] != second[-1 - i]), most)
    middle, other = first[begin : len(first) - end], second[begin : len(second) - end]
    pairs = [(step, step) for step in range(begin)]
    coarse = max(len(middle), len(other)) > LONGEST
    if not coarse:
        for block in SequenceMatcher(None, middle, other).get_matching_blocks():
            pairs += [(begin + block.a + i, begin + block.b + i) for i in range(block.size)]
    pairs += [(len(first) - i, len(second) - i) for i in range(end, 0, -1)]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2), coarse


def _others(length: int, taken: IntArray) -> tuple[int, ...]:
    left = np.ones(length, dtype=bool)
    left[taken] = False
    return tuple(map(int, np.flatnonzero(left)))


def _parting(first: IntArray, second: IntArray) -> int | None:
    shortest = min(len(first), len(second))
    apart = np.flatnonzero(first[:shortest] != second[:shortest])
    if len(apart):
        return int(apart[0])
    return None if len(first) == len(second) else shortest
