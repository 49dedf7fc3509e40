"""The flip view: each word that changed the predicted class, and by how much.

Source: DeepSeer (Wang et al., CHI 2023), beside the influential patterns. The first word of a sentence is no flip:
there is no prediction before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seer.patterns.influential import Change, as_changes, change_records
from seer.patterns.windows import Mask, count_by_group
from seer.traces import FloatArray, IntArray, Traces


@dataclass(frozen=True)
class Flip:
    """A word that changed the predicted class: its place, and by how much the new class gained probability."""

    sentence: int
    place: int
    word: int
    source: int
    target: int
    change: float


@dataclass(frozen=True)
class FlipWord:
    """What a word changed in all: how often, the mean gain of the new class, and from which class to which."""

    word: int
    count: int
    change: float
    changes: tuple[Change, ...]

    def record(self, words: Sequence[str], classes: Sequence[str]) -> dict[str, Any]:
        """JSON-able fields, with words and classes by name."""
        return {
            "word": words[self.word],
            "count": self.count,
            "change": self.change,
            "changes": change_records(self.changes, classes),
        }


@dataclass(frozen=True, eq=False)
class Flips:
    """The m steps at which the predicted class is another than a word before, in their order.

    Attributes:
        traces: where they were found.
        step: (m,).
        sentence: (m,).
        word: (m,) vocabulary id of the word read.
        source: (m,) class before it.
        target: (m,) class after it.
        change: (m,) float64, p(target) after it less p(target) before.
    """

    traces: Traces
    step: IntArray
    sentence: IntArray
    word: IntArray
    source: IntArray
    target: IntArray
    change: FloatArray

    def __len__(self) -> int:
        return len(self.step)

    def of(self, sentence: int) -> list[Flip]:
        """The flips of one sentence, in their order."""
        begin, end = np.searchsorted(self.sentence, [sentence, sentence + 1])
        return self._records(np.arange(begin, end))

    def records(self, top: int | None = 50) -> list[Flip]:
        """The flips with the largest change first; all when None."""
        return self._records(np.argsort(-self.change, kind="stable")[:top])

    def _records(self, rows: IntArray) -> list[Flip]:
        place = self.step - self.traces.offsets[self.sentence]
        columns = (self.sentence, place, self.word, self.source, self.target, self.change)
        return [Flip(*row) for row in zip(*(column[rows].tolist() for column in columns), strict=True)]

    def by_word(self, top: int | None = 50, minimum: int = 1) -> list[FlipWord]:
        """Words with most flips first, then the largest mean change, then by id.

        Args:
            top: how many at most, all when None.
            minimum: flips that a word needs.
        """
        words, place, counts = np.unique(self.word, return_inverse=True, return_counts=True)
        mean = np.bincount(place, self.change, minlength=len(words)) / counts
        order = np.lexsort((words, -mean, -counts))
        order = order[counts[order] >= minimum][:top]
        rank = np.full(len(words), -1)
        rank[order] = np.arange(len(order))
        shown = np.flatnonzero(rank[place] >= 0)
        changes = count_by_group(rank[place[shown]], len(order), [self.source[shown], self.target[shown]])
        columns = (words[order].tolist(), counts[order].tolist(), mean[order].tolist(), map(as_changes, changes))
        return [FlipWord(*row) for row in zip(*columns, strict=True)]


def find_flips(traces: Traces, sentences: Mask | None = None) -> Flips:
    """Every step at which the predicted class changes.

    Args:
        traces: n sentences.
        sentences: (n,) which to look at, as ``judged(traces, labels)[1]`` for those the model gets right; else all.
    """
    predicted = np.asarray(traces.predicted)
    step = np.flatnonzero(predicted[1:] != predicted[:-1]) + 1
    step = step[~traces.first[step]]
    if sentences is not None:
        step = step[sentences[traces.sentence[step]]]
    source, target = predicted[step - 1], predicted[step]
    probability = traces.probability
    change = probability[step, target].astype(np.float64) - probability[step - 1, target].astype(np.float64)
    return Flips(traces, step, traces.sentence[step], np.asarray(traces.token)[step], source, target, change)
