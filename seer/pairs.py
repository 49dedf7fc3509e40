"""Attention and LSTM gates of a sentence-pair classifier, and their saliency.

Source: Ghaeini, Fern, Tadepalli, EMNLP 2018 (arXiv 1808.03894), on ESIM (Chen et al., ACL 2017). With S the score of a
class, the saliency of an attention score is ∂S/∂e_ij and that of a gate ∂S/∂gate, a total derivative: a gate at one
step is a node of its own, and what follows it in the recurrence changes too. So all nodes must lie in the graph that
gives S; gates recomputed from stored states would have the right values and no gradient.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from seer.errors import SettingError
from seer.models.batches import PairBatch, by_length, make_pairs
from seer.models.esim import ESIM, Reading
from seer.models.unrolled import Gates, gates_by_word, unrolled
from seer.traces import FloatArray, IntArray

GATES = ("input", "forget", "cell", "output")
"""The gates in the order of the arrays here, which is PyTorch's; cell is the candidate."""

LAYERS = ("input encoding", "inference")
DIRECTIONS = ("forward", "backward")
SCORES = ("logit", "probability")

_WORDS = 2048  # of a side at a time


@dataclass(frozen=True)
class PairSaliency:
    """What attention and gates do on B pairs, and how much a class's score S hangs on them.

    T is the longest sentence of the batch; everything is indexed by word position, for the right-to-left direction
    too, and exactly 0 at padding.

    Attributes:
        lengths: (2, B) words of the premises and of the hypotheses.
        target: (B,) class of S.
        logits: (B, C).
        scores: (B, T, T) e_ij, unnormalised attention of premise word i and hypothesis word j.
        over_hypothesis: (B, T, T) softmax over j.
        over_premise: (B, T, T) softmax over i.
        attention: (B, T, T) ∂S/∂e_ij, signed; it sums to 0 over each pair.
        gates: (2, 2, B, 2, 4, T, H) layer, sentence, pair, direction, gate of ``GATES``, word, unit.
        gate_gradient: the same shape, ∂S/∂gate.
        word_gradient: (2, B, T, E) ∂S/∂(word vector).
    """

    lengths: IntArray
    target: IntArray
    logits: FloatArray
    scores: FloatArray
    over_hypothesis: FloatArray
    over_premise: FloatArray
    attention: FloatArray
    gates: FloatArray
    gate_gradient: FloatArray
    word_gradient: FloatArray

    def __len__(self) -> int:
        return len(self.target)

    @property
    def prediction(self) -> IntArray:
        """(B,) the predicted class."""
        predicted: IntArray = self.logits.argmax(1)
        return predicted

    @property
    def probability(self) -> FloatArray:
        """(B, C)."""
        return torch.softmax(torch.from_numpy(self.logits), dim=1).numpy()

    @property
    def attention_saliency(self) -> FloatArray:
        """(B, T, T) |∂S/∂e_ij|."""
        return np.abs(self.attention)

    @property
    def gate_signal(self) -> FloatArray:
        """(2, 2, B, 2, 4, T) L2 norm of each gate over its units."""
        return _norm(self.gates)

    @property
    def gate_saliency(self) -> FloatArray:
        """(2, 2, B, 2, 4, T) L2 norm of ∂S/∂gate over the units."""
        return _norm(self.gate_gradient)

    @property
    def word_saliency(self) -> FloatArray:
        """(2, B, T) L2 norm of ∂S/∂(word vector)."""
        return _norm(self.word_gradient)


def pair_saliency(
    model: ESIM, batch: PairBatch, target: Tensor | int | None = None, *, score: str = "logit"
) -> PairSaliency:
    """Attention, gates and their saliency for a batch of pairs, in one forward and one backward pass.

    Args:
        model: its mode, weights and gradients are left as they are; dropout is off.
        batch: B pairs; a side may be without a word.
        target: class of S: one a pair (B,), one for all, or ``None`` for the predicted one.
        score: S is the class's ``logit`` or its ``probability``.

    Raises:
        SettingError: another score, or a class that the model does not have.
    """
    if score not in SCORES:
        raise SettingError(f"The score must be one of {', '.join(SCORES)}; got {score!r}.")
    layers: list[Gates] = []
    kept: list[Tensor] = []

    def run(net: nn.RNNBase, inputs: Tensor, lengths: Tensor) -> Tensor:
        states, gates = unrolled(net, inputs, lengths)
        layers.append(gates)
        return states

    def keep(scores: Tensor) -> Tensor:
        kept.append(scores)
        return scores

    training = model.training
    model.eval()
    try:
        with torch.enable_grad():
            vectors = model.embed(batch).detach().requires_grad_()
            read = model.read(vectors, batch, run=run, on_scores=keep)
            chosen = _targets(target, read.logits)
            value = read.logits if score == "logit" else torch.softmax(read.logits, dim=1)
            wanted = [vectors, *kept, *(gate for gates in layers for step in gates for gate in step)]
            total = value.gather(1, chosen[:, None]).sum()
            grads = torch.autograd.grad(total, wanted)
    finally:
        model.train(training)
    by_step = list(zip(grads[2::2], grads[3::2], strict=True))
    steps = len(by_step) // 2
    gates, gradient = (gates_by_word(both, batch.lengths) for both in (layers, (by_step[:steps], by_step[steps:])))
    return PairSaliency(
        batch.lengths.view(2, -1).numpy(),
        chosen.numpy(),
        read.logits.detach().numpy(),
        *_attention(read),
        grads[1].numpy(),
        gates.view(2, 2, -1, *gates.shape[2:]).numpy(),
        gradient.view(2, 2, -1, *gates.shape[2:]).numpy(),
        grads[0].view(2, -1, *vectors.shape[1:]).numpy(),
    )


def saliencies(
    model: ESIM,
    offsets: IntArray,
    ids: IntArray,
    first: IntArray,
    pairs: IntArray | None = None,
    *,
    score: str = "logit",
) -> Iterator[tuple[IntArray, PairSaliency]]:
    """Attention, gates and their saliency for many pairs, in batches of similar length that stay in the cache.

    Args:
        model: as for ``pair_saliency``.
        offsets: (n+1,) where each pair begins in ``ids``.
        ids: (N,) word ids, a premise's and then a hypothesis's.
        first: (n,) words of each premise.
        pairs: positions of those to read, all by default; pairs without a word on either side are passed over.
        score: S is the predicted class's ``logit`` or its ``probability``.

    Yields:
        positions (B,), and what ``pair_saliency`` says of the pairs there.
    """
    chosen = np.arange(len(first)) if pairs is None else pairs
    longest = np.maximum(first, np.diff(offsets) - first)[chosen]
    for part in by_length(longest, _WORDS):
        rows = chosen[part]
        yield rows, pair_saliency(model, make_pairs(offsets, ids, first, rows), score=score)


def _attention(read: Reading) -> tuple[FloatArray, FloatArray, FloatArray]:
    found = (read.scores, read.over_hypothesis, read.over_premise)
    scores, over_hypothesis, over_premise = (part.detach().numpy() for part in found)
    return scores, over_hypothesis, over_premise


def _targets(target: Tensor | int | None, logits: Tensor) -> Tensor:
    if target is None:
        return logits.detach().argmax(1)
    chosen = torch.as_tensor(target, dtype=torch.int64).expand(len(logits))
    if ((chosen < 0) | (chosen >= logits.shape[1])).any():
        raise SettingError(f"The target class must lie from 0 to {logits.shape[1] - 1}, got {chosen.tolist()}.")
    return chosen


def _norm(values: FloatArray) -> FloatArray:
    """L2 norm over the last axis."""
    squares: FloatArray = np.einsum("...h,...h->...", values, values)
    return np.sqrt(squares)
