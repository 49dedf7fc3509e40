"""What every relevance method returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
import torch
from torch import Tensor

from seer.errors import SettingError, shown
from seer.models.batches import Batch
from seer.models.classifier import CELL_NAMES, CELLS, Architecture, RNNClassifier
from seer.models.readout import READ_OUTS
from seer.traces import FloatArray, IntArray

Target = Tensor | IntArray | Sequence[int] | int | None
"""Which class's logit is explained: one for each sentence (B,), one for all, or ``None`` for the predicted one."""

F = TypeVar("F", bound=Callable[..., "WordRelevance"])


@dataclass(frozen=True)
class WordRelevance:
    """How much each word of n sentences speaks for a class (positive) or against it (negative): N words in all.

    Attributes:
        offsets: (n+1,) where each sentence begins in ``token`` and ``relevance``.
        token: (N,) word ids.
        relevance: (N,) signed, on the scale of the logit.
        target: (n,) the class that is explained.
        prediction: (n,) the class the model predicts.
        logit: (n,) the target's logit.
        rest: (n,) what the method gives to no word by its own definition, such as the logit of a baseline, or the
            relevance that reaches the states before the first word.
        chosen: (n,) of each setting that the method chose for each sentence by itself, such as ``nodes``.
    """

    offsets: IntArray
    token: IntArray
    relevance: FloatArray
    target: IntArray
    prediction: IntArray
    logit: FloatArray
    rest: FloatArray
    chosen: dict[str, IntArray] = field(default_factory=dict, kw_only=True)

    def __len__(self) -> int:
        return len(self.target)

    @property
    def lengths(self) -> IntArray:
        """(n,) words of each sentence."""
        return np.diff(self.offsets)

    @property
    def total(self) -> FloatArray:
        """(n,) the sum over each sentence's words."""
        sentence = np.repeat(np.arange(len(self)), self.lengths)
        return np.bincount(sentence, weights=self.relevance, minlength=len(self)).astype(np.float64)

    @property
    def gap(self) -> FloatArray:
        """(n,) logit − total − rest: 0 where the method shares the logit out among the words without loss."""
        return self.logit - self.total - self.rest

    @property
    def strain(self) -> tuple[float, float]:
        """The largest |relevance| of a word, and |logit| of its sentence; zeros without a word."""
        if not len(self.relevance):
            return 0.0, 0.0
        word = int(np.abs(self.relevance).argmax())
        sentence = int(np.searchsorted(self.offsets, word, side="right")) - 1
        return abs(float(self.relevance[word])), abs(float(self.logit[sentence]))

    def words_of(self, sentence: int) -> slice:
        """The words of one sentence, as a slice into ``token`` and ``relevance``."""
        return slice(int(self.offsets[sentence]), int(self.offsets[sentence + 1]))

    def of(self, sentence: int) -> FloatArray:
        """(T,) the relevance of one sentence's words."""
        return self.relevance[self.words_of(sentence)]

    @classmethod
    def from_batch(
        cls,
        batch: Batch,
        relevance: Tensor,
        logits: Tensor,
        target: Tensor,
        rest: Tensor | None = None,
        chosen: dict[str, IntArray] | None = None,
    ) -> WordRelevance:
        """Leave the padding out.

        Args:
            batch: B sentences padded to T words.
            relevance: (B, T); what stands at padding is not read.
            logits: (B, C).
            target: (B,).
            rest: (B,), 0 when not given.
            chosen: (B,) of each setting that the method chose by itself.
        """
        lengths, ids, values = batch.lengths.numpy(), batch.ids.numpy(), relevance.detach().numpy()
        real, scores = np.arange(ids.shape[1]) < lengths[:, None], logits.detach().numpy()
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]),
            ids[real],
            values[real],
            target.numpy(),
            scores.argmax(1),
            scores[np.arange(len(lengths)), target.numpy()],
            np.zeros(len(lengths)) if rest is None else rest.detach().numpy(),
            chosen=chosen or {},
        )

    @classmethod
    def nothing(cls) -> WordRelevance:
        """The record of no sentence."""
        none, empty = np.zeros(0, dtype=np.int64), np.zeros(0)
        return cls(np.zeros(1, dtype=np.int64), none, empty, none, none, empty, empty)

    @classmethod
    def join(cls, parts: Sequence[WordRelevance]) -> WordRelevance:
        """Several records of one method as one, in their order."""
        if not parts:
            return cls.nothing()
        lengths = np.concatenate([part.lengths for part in parts])
        rows = ("token", "relevance", "target", "prediction", "logit", "rest")
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in rows),
            chosen={name: np.concatenate([part.chosen[name] for part in parts]) for name in parts[0].chosen},
        )

    def select(self, sentences: IntArray) -> WordRelevance:
        """The given sentences (m,), in the given order."""
        lengths = self.lengths[sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        words = np.repeat(self.offsets[:-1][sentences] - offsets[:-1], lengths) + np.arange(offsets[-1])
        of_sentence = (getattr(self, name)[sentences] for name in ("target", "prediction", "logit", "rest"))
        chosen = {name: values[sentences] for name, values in self.chosen.items()}
        return WordRelevance(offsets, self.token[words], self.relevance[words], *of_sentence, chosen=chosen)


class RelevanceOverflowError(SettingError):
    """With these settings the relevance grows beyond what the model's precision holds."""


def of_sentences(attribute: F) -> F:
    """Make a method answer no sentence with an empty record, and refuse sentences without a word."""

    @wraps(attribute)
    def checked(model: RNNClassifier, batch: Batch, target: Target = None, **settings: Any) -> WordRelevance:
        if not len(batch.lengths):
            return WordRelevance.nothing()
        require_words(batch.lengths.numpy())
        return attribute(model, batch, target, **settings)

    return cast(F, checked)


def require_words(lengths: IntArray) -> None:
    """Stop where one of the sentences to explain, of the given lengths (m,), has no word.

    Raises:
        SettingError: one has none.
    """
    without = np.flatnonzero(lengths < 1)
    if len(without):
        raise SettingError(
            f"Every sentence needs a word to be explained; {len(without):,} of {len(lengths):,} have none, the first "
            f"at place {without[0]}. Leave out those without."
        )


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, Python's or numpy's."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole_number(value: Any, least: int, most: int, title: str, noun: str) -> int:
    """A setting that counts something.

    Raises:
        SettingError: it is not a whole number from ``least`` to ``most``.
    """
    if is_whole(value) and least <= value <= most:
        return int(value)
    got = f"{value:,}" if is_whole(value) or isinstance(value, float) else shown(value)
    raise SettingError(f"{title} needs {least:,} to {most:,} {noun}, got {got}; give a whole number.")


def class_numbers(target: Any) -> IntArray:
    """Classes (…) as whole numbers, from a number, a sequence, an array or a tensor of them.

    Raises:
        SettingError: they are not whole numbers.
    """
    try:
        given = np.asarray(target.detach().cpu() if isinstance(target, Tensor) else target)
    except ValueError:  # sequences of different lengths
        given = np.asarray("?")
    if given.size and given.dtype.kind not in "iu":
        raise SettingError(
            f"A target class is a whole number, one for all sentences or one for each; got {shown(target)}."
        )
    return given.astype(np.int64)


def targets(target: Target, logits: Tensor) -> Tensor:
    """(B,) int64 classes to explain: those given, or those predicted.

    Args:
        target: a class for each sentence, one for all, or ``None``.
        logits: (B, C).

    Raises:
        SettingError: a class that the model does not have, not a whole number, or not one for each sentence.
    """
    count, classes = logits.shape
    if target is None:
        return logits.detach().argmax(1)
    chosen = torch.from_numpy(class_numbers(target))
    if not chosen.ndim:
        chosen = chosen.expand(count)
    if chosen.shape != (count,):
        raise SettingError(f"Expected one target class for each of {count} sentences, got shape {tuple(chosen.shape)}.")
    if ((chosen < 0) | (chosen >= classes)).any():
        raise SettingError(f"The target class must lie from 0 to {classes - 1}, got {chosen.tolist()}.")
    return chosen


def why_not(
    architecture: Architecture,
    title: str,
    cells: Sequence[str] = tuple(CELLS),
    layers: bool = True,
    read_outs: Sequence[str] = tuple(READ_OUTS),
    linear: bool = False,
) -> str | None:
    """Why a method does not apply to a model, in a sentence; ``None`` when it does.

    Args:
        architecture: of the model.
        title: what a person calls the method.
        cells: of which recurrent nets it is defined.
        layers: whether it is defined for more than one layer.
        read_outs: for which of ``READ_OUTS`` it is defined.
        linear: whether it is defined for a linear head alone.
    """
    if architecture.cell not in cells:
        named = " or ".join(CELL_NAMES[cell] for cell in cells)
        return f"{title} is defined for {named}; this model is a {CELL_NAMES[architecture.cell]}."
    if not layers and architecture.layers > 1:
        return f"{title} is defined for one layer; this model has {architecture.layers}."
    if architecture.read_out not in read_outs:
        where = ", or ".join(READ_OUTS[name] for name in read_outs)
        return f"{title} is defined for heads that read {where}; this model's reads {READ_OUTS[architecture.read_out]}."
    if linear and architecture.head:
        return f"{title} is defined for a linear head; this model's has {len(architecture.head) + 1} layers."
    return None


def require(model: RNNClassifier, title: str, **defined: Any) -> None:
    """Stop where a method is not defined for the model; the arguments are those of ``why_not``.

    Raises:
        SettingError: it is not.
    """
    reason = why_not(model.architecture, title, **defined)
    if reason is not None:
        raise SettingError(reason)
