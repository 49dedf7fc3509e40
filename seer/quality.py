"""How faithful and how repeatable a state abstraction is, measured on held-out sentences.

Fidelity alone is no goal: two bins of the output score high. So purity, stability and the majority-class baseline stand
beside it. Arrays are flat, one row or value a step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from seer.abstraction import StateAbstraction
from seer.clustering import row_order
from seer.errors import DataError
from seer.rates import number, ratio
from seer.traces import FloatArray, IntArray

SWEEP = (5, 10, 15, 20, 30, 40)
"""Numbers of states that ``sweep`` tries."""


@dataclass(frozen=True)
class Quality:
    """Quality of one abstraction on held-out steps. Shares lie in 0..1; NaN where there is nothing to measure.

    Attributes:
        states: number of states K found.
        fidelity_step: share of steps whose predicted class is the majority class of their state.
        fidelity_final: the same over the last steps of sentences.
        purity: mean over the states visited of ``purity_by_state``, each state counting the same.
        stability: mean adjusted Rand index between the states and refits with other seeds; 1 is the same grouping.
        majority_step: share of the commonest class among the steps: what one constant answer reaches.
        majority_final: the same over the last steps.
        purity_by_state: (K,) share of each state's steps whose predicted class is the state's majority class.
    """

    states: int
    fidelity_step: float
    fidelity_final: float
    purity: float
    stability: float
    majority_step: float
    majority_final: float
    purity_by_state: tuple[float, ...]

    def record(self) -> dict[str, Any]:
        """The fields ready for JSON, with None for what could not be measured."""
        plain = asdict(self)
        plain["purity_by_state"] = [number(value) for value in self.purity_by_state]
        return {key: number(value) if isinstance(value, float) else value for key, value in plain.items()}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Quality:
        """The inverse of ``record``."""
        plain: dict[str, Any] = {key: math.nan if value is None else value for key, value in record.items()}
        plain["purity_by_state"] = tuple(math.nan if value is None else value for value in record["purity_by_state"])
        return cls(**plain)


@dataclass(frozen=True)
class QualitySample:
    """The steps that quality is measured on; the reduced states are shared by all refits.

    Attributes:
        reduced_fit: (M, d) reduced states of the fitting sample.
        predicted_fit: (M,) class predicted at each of its steps.
        reduced_held: (N, d) reduced states of the held-out steps.
        predicted_held: (N,) class predicted at each of them.
        final_held: (N,) bool, whether the step is its sentence's last.

    Raises:
        DataError: the lengths differ.
    """

    reduced_fit: FloatArray
    predicted_fit: IntArray
    reduced_held: FloatArray
    predicted_held: IntArray
    final_held: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        held = {len(self.reduced_held), len(self.predicted_held), len(self.final_held)}
        if len(self.reduced_fit) != len(self.predicted_fit) or len(held) != 1:
            raise DataError("Quality needs one hidden state and one predicted class for each step; the lengths differ.")

    @classmethod
    def from_hidden(
        cls,
        abstraction: StateAbstraction,
        hidden_fit: FloatArray,
        predicted_fit: IntArray,
        hidden_held: FloatArray,
        predicted_held: IntArray,
        final_held: npt.NDArray[np.bool_],
    ) -> QualitySample:
        """Reduce (M, H) and (N, H) hidden states with the abstraction's projection, once for all refits."""
        if len(hidden_fit) != len(predicted_fit):
            raise DataError(
                f"Got {len(hidden_fit)} hidden states and {len(predicted_fit)} predicted classes to fit on."
            )
        order = row_order(np.asarray(hidden_fit, dtype=np.float64))
        return cls(
            abstraction.transform(hidden_fit[order]),
            predicted_fit[order],
            abstraction.transform(hidden_held),
            predicted_held,
            np.asarray(final_held, dtype=bool),
        )


def majority_classes(states: IntArray, predicted: IntArray, count: int) -> IntArray:
    """The majority class of each state, (count + 1,); index 0 holds the majority class of all steps.

    A state without a step takes the majority class of all steps. The lower class wins a tie.

    Args:
        states: (M,) state 1..count of each step.
        predicted: (M,) predicted class of each step.
        count: number of states.
    """
    classes = int(predicted.max(initial=0)) + 1
    counts = np.bincount(states.astype(np.int64) * classes + predicted, minlength=(count + 1) * classes)
    table = counts.reshape(count + 1, classes)
    table[0] = table.sum(axis=0)
    majority: IntArray = np.where(table.any(axis=1), table.argmax(axis=1), table[0].argmax())
    return majority


def fidelity(states: IntArray, predicted: IntArray, majority: IntArray) -> float:
    """Share of the (N,) steps whose predicted class is the majority class of their state; NaN without a step.

    Args:
        states: (N,) state of each step.
        predicted: (N,) predicted class of each step.
        majority: (K+1,) class of each state, from ``majority_classes``.
    """
    return float((majority[states] == predicted).mean()) if len(states) else math.nan


def purities(states: IntArray, predicted: IntArray, majority: IntArray) -> FloatArray:
    """(K,) fidelity within each state 1..K; NaN for a state without a step."""
    visits = np.bincount(states, minlength=len(majority))
    hits = np.bincount(states, weights=majority[states] == predicted, minlength=len(majority))
    return ratio(hits, visits)[1:]


def stability(hidden_fit: FloatArray, hidden_held: FloatArray, abstraction: StateAbstraction, refits: int = 4) -> float:
    """Mean adjusted Rand index (Hubert and Arabie, 1985) between held-out states and those of refits with other seeds.

    Args:
        hidden_fit: (M, H) hidden states that the abstraction was fitted on.
        hidden_held: (N, H) held-out hidden states.
        abstraction: fitted.
        refits: number of other seeds; the seeds after the abstraction's own are used.
    """
    reduced = abstraction.transform(hidden_fit)[row_order(np.asarray(hidden_fit, dtype=np.float64))]
    return _stability(abstraction, reduced, abstraction.transform(hidden_held), refits)


def assess(abstraction: StateAbstraction, sample: QualitySample, refits: int = 4) -> Quality:
    """All figures of one fitted abstraction; ``refits=0`` leaves the stability out (NaN)."""
    predicted, final = sample.predicted_held, sample.final_held
    states = abstraction.assign(sample.reduced_held)
    majority = majority_classes(abstraction.assign(sample.reduced_fit), sample.predicted_fit, abstraction.states_)
    by_state = purities(states, predicted, majority)
    return Quality(
        states=abstraction.states_,
        fidelity_step=fidelity(states, predicted, majority),
        fidelity_final=fidelity(states[final], predicted[final], majority),
        purity=float(np.nanmean(by_state)) if len(states) else math.nan,
        stability=_stability(abstraction, sample.reduced_fit, sample.reduced_held, refits),
        majority_step=_commonest(predicted),
        majority_final=_commonest(predicted[final]),
        purity_by_state=tuple(by_state.tolist()),
    )


def sweep(
    abstraction: StateAbstraction, sample: QualitySample, states: Sequence[int] = SWEEP, refits: int = 4
) -> list[Quality]:
    """The quality for each number of states, with the method, projection and seed of ``abstraction``."""
    return [assess(abstraction.refit(sample.reduced_fit, states=count), sample, refits) for count in states]


def _stability(abstraction: StateAbstraction, fit: FloatArray, held: FloatArray, refits: int) -> float:
    if not refits or not len(held):
        return math.nan
    reference = abstraction.assign(held)
    seeds = range(abstraction.random_state + 1, abstraction.random_state + 1 + refits)
    return float(
        np.mean(
            [adjusted_rand_score(reference, abstraction.refit(fit, random_state=seed).assign(held)) for seed in seeds]
        )
    )


def _commonest(predicted: IntArray) -> float:
    return float(np.bincount(predicted).max() / len(predicted)) if len(predicted) else math.nan
