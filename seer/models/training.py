"""Training with early stopping on the validation split."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from seer.errors import DataError, SettingError
from seer.models import BuiltArchitecture, BuiltModel, build_model
from seer.models.batches import Batch, PairBatch, by_length, one_thread, pad_rows
from seer.models.classifier import Architecture, RNNClassifier
from seer.models.esim import ESIM, PairArchitecture
from seer.progress import Progress, silent
from seer.text import UNKNOWN_ID

IntArray = npt.NDArray[np.integer]


BATCH_WORDS = 32_768
"""Most padded words of a step: a batch of long texts becomes several, so that memory stays bounded."""

MOST_RATE = 10
"""Largest learning rate and weight decay: far above any that learns, and far below numbers that overflow."""


@dataclass(frozen=True)
class TrainingSettings:
    """How to train; the defaults were chosen on the validation split of 8,530 movie reviews.

    Attributes:
        epochs: most passes over the training split.
        patience: stop after that many epochs without a better validation loss.
        batch: sentences a step.
        learning_rate: of Adam.
        word_dropout: share of words read as unknown while training, so that the unknown word has a meaning.
        weight_decay: of Adam.
        class_weights: weigh classes by the inverse of their frequency.
        max_words: a longer text is read up to this word while training; afterwards every text is read whole.
        seed: of everything random.
    """

    epochs: int = 12
    patience: int = 3
    batch: int = 64
    learning_rate: float = 4e-3
    word_dropout: float = 0.0
    weight_decay: float = 0.0
    class_weights: bool = False
    max_words: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "batch", "max_words"):
            if getattr(self, name) < 1:
                raise SettingError(f"{name} must be 1 or more, got {getattr(self, name)}.")
        if not 0 < self.learning_rate <= MOST_RATE:
            raise SettingError(f"The learning rate must lie above 0 and up to {MOST_RATE}, got {self.learning_rate}.")
        if not 0 <= self.weight_decay <= MOST_RATE:
            raise SettingError(f"The weight decay must lie from 0 to {MOST_RATE}, got {self.weight_decay}.")

    def as_dict(self) -> dict[str, Any]:
        """JSON-able fields."""
        return asdict(self)


def usual_training(paired: bool, **changes: Any) -> TrainingSettings:
    """The defaults for sentences or for pairs, with some settings changed; changes that are ``None`` are left out.

    Those for pairs were chosen on the validation split of SICK.
    """
    usual = {"epochs": 18, "patience": 5, "learning_rate": 3e-3} if paired else {}
    return TrainingSettings(**usual | {key: value for key, value in changes.items() if value is not None})


@dataclass(frozen=True)
class Sentences:
    """Encoded, labelled sentences, or pairs of them.

    Attributes:
        offsets: (n+1,) where each row begins in ``ids``.
        ids: (N,) word ids.
        labels: (n,) class index, -1 for none.
        first: (n,) words of each premise, for rows that are a premise's words followed by a hypothesis's.
    """

    offsets: IntArray
    ids: IntArray
    labels: IntArray
    first: IntArray | None = None

    def batch(self, rows: IntArray) -> Batch | PairBatch:
        """The given rows, padded side by side."""
        return pad_rows(self.offsets, self.ids, rows, self.first)

    @property
    def lengths(self) -> IntArray:
        """(n,) words of each sentence."""
        return np.diff(self.offsets)

    def cut(self, words: int) -> Sentences:
        """The same sentences up to so many words each; pairs stay whole."""
        if self.first is not None:
            return self
        lengths = np.minimum(self.lengths, words)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        kept = np.repeat(self.offsets[:-1] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Sentences(offsets, self.ids[kept], self.labels)

    def joined(self, others: Sentences) -> Sentences:
        """These sentences and then the others; pairs take no others."""
        if self.first is not None:
            return self
        return Sentences(
            np.concatenate([self.offsets, self.offsets[-1] + others.offsets[1:]]),
            np.concatenate([self.ids, others.ids]),
            np.concatenate([self.labels, others.labels]),
        )

    @property
    def usable(self) -> IntArray:
        """Positions of sentences with a word and a label."""
        return np.flatnonzero((self.lengths > 0) & (self.labels >= 0))


@overload
def train(
    architecture: Architecture,
    training: Sentences,
    validation: Sentences,
    settings: TrainingSettings,
    progress: Progress = silent,
) -> tuple[RNNClassifier, list[dict[str, float]]]: ...


@overload
def train(
    architecture: PairArchitecture,
    training: Sentences,
    validation: Sentences,
    settings: TrainingSettings,
    progress: Progress = silent,
) -> tuple[ESIM, list[dict[str, float]]]: ...


def train(
    architecture: BuiltArchitecture,
    training: Sentences,
    validation: Sentences,
    settings: TrainingSettings,
    progress: Progress = silent,
) -> tuple[BuiltModel, list[dict[str, float]]]:
    """Train a classifier and keep the epoch with the best validation loss.

    Without usable validation sentences the last epoch is kept.

    Returns:
        The model in eval mode, and one record an epoch: epoch, training_loss, validation_loss, validation_accuracy.

    Raises:
        DataError: fewer than two classes among the training labels.
    """
    check_classes(training, architecture.classes)
    training = training.cut(settings.max_words)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        model = build_model(architecture)
        history = _run(model, training, validation, settings, progress)
    return model.eval(), history


def check_classes(training: Sentences, classes: int, names: Sequence[str] = ()) -> None:
    """Refuse to train on fewer than two classes.

    Args:
        training: the sentences to train on.
        classes: how many there are.
        names: of them, so that the one that is there can be named.

    Raises:
        DataError: the sentences with a label and a word have one class or none.
    """
    present, counts = np.unique(training.labels[training.usable], return_counts=True)
    if len(present) < 2:
        named = f" (“{names[present[0]]}”, {counts[0]:,} times)" if len(present) and len(names) else ""
        raise DataError(
            f"Training needs sentences of two classes or more, the training split has {len(present)} of {classes}"
            f"{named}; add labelled sentences of another class."
        )


def _run(
    model: BuiltModel,
    training: Sentences,
    validation: Sentences,
    settings: TrainingSettings,
    progress: Progress,
) -> list[dict[str, float]]:
    random = np.random.default_rng(settings.seed)
    weights = _class_weights(training, model.architecture.classes) if settings.class_weights else None
    loss_of = nn.CrossEntropyLoss(weight=weights)
    optimiser = torch.optim.Adam(model.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)
    history: list[dict[str, float]] = []
    best, best_weights, waited = float("inf"), None, 0
    groups = len(_shuffled(training, settings.batch, random))
    for epoch in range(settings.epochs):
        model.train()
        total = 0.0
        for number, rows in enumerate(_shuffled(training, settings.batch, random)):
            total += _step(model, optimiser, loss_of, training, rows, settings.word_dropout) * len(rows)
            progress("train", epoch * groups + number + 1, settings.epochs * groups)
        record = {"epoch": epoch + 1, "training_loss": total / len(training.usable)}
        history.append(record)
        if not len(validation.usable):
            continue
        record["validation_loss"], record["validation_accuracy"] = evaluate(model, validation)
        if record["validation_loss"] < best:
            best, best_weights, waited = record["validation_loss"], copy.deepcopy(model.state_dict()), 0
        else:
            waited += 1
            if waited >= settings.patience:
                break
    if best_weights is not None:
        model.load_state_dict(best_weights)
    progress("train", settings.epochs * groups, settings.epochs * groups)
    return history


def _step(
    model: BuiltModel,
    optimiser: torch.optim.Optimizer,
    loss_of: nn.Module,
    training: Sentences,
    rows: IntArray,
    word_dropout: float,
) -> float:
    batch = training.batch(rows)
    if word_dropout:
        for side in batch.sides:
            side.ids[(torch.rand(side.ids.shape) < word_dropout) & side.mask] = UNKNOWN_ID
    optimiser.zero_grad(set_to_none=True)
    loss = loss_of(model(batch), torch.from_numpy(training.labels[rows].astype(np.int64)))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimiser.step()
    return float(loss.detach())


def _shuffled(sentences: Sentences, size: int, random: np.random.Generator) -> list[IntArray]:
    """Batches of similar length in random order: lengths are jittered so that batches differ from epoch to epoch."""
    rows = sentences.usable
    lengths = sentences.lengths[rows]
    order = rows[np.argsort(lengths * random.uniform(0.8, 1.25, len(rows)), kind="stable")]
    groups = [
        order[begin : begin + size][part]
        for begin in range(0, len(order), size)
        for part in by_length(sentences.lengths[order[begin : begin + size]], BATCH_WORDS)
    ]
    return [groups[i] for i in random.permutation(len(groups))]


def _class_weights(sentences: Sentences, classes: int) -> torch.Tensor:
    counts = np.bincount(sentences.labels[sentences.usable], minlength=classes)
    weights = np.where(counts > 0, counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1)), 0.0)
    return torch.from_numpy(weights.astype(np.float32))


@torch.no_grad()
def evaluate(model: BuiltModel, sentences: Sentences) -> tuple[float, float]:
    """Mean cross-entropy and accuracy over the labelled sentences."""
    model.eval()
    usable = sentences.usable
    lengths = np.zeros(len(sentences.labels), dtype=np.int64)
    lengths[usable] = sentences.lengths[usable]
    loss, right = 0.0, 0
    for rows in by_length(lengths):
        logits = model(sentences.batch(rows))
        labels = torch.from_numpy(sentences.labels[rows].astype(np.int64))
        loss += float(nn.functional.cross_entropy(logits, labels, reduction="sum"))
        right += int((logits.argmax(1) == labels).sum())
    return loss / len(usable), right / len(usable)
