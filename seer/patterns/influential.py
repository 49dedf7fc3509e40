"""What changes the model's mind: windows of three steps whose intermediate predictions do not all agree.

Source: DeepSeer (Wang et al., CHI 2023), influential patterns. Every window counts, the last one of a sentence too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from seer.patterns.search import Matches
from seer.patterns.windows import PhraseCount, count_by_group, fold, incidence, judged, renumber
from seer.traces import IntArray, Traces

LENGTH = 3
"""Steps of a window."""


class Change(NamedTuple):
    """From which class to which, and how often."""

    source: int
    target: int
    occurrences: int


@dataclass(frozen=True)
class InfluentialPattern:
    """Three states in a row over which the prediction changes.

    Attributes:
        states: the three states.
        support: sentences that hold such a window.
        occurrences: windows in all.
        source: predicted class at the first step, in the commonest change.
        target: predicted class at the last step; it is ``source`` again when only the middle step differs.
        changes: all changes, most frequent first.
        phrases: the three words read, most frequent first.
    """

    states: tuple[int, int, int]
    support: int
    occurrences: int
    source: int
    target: int
    changes: tuple[Change, ...]
    phrases: tuple[PhraseCount, ...]

    def record(self, words: Sequence[str], classes: Sequence[str]) -> dict[str, Any]:
        """JSON-able fields, with words and classes by name."""
        return {
            "states": list(self.states),
            "support": self.support,
            "occurrences": self.occurrences,
            "from": classes[self.source],
            "to": classes[self.target],
            "changes": change_records(self.changes, classes),
            "phrases": [
                {"text": " ".join(words[word] for word in phrase.words), "count": phrase.occurrences}
                for phrase in self.phrases
            ],
        }


@dataclass(frozen=True, eq=False)
class InfluentialPatterns:
    """P patterns, ranked by support, then occurrences, then states; m windows in order of their steps.

    Attributes:
        traces: where they were found.
        states: (P, 3) int16.
        support: (P,) sentences.
        occurrences: (P,) windows.
        step: (m,) where each window begins.
        pattern: (m,) row of its pattern.
    """

    traces: Traces
    states: IntArray
    support: IntArray
    occurrences: IntArray
    step: IntArray
    pattern: IntArray

    def __len__(self) -> int:
        return len(self.states)

    def matches(self, pattern: int) -> Matches:
        """Where the windows of the pattern at a rank (from 0) stand."""
        steps = self.step[self.pattern == pattern]
        return Matches.at(self.traces, steps, steps + LENGTH)

    def records(self, top: int | None = 50, phrases: int | None = 10) -> list[InfluentialPattern]:
        """The first ``top`` patterns with their most frequent phrases; all when None."""
        count = len(self) if top is None else min(top, len(self))
        shown = np.flatnonzero(self.pattern < count)
        steps, group = self.step[shown], self.pattern[shown]
        token, predicted = np.asarray(self.traces.token), np.asarray(self.traces.predicted)
        texts = count_by_group(group, count, [token[steps + place] for place in range(LENGTH)], top=phrases)
        ends = count_by_group(group, count, [predicted[steps], predicted[steps + LENGTH - 1]])
        columns = (column[:count].tolist() for column in (self.states, self.support, self.occurrences))
        records = []
        for (one, two, three), support, occurrences, counted, texts_of in zip(*columns, ends, texts, strict=True):
            changes = as_changes(counted)
            common = changes[0]
            records.append(
                InfluentialPattern(
                    (one, two, three), support, occurrences, common.source, common.target, changes, tuple(texts_of)
                )
            )
        return records


def as_changes(counted: Sequence[PhraseCount]) -> tuple[Change, ...]:
    """Counted (first, last) classes as changes."""
    return tuple(Change(change.words[0], change.words[1], change.occurrences) for change in counted)


def change_records(changes: Sequence[Change], classes: Sequence[str]) -> list[dict[str, Any]]:
    """JSON-able changes with classes by name."""
    return [
        {"from": classes[change.source], "to": classes[change.target], "count": change.occurrences}
        for change in changes
    ]


def find_influential(traces: Traces, labels: IntArray) -> InfluentialPatterns:
    """Windows of three steps, in sentences the model gets right, whose predictions do not all agree.

    Args:
        traces: n sentences.
        labels: (n,) true class, ``NO_CLASS`` without one; such sentences are left out.

    Raises:
        DataError: the labels are not one a sentence.
    """
    _, right = judged(traces, labels)
    state, predicted = np.asarray(traces.state), np.asarray(traces.predicted)
    differs = predicted[1:] != predicted[:-1]
    begin = traces.offsets[1:][traces.lengths > 0][:-1]
    differs[begin - 1] = False  # from the last word of a sentence to the first of the next nothing changes
    step = np.flatnonzero(differs[:-1] | differs[1:])
    sentence = traces.sentence[step]
    inside = np.flatnonzero(right[sentence] & (traces.sentence[step + LENGTH - 1] == sentence))
    step, sentence = step[inside], sentence[inside]
    size = int(state.max(initial=0)) + 1
    key = fold([state[step + place] for place in range(LENGTH)], [size] * LENGTH)
    found, patterns = renumber(key, size**LENGTH, 1)
    first = np.empty(patterns, dtype=np.int64)
    first[found[::-1]] = step[::-1]
    support = np.diff(incidence(found, sentence, patterns, traces.sentences).indptr)
    occurrences = np.bincount(found, minlength=patterns)
    order = np.lexsort((-occurrences, -support))  # stable, and the numbers follow the states
    place = np.empty(patterns, dtype=np.int32)
    place[order] = np.arange(patterns, dtype=np.int32)
    states = np.stack([state[first[order] + offset] for offset in range(LENGTH)], axis=1)
    return InfluentialPatterns(traces, states, support[order], occurrences[order], step, place[found])
