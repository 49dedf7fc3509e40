"""The state machine: counts of what the traces did, and the rates that follow from them.

Source: DeepSeer (Wang et al., CHI 2023). Every count is of occurrences, not of distinct triples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seer.errors import DataError
from seer.rates import number, ratio, wilson_interval
from seer.traces import NO_CLASS, START, FloatArray, IntArray, Traces


@dataclass(frozen=True, eq=False)
class StateMachine:
    """Counts over K states and C classes; index 0 is the start, which every sentence with a token leaves once.

    Attributes:
        classes: names of the C classes.
        transitions: (K+1, K+1) int64, steps from a state to a state.
        class_counts: (K+1, C) int64, class of the intermediate prediction at the steps into a state; row 0 is 0.
        sentences: (K+1,) int64, sentences that pass a state; at 0 all with a token.
        labelled: (K+1,) int64, those of them with a true label.
        errors: (K+1,) int64, those of them whose prediction is not the true label.

    Raises:
        DataError: the shapes or totals contradict each other.
    """

    classes: tuple[str, ...]
    transitions: IntArray
    class_counts: IntArray
    sentences: IntArray
    labelled: IntArray
    errors: IntArray

    def __post_init__(self) -> None:
        for name in _COUNTS:
            object.__setattr__(self, name, _frozen(np.array(getattr(self, name), dtype=np.int64)))
        size = len(self.sentences)
        expected = ((size, size), (size, len(self.classes)), (size,), (size,), (size,))
        shapes = tuple(getattr(self, name).shape for name in _COUNTS)
        if size < 2 or shapes != expected:
            raise DataError(f"A state machine needs arrays of the shapes {expected}, got {shapes}.")
        for wrong, reason in self._contradictions():
            if wrong:
                raise DataError(f"The counts of the state machine contradict each other: {reason}.")

    def _contradictions(self) -> tuple[tuple[bool, str], ...]:
        visits, leaving = self.visits, self.transitions.sum(axis=1)
        return (
            (any((getattr(self, name) < 0).any() for name in _COUNTS), "a count is negative"),
            (bool(self.transitions[:, START].any()), "a step leads back to the start"),
            (bool((leaving > visits).any()), "a state is left more often than it is visited"),
            (bool((self.class_counts.sum(axis=1)[1:] != visits[1:]).any()), "predictions and visits differ in number"),
            (bool(self.class_counts[START].any()), "the start has predictions"),
            (self.sentences[START] != visits[START], "sentences and starts differ in number"),
            (bool((self.sentences > visits).any()), "more sentences pass a state than there are visits"),
            (bool(((self.sentences == 0) & (visits > 0)).any()), "a visited state has no sentence"),
            (bool((self.labelled > self.sentences).any()), "more sentences are labelled than there are"),
            (bool((self.errors > self.labelled).any()), "more sentences are wrong than labelled"),
            (
                any((counts > counts[START]).any() for counts in (self.sentences, self.labelled, self.errors)),
                "a state has more sentences than the whole",
            ),
        )

    @classmethod
    def count(cls, traces: Traces, labels: IntArray, states: int, classes: tuple[str, ...]) -> StateMachine:
        """Count the steps of n sentences.

        Args:
            traces: n sentences of N steps.
            labels: (n,) true class, ``NO_CLASS`` without one.
            states: number of states K.
            classes: names of the classes, in the order of the model.

        Raises:
            DataError: labels, states or predictions lie outside, or the lengths differ.
        """
        _check_ranges(traces, labels, states, len(classes))
        size = states + 1
        state = traces.state.astype(np.int64)
        transitions = np.bincount(traces.source.astype(np.int64) * size + state, minlength=size * size)
        class_counts = np.bincount(state * len(classes) + traces.predicted, minlength=size * len(classes))
        sentence, passed = np.divmod(np.unique(traces.sentence * size + state), size)
        labelled = (labels != NO_CLASS) & (traces.lengths > 0)
        wrong = labelled & (traces.prediction != labels)

        def passing(chosen: npt.NDArray[np.bool_]) -> IntArray:
            counts = np.bincount(passed[chosen[sentence]], minlength=size)
            counts[START] = chosen.sum()
            return counts

        return cls(
            classes,
            transitions.reshape(size, size),
            class_counts.reshape(size, len(classes)),
            passing(traces.lengths > 0),
            passing(labelled),
            passing(wrong),
        )

    def __add__(self, other: StateMachine) -> StateMachine:
        """The machine of both sets of sentences, which must not overlap.

        Raises:
            DataError: the states or classes differ.
        """
        if (self.states, self.classes) != (other.states, other.classes):
            raise DataError(
                f"Only machines of the same states and classes can be added: {self.states} states of {self.classes} "
                f"and {other.states} states of {other.classes}."
            )
        return StateMachine(self.classes, *(getattr(self, name) + getattr(other, name) for name in _COUNTS))

    def __eq__(self, other: object) -> bool:
        """Whether the classes and all counts are equal."""
        return (
            isinstance(other, StateMachine)
            and self.classes == other.classes
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _COUNTS)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def states(self) -> int:
        """Number of states K, the start not counted."""
        return len(self.sentences) - 1

    @cached_property
    def visits(self) -> IntArray:
        """(K+1,) steps into each state; at 0 the sentences that start."""
        visits = self.transitions.sum(axis=0)
        visits[START] = self.transitions[START].sum()
        return _frozen(visits)

    @cached_property
    def probability(self) -> FloatArray:
        """(K+1, K+1) share of the steps out of a state that lead to a state; a row without a step is 0."""
        leaving = self.transitions.sum(axis=1, keepdims=True)
        return _frozen(self.transitions / np.maximum(leaving, 1))

    @cached_property
    def majority(self) -> IntArray:
        """(K+1,) commonest predicted class, the lower one in a tie; ``NO_CLASS`` for the start and without a visit."""
        return _frozen(np.where(self.class_counts.any(axis=1), self.class_counts.argmax(axis=1), NO_CLASS))

    @cached_property
    def purity(self) -> FloatArray:
        """(K+1,) share of the commonest predicted class; NaN for the start and without a visit."""
        return _frozen(ratio(self.class_counts.max(axis=1), self.class_counts.sum(axis=1)))

    @cached_property
    def error_rate(self) -> FloatArray:
        """(K+1,) share of the labelled sentences through a state that are wrong; NaN without one."""
        return _frozen(ratio(self.errors, self.labelled))

    @property
    def base_error_rate(self) -> float:
        """Share of all labelled sentences that are wrong; NaN without one."""
        return float(self.error_rate[START])

    @cached_property
    def lift(self) -> FloatArray:
        """(K+1,) error rate over the base error rate; NaN where either is missing or no sentence is wrong."""
        return _frozen(self._over_base(self.error_rate))

    @cached_property
    def interval(self) -> FloatArray:
        """(K+1, 2) Wilson 95 % interval of the error rate; NaN without a labelled sentence."""
        return _frozen(wilson_interval(self.errors, self.labelled))

    @cached_property
    def lift_interval(self) -> FloatArray:
        """(K+1, 2) interval of the error rate over the base error rate, which is taken as known."""
        return _frozen(self._over_base(self.interval))

    def suspicious(self, minimum_sentences: int = 10) -> IntArray:
        """States with surely more errors than the whole, the surest first: by the lower end of the lift's interval.

        That end must lie above 1. The base rate is taken as known, and each state is judged by itself.

        Args:
            minimum_sentences: labelled sentences that a state needs.

        Returns:
            State numbers; ties go by the lift, then by the number.
        """
        enough = self.labelled >= max(1, minimum_sentences)
        found = np.flatnonzero(enough & (np.nan_to_num(self.lift_interval[:, 0]) > 1))
        found = found[found != START]
        order = np.lexsort((found, -self.lift[found], -self.lift_interval[found, 0]))
        ranked: IntArray = found[order]
        return ranked

    def state_records(self) -> list[dict[str, Any]]:
        """One flat record a state 1..K, ready for JSON; None where a rate is missing."""
        return [
            {
                "id": state,
                "visits": int(self.visits[state]),
                "class_counts": self.class_counts[state].tolist(),
                "majority": None if self.majority[state] == NO_CLASS else self.classes[self.majority[state]],
                "purity": number(self.purity[state]),
                "sentences": int(self.sentences[state]),
                "labelled": int(self.labelled[state]),
                "errors": int(self.errors[state]),
                "error_rate": number(self.error_rate[state]),
                "error_low": number(self.interval[state, 0]),
                "error_high": number(self.interval[state, 1]),
                "lift": number(self.lift[state]),
                "lift_low": number(self.lift_interval[state, 0]),
                "lift_high": number(self.lift_interval[state, 1]),
            }
            for state in range(1, self.states + 1)
        ]

    def transition_records(self) -> list[dict[str, Any]]:
        """One record a transition that occurs, by source and target, ready for JSON; source 0 is the start."""
        return [
            {
                "source": int(source),
                "target": int(target),
                "count": int(self.transitions[source, target]),
                "probability": float(self.probability[source, target]),
            }
            for source, target in np.argwhere(self.transitions)
        ]

    def _over_base(self, rates: FloatArray) -> FloatArray:
        base = self.base_error_rate
        over: FloatArray = rates / base if base > 0 else np.full_like(rates, np.nan)
        return over


_COUNTS = ("transitions", "class_counts", "sentences", "labelled", "errors")


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.setflags(write=False)
    return array


def _check_ranges(traces: Traces, labels: IntArray, states: int, classes: int) -> None:
    if len(labels) != traces.sentences:
        raise DataError(f"Expected a label for each of {traces.sentences} sentences, got {len(labels)}.")
    if len(labels) and not (labels.min() >= NO_CLASS and labels.max() < classes):
        raise DataError(
            f"Labels must lie between {NO_CLASS} (none) and {classes - 1}, got {labels.min()} to {labels.max()}."
        )
    if not traces.steps:
        return
    if traces.state.min() < 1 or traces.state.max() > states:
        raise DataError(f"States must lie between 1 and {states}, got {traces.state.min()} to {traces.state.max()}.")
    if traces.predicted.min() < 0 or traces.predicted.max() >= classes:
        raise DataError(
            f"Predicted classes must lie between 0 and {classes - 1}, got {traces.predicted.min()} to "
            f"{traces.predicted.max()}."
        )
