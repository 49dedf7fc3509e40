"""Traces: what a model did at every step of every sentence, as flat ragged arrays.

Sentence ``i`` owns the steps ``offsets[i]:offsets[i + 1]``. Everything after the model reads these arrays only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from dataclasses import field as dataclass_field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from seer.errors import DataError

IntArray = npt.NDArray[np.integer]
FloatArray = npt.NDArray[np.floating]

START = 0
"""The state that every trace leaves before its first word."""

NO_CLASS = -1
"""The prediction of a sentence without a token, and the label of a sentence without one."""

_KINDS = {"offsets": "i", "token": "i", "state": "i", "predicted": "i", "probability": "f"}
"""Kind of numpy's type of each array: whole numbers, or floats."""

_ROUNDED = 1e-3
"""How far a probability may lie above 1 by rounding."""


@dataclass(frozen=True)
class Traces:
    """N steps of n sentences.

    Attributes:
        offsets: (n+1,) int64, where each sentence's steps begin.
        token: (N,) int32, vocabulary id of the word read at the step.
        state: (N,) int16, abstract state 1..K after the word.
        predicted: (N,) int16, class of the intermediate prediction.
        probability: (N, C) float32, the intermediate prediction.
    """

    offsets: IntArray
    token: IntArray
    state: IntArray
    predicted: IntArray
    probability: FloatArray

    def __post_init__(self) -> None:
        shapes = [getattr(self, field.name).ndim for field in fields(self)]
        if shapes != [1, 1, 1, 1, 2]:
            raise DataError(f"Traces need four flat arrays and one of two dimensions, got the dimensions {shapes}.")
        steps = int(self.offsets[-1]) if len(self.offsets) else -1
        if steps < 0 or self.offsets[0] != 0 or (np.diff(self.offsets) < 0).any():
            raise DataError("Traces need offsets that start at 0 and never fall.")
        for field in fields(self)[1:]:
            if len(getattr(self, field.name)) != steps:
                raise DataError(
                    f"Traces: {field.name} has {len(getattr(self, field.name))} steps, the offsets say {steps}."
                )

    @property
    def sentences(self) -> int:
        """Number of sentences n, those without a token included."""
        return len(self.offsets) - 1

    @property
    def steps(self) -> int:
        """Number of steps N."""
        return int(self.offsets[-1])

    @property
    def classes(self) -> int:
        """Number of classes C."""
        return int(self.probability.shape[1])

    @cached_property
    def lengths(self) -> IntArray:
        """(n,) tokens of each sentence."""
        return np.diff(self.offsets)

    @cached_property
    def sentence(self) -> IntArray:
        """(N,) sentence of each step."""
        return np.repeat(np.arange(self.sentences), self.lengths)

    @cached_property
    def first(self) -> npt.NDArray[np.bool_]:
        """(N,) whether the step is its sentence's first."""
        mask = np.zeros(self.steps, dtype=bool)
        mask[self.offsets[:-1][self.lengths > 0]] = True
        return mask

    @cached_property
    def source(self) -> IntArray:
        """(N,) state before the word: the state of the step before, or ``START``."""
        before = np.empty_like(np.asarray(self.state))
        before[1:] = self.state[:-1]
        before[self.first] = START
        return before

    @cached_property
    def prediction(self) -> IntArray:
        """(n,) class after the last word, ``NO_CLASS`` for a sentence without a token."""
        out = np.full(self.sentences, NO_CLASS, dtype=np.int16)
        read = self.lengths > 0
        out[read] = self.predicted[self.offsets[1:][read] - 1]
        return out

    @cached_property
    def final_probability(self) -> FloatArray:
        """(n, C) distribution after the last word, NaN for a sentence without a token."""
        out = np.full((self.sentences, self.classes), np.nan, dtype=np.float32)
        read = self.lengths > 0
        out[read] = self.probability[self.offsets[1:][read] - 1]
        return out

    @cached_property
    def confidence(self) -> FloatArray:
        """(n,) probability of the predicted class after the last word, NaN without a token."""
        best: FloatArray = self.final_probability.max(axis=1)
        return best

    def steps_of(self, sentence: int) -> slice:
        """The steps of one sentence, as a slice into the flat arrays."""
        return slice(int(self.offsets[sentence]), int(self.offsets[sentence + 1]))

    def select(self, sentences: IntArray) -> Traces:
        """The traces of the given sentences, in the given order.

        Args:
            sentences: (m,) positions, repeats allowed.
        """
        lengths = self.lengths[sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        steps = np.repeat(self.offsets[:-1][sentences] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Traces(offsets, self.token[steps], self.state[steps], self.predicted[steps], self.probability[steps])

    @classmethod
    def joined(cls, parts: Sequence[Traces]) -> Traces:
        """The sentences of several traces of one model, one after another."""
        lengths = np.concatenate([part.lengths for part in parts])
        steps = (np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)[1:])
        return cls(np.concatenate([[0], np.cumsum(lengths)]), *steps)

    def save(self, folder: Path) -> None:
        """Write one ``.npy`` file a field into ``folder``, made when absent inside one that is there."""
        folder.mkdir(exist_ok=True)
        for field in fields(self):
            np.save(folder / f"{field.name}.npy", getattr(self, field.name), allow_pickle=False)

    @classmethod
    def load(cls, folder: Path) -> Traces:
        """Map the files of ``save`` into memory; nothing is read before it is used.

        Raises:
            DataError: a file is missing or damaged.
        """
        arrays = {}
        for name, kind in _KINDS.items():
            try:
                arrays[name] = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError, EOFError) as error:
                raise DataError(f"The file {name}.npy of the traces is damaged; analyse the study again.") from error
            if arrays[name].dtype.kind != kind:
                raise DataError(f"The file {name}.npy of the traces is damaged: it holds {arrays[name].dtype}.")
        return cls(**arrays)

    def fault(self, states: int, classes: int, words: int) -> str | None:
        """What is out of range for a study of so many states, classes and words, ``None`` where nothing is."""
        if self.classes != classes:
            return f"its traces are of {self.classes:,} classes, and it has {classes:,}"
        ranges = {"token": (0, words - 1), "state": (START + 1, states), "predicted": (0, classes - 1)}
        for name, (least, most) in (ranges | {"probability": (0, 1)}).items():
            values = getattr(self, name)
            # One number that is none makes both ends so, and a comparison with it fails.
            if values.size and not (least <= values.min() and values.max() <= most + _ROUNDED):
                return f"in its traces, a value of {name} is not from {least} to {most:,}"
        return None


@dataclass(frozen=True)
class SentenceTrace:
    """One sentence read word by word: T words, C classes.

    Attributes:
        text: as it was given.
        classes: class names in their stored order.
        span: (T, 2) where each word stands in ``text``.
        known: (T,) whether the word is in the vocabulary.
        state: (T,) abstract state after the word.
        predicted: (T,) class after the word.
        probability: (T, C) distribution after the word.
        stride: the intermediate prediction is new at every ``stride``-th word (above 1 only for long texts of a model
            that is re-run on every prefix).
        second: of a sentence pair, the step at which the hypothesis begins (T where it has no word).
        token: (T,) vocabulary id of the word; needed where the sentence is searched.
        whole: words of the text where it is cut to T words, ``None`` where it is read whole.
    """

    text: str
    classes: tuple[str, ...]
    span: IntArray
    known: npt.NDArray[np.bool_]
    state: IntArray
    predicted: IntArray
    probability: FloatArray
    stride: int = 1
    second: int | None = None
    token: IntArray = dataclass_field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    whole: int | None = None

    def __len__(self) -> int:
        return len(self.span)

    @property
    def words(self) -> tuple[str, ...]:
        """(T,) the words as written."""
        return tuple(self.text[begin:end] for begin, end in self.span)

    @property
    def cut_line(self) -> str | None:
        """How much of a cut text is read, in a sentence; ``None`` where it is read whole."""
        if self.whole is None:
            return None
        return f"{len(self):,} of {self.whole:,} words used: this model's texts are cut there."

    @property
    def prediction(self) -> str | None:
        """Name of the class after the last word, ``None`` without a word."""
        return self.classes[self.predicted[-1]] if len(self) else None

    @property
    def final(self) -> dict[str, float] | None:
        """Class name → probability after the last word, ``None`` without a word."""
        return dict(zip(self.classes, map(float, self.probability[-1]), strict=True)) if len(self) else None

    @property
    def flips(self) -> IntArray:
        """Steps at which the predicted class differs from the one a word before."""
        return np.flatnonzero(self.predicted[1:] != self.predicted[:-1]) + 1

    @property
    def path(self) -> tuple[int, ...]:
        """The states in order, the start first."""
        return (START, *map(int, self.state))

    def records(self) -> list[dict[str, object]]:
        """One JSON-able record a word: text, start, end, known, state, predicted, probabilities."""
        return [
            {
                "text": word,
                "start": int(begin),
                "end": int(end),
                "known": bool(known),
                "state": int(state),
                "predicted": self.classes[predicted],
                "probabilities": dict(zip(self.classes, map(float, probability), strict=True)),
            }
            for word, (begin, end), known, state, predicted, probability in zip(
                self.words, self.span, self.known, self.state, self.predicted, self.probability, strict=True
            )
        ]
