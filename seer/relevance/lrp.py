"""Layer-wise relevance propagation for recurrent nets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.relevance.epsilon import EpsilonRule
from seer.relevance.outputs import from_above, output_relevance
from seer.relevance.record import RelevanceOverflowError, Target, WordRelevance, of_sentences, targets
from seer.relevance.steps import Array, Room, Steps, Weights, read_layer
from seer.text import PAD_ID
from seer.traces import IntArray

STEADY = 0.1
"""An eps that keeps LRP bounded on long texts."""

_COLUMNS = 16  # products of matrices round alike for any multiple of so many: who is beside a sentence changes nothing
_PADDED_WORDS = 8192  # read at once where every text is padded to a length
_ARRAYS = 10  # of a number for each step and unit that a layer takes, roughly


@of_sentences
def lrp(
    model: RNNClassifier, batch: Batch, target: Target = None, *, eps: float = 1e-3, bias_factor: float = 0.0
) -> WordRelevance:
    """Share the target's logit out backwards: each sum gives its relevance to its parts in proportion.

    The eps-rule (``EpsilonRule``), and signal-take-all at products: gates are constants, and tanh passes relevance
    through. Relevance flows through

    - the output, s = W h + b, to what the head reads; in a head of several layers to the units before it, the
      activations between passing relevance through;
    - what the head reads, the last state of each direction, to that state; a mean h = Σ h_t / T to all states in
      proportion; the largest value of a unit to the first state that has it, which takes all;
    - the memory, c_t = f·c_{t−1} + i·g_t of an LSTM or h_t = u·h_{t−1} + (1−u)·n_t of a GRU, to both terms;
    - the candidate before its tanh, g = W x + U h + b (LSTM, plain RNN) or n = W x + b_x + r·(U h + b_h) (GRU), to the
      word vector and the state before;
    - the input of an upper layer, to the states of both directions below.

    For the bias factor, the units that feed a sum are those of the layer below (head), of the T states (mean), of
    memory before and candidate (memory), of input and state before (candidate). At 1 nothing is lost: relevance and
    rest add up to the logit.

    With eps 0 a sum that is zero passes nothing on. Where the parts of a sum nearly cancel, it passes on more of either
    sign than it had, and so from step to step: in a trained GRU 100 words do with an eps of 0.001, 500 need 0.01.

    Args:
        model: the classifier.
        batch: B sentences.
        target: a class for each, one for all, or ``None`` for the predicted one.
        eps: the stabiliser, on the scale of the sums: memories of .05 feel .001.
        bias_factor: the part of biases and stabilisers that is shared out too, from 0 to 1.

    Returns:
        Relevance in units of the logit; ``rest`` is what reaches the states before the first word, in all layers, and
        padding where the model reads that.

    Raises:
        SettingError: eps or bias factor out of range, a target that the model does not have, or relevance beyond what
            the model's precision holds.

    Source: Arras, Montavon, Müller, Samek, "Explaining Recurrent Neural Network Predictions in Sentiment Analysis"
    (2017), and Arras, Osman, Müller, Samek, "Evaluating Recurrent Neural Network Explanations" (2019), section 3. The
    GRU and the plain RNN follow the same rule.
    """
    rule = EpsilonRule(eps, bias_factor)
    length, longest = model.architecture.length, batch.ids.shape[1]
    if length is None:
        by_word, logits, chosen, rest = _share_out(rule, model, batch, target)
        return WordRelevance.from_batch(batch, by_word, logits, chosen, rest)
    wanted = None if target is None else targets(target, torch.empty(len(batch.lengths), model.classes))
    size, parts = max(1, _PADDED_WORDS // length), []
    for begin in range(0, len(batch.lengths), size):
        some = slice(begin, begin + size)
        short = Batch(batch.ids[some], batch.lengths[some])
        ids = torch.nn.functional.pad(short.ids[:, :length], (0, max(0, length - longest)), value=PAD_ID)
        read = Batch(ids, torch.full_like(short.lengths, length))
        by_word, logits, chosen, rest = _share_out(rule, model, read, None if wanted is None else wanted[some])
        of_words = torch.nn.functional.pad(by_word, (0, max(0, longest - length)))[:, :longest] * short.mask
        rest = rest + (by_word.sum(1) - of_words.sum(1))
        parts.append(WordRelevance.from_batch(short, of_words, logits, chosen, rest))
    return WordRelevance.join(parts)


def _share_out(
    rule: EpsilonRule, model: RNNClassifier, batch: Batch, target: Target
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Relevance (B, T) of words that are all read, logits (B, C), target classes (B,) and what no word gets (B,)."""
    words, lengths, turned = _columns(batch, model.architecture.bidirectional)
    table = model.embedding.weight.detach().numpy()
    room = Room(len(words), words.shape[1], words.shape[2], table.dtype)
    room.reserve(_ARRAYS * model.architecture.layers * model.architecture.hidden)
    layers: list[tuple[Weights, Array | None, Steps]] = []
    for layer in range(model.architecture.layers):
        weights = Weights.of_layer(model, layer)
        inputs = _side_by_side(layers[-1][2].states[1:], turned) if layers else None
        steps = read_layer(weights, _word_vectors(table, words) if inputs is None else inputs, room)
        layers.append((weights, inputs, steps))
    logits, chosen, arrive = output_relevance(rule, model, layers[-1][2].states, lengths, len(batch.ids), target)
    rest = np.zeros(len(lengths))
    with np.errstate(over="ignore", invalid="ignore"):
        for weights, inputs, steps in reversed(layers):
            relevance, left = rule.back(weights, steps, inputs, arrive)
            rest += left
            if inputs is not None:
                arrive = from_above(_apart(relevance, turned))
    by_word = relevance[:, 0, 0]
    if relevance.shape[1] == 2:
        by_word = by_word + _turn(relevance[:, 1, 0], turned)
    lost = ((np.arange(len(by_word))[:, None] < lengths) & ~np.isfinite(by_word)).any(axis=0)
    if lost.any():
        raise RelevanceOverflowError(
            f"LRP overflowed with eps {rule.eps:g} in a text of {lengths[lost.argmax()]:,} words; choose a larger eps, "
            f"such as {STEADY:g} (on the command line: --eps {STEADY:g})."
        )
    real = slice(len(batch.ids))
    return torch.from_numpy(by_word.T[real]), logits, chosen, torch.from_numpy(rest[real])


def _columns(batch: Batch, two_way: bool) -> tuple[IntArray, IntArray, IntArray]:
    """Words (T, D, B) as each direction reads them, lengths (B,), and where the other direction reads (T, B).

    B is filled up with sentences of one word. The other direction reads real words in reverse order, and padding where
    it is.
    """
    count, longest = batch.ids.shape
    wide = -(-count // _COLUMNS) * _COLUMNS
    ids, lengths = np.full((longest, wide), PAD_ID, dtype=np.int64), np.ones(wide, dtype=np.int64)
    ids[:, :count], lengths[:count] = batch.ids.numpy().T, batch.lengths.numpy()
    step = np.arange(longest)[:, None]
    turned = np.where(step < lengths, lengths - 1 - step, step)
    return np.stack([ids, _turn(ids, turned)] if two_way else [ids], axis=1), lengths, turned


def _word_vectors(table: Array, words: IntArray) -> Iterator[Array]:
    """(D, e, B) for each step of words (T, D, B)."""
    for ids in words:
        yield np.ascontiguousarray(table.take(ids, axis=0).swapaxes(1, 2))


def _turn(rows: Array | IntArray, turned: IntArray) -> Array | IntArray:
    """(T, B) or (T, d, B) from one direction's order to the other's."""
    place = np.arange(rows.shape[-1])
    return rows[turned, place] if rows.ndim == 2 else rows.swapaxes(1, 2)[turned, place].swapaxes(1, 2)


def _side_by_side(states: Array, turned: IntArray) -> Array:
    """A layer's states (T, D, d, B) as the inputs (T, D, D·d, B) of the next, each direction's in its own order."""
    if states.shape[1] == 1:
        return states
    right, left = states[:, 0], states[:, 1]
    turned_right, turned_left = _turn(right, turned), _turn(left, turned)
    return np.stack([np.concatenate([right, turned_left], 1), np.concatenate([turned_right, left], 1)], axis=1)


def _apart(relevance: Array, turned: IntArray) -> Array:
    """From the relevance of a layer's inputs (T, D, D·d, B), as each direction reads them, to that of states below."""
    if relevance.shape[1] == 1:
        return relevance
    size = relevance.shape[2] // 2
    right = relevance[:, 0, :size] + _turn(relevance[:, 1, :size], turned)
    left = relevance[:, 1, size:] + _turn(relevance[:, 0, size:], turned)
    return np.stack([right, left], axis=1)
