"""Arithmetic: does a method find the numbers that a net has added or subtracted?

The sanity check of Arras et al., "Evaluating Recurrent Neural Network Explanations" (BlackboxNLP 2019), section 4. The
right relevance is known: n_a for the first number and n_b (or −n_b) for the second, 0 for all other steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seer.evaluation.one_unit import LONG, Sums, TrainingPlan, as_classifier, as_words, draw, errors, run, train_nets
from seer.evaluation.seeds import checked_seed
from seer.models.batches import one_thread
from seer.models.classifier import RNNClassifier
from seer.progress import Progress, silent
from seer.rates import number
from seer.relevance.methods import METHODS, attribute_rows
from seer.traces import FloatArray

TEST_SEQUENCES = 2500

COMPARED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("gradient_input", {}),
    ("occlusion", {}),
    ("lrp", {"eps": 1e-3}),
    ("lrp", {"eps": 1e-4}),
    ("lrp", {"eps": 1e-5}),
    ("lrp", {"eps": 1e-6}),
    ("cd", {}),
    ("integrated_gradients", {}),
    ("sensitivity", {}),
    ("random", {}),
)
"""Methods and settings: LRP with several eps, since what is small depends on the net's memory."""

_BUDGET = 16_384


@dataclass(frozen=True)
class Score:
    """How well a method finds the two numbers, over all test sequences of all nets.

    Attributes:
        method: a key of ``METHODS``.
        settings: that differ from the method's defaults, or that are compared.
        correlation_a: Pearson's, of the first number with its relevance; NaN where either does not vary.
        correlation_b: of the second number with its relevance; a subtraction's is right at −1.
        squared_error: mean of (R_a + R_b − answer of the net)²: near 0 where the two numbers get all of the answer.
        elsewhere: mean |R| of a step that holds neither number; right at 0.
    """

    method: str
    settings: dict[str, Any]
    correlation_a: float
    correlation_b: float
    squared_error: float
    elsewhere: float

    @property
    def title(self) -> str:
        """The method as a person calls it, with its settings."""
        settings = ", ".join(f"{name} {value:g}" for name, value in self.settings.items())
        return f"{METHODS[self.method].title} ({settings})" if settings else METHODS[self.method].title

    def record(self) -> dict[str, Any]:
        """JSON-able fields; ``None`` for NaN."""
        return {key: number(value) if isinstance(value, float) else value for key, value in asdict(self).items()}


@dataclass(frozen=True)
class TaskScores:
    """One task.

    Attributes:
        task: addition or subtraction.
        models: nets that learnt it and were explained.
        tries: nets trained until there were that many.
        error: their mean squared error on the test sequences, longer than those they learnt from.
        memory: median |c| after the last step: what LRP's eps must be small against.
        scores: one for each method and setting.
    """

    task: str
    models: int
    tries: int
    error: float
    memory: float
    scores: tuple[Score, ...]

    def record(self) -> dict[str, Any]:
        """JSON-able fields."""
        return asdict(self) | {"scores": [score.record() for score in self.scores]}


@dataclass(frozen=True)
class Arithmetic:
    """The whole table.

    Attributes:
        seed: of everything.
        sequences: tested for each net.
        tasks: one part a task.
    """

    seed: int
    sequences: int
    tasks: tuple[TaskScores, ...]

    def record(self) -> dict[str, Any]:
        """JSON-able fields."""
        return {"seed": self.seed, "sequences": self.sequences, "tasks": [task.record() for task in self.tasks]}

    def rows(self) -> list[dict[str, Any]]:
        """A record a task and method, for a table."""
        return [
            {"task": part.task, "title": score.title} | score.record() for part in self.tasks for score in part.scores
        ]


def arithmetic(
    tasks: Sequence[str] = ("addition", "subtraction"),
    *,
    models: int = 10,
    seed: int = 0,
    plan: TrainingPlan | None = None,
    progress: Progress = silent,
) -> Arithmetic:
    """Train nets of one unit to add or subtract, and ask each method which steps decided.

    Args:
        tasks: addition, subtraction or both.
        models: nets a task.
        seed: of sequences and nets.
        plan: how the nets are trained.
        progress: told how far it is.

    Raises:
        ModelError: no net learnt a task.
        SettingError: no such task, fewer than one net, or a seed out of range.
    """
    parts, seed = [], checked_seed(seed)
    with one_thread():
        for task in tasks:
            nets, tries = train_nets(task, models, seed=seed, plan=plan, progress=progress)
            sums = draw(task, TEST_SEQUENCES, LONG, np.random.default_rng([seed, 1]))
            parts.append(score_task(task, nets, sums, tries, progress))
    return Arithmetic(seed, TEST_SEQUENCES, tuple(parts))


def score_task(task: str, nets: Tensor, sums: Sums, tries: int, progress: Progress = silent) -> TaskScores:
    """Compare all methods on nets (M, 13) and the sequences given to each."""
    scores, classifiers = [], [as_classifier(net, sums) for net in nets]
    for place, (method, settings) in enumerate(COMPARED):
        found = [
            _explained(model, sums, method, _seeded(method, settings, which)) for which, model in enumerate(classifiers)
        ]
        scores.append(_score(method, settings, sums, *map(np.concatenate, zip(*found, strict=True))))
        progress(f"{task} methods", place + 1, len(COMPARED))
    with torch.no_grad():
        memory = float(run(nets, sums.steps)[1].abs().median())
    return TaskScores(task, len(nets), tries, float(errors(nets, sums).mean()), memory, tuple(scores))


def _seeded(method: str, settings: dict[str, Any], which: int) -> dict[str, Any]:
    """A seed of its own for each net, where chance plays a part."""
    return {**settings, "seed": which} if "seed" in METHODS[method].settings else settings


def _explained(
    model: RNNClassifier, sums: Sums, method: str, settings: dict[str, Any]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of n sequences: (n, 2) relevance of both numbers, (n,) answers, (n,) mean |R| of a step that holds neither."""
    offsets, ids, places = as_words(sums)
    rows = np.arange(len(sums.lengths))
    found = attribute_rows(model, offsets, ids, rows, method, target=0, budget=_BUDGET, **settings)
    of_numbers = found.relevance[places]
    others = np.add.reduceat(np.abs(found.relevance), offsets[:-1]) - np.abs(of_numbers).sum(1)
    return of_numbers, found.logit, others / (sums.lengths - 2)


def _score(
    method: str, settings: dict[str, Any], sums: Sums, relevance: FloatArray, answer: FloatArray, elsewhere: FloatArray
) -> Score:
    numbers = np.tile(sums.numbers, (len(relevance) // len(sums.numbers), 1))
    first, second = (_correlation(numbers[:, which], relevance[:, which]) for which in (0, 1))
    error = float(np.square(relevance.sum(1) - answer).mean())
    return Score(method, settings, first, second, error, float(elsewhere.mean()))


def _correlation(one: FloatArray, other: FloatArray) -> float:
    """Pearson's; NaN where one of them does not vary."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])
