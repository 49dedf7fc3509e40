"""The gradient of a logit with respect to the word vectors, by backpropagation through time written out.

PyTorch's backward pass also makes the gradient of every weight, which no relevance needs; here only what leads to the
words is computed, the slopes of all gates at once and then one product of matrices a step for all sentences. Arrays are
(T, rows, B) for T steps and B sentences, each direction in its own reading order; sentences end in padding in either.

With z = W x + U h + b per step, as PyTorch has them: an LSTM is i, f, o = σ(z), g = tanh(z), c' = f·c + i·g,
h' = o·tanh(c'); a GRU is r, u = σ(z), n = tanh(W x + b_x + r·(U h + b_h)), h' = (1−u)·n + u·h; a plain RNN is tanh(z).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from seer.models.classifier import RNNClassifier
from seer.models.recurrent import direction_weights
from seer.relevance.record import Target, targets
from seer.traces import IntArray

Array = npt.NDArray[np.floating]


@dataclass(frozen=True)
class _Read:
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


def logit_slopes(
    model: RNNClassifier, vectors: Tensor, lengths: Tensor, target: Target
) -> tuple[Tensor, Tensor, Tensor]:
    """How each sentence's logit changes with its word vectors.

    Args:
        model: any classifier; there is no dropout, whatever its mode.
        vectors: (B, T, E) word vectors.
        lengths: (B,) their real words.
        target: which logit.

    Returns:
        Logits (B, C), the target classes (B,), and the gradient (B, T, E), zero at padding.

    Raises:
        SettingError: a target that the model does not have.
    """
    size, last, sentence = model.architecture.hidden, lengths.numpy() - 1, np.arange(len(lengths))
    step = np.arange(vectors.shape[1])[:, None]
    turned = np.where(step <= last, last - step, step)
    layers = _read_layers(model, np.ascontiguousarray(vectors.detach().numpy().transpose(1, 2, 0)), turned)
    final = np.concatenate([read.states[last, :, sentence] for read in layers[-1]], axis=1)
    head = model.head.weight.detach()
    logits = torch.from_numpy(final) @ head.T + model.head.bias.detach()
    chosen = targets(target, logits)
    given = [np.zeros_like(read.states) for read in layers[-1]]
    for part, slopes in zip(given, torch.split(head[chosen], size, dim=1), strict=True):
        part[last, :, sentence] = slopes.numpy()
    for reads in reversed(layers):
        gradient, *other = (read.inputs_gradient(part) for read, part in zip(reads, given, strict=True))
        for backward in other:
            gradient += _turn(backward, turned)
        given = [gradient[:, :size], *(_turn(gradient[:, size:], turned) for _ in other)]
    return logits, chosen, torch.from_numpy(np.ascontiguousarray(gradient.transpose(2, 0, 1)))


def _read_layers(model: RNNClassifier, inputs: Array, turned: IntArray) -> list[list[_Read]]:
    """Every direction of every layer, from word vectors (T, E, B)."""
    a, (steps, _, sentences) = model.architecture, inputs.shape
    ways = ("", "_reverse") if a.bidirectional else ("",)
    read, shares = _CELLS[a.cell]
    # One block for all: the C library keeps what a call frees for the next one, up to twice its largest block, and
    # fresh memory costs more than what is written on it.
    room = np.empty((a.layers, len(ways), steps + 1, sum(shares) * a.hidden, sentences), inputs.dtype)
    room[:, :, 0] = 0
    layers: list[list[_Read]] = []
    for layer in range(a.layers):
        if layers:
            first, *other = (done.states for done in layers[-1])
            inputs = np.concatenate([first, *(_turn(states, turned) for states in other)], axis=1)
        layers.append([])
        for way, block in zip(ways, room[layer], strict=True):
            weights = [weight.detach().numpy() for weight in direction_weights(model.rnn, layer, way)]
            parts = np.split(block, np.cumsum(shares)[:-1] * a.hidden, axis=1)
            layers[-1].append(read(parts, _turn(inputs, turned) if way else inputs, *weights))
    return layers


def _turn(rows: Array, turned: IntArray) -> Array:
    """(T, rows, B) in the other direction's order: the real words the other way round, the padding where it is."""
    return np.take_along_axis(rows, turned[:, None], axis=0)


def _lstm(room: Sequence[Array], inputs: Array, w_x: Array, w_h: Array, b_x: Array, b_h: Array) -> _Read:
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

    return _Read(states[1:], w_x, back)


def _gru(room: Sequence[Array], inputs: Array, w_x: Array, w_h: Array, b_x: Array, b_h: Array) -> _Read:
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

    return _Read(states[1:], w_x, back)


def _rnn(room: Sequence[Array], inputs: Array, w_x: Array, w_h: Array, b_x: Array, b_h: Array) -> _Read:
    states, slopes = room
    slopes = np.matmul(w_x, inputs, out=slopes[1:])
    slopes += (b_x + b_h)[:, None]
    for t, z in enumerate(slopes):
        np.tanh(z + w_h @ states[t], out=states[t + 1])
    np.subtract(1, states[1:] * states[1:], out=slopes)

    def back(given: Array) -> Array:
        to_before, d_h = np.ascontiguousarray(w_h.T), np.zeros_like(states[0])
        for t in reversed(range(len(slopes))):
            d_h += given[t]
            slopes[t] *= d_h
            np.matmul(to_before, slopes[t], out=d_h)
        return slopes

    return _Read(states[1:], w_x, back)


def _blocks(rows: Array, count: int) -> list[Array]:
    return np.split(rows, count, axis=1)


_CELLS: dict[str, tuple[Callable[..., _Read], tuple[int, ...]]] = {
    "lstm": (_lstm, (1, 1, 1, 4, 4)),
    "gru": (_gru, (1, 1, 3, 3)),
    "rnn": (_rnn, (1, 1)),
}
"""How each cell reads, and the arrays it needs: (T+1, share · d, B), zero before the first word."""
