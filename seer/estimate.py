"""How long a training would take here: a second or two of it, timed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from seer.build import training_parts
from seer.corpus import Corpus
from seer.models.training import TrainingSettings, train, usual_training

BUDGET = 1.5
"""Seconds of training that are timed."""
_START = 6.0
"""Seconds until a process of its own has read its libraries and the data."""
_ANALYSIS = 5.0
"""Seconds to find the states of up to 25,000 words, three times over for their stability."""
_READING = 0.7
"""What reading all words twice for states and traces costs, in passes of training over the same words.

Measured with the three numbers on two busy cores: 46 s foretold and 47 s taken for 12 epochs on 8,530 reviews, 199 s
and 214 s for 12 epochs on 2,225 articles of the BBC.
"""


@dataclass(frozen=True)
class Estimate:
    """Seconds that a training and its analysis take at most: it may stop early.

    Attributes:
        pass_seconds: one pass over the training split.
        epochs: most passes.
        other: all but the passes.
    """

    pass_seconds: float
    epochs: int
    other: float

    @property
    def seconds(self) -> float:
        """When no pass is spared."""
        return self.pass_seconds * self.epochs + self.other

    @property
    def least(self) -> float:
        """When the third pass is the best one, and three more do not better it."""
        return self.pass_seconds * min(6, self.epochs) + self.other


class _Enough(Exception):  # noqa: N818 - it ends the timing and is no error
    pass


def estimate_training(
    corpus: Corpus,
    *,
    architecture: Mapping[str, Any] | None = None,
    training: TrainingSettings | None = None,
    lowercase: bool = True,
    min_count: int | None = None,
    budget: float = BUDGET,
) -> Estimate:
    """Begin a training as ``train_study`` would, stop it after ``budget`` seconds, and extrapolate from its steps.

    Raises:
        DataError: too little labelled text to train on.
        SettingError: a setting is out of its range.
    """
    training = training or usual_training(corpus.paired)
    _, made_of, fitting, held_out = training_parts(corpus, architecture, lowercase=lowercase, min_count=min_count)
    marks: list[tuple[float, int, int]] = []

    def watch(stage: str, done: int, total: int) -> None:
        marks.append((time.perf_counter(), done, total))
        steps_an_epoch = total // training.epochs
        # The first step warms up; beyond one pass, validation and early stopping come in between.
        if done >= steps_an_epoch or (done > 1 and marks[-1][0] - marks[0][0] > budget):
            raise _Enough

    began = time.perf_counter()
    with suppress(_Enough):
        train(made_of, fitting, held_out, training, watch)
    (first, one, total), (last, done, _) = marks[0], marks[-1]
    step = (last - first) / (done - one) if done > one else first - began
    passing = step * (total / training.epochs)
    share = float(fitting.lengths[fitting.usable].sum()) / max(1, int(fitting.lengths.sum()))
    everything = passing / share if share else passing
    return Estimate(passing * 1.1, training.epochs, _START + _ANALYSIS + _READING * everything)
