"""Contextual decomposition (CD): which part of the logits comes from a span of words, for one-layer LSTMs.

Source: Murdoch, Liu and Yu, "Beyond Word Importance: Contextual Decomposition to Extract Interactions from LSTMs"
(ICLR 2018), section 3.2, with the averages of the authors' program. Every quantity v of the LSTM is written as a part β
that comes from the span and a part γ that does not, v = β + γ. An activation shares its value out by the mean over the
orders in which the parts may come. The bias b comes first in a gate, so that with the pre-activation z = β + γ + b::

    part of the gate:  B = (act(β + b) − act(b) + act(z) − act(z − β)) / 2,        bias's part: act(b)
    part of tanh(c):   (tanh(β) + tanh(c) − tanh(γ)) / 2
    cell:  β_t = B_i·B_g + B_i·act(b_g) + act(b_i)·B_g + (B_f + act(b_f))·β_{t−1} [+ act(b_i)·act(b_g)]
    state: o_t times the part of tanh(c_t); the output gate is not shared out

The term in brackets is the span's at the words of the span: at all of them by the inclusive rule, at all but the last
one read by the strict rule, that of the authors' program. All these splits are exact, γ = v − β everywhere. So β alone
is computed, from the first word of the span on; before it β is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.models.modes import evaluating
from seer.models.recurrent import reverse
from seer.relevance.record import Target, WordRelevance, of_sentences, require, targets
from seer.traces import FloatArray, IntArray

TITLE = "Contextual decomposition"

DEFINED: dict[str, Any] = {"cells": ("lstm",), "layers": False, "read_outs": ("last",), "linear": True}
"""What it is defined for, as ``why_not`` takes it."""

_ROW_FLOATS = 1 << 17
"""Rows run side by side until their states have this many numbers: as many as stay in a processor's cache."""


@dataclass(frozen=True)
class SpanDecomposition:
    """What S spans give to the logits of C classes, and what everything else gives.

    Attributes:
        spans: (S, 3) sentence, first word, last word.
        relevant: (S, C) from the span.
        irrelevant: (S, C) from the other words and the biases: relevant + irrelevant = logits − bias.
        logits: (S, C) of the span's sentence.
        bias: (C,) of the head, which belongs to no word.
        target: (S,) the class that is explained in the span's sentence.
        prediction: (S,) the class the model predicts for it.
    """

    spans: IntArray
    relevant: FloatArray
    irrelevant: FloatArray
    logits: FloatArray
    bias: FloatArray
    target: IntArray
    prediction: IntArray

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def score(self) -> FloatArray:
        """(S,) what each span gives to the target's logit."""
        return self.relevant[np.arange(len(self)), self.target]


@of_sentences
def contextual_decomposition(
    model: RNNClassifier, batch: Batch, target: Target = None, *, inclusive: bool = True
) -> WordRelevance:
    """The part of the target's logit that comes from each word, taken as a span of its own.

    Interactions belong to no word alone, so the words do not add up to the logit. ``rest`` is the head's bias, and
    ``gap`` is what the words give together beyond what each gives alone. By the inclusive rule it is 0 for a text of
    one word.

    Args:
        model: a one-layer LSTM, one-way or two-way.
        batch: B sentences.
        target: class to explain.
        inclusive: the inclusive bias rule; else the strict one, by which one word alone never gets a bias.

    Raises:
        SettingError: another model, or no such class.
    """
    require(model, TITLE, **DEFINED)
    sentence, place = batch.mask.nonzero().T
    with torch.no_grad(), evaluating(model):
        logits = model(batch)
        chosen = targets(target, logits)
        states = _relevant_states(model, batch, torch.stack([sentence, place, place], 1), inclusive)
        relevance = torch.zeros(batch.ids.shape, dtype=states.dtype)
        head = model.linear_head
        relevance[batch.mask] = (states * head.weight[chosen[sentence]]).sum(1)
        return WordRelevance.from_batch(batch, relevance, logits, chosen, head.bias[chosen])


def decompose_spans(
    model: RNNClassifier, batch: Batch, spans: IntArray, target: Target = None, *, inclusive: bool = True
) -> SpanDecomposition:
    """The part of each class's logit that comes from each span.

    In a two-way model each direction is decomposed with the span as it reads it, and the two parts are added, as the
    head adds the directions. So the strict rule leaves the bias out at the span's last word from left to right, and at
    its first word from right to left.

    Args:
        model: a one-layer LSTM, one-way or two-way.
        batch: B sentences.
        spans: (S, 3) sentence, first word, last word: the last one belongs to the span.
        target: class to explain, for each of the B sentences.
        inclusive: the inclusive bias rule, by which a span of the whole sentence leaves nothing irrelevant; else the
            strict one.

    Raises:
        SettingError: another model, no such class, or a span that does not lie in its sentence.
    """
    require(model, TITLE, **DEFINED)
    rows = _checked(spans, batch)
    with torch.no_grad(), evaluating(model):
        logits = model(batch)
        chosen = targets(target, logits)[rows[:, 0]]
        relevant = _relevant_states(model, batch, rows, inclusive) @ model.linear_head.weight.T
        irrelevant = logits[rows[:, 0]] - model.linear_head.bias - relevant
    logits, bias = logits[rows[:, 0]].numpy(), model.linear_head.bias.detach().numpy().copy()
    parts = relevant.numpy(), irrelevant.numpy()
    return SpanDecomposition(rows.numpy(), *parts, logits, bias, chosen.numpy(), logits.argmax(1))


def _checked(spans: IntArray, batch: Batch) -> Tensor:
    rows = torch.as_tensor(np.ascontiguousarray(spans, dtype=np.int64))
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise SettingError(f"A span is (sentence, first word, last word); got an array of shape {tuple(rows.shape)}.")
    sentence, start, stop = rows.T
    known = (sentence >= 0) & (sentence < len(batch.lengths))
    length = batch.lengths[torch.where(known, sentence, 0)]
    wrong = (~(known & (start >= 0) & (start <= stop) & (stop < length))).nonzero().flatten()
    if len(wrong):
        raise SettingError(
            f"The span {tuple(rows[wrong[0]].tolist())} must name one of {len(batch.lengths)} sentences, and a first "
            "and a last word that lie in it, the first not after the last; words are counted from 0."
        )
    return rows


@dataclass(frozen=True)
class _Reading:
    """One direction's pass over B sentences; step t of sentence b stands in row b·T + t."""

    inputs: Tensor  # (B·T, 3H) what the word gives to the pre-activations of i, f, g
    before: Tensor  # (B·T, 3H) those pre-activations
    after: Tensor  # (B·T, 3H) those gates
    out: Tensor  # (B·T, H) output gate
    cell: Tensor  # (B·T, H)
    recurrent: Tensor  # (H, 3H) weights from the state to i, f, g
    bias: Tensor  # (3H,) of i, f, g
    steps: int  # T


def _read(model: RNNClassifier, vectors: Tensor, direction: str) -> _Reading:
    """Read word vectors (B, T, E) from the start of the rows as they are given."""
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    weight, recurrent, *biases = (getattr(model.rnn, name + direction) for name in names)
    hidden, bias = model.architecture.hidden, biases[0] + biases[1]
    inputs = vectors @ weight.T
    state = cell = inputs.new_zeros(len(inputs), hidden)
    before, cells = [], []
    for step in range(inputs.shape[1]):
        pre = inputs[:, step] + state @ recurrent.T + bias
        gates = _activate(pre[:, : 3 * hidden])
        cell = gates[:, hidden : 2 * hidden] * cell + gates[:, :hidden] * gates[:, 2 * hidden :]
        state = torch.sigmoid(pre[:, 3 * hidden :]) * torch.tanh(cell)
        before.append(pre)
        cells.append(cell)
    pre = torch.stack(before, 1).flatten(0, 1)
    inner = slice(0, 3 * hidden)
    return _Reading(
        inputs.flatten(0, 1)[:, inner].contiguous(),
        pre[:, inner].contiguous(),
        _activate(pre[:, inner]),
        torch.sigmoid(pre[:, 3 * hidden :]),
        torch.stack(cells, 1).flatten(0, 1),
        recurrent[inner].T.contiguous(),
        bias[inner],
        inputs.shape[1],
    )


def _activate(pre: Tensor) -> Tensor:
    """(…, 3H) sigmoid of the blocks i and f, tanh of the block g."""
    third = pre.shape[-1] // 3
    gates = torch.empty_like(pre)
    torch.sigmoid(pre[..., : 2 * third], out=gates[..., : 2 * third])
    torch.tanh(pre[..., 2 * third :], out=gates[..., 2 * third :])
    return gates


def _relevant_states(model: RNNClassifier, batch: Batch, rows: Tensor, inclusive: bool) -> Tensor:
    """(S, H) the spans' part of what the head reads; both directions side by side for a two-way model.

    Args:
        model: the LSTM.
        batch: B sentences.
        rows: (S, 3) sentence, first word, last word.
        inclusive: which bias rule.
    """
    vectors = model.embed(batch)
    sentence, start, stop = rows.T
    length = batch.lengths[sentence]
    parts = [_of_direction(_read(model, vectors, ""), sentence, start, stop, length, inclusive)]
    if model.architecture.bidirectional:
        reading = _read(model, reverse(vectors, batch.lengths), "_reverse")
        parts.append(_of_direction(reading, sentence, length - 1 - stop, length - 1 - start, length, inclusive))
    return torch.cat(parts, 1)


def _of_direction(
    reading: _Reading, sentence: Tensor, start: Tensor, stop: Tensor, length: Tensor, inclusive: bool
) -> Tensor:
    """(S, H) β of the last state, the rows in bounded groups; those with the longest way to go come first."""
    order = torch.argsort(start - length, stable=True)
    states = reading.cell.new_empty(len(order), reading.cell.shape[1])
    size = max(1, _ROW_FLOATS // reading.before.shape[1])
    for group in torch.split(order, size):
        end = sentence[group] * reading.steps + length[group] - 1
        to_start, to_stop = (length - 1 - start)[group], (length - 1 - stop)[group]
        states[group] = _propagate(reading, end, to_start, to_stop if inclusive else to_stop + 1, to_stop)
    return states


def _propagate(reading: _Reading, end: Tensor, to_start: Tensor, to_bias: Tensor, to_stop: Tensor) -> Tensor:
    """(R, H) β of the last state. All rows end together: steps are counted down to the last word of each sentence.

    Args:
        reading: the pass over the sentences.
        end: (R,) row of the sentence's last word in ``reading``.
        to_start: (R,) steps from the span's first word to the last word of the sentence, falling.
        to_bias: (R,) steps from the last word whose bias counts as the span's.
        to_stop: (R,) steps from the span's last word.
    """
    part_cell = reading.cell.new_zeros(len(end), reading.cell.shape[1])
    part_state = torch.zeros_like(part_cell)
    bias_gates = _activate(reading.bias)
    bias_i, bias_f, bias_g = bias_gates.chunk(3)
    begun = torch.bincount(to_start).flip(0).cumsum(0).flip(0).tolist()  # rows whose span has begun, by steps to go
    for left in range(len(begun) - 1, -1, -1):
        count = begun[left]
        row = end[:count] - left
        part = part_state[:count] @ reading.recurrent
        inside = (to_stop[:count] <= left).nonzero().flatten()
        part[inside] += reading.inputs[row[inside]]
        share = _activate(part + reading.bias) - bias_gates
        share += reading.after.index_select(0, row)
        share -= _activate(reading.before.index_select(0, row) - part)
        share_i, share_f, share_g = share.mul_(0.5).chunk(3, 1)
        beta = share_i * (share_g + bias_g) + bias_i * share_g + (share_f + bias_f) * part_cell[:count]
        beta[to_bias[:count] <= left] += bias_i * bias_g
        cell = reading.cell.index_select(0, row)
        twice = torch.tanh(beta) + torch.tanh(cell) - torch.tanh(cell - beta)
        part_cell[:count] = beta
        part_state[:count] = 0.5 * reading.out.index_select(0, row) * twice
    return part_state
