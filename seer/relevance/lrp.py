"""Layer-wise relevance propagation for recurrent nets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.relevance.record import Target, WordRelevance, targets
from seer.relevance.steps import Array, Room, Steps, Weights, read_layer
from seer.traces import IntArray

Arrive = Callable[[int, Array], None]
"""Adds the relevance that the states after a step (D, d, B) get from above to what they have."""

_BLOCK = 65_536  # numbers an array of a few steps may have: so many arrays as a step needs stay in the cache

_ARRAYS = 10  # of a number for each unit and step that a layer takes at most, roughly


def lrp(
    model: RNNClassifier, batch: Batch, target: Target = None, *, eps: float = 1e-3, bias_factor: float = 0.0
) -> WordRelevance:
    """Share the target's logit out backwards: each sum gives its relevance to its parts in proportion.

    The eps-rule, and signal-take-all at products: gates are constants, and tanh passes relevance through. A part z_j of a
    sum z gets R · z_j / (z + eps·sign(z)), sign(0) = 1. Relevance flows through

    - the output, s = W h + b, to the last state of each direction;
    - the memory, c_t = f·c_{t−1} + i·g_t of an LSTM or h_t = u·h_{t−1} + (1−u)·n_t of a GRU, to both terms;
    - the candidate, before its tanh, to the word vector and the state before: g = W x + U h + b (LSTM, plain RNN),
      n = W x + b_x + r·(U h + b_h) (GRU);
    - a word vector of an upper layer, to the states of both directions below.

    What sums give to biases and stabilisers is lost; with a bias factor that part of it is spread evenly over the units
    that feed the sum: the state read (output), both memories' units (memory), word vector and state before (candidate).
    At 1 nothing is lost: relevance and rest add up to the logit.

    With eps 0 a sum that is zero (or so close to it that its inverse overflows) passes nothing on.

    Args:
        model: the classifier.
        batch: B sentences.
        target: a class for each, one for all, or ``None`` for the predicted one.
        eps: the stabiliser, on the scale of the sums: 0 or more. Sums near .05 feel .001.
        bias_factor: the part of biases and stabilisers that is shared out too, from 0 to 1.

    Returns:
        Relevance in units of the logit; ``rest`` is what reaches the states before the first word, in all layers.

    Raises:
        SettingError: eps or bias factor out of range, or a target that the model does not have.

    Source: Arras, Montavon, Müller, Samek, "Explaining Recurrent Neural Network Predictions in Sentiment Analysis" (2017);
    Arras, Osman, Müller, Samek, "Evaluating Recurrent Neural Network Explanations" (2019), section 3, LRP-all. The GRU and
    the plain RNN follow the same rule.
    """
    rule = _Rule(eps, bias_factor)
    ids, lengths, turned = batch.ids.numpy().T, batch.lengths.numpy(), _turned(batch)
    words = np.stack([ids, _turn(ids, turned)][: 1 + model.architecture.bidirectional], axis=1)
    table = model.embedding.weight.detach().numpy()
    room = Room(*words.shape, table.dtype)
    room.reserve(_ARRAYS * model.architecture.layers * model.architecture.hidden)
    layers: list[tuple[Weights, Array | None, Steps]] = []
    for layer in range(model.architecture.layers):
        weights = Weights.of_layer(model, layer)
        inputs = _side_by_side(steps.states[1:], turned) if layer else None
        steps = read_layer(weights, _word_vectors(table, words) if inputs is None else inputs, room)
        layers.append((weights, inputs, steps))
    logits, chosen, arrive = rule.output(model, steps.states, lengths, target)
    rest = np.zeros(len(lengths))
    for weights, inputs, steps in reversed(layers):
        relevance, left = rule.back(weights, steps, inputs, arrive)
        rest += left
        if inputs is not None:
            arrive = _from_above(_apart(relevance, turned))
    by_word = sum(_turn(side, turned) if way else side for way, side in enumerate(relevance[:, :, 0].swapaxes(0, 1)))
    return WordRelevance.from_batch(batch, torch.from_numpy(by_word.T), logits, chosen, torch.from_numpy(rest))


@dataclass(frozen=True)
class _Rule:
    """How a sum shares its relevance out among its parts."""

    eps: float
    bias_factor: float

    def __post_init__(self) -> None:
        if not 0 <= self.eps < np.inf:
            raise SettingError(f"LRP's eps must be 0 or more, got {self.eps}.")
        if not 0 <= self.bias_factor <= 1:
            raise SettingError(f"LRP's bias factor must lie from 0 to 1, got {self.bias_factor}.")

    def stabiliser(self, sums: Array) -> Array:
        """eps·sign(z) of each sum z, in its precision; by bits, since ``copysign`` takes three times as long."""
        bits = sums.view(f"i{sums.itemsize}")
        signed = np.bitwise_and(bits, np.iinfo(bits.dtype).min)
        signed |= np.asarray(self.eps, sums.dtype).view(bits.dtype)
        return signed.view(sums.dtype)

    def divisor(self, sums: Array) -> Array:
        """Z + eps·sign(z) of each sum z; infinite where z is as good as zero and eps does not help."""
        divisors = self.stabiliser(sums)
        divisors += sums
        limits = np.finfo(sums.dtype)
        least = limits.tiny / limits.eps
        if self.eps < least:
            divisors[np.abs(divisors) < least] = np.inf
        return divisors

    def spread(self, sums: Array, bias: Array | float, units: int) -> Array:
        """What each of the units that feed a sum gets of its bias and stabiliser, per relevance / divisor."""
        return (bias + self.stabiliser(sums)) * (self.bias_factor / units)

    def output(
        self, model: RNNClassifier, states: Array, lengths: IntArray, target: Target
    ) -> tuple[Tensor, Tensor, Arrive]:
        """Logits (B, C), target classes (B,), and the relevance of the states that the head reads."""
        rows = np.arange(len(lengths))
        read = states[lengths, :, :, rows]
        w_y, b_y = model.head.weight.detach().numpy(), model.head.bias.detach().numpy()
        logits = read.reshape(len(rows), -1) @ w_y.T + b_y
        chosen = targets(target, torch.from_numpy(logits))
        logit = logits[rows, chosen.numpy()]
        share = logit / self.divisor(logit)
        relevance = (read * w_y[chosen].reshape(read.shape)).transpose(1, 2, 0) * share
        if self.bias_factor:
            relevance += share * self.spread(logit, b_y[chosen], w_y.shape[1])
        ends = {length: np.flatnonzero(lengths == length) for length in set(lengths.tolist())}

        def arrive(step: int, now: Array) -> None:
            if step + 1 in ends:
                ended = ends[step + 1]
                now[:, :, ended] += relevance[:, :, ended]

        return torch.from_numpy(logits), chosen, arrive

    def back(
        self, weights: Weights, steps: Steps, inputs: Array | None, arrive: Arrive
    ) -> tuple[Array, Array]:
        """Back through one layer.

        Args:
            weights: of the layer.
            steps: what it computed; used up.
            inputs: (T, D, e, B) what it read; ``None`` for word vectors, whose relevance is wanted summed up.
            arrive: adds what the states after a step get from above.

        Returns:
            The relevance of the inputs, (T, D, e, B) or (T, D, 1, B), and of the states before the first word (B,).
        """
        (length, ways, _, sentences), units = steps.pre.shape, weights.w_x.shape[2]
        found = np.empty((length, ways, 1 if inputs is None else units, sentences), steps.pre.dtype)
        to_before = weights.to_before
        now, part = np.zeros_like(steps.pre[0]), np.empty_like(steps.pre[0])
        size = max(1, _BLOCK // now.size)
        for begin in reversed(range(0, length, size)):
            block = slice(begin, begin + size)
            factors = self.factors(steps, block, units)
            for t in reversed(range(begin, min(begin + size, length))):
                arrive(t, now)
                q, spread = factors.candidate(t - begin, now)
                np.matmul(to_before, q if steps.reset is None else q * steps.reset[t], out=part)
                part *= steps.states[t]
                if factors.direct is None:
                    now, part = part, now
                else:
                    now *= factors.direct[t - begin]
                    now += part
                if spread is not None:
                    now += spread
            if inputs is None:
                products = np.multiply(factors.share, steps.projected[block])
                torch.sum(torch.from_numpy(products), 2, keepdim=True, out=torch.from_numpy(found[block]))
            else:
                np.matmul(weights.to_inputs, factors.share, out=found[block])
                found[block] *= inputs[block]
            if factors.spread is not None:
                found[block] += factors.spread * (units if inputs is None else 1)
        return found, now.sum(axis=(0, 1))

    def factors(self, steps: Steps, block: slice, units: int) -> _Factors:
        """What relevance is multiplied with on its way through some steps.

        Args:
            steps: of a layer; used up.
            block: which of them.
            units: of the layer's input.
        """
        pre, size = steps.pre[block], steps.pre.shape[2]
        divisor = self.divisor(pre)
        spread = of_candidate = of_memory = None
        if self.bias_factor:
            bias = steps.bias if len(steps.bias) == 1 else steps.bias[block]
            of_candidate = self.spread(pre, bias, units + size)
            spread = np.empty_like(pre[:, :, :1])
        if steps.kept is None or steps.fresh is None:
            return _Factors(1 / divisor, None, divisor, spread, of_candidate, None)
        total = steps.kept[block] + steps.fresh[block]
        total_divisor = self.divisor(total)
        if self.bias_factor:
            of_memory = self.spread(total, 0.0, 2 * size) / total_divisor
        # |fresh| is never above |pre|: in this order nothing overflows.
        share = np.divide(steps.fresh[block], divisor, out=steps.fresh[block])
        share /= total_divisor
        direct = np.divide(steps.kept[block], total_divisor, out=steps.kept[block])
        return _Factors(share, direct, divisor, spread, of_candidate, of_memory)


@dataclass(frozen=True)
class _Factors:
    """What relevance is multiplied with on its way through n steps of a layer: (n, D, d, B).

    Attributes:
        share: to the candidate, over the candidate's divisor; then the candidate's relevance over its divisor.
        direct: to the memory before; ``None`` without a memory.
        divisor: the candidate's.
        spread: (n, D, 1, B) filled with what each of the candidate's parts gets of its bias and stabiliser.
        of_candidate: their part of the candidate's relevance over its divisor.
        of_memory: their part of the memory's relevance.
    """

    share: Array
    direct: Array | None
    divisor: Array
    spread: Array | None
    of_candidate: Array | None
    of_memory: Array | None

    def candidate(self, step: int, now: Array) -> tuple[Array, Array | None]:
        """The candidate's relevance over its divisor, and what each unit before gets of biases and stabilisers."""
        q = np.multiply(now, self.share[step], out=self.share[step])
        if self.of_candidate is None or self.spread is None:
            return q, None
        before = self.spread[step]
        if self.of_memory is None:
            return q, np.sum(q * self.of_candidate[step], axis=1, keepdims=True, out=before)
        to_each = np.sum(now * self.of_memory[step], axis=1, keepdims=True)
        q += to_each / self.divisor[step]
        np.sum(q * self.of_candidate[step], axis=1, keepdims=True, out=before)
        return q, before + to_each


def _word_vectors(table: Array, words: IntArray) -> Iterator[Array]:
    """(D, e, B) for each step of words (T, D, B)."""
    for ids in words:
        yield np.ascontiguousarray(table.take(ids, axis=0).swapaxes(1, 2))


def _turned(batch: Batch) -> IntArray:
    """(T, B) where each step of the other direction reads: real words in reverse order, padding where it is."""
    step, lengths = np.arange(batch.ids.shape[1])[:, None], batch.lengths.numpy()
    return np.where(step < lengths, lengths - 1 - step, step)


def _turn(rows: Array, turned: IntArray) -> Array:
    """(T, ..., B) from one direction's order to the other's."""
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
    """The relevance of a layer's inputs (T, D, D·d, B), each direction's in its own order, as that of the states below."""
    if relevance.shape[1] == 1:
        return relevance
    size = relevance.shape[2] // 2
    right = relevance[:, 0, :size] + _turn(relevance[:, 1, :size], turned)
    left = relevance[:, 1, size:] + _turn(relevance[:, 0, size:], turned)
    return np.stack([right, left], axis=1)


def _from_above(relevance: Array) -> Arrive:
    def arrive(step: int, now: Array) -> None:
        now += relevance[step]

    return arrive
