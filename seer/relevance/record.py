"""What every relevance method returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.models.classifier import CELLS, Architecture, RNNClassifier
from seer.traces import FloatArray, IntArray

Target = Tensor | int | None
"""Which class's logit is explained: one for each sentence (B,), one for all, or ``None`` for the predicted one."""


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
    """

    offsets: IntArray
    token: IntArray
    relevance: FloatArray
    target: IntArray
    prediction: IntArray
    logit: FloatArray
    rest: FloatArray

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

    def words_of(self, sentence: int) -> slice:
        """The words of one sentence, as a slice into ``token`` and ``relevance``."""
        return slice(int(self.offsets[sentence]), int(self.offsets[sentence + 1]))

    def of(self, sentence: int) -> FloatArray:
        """(T,) the relevance of one sentence's words."""
        return self.relevance[self.words_of(sentence)]

    @classmethod
    def from_batch(
        cls, batch: Batch, relevance: Tensor, logits: Tensor, target: Tensor, rest: Tensor | None = None
    ) -> WordRelevance:
        """Leave the padding out.

        Args:
            batch: B sentences padded to T words.
            relevance: (B, T); what stands at padding is not read.
            logits: (B, C).
            target: (B,).
            rest: (B,), 0 when not given.
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
        )

    @classmethod
    def join(cls, parts: Sequence[WordRelevance]) -> WordRelevance:
        """Several records as one, in their order."""
        lengths = np.concatenate([part.lengths for part in parts])
        rows = ("token", "relevance", "target", "prediction", "logit", "rest")
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in rows),
        )

    def select(self, sentences: IntArray) -> WordRelevance:
        """The given sentences (m,), in the given order."""
        lengths = self.lengths[sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        words = np.repeat(self.offsets[:-1][sentences] - offsets[:-1], lengths) + np.arange(offsets[-1])
        of_sentence = (getattr(self, name)[sentences] for name in ("target", "prediction", "logit", "rest"))
        return WordRelevance(offsets, self.token[words], self.relevance[words], *of_sentence)


def targets(target: Target, logits: Tensor) -> Tensor:
    """(B,) int64 classes to explain: those given, or those predicted.

    Args:
        target: a class for each sentence, one for all, or ``None``.
        logits: (B, C).

    Raises:
        SettingError: a class that the model does not have, or not one for each sentence.
    """
    count, classes = logits.shape
    if target is None:
        return logits.detach().argmax(1)
    chosen = torch.as_tensor(target, dtype=torch.int64).expand(count) if isinstance(target, int) else target
    if chosen.shape != (count,):
        raise SettingError(f"Expected one target class for each of {count} sentences, got shape {tuple(chosen.shape)}.")
    if ((chosen < 0) | (chosen >= classes)).any():
        raise SettingError(f"The target class must lie from 0 to {classes - 1}, got {chosen.tolist()}.")
    return chosen.to(torch.int64)


def why_not(
    architecture: Architecture, title: str, cells: Sequence[str] = tuple(CELLS), layers: bool = True
) -> str | None:
    """Why a method does not apply to a model, in a sentence; ``None`` when it does.

    Args:
        architecture: of the model.
        title: what a person calls the method.
        cells: of which recurrent nets it is defined.
        layers: whether it is defined for more than one layer.
    """
    if architecture.cell not in cells:
        named = " or ".join(cell.upper() for cell in cells)
        return f"{title} is defined for {named}; this model is a {architecture.cell.upper()}."
    if not layers and architecture.layers > 1:
        return f"{title} is defined for one layer; this model has {architecture.layers}."
    return None


def require(model: RNNClassifier, title: str, cells: Sequence[str] = tuple(CELLS), layers: bool = True) -> None:
    """Stop where a method is not defined for the model; the arguments are those of ``why_not``.

    Raises:
        SettingError: it is not.
    """
    reason = why_not(model.architecture, title, cells, layers)
    if reason is not None:
        raise SettingError(reason)


@contextmanager
def evaluating(model: RNNClassifier) -> Iterator[None]:
    """Evaluate the model without dropout, and leave every part of it in the mode it was handed in."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode
