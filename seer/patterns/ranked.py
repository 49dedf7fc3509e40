"""Buggy patterns, ranked: parallel arrays, and a record for each one shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seer.patterns.search import Matches, places_within, starts
from seer.patterns.windows import Mask, PhraseCount, count_by_group
from seer.rates import number, ratio
from seer.traces import FloatArray, IntArray, Traces

KINDS = ("states", "state_words", "words")

NO_WORD = -1
"""The word of a pattern of states alone."""


@dataclass(frozen=True)
class BuggyPattern:
    """A pattern and how it goes with failure.

    Attributes:
        states: in a row; none for a word alone.
        word: vocabulary id read into the state, or alone; None for states alone.
        failed: failed sentences that hold it, n_f.
        correct: correct sentences that hold it, n_c.
        rate: n_f / (n_f + n_c).
        lift: the rate over that of all sentences looked at.
        p: one-sided Fisher exact p.
        q: false discovery rate after Benjamini and Hochberg; None where no family was tested (the preset ``paper``).
        only_in_failed: no correct sentence holds it.
        phrases: the words read over it, with counts.
    """

    states: tuple[int, ...]
    word: int | None
    failed: int
    correct: int
    rate: float
    lift: float
    p: float
    q: float | None
    only_in_failed: bool
    phrases: tuple[PhraseCount, ...]

    def record(self, words: Sequence[str]) -> dict[str, Any]:
        """JSON-able fields, with words written out."""
        return {
            "states": list(self.states),
            "word": None if self.word is None else words[self.word],
            "failed": self.failed,
            "correct": self.correct,
            "rate": self.rate,
            "lift": self.lift,
            "p": self.p,
            "q": self.q,
            "only_in_failed": self.only_in_failed,
            "phrases": [
                {
                    "text": " ".join(words[word] for word in phrase.words),
                    "count": phrase.occurrences,
                    "failed": phrase.failed,
                }
                for phrase in self.phrases
            ],
        }


@dataclass(frozen=True, eq=False)
class BuggyPatterns:
    """P ranked patterns as parallel arrays; phrases and places are read when asked for.

    Attributes:
        kind: one of ``KINDS``.
        traces: where they were found.
        failed_sentences: (n,) which count as failed.
        correct_sentences: (n,) which count as correct; sentences that are neither were not looked at.
        tested: size of the family of tests; 0 without one.
        states: (P, W) int16, padded with 0 after the last state of a row.
        word: (P,) int32, ``NO_WORD`` for states alone.
        failed: (P,) n_f.
        correct: (P,) n_c.
        p: (P,).
        q: (P,), NaN without a family.
    """

    kind: str
    traces: Traces
    failed_sentences: Mask
    correct_sentences: Mask
    tested: int
    states: IntArray
    word: IntArray
    failed: IntArray
    correct: IntArray
    p: FloatArray
    q: FloatArray

    def __len__(self) -> int:
        return len(self.word)

    @property
    def failed_total(self) -> int:
        """Failed sentences N_f."""
        return int(self.failed_sentences.sum())

    @property
    def correct_total(self) -> int:
        """Correct sentences N_c."""
        return int(self.correct_sentences.sum())

    @property
    def rate(self) -> FloatArray:
        """(P,) failure rate."""
        return ratio(self.failed, self.failed + self.correct)

    @property
    def lift(self) -> FloatArray:
        """(P,) failure rate over N_f / (N_f + N_c)."""
        return self.rate * ((self.failed_total + self.correct_total) / max(self.failed_total, 1))

    @property
    def only_in_failed(self) -> Mask:
        """(P,) whether no correct sentence holds the pattern."""
        alone: Mask = self.correct == 0
        return alone

    def key(self, rank: int) -> tuple[tuple[int, ...], int | None]:
        """States and word of the pattern at a rank, from 0."""
        row, word = self.states[rank], int(self.word[rank])
        return tuple(row[row > 0].tolist()), None if word == NO_WORD else word

    def matches(self, rank: int) -> Matches:
        """Where the pattern at a rank, from 0, stands in the failed and correct sentences."""
        steps = self._steps(rank)
        return Matches.at(self.traces, steps, steps + self._length(rank))

    def phrases(self, ranks: Sequence[int], top: int | None = 10) -> list[list[PhraseCount]]:
        """The words read over each pattern, those of failed sentences first, then the most frequent."""
        token, found = np.asarray(self.traces.token), dict[int, list[PhraseCount]]()
        for length in {self._length(rank) for rank in ranks}:  # windows of one length are counted together
            alike = [rank for rank in ranks if self._length(rank) == length]
            parts = [self._steps(rank) for rank in alike]
            steps = np.concatenate(parts)
            group = np.repeat(np.arange(len(alike)), [len(part) for part in parts])
            failed = self.failed_sentences[self.traces.sentence[steps]]
            words = [token[steps + place] for place in range(length)]
            found |= zip(alike, count_by_group(group, len(alike), words, failed, top), strict=True)
        return [found[rank] for rank in ranks]

    def records(self, top: int | None = 50, phrases: int | None = 10) -> list[BuggyPattern]:
        """The first ``top`` patterns with their phrases; all when None."""
        rate, lift, ranks = self.rate, self.lift, range(len(self.word[:top]))
        return [
            BuggyPattern(
                *self.key(rank),
                failed=int(self.failed[rank]),
                correct=int(self.correct[rank]),
                rate=float(rate[rank]),
                lift=float(lift[rank]),
                p=float(self.p[rank]),
                q=number(self.q[rank]),
                only_in_failed=bool(self.correct[rank] == 0),
                phrases=tuple(texts),
            )
            for rank, texts in zip(ranks, self.phrases(ranks, phrases), strict=True)
        ]

    def within(self, trace: Traces, top: int | None = None) -> list[tuple[int, list[int]]]:
        """The ranks of the first ``top`` patterns that one sentence holds, each with the words where it begins.

        Args:
            trace: traces of one sentence.
            top: how many patterns to look for, all when None.
        """
        keys = [self.key(rank) for rank in range(len(self.word[:top]))]
        if self.kind == "states":
            places = places_within(trace.state.tolist(), [states for states, _ in keys])
        else:
            width = self.states.shape[1]
            read = zip(trace.state.tolist(), trace.token.tolist(), strict=True)
            places = places_within([((state,)[:width], word) for state, word in read], [(key,) for key in keys])
        return [(rank, found) for rank, found in enumerate(places) if found]

    def _length(self, rank: int) -> int:
        return max(1, int((self.states[rank] > 0).sum()))

    def _steps(self, rank: int) -> IntArray:
        states, word = self.key(rank)
        traces = self.traces
        if word is None:
            steps = starts(traces.state, traces, states)
        else:
            steps = starts(traces.token, traces, [word])
            steps = steps[np.asarray(traces.state)[steps] == states[0]] if states else steps
        looked_at = self.failed_sentences | self.correct_sentences
        return steps[looked_at[traces.sentence[steps]]]
