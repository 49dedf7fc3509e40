"""What a report is of: a study, one of its splits, and the notes on its sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seer.charts.leading import machine_colours
from seer.machine import StateMachine
from seer.mining import telling_words, transition_words
from seer.notes import Change
from seer.patterns.search import starts
from seer.picks import wrong_rows
from seer.rates import Accuracy
from seer.report.markup import chip, text
from seer.slices import slice_accuracy
from seer.study import Study
from seer.traces import NO_CLASS, IntArray, Traces

WordCounts = list[tuple[str, int]]


@dataclass(frozen=True)
class Subject:
    """A study looked at through one split, all sentences without one.

    Attributes:
        study: the study.
        split: name of the split.
        notes: row id → the change that stands.
    """

    study: Study
    split: str | None
    notes: Mapping[str, Change]

    @cached_property
    def rows(self) -> IntArray:
        """Positions of the split's sentences."""
        return self.study.rows(self.split)

    @property
    def split_name(self) -> str:
        """How the split is called in a sentence, as markup."""
        return "all splits" if self.split is None else f"the split <b>{text(self.split)}</b>"

    @property
    def noun(self) -> str:
        """What a row of the study is called."""
        return self.study.noun

    @cached_property
    def colours(self) -> dict[str, str]:
        """The colour of each class, of many those that the machine of all splits mostly reads."""
        return machine_colours(self.study.machine(None))

    def chip(self, name: str) -> str:
        """A class name on its colour, as markup."""
        return chip(self.study.classes, name, self.colours)

    @property
    def machine(self) -> StateMachine:
        """The state machine of the split."""
        return self.study.machine(self.split)

    @property
    def traces(self) -> Traces:
        """The traces of the split."""
        return self.study.split_traces(self.split)

    @cached_property
    def accuracy(self) -> Accuracy:
        """Right predictions in the split."""
        return slice_accuracy(self.study, self.rows)

    @cached_property
    def errors(self) -> IntArray:
        """Positions of the split's wrong sentences, those read most surely first."""
        wrong = wrong_rows(self.study, self.rows)
        order: IntArray = wrong[np.lexsort((wrong, -self.study.traces.confidence[wrong]))]
        return order

    def confusion(self, row: int) -> str:
        """What a sentence was taken for, plain text."""
        label, prediction = int(self.study.corpus.labels[row]), int(self.study.traces.prediction[row])
        if NO_CLASS in (label, prediction):
            return "no label" if label == NO_CLASS else "no word"
        classes = self.study.classes
        return "read right" if label == prediction else f"{classes[label]} → {classes[prediction]}"

    def typical_words(self, state: int, top: int = 6) -> WordCounts:
        """The most distinctive words of a state, with counts."""
        return self._named(telling_words(self.study, self.split, state, top))

    def transition_words(self, source: int, target: int, top: int = 6) -> WordCounts:
        """The words most often read at a transition, with counts."""
        return self._named(transition_words(self.study, self.split, source, target, top)[0])

    def _named(self, counts: list[tuple[int, int]]) -> WordCounts:
        return [(self.study.words[word], count) for word, count in counts]

    def holding(self, states: list[int], word: str | None) -> IntArray:
        """Positions of the split's sentences that hold a buggy pattern, by its states and its word."""
        traces = self.traces
        if word is None:
            steps = starts(traces.state, traces, states)
        else:
            steps = np.flatnonzero(np.asarray(traces.token) == self.study.words.index(word))
            if states:
                steps = steps[np.asarray(traces.state)[steps] == states[0]]
        found: IntArray = self.rows[np.unique(traces.sentence[steps])]
        return found
