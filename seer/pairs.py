"""Attention and LSTM gates of a sentence-pair classifier, and their saliency.

Source: Ghaeini, Fern, Tadepalli, EMNLP 2018 (arXiv 1808.03894), on ESIM (Chen et al., ACL 2017). With S the score of a
class, the saliency of an attention score is ∂S/∂e_ij and that of a gate ∂S/∂gate, a total derivative: a gate at one
step is a node of its own, and what follows it in the recurrence changes too. So all nodes must lie in the graph that
gives S; gates recomputed from stored states would have the right values and no gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from seer.errors import SettingError
from seer.models.batches import PairBatch
from seer.models.esim import ESIM, Reading
from seer.models.recurrent import direction_weights, reverse
from seer.traces import FloatArray, IntArray

GATES = ("input", "forget", "cell", "output")
"""The gates in the order of the arrays here, which is PyTorch's; cell is the candidate."""

LAYERS = ("input encoding", "inference")
DIRECTIONS = ("forward", "backward")
SCORES = ("logit", "probability")


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
    nodes: list[_Nodes] = []
    kept: list[Tensor] = []

    def run(net: nn.RNNBase, inputs: Tensor, lengths: Tensor) -> Tensor:
        states, found = _unrolled(net, inputs, lengths)
        nodes.append(found)
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
            wanted = [vectors, *kept, *(gate for found in nodes for gate in found.gates)]
            total = value.gather(1, chosen[:, None]).sum()
            grads = torch.autograd.grad(total, wanted)
    finally:
        model.train(training)
    steps = vectors.shape[1]
    gate_grads = [grads[2 : 2 + 2 * steps], grads[2 + 2 * steps :]]
    lengths = batch.lengths
    real = (torch.arange(steps) < lengths[:, None]).view(2, -1, steps)
    return PairSaliency(
        lengths.view(2, -1).numpy(),
        chosen.numpy(),
        read.logits.detach().numpy(),
        *_attention(read),
        grads[1].numpy(),
        torch.stack([_by_word(found.gates, lengths) for found in nodes]).numpy(),
        torch.stack([_by_word(found, lengths) for found in gate_grads]).numpy(),
        (grads[0].view(*real.shape, -1) * real[..., None]).numpy(),
    )


@dataclass(frozen=True)
class _Nodes:
    """The gates of one LSTM: at each of T steps the three sigmoid gates (2, R, 3H), then the candidate (2, R, H)."""

    gates: tuple[Tensor, ...]


def _unrolled(net: nn.RNNBase, inputs: Tensor, lengths: Tensor) -> tuple[Tensor, _Nodes]:
    """A two-way LSTM step by step, both directions side by side, with every gate as a node of the graph.

    Args:
        net: one layer, two-way.
        inputs: (R, T, E).
        lengths: (R,).

    Returns:
        (R, T, 2H) states, each at its word's place, and the gates in the order in which each direction reads.
    """
    size = net.hidden_size
    weights = [torch.stack(both) for both in zip(*(direction_weights(net, 0, way) for way in _WAYS), strict=True)]
    into, again, bias_in, bias_again = weights
    # Sigmoid gates first (input, forget, output), the candidate last: two activations a step.
    order = torch.cat([torch.arange(2 * size), torch.arange(3 * size, 4 * size), torch.arange(2 * size, 3 * size)])
    both = torch.stack([inputs, reverse(inputs, lengths)])
    bias = (bias_in + bias_again)[:, order]
    projected = torch.einsum("drte,dke->tdrk", both, into[:, order]) + bias[:, None, :]
    recurrent = again[:, order].transpose(1, 2)
    state = cell = inputs.new_zeros(2, len(inputs), size)
    states, gates = [], []
    for step in projected.unbind(0):
        before = torch.baddbmm(step, state, recurrent)
        opening = torch.sigmoid(before[..., : 3 * size])
        candidate = torch.tanh(before[..., 3 * size :])
        gates += [opening, candidate]
        let_in, kept, let_out = opening.chunk(3, dim=-1)
        cell = kept * cell + let_in * candidate
        state = let_out * torch.tanh(cell)
        states.append(state)
    forward, backward = torch.stack(states, dim=2)
    return torch.cat([forward, reverse(backward, lengths)], dim=-1), _Nodes(tuple(gates))


_WAYS = ("", "_reverse")


def _by_word(gates: tuple[Tensor, ...], lengths: Tensor) -> Tensor:
    """(2, B, 2, 4, T, H) gates of one LSTM by sentence, pair, direction, gate, word and unit; 0 at padding."""
    opening, candidate = torch.stack(gates[::2]).detach(), torch.stack(gates[1::2]).detach()  # (T, 2, R, ·)
    let_in, kept, let_out = opening.chunk(3, dim=-1)
    found = torch.stack([let_in, kept, candidate, let_out]).permute(2, 3, 1, 0, 4)  # (2, R, T, 4, H)
    forward, backward = found.flatten(3)
    rows, steps, units = forward.shape
    placed = torch.stack([forward, reverse(backward, lengths)], dim=1).view(rows, 2, steps, 4, units // 4)
    real = torch.arange(steps) < lengths[:, None]
    placed = torch.where(real[:, None, :, None, None], placed, torch.zeros_like(placed)).transpose(2, 3)
    return placed.reshape(2, rows // 2, *placed.shape[1:])


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
