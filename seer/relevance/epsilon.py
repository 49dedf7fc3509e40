"""The eps-rule of layer-wise relevance propagation, and the way back through one recurrent layer by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from seer.errors import SettingError
from seer.relevance.steps import Array, Steps, Weights

Arrive = Callable[[int, Array], None]
"""Adds the relevance that the states after a step (D, d, B) get from above to what they have."""

MOST_EPS = 1e6
"""Far beyond any sum of a net: it leaves nothing of the relevance, and a larger one only overflows."""

_BLOCK = 65_536  # most numbers in an array of several steps, so that what they need stays in the cache


@dataclass(frozen=True)
class EpsilonRule:
    """How a sum z = Σ z_j shares its relevance R out: z_j gets R · z_j / (z + eps·sign(z)), sign(0) = 1.

    What falls to the bias b and the stabiliser, R · (b + eps·sign(z)) / (z + eps·sign(z)), is lost but for the bias
    factor's part of it, which the units that feed the sum get in equal shares.

    Raises:
        SettingError: an eps below 0 or above ``MOST_EPS``, or a bias factor outside [0, 1].
    """

    eps: float
    bias_factor: float

    def __post_init__(self) -> None:
        if not 0 <= self.eps <= MOST_EPS:
            raise SettingError(f"LRP's eps must be a number from 0 up to {MOST_EPS:,.0f}, got {self.eps}.")
        if not 0 <= self.bias_factor <= 1:
            raise SettingError(f"LRP's bias factor must lie from 0 to 1, got {self.bias_factor}.")

    def stabiliser(self, sums: Array) -> Array:
        """eps·sign(z), in the precision of z; by bits, since ``copysign`` takes three times as long."""
        bits = sums.view(f"i{sums.itemsize}")
        signed = np.bitwise_and(bits, np.iinfo(bits.dtype).min)
        signed |= np.asarray(self.eps, sums.dtype).view(bits.dtype)
        stabiliser: Array = signed.view(sums.dtype)
        return stabiliser

    def divisor(self, sums: Array) -> Array:
        """The sum z with its stabiliser; infinite, so that nothing is passed on, where its inverse would overflow."""
        divisors = self.stabiliser(sums)
        divisors += sums
        limits = np.finfo(sums.dtype)
        least = limits.tiny / limits.eps
        if self.eps < least:
            divisors[np.abs(divisors) < least] = np.inf
        return divisors

    def spread(self, sums: Array, bias: Array | float, units: int) -> Array:
        """What each of the units gets of bias and stabiliser, where the relevance over the divisor is 1."""
        return (bias + self.stabiliser(sums)) * (self.bias_factor / units)

    def back(self, weights: Weights, steps: Steps, inputs: Array | None, arrive: Arrive) -> tuple[Array, Array]:
        """Back through one layer.

        Args:
            weights: of the layer.
            steps: what it computed; used up.
            inputs: (T, D, e, B) what it read; ``None`` for word vectors, whose relevance is wanted summed up.
            arrive: brings the relevance of the states.

        Returns:
            The relevance of the inputs, (T, D, e, B) or (T, D, 1, B), and of the states before the first word (B,).
        """
        (length, ways, _, sentences), units = steps.pre.shape, weights.w_x.shape[2]
        found = np.empty((length, ways, 1 if inputs is None else units, sentences), steps.pre.dtype)
        to_inputs, to_before = weights.to_inputs, weights.to_before
        now = np.zeros_like(steps.pre[0])
        size = max(1, _BLOCK // now.size)
        for begin in reversed(range(0, length, size)):
            block = slice(begin, min(begin + size, length))
            way = _Way.through(self, steps, block, units)
            now = way.back(steps, to_before, now, arrive)
            if inputs is None:
                _sum_of_products(way.share, steps.projected[block], found[block])
            else:
                np.multiply(np.matmul(to_inputs, way.share), inputs[block], out=found[block])
            if way.spread is not None:
                found[block] += way.spread.found * (units if inputs is None else 1)
        return found, now.sum(axis=(0, 1))


@dataclass(frozen=True)
class _Spread:
    """What units get of biases and stabilisers at n steps of a layer.

    Attributes:
        of_memory: (n, D, d, B) from the memory's relevance to each of the units that feed it; a plain RNN has none.
        of_candidate: (n, D, d, B) from the candidate's relevance over its divisor to each of the units that feed it.
        divisor: (n, D, d, B) the candidate's.
        found: (n, D, 1, B) filled on the way: what each of the units that feed the candidate gets.
    """

    of_memory: Array | None
    of_candidate: Array
    divisor: Array
    found: Array

    def back(self, k: int, now: Array, q: Array) -> Array:
        """What each unit of the memory before gets, (D, 1, B), and add to the candidate's q what it gets."""
        found: Array = self.found[k]
        if self.of_memory is None:
            return _sum_of_products(q, self.of_candidate[k], found)
        from_memory = _sum_of_products(now, self.of_memory[k], np.empty_like(found))
        q += from_memory / self.divisor[k]
        return _sum_of_products(q, self.of_candidate[k], found) + from_memory


@dataclass(frozen=True)
class _Way:
    """What relevance is multiplied with on its way back through n steps of a layer, (n, D, d, B) each.

    Attributes:
        begin: the first of the steps.
        share: from the memory (of a plain RNN: the state) to the candidate, over the candidate's divisor; on the way it
            becomes q, the candidate's relevance over its divisor.
        direct: from the memory to that before; a plain RNN has none.
        spread: for biases and stabilisers, with a bias factor.
    """

    begin: int
    share: Array
    direct: Array | None
    spread: _Spread | None

    @classmethod
    def through(cls, rule: EpsilonRule, steps: Steps, block: slice, units: int) -> _Way:
        """The way through some steps of a layer with so many units of input; uses up their ``kept`` and ``fresh``."""
        pre, size = steps.pre[block], steps.pre.shape[2]
        divisor = rule.divisor(pre)
        of_memory = direct = spread = None
        if steps.kept is None or steps.fresh is None:
            share = 1 / divisor
        else:
            kept, fresh = steps.kept[block], steps.fresh[block]
            total = kept + fresh
            total_divisor = rule.divisor(total)
            # |fresh| never exceeds |pre|, so that in this order nothing overflows.
            share = np.divide(fresh, divisor, out=fresh)
            share /= total_divisor
            direct = np.divide(kept, total_divisor, out=kept)
            if rule.bias_factor:
                of_memory = rule.spread(total, 0.0, 2 * size) / total_divisor
        if rule.bias_factor:
            bias = steps.bias if len(steps.bias) == 1 else steps.bias[block]
            of_candidate = rule.spread(pre, bias, units + size)
            spread = _Spread(of_memory, of_candidate, divisor, np.empty_like(pre[:, :, :1]))
        return cls(block.start, share, direct, spread)

    def back(self, steps: Steps, to_before: Array, now: Array, arrive: Arrive) -> Array:
        """From the relevance of the memory after the last of the steps to that before the first, (D, d, B)."""
        part = np.empty_like(now)
        for k in reversed(range(len(self.share))):
            t = self.begin + k
            arrive(t, now)
            q = np.multiply(now, self.share[k], out=self.share[k])
            spread = None if self.spread is None else self.spread.back(k, now, q)
            np.matmul(to_before, q if steps.reset is None else q * steps.reset[t], out=part)
            part *= steps.states[t]
            if self.direct is None:
                now, part = part, now
            else:
                now *= self.direct[k]
                now += part
            if spread is not None:
                now += spread
        return now


def _sum_of_products(one: Array, other: Array, out: Array) -> Array:
    """Over the units, (..., d, B) to (..., 1, B)."""
    np.einsum("...hb,...hb->...b", one, other, out=out[..., 0, :])
    return out
