"""One direction of a recurrent layer, and the way back through it, for ``slopes``.

With z = W x + U h + b per step, as PyTorch has them: an LSTM is i, f, o = σ(z), g = tanh(z), c' = f·c + i·g,
h' = o·tanh(c'); a GRU is r, u = σ(z), n = tanh(W x + b_x + r·(U h + b_h)), h' = (1−u)·n + u·h; a plain RNN is tanh(z)
or the positive part of z.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import torch

Array = npt.NDArray[np.floating]


@dataclass(frozen=True)
class Read:
    """One direction of a layer after reading.

    Attributes:
        states: (T, d, B).
        w_x: (G·d, e) weights on the input.
        back: from the gradient of the states (T, d, B) to that of W x (T, G·d, B); to be called once.
    """

    states: Array
    w_x: Array
    back: Callable[[Array], Array]

    def inputs_gradient(self, given: Array) -> Array:
        """(T, e, B), from the gradient of the states."""
        gradient: Array = np.matmul(self.w_x.T, self.back(given))
        return gradient


def _lstm(room: Sequence[Array], inputs: Array, w_x: Array, w_h: Array, b_x: Array, b_h: Array) -> Read:
    d = w_h.shape[1]
    order = np.r_[3 * d : 4 * d, : 2 * d, 2 * d : 3 * d]  # o, i, f, g: the gates together, what meets the cell together
    w_x, w_h, bias = w_x[order], w_h[order], (b_x + b_h)[order, None]
    states, cells, *others = room
    squashed, z, slopes = (rows[1:] for rows in others)
    o, i, f, g = _blocks(z, 4)
    gates, recurrent = torch.from_numpy(z[:, : 3 * d]), np.empty_like(z[0])
    np.matmul(w_x, inputs, out=z)
    z += bias
    for t in range(len(z)):
        z[t] += np.matmul(w_h, states[t], out=recurrent)
        torch.sigmoid(gates[t], out=gates[t])
        np.tanh(g[t], out=g[t])
        np.multiply(f[t], cells[t], out=cells[t + 1])
        cells[t + 1] += i[t] * g[t]
        np.multiply(o[t], np.tanh(cells[t + 1], out=squashed[t]), out=states[t + 1])
    for slope, factor, gate in zip(_blocks(slopes, 4), (squashed, g, cells[:-1]), (o, i, f), strict=False):
        np.multiply(factor, gate, out=slope)
        slope *= 1 - gate
    np.multiply(i, 1 - g * g, out=slopes[:, 3 * d :])
    to_cell = np.multiply(o, 1 - squashed * squashed, out=squashed)

    def back(given: Array) -> Array:
        to_before, d_h, d_c = np.ascontiguousarray(w_h.T), np.zeros_like(states[0]), np.zeros_like(states[0])
        for t in reversed(range(len(z))):
            d_h += given[t]
            d_c += d_h * to_cell[t]
            slopes[t, :d] *= d_h
            of_cell = slopes[t, d:].reshape(3, *d_c.shape)
            of_cell *= d_c
            np.matmul(to_before, slopes[t], out=d_h)
            d_c *= f[t]
        return slopes

    return Read(states[1:], w_x, back)


def _gru(room: Sequence[Array], inputs: Array, w_x: Array, w_h: Array, b_x: Array, b_h: Array) -> Read:
    d = w_h.shape[1]
    states, *others = room
    before, z, slopes = (rows[1:] for rows in others)
    r, u, n = _blocks(z, 3)
    gates, recurrent = torch.from_numpy(z[:, : 2 * d]), np.empty_like(z[0])
    np.matmul(w_x, inputs, out=z)
    z += b_x[:, None]
    for t in range(len(z)):
        np.matmul(w_h, states[t], out=recurrent)
        recurrent += b_h[:, None]
        z[t, : 2 * d] += recurrent[: 2 * d]
        torch.sigmoid(gates[t], out=gates[t])
        before[t] = recurrent[2 * d :]
        n[t] += r[t] * before[t]
        np.tanh(n[t], out=n[t])
        np.multiply(u[t], states[t] - n[t], out=states[t + 1])
        states[t + 1] += n[t]
    of_r, of_u, of_n = _blocks(slopes, 3)
    np.multiply(1 - u, 1 - n * n, out=of_n)
    np.multiply(states[:-1] - n, u * (1 - u), out=of_u)
    np.multiply(of_n, before, out=of_r)
    of_r *= r * (1 - r)

    def back(given: Array) -> Array:
        to_before, d_h = np.ascontiguousarray(w_h.T), np.zeros_like(states[0])
        for t in reversed(range(len(z))):
            d_h += given[t]
            blocks = slopes[t].reshape(3, *d_h.shape)
            blocks *= d_h
            recurrent[:] = slopes[t]
            recurrent[2 * d :] *= r[t]
            d_h *= u[t]
            d_h += to_before @ recurrent
        return slopes

    return Read(states[1:], w_x, back)


def _rnn(
    room: Sequence[Array], inputs: Array, w_x: Array, w_h: Array, b_x: Array, b_h: Array, *, relu: bool = False
) -> Read:
    states, slopes = room
    slopes = np.matmul(w_x, inputs, out=slopes[1:])
    slopes += (b_x + b_h)[:, None]
    for t, z in enumerate(slopes):
        if relu:
            np.maximum(z + w_h @ states[t], 0, out=states[t + 1])
        else:
            np.tanh(z + w_h @ states[t], out=states[t + 1])
    if relu:
        np.greater(states[1:], 0, out=slopes, casting="unsafe")
    else:
        np.subtract(1, states[1:] * states[1:], out=slopes)

    def back(given: Array) -> Array:
        to_before, d_h = np.ascontiguousarray(w_h.T), np.zeros_like(states[0])
        for t in reversed(range(len(slopes))):
            d_h += given[t]
            slopes[t] *= d_h
            np.matmul(to_before, slopes[t], out=d_h)
        return slopes

    return Read(states[1:], w_x, back)


def _blocks(rows: Array, count: int) -> list[Array]:
    return np.split(rows, count, axis=1)


CELL_READERS: dict[str, tuple[Callable[..., Read], tuple[int, ...]]] = {
    "lstm": (_lstm, (1, 1, 1, 4, 4)),
    "gru": (_gru, (1, 1, 3, 3)),
    "rnn": (_rnn, (1, 1)),
    "rnn_relu": (partial(_rnn, relu=True), (1, 1)),
}
"""How each cell reads, and the arrays it needs: (T+1, share · d, B), zero before the first word."""
