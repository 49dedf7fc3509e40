"""What a recurrent layer computes at every step, kept for going back through it.

Both directions of a layer run side by side: arrays are (T, D, d, B) for T steps, D directions, d units and B sentences,
each direction in its own reading order, so that one step is one product of matrices for all. Padding follows the words,
whatever the direction. Numpy, whose small products and hyperbolic tangents take less time than PyTorch's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from seer.models.classifier import RNNClassifier
from seer.models.recurrent import direction_weights

Array = npt.NDArray[np.floating]


@dataclass(frozen=True)
class Weights:
    """One layer's weights, directions stacked; G blocks of rows as PyTorch has them.

    The blocks are i, f, g, o of an LSTM; r, u, n of a GRU; one of a plain RNN. The candidate is g, n, or that one.

    Attributes:
        cell: the kind of net.
        w_x: (D, G·d, e).
        w_h: (D, G·d, d+1), for states with a 1 below them: the last column is the biases.
        b_x: (D, d, 1) the part of a GRU's candidate bias that its reset gate does not reach.
    """

    cell: str
    w_x: Array
    w_h: Array
    b_x: Array

    @property
    def size(self) -> int:
        """Units d."""
        return int(self.w_h.shape[2]) - 1

    @property
    def candidate(self) -> slice:
        """The rows of the candidate."""
        first = 0 if self.cell.startswith("rnn") else 2 * self.size
        return slice(first, first + self.size)

    @property
    def bias(self) -> Array:
        """(D, d, 1) the candidate's bias; for a GRU the part that its reset gate reaches."""
        return self.w_h[:, self.candidate, -1:]

    @property
    def to_inputs(self) -> Array:
        """(D, e, d) from the candidate to the units of the input."""
        return self.w_x[:, self.candidate].swapaxes(1, 2)

    @property
    def to_before(self) -> Array:
        """(D, d, d) from the candidate to the states before."""
        return np.ascontiguousarray(self.w_h[:, self.candidate, :-1].swapaxes(1, 2))

    @classmethod
    def of_layer(cls, model: RNNClassifier, layer: int) -> Weights:
        """Copies of a layer's weights."""
        a = model.architecture
        ways = ("", "_reverse") if a.bidirectional else ("",)
        by_way = [[w.detach().numpy() for w in direction_weights(model.rnn, layer, way)] for way in ways]
        w_x, b_x = np.stack([each[0] for each in by_way]), np.stack([each[2] for each in by_way])
        w_h = np.empty((*w_x.shape[:2], a.hidden + 1), w_x.dtype)
        for place, (_, recurrent, _, bias) in enumerate(by_way):
            w_h[place, :, :-1], w_h[place, :, -1] = recurrent, bias
        reached = slice(2 * a.hidden if a.cell == "gru" else None)
        w_h[:, reached, -1] += b_x[:, reached]
        return cls(a.cell, w_x, w_h, b_x[:, 2 * a.hidden :, None])


@dataclass(frozen=True)
class Steps:
    """What one layer computed: its candidate ``tanh(pre)`` and its memory ``kept + fresh``.

    The candidate of a plain RNN with ReLU is the positive part of ``pre``.

    Attributes:
        states: (T+1, D, d, B) the states h, those before the first word (zero) in front.
        projected: (T, D, d, B) the candidate's W x, without a bias.
        pre: (T, D, d, B) the candidate before its tanh: projected + reset · (U h) + bias.
        bias: the candidate's bias, (1, D, d, 1) or, where a gate lies on a part of it, (T, D, d, B).
        reset: (T, D, d, B) the gate on U h of a GRU.
        kept: (T, D, d, B) the memory's part from before; a plain RNN has no memory beside its state.
        fresh: (T, D, d, B) its part from the candidate.
    """

    states: Array
    projected: Array
    pre: Array
    bias: Array
    reset: Array | None = None
    kept: Array | None = None
    fresh: Array | None = None


@dataclass(frozen=True)
class Room:
    """Makes arrays for T steps of D directions and B sentences."""

    steps: int
    ways: int
    sentences: int
    dtype: np.dtype[np.floating]

    def reserve(self, rows: int) -> None:
        """Have the C library keep ``rows`` numbers for each step, direction and sentence from one call to the next.

        It hands back to the system what exceeds twice the largest block that was freed before (blocks up to 32 MB
        count), and to get fresh pages can take longer than to compute what is written there.
        """
        np.empty(self.steps * self.ways * rows * self.sentences, self.dtype)

    def rows(self, *counts: int) -> list[Array]:
        """(D, count, B) for each count."""
        return [np.empty((self.ways, count, self.sentences), self.dtype) for count in counts]

    def steps_of(self, size: int, arrays: int) -> list[Array]:
        """So many (T, D, size, B)."""
        return [np.empty((self.steps, self.ways, size, self.sentences), self.dtype) for _ in range(arrays)]

    def states(self, size: int) -> Array:
        """(T+1, D, size+1, B): the first states zero, and a 1 below them all."""
        states = np.empty((self.steps + 1, self.ways, size + 1, self.sentences), self.dtype)
        states[0], states[:, :, size] = 0, 1
        return states


def read_layer(weights: Weights, inputs: Iterable[Array], room: Room) -> Steps:
    """Read T inputs (D, e, B), each direction's in its own order."""
    return {"lstm": _lstm, "gru": _gru, "rnn": _rnn, "rnn_relu": _rnn}[weights.cell](weights, inputs, room)


def _lstm(weights: Weights, inputs: Iterable[Array], room: Room) -> Steps:
    d = weights.size
    with_one, (projected, pre, kept, fresh) = room.states(d), room.steps_of(d, 4)
    states = with_one[:, :, :d]
    z, recurrent, candidate, memory = room.rows(4 * d, 4 * d, d, d)
    i, f, last, o = (z[:, k * d : (k + 1) * d] for k in range(4))
    two_gates, one_gate = torch.from_numpy(z[:, : 2 * d]), torch.from_numpy(o)
    memory[:] = 0
    for t, x in enumerate(inputs):
        np.matmul(weights.w_x, x, out=z)
        projected[t] = last
        z += np.matmul(weights.w_h, with_one[t], out=recurrent) if t else weights.w_h[..., -1:]
        pre[t] = last
        torch.sigmoid(two_gates, out=two_gates)
        torch.sigmoid(one_gate, out=one_gate)
        np.multiply(f, memory, out=kept[t])
        np.multiply(i, np.tanh(pre[t], out=candidate), out=fresh[t])
        np.add(kept[t], fresh[t], out=memory)
        np.multiply(o, np.tanh(memory, out=candidate), out=states[t + 1])
    return Steps(states, projected, pre, weights.bias[None], None, kept, fresh)


def _gru(weights: Weights, inputs: Iterable[Array], room: Room) -> Steps:
    d = weights.size
    with_one, (projected, pre, reset, kept, fresh) = room.states(d), room.steps_of(d, 5)
    states = with_one[:, :, :d]
    z, recurrent, candidate = room.rows(3 * d, 3 * d, d)
    r, u, last = (z[:, k * d : (k + 1) * d] for k in range(3))
    gates = torch.from_numpy(z[:, : 2 * d])
    for t, x in enumerate(inputs):
        np.matmul(weights.w_x, x, out=z)
        projected[t] = last
        np.matmul(weights.w_h, with_one[t], out=recurrent)
        z[:, : 2 * d] += recurrent[:, : 2 * d]
        torch.sigmoid(gates, out=gates)
        reset[t] = r
        last += np.multiply(r, recurrent[:, 2 * d :], out=candidate)
        np.add(last, weights.b_x, out=pre[t])
        np.multiply(u, states[t], out=kept[t])
        np.multiply(np.subtract(1, u, out=u), np.tanh(pre[t], out=candidate), out=fresh[t])
        np.add(kept[t], fresh[t], out=states[t + 1])
    return Steps(states, projected, pre, weights.b_x + reset * weights.bias, reset, kept, fresh)


def _rnn(weights: Weights, inputs: Iterable[Array], room: Room) -> Steps:
    d = weights.size
    with_one, (projected, pre) = room.states(d), room.steps_of(d, 2)
    states = with_one[:, :, :d]
    (recurrent,) = room.rows(d)
    for t, x in enumerate(inputs):
        np.matmul(weights.w_x, x, out=projected[t])
        np.add(projected[t], np.matmul(weights.w_h, with_one[t], out=recurrent), out=pre[t])
        if weights.cell == "rnn":
            np.tanh(pre[t], out=states[t + 1])
        else:
            np.maximum(pre[t], 0, out=states[t + 1])
    return Steps(states, projected, pre, weights.bias[None])
