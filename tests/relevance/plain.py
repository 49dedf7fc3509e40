"""Relevance the plain way: one sentence, one direction, one step at a time, in numpy.

Written from the rules alone, as the reference of tests and benchmarks: every cell, one- and two-way, any number of
layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier

Steps = list[SimpleNamespace]


@dataclass(frozen=True)
class Direction:
    """The weights of one layer in one direction, gates one below the other as PyTorch has them."""

    cell: str
    w_x: np.ndarray
    w_h: np.ndarray
    b_x: np.ndarray
    b_h: np.ndarray

    @property
    def size(self) -> int:
        return self.w_h.shape[1]

    @property
    def candidate(self) -> slice:
        """The rows of the candidate: g of an LSTM, n of a GRU, all of a plain RNN."""
        first = {"lstm": 2, "gru": 2, "rnn": 0}[self.cell] * self.size
        return slice(first, first + self.size)


class PlainClassifier:
    """The same classifier as arrays."""

    def __init__(self, model: RNNClassifier) -> None:
        weights = {name: value.numpy() for name, value in model.state_dict().items()}
        ways = ("", "_reverse") if model.architecture.bidirectional else ("",)
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        self.embedding = weights["embedding.weight"]
        self.layers = [
            [Direction(model.architecture.cell, *(weights[f"rnn.{n}_l{layer}{way}"] for n in names)) for way in ways]
            for layer in range(model.architecture.layers)
        ]
        self.w_y, self.b_y = weights["head.weight"], weights["head.bias"]

    def forward(self, vectors: Sequence[np.ndarray]) -> tuple[list[list[Steps]], np.ndarray, np.ndarray]:
        """The steps of every layer and direction (each in its own order), the head's input, the logits."""
        layers: list[list[Steps]] = []
        inputs = list(vectors)
        for layer in self.layers:
            ways = [run(layer[0], inputs)] + [run(right, inputs[::-1]) for right in layer[1:]]
            layers.append(ways)
            states = [[step.h for step in ways[0]]] + [[step.h for step in way][::-1] for way in ways[1:]]
            inputs = [np.concatenate(side_by_side) for side_by_side in zip(*states, strict=True)]
        read = np.concatenate([way[-1].h for way in layers[-1]])
        return layers, read, self.w_y @ read + self.b_y


def sentences(batch: Batch) -> list[list[int]]:
    """The word ids of each sentence."""
    return [row[:length] for row, length in zip(batch.ids.tolist(), batch.lengths.tolist(), strict=True)]


def run(way: Direction, inputs: Sequence[np.ndarray]) -> Steps:
    """Read the inputs in the order given; what each step computed."""
    step = {"lstm": lstm_step, "gru": gru_step, "rnn": rnn_step}[way.cell]
    h = c = np.zeros(way.size, way.w_h.dtype)
    steps: Steps = []
    for x in inputs:
        steps.append(step(way, x, h, c))
        h, c = steps[-1].h, steps[-1].c
    return steps


def sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))


def lstm_step(way: Direction, x: np.ndarray, h: np.ndarray, c: np.ndarray) -> SimpleNamespace:
    d = way.size
    z = way.w_x @ x + way.w_h @ h + way.b_x + way.b_h
    i, f, o = sigmoid(z[:d]), sigmoid(z[d : 2 * d]), sigmoid(z[3 * d :])
    pre = z[2 * d : 3 * d]
    g = np.tanh(pre)
    new = f * c + i * g
    return SimpleNamespace(x=x, h_before=h, c_before=c, i=i, f=f, o=o, g=g, pre=pre, c=new, h=o * np.tanh(new))


def gru_step(way: Direction, x: np.ndarray, h: np.ndarray, _: np.ndarray) -> SimpleNamespace:
    d = way.size
    from_x, from_h = way.w_x @ x + way.b_x, way.w_h @ h + way.b_h
    r, u = sigmoid(from_x[:d] + from_h[:d]), sigmoid(from_x[d : 2 * d] + from_h[d : 2 * d])
    pre = from_x[2 * d :] + r * from_h[2 * d :]
    n = np.tanh(pre)
    return SimpleNamespace(x=x, h_before=h, r=r, u=u, n=n, from_h=from_h[2 * d :], pre=pre, h=(1 - u) * n + u * h, c=h)


def rnn_step(way: Direction, x: np.ndarray, h: np.ndarray, _: np.ndarray) -> SimpleNamespace:
    pre = way.w_x @ x + way.w_h @ h + way.b_x + way.b_h
    return SimpleNamespace(x=x, h_before=h, pre=pre, h=np.tanh(pre), c=h)


@dataclass(frozen=True)
class Rule:
    """The eps-rule with a bias factor."""

    eps: float
    bias_factor: float

    def share(self, relevance: np.ndarray, output: np.ndarray) -> np.ndarray:
        sign = np.where(output >= 0, 1, -1).astype(output.dtype)
        return relevance / (output + self.eps * sign)

    def spread(self, share: np.ndarray, bias: np.ndarray | float, output: np.ndarray, units: int) -> np.ndarray | float:
        """What each of the units that feed a sum gets of its bias and stabiliser."""
        if not self.bias_factor:
            return 0.0
        sign = np.where(output >= 0, 1, -1).astype(output.dtype)
        return self.bias_factor * np.sum((bias + self.eps * sign) * share) / units


def lrp(
    plain: PlainClassifier, words: Sequence[int], target: int | None, eps: float = 1e-3, bias_factor: float = 0.0
) -> tuple[np.ndarray, float, float]:
    """The relevance of each word of a sentence, the target's logit, and what reaches the states before the first word.

    Args:
        plain: the classifier.
        words: ids.
        target: the class, or ``None`` for the predicted one.
        eps: the stabiliser.
        bias_factor: the part of biases and stabilisers that is shared out too.
    """
    rule = Rule(eps, bias_factor)
    layers, read, logits = plain.forward([plain.embedding[word] for word in words])
    chosen = int(logits.argmax()) if target is None else target
    logit = logits[chosen]
    share = rule.share(logit, logit)
    top = read * plain.w_y[chosen] * share + rule.spread(share, plain.b_y[chosen], logit, len(read))
    size = plain.layers[0][0].size
    incoming = [
        [np.zeros(size, read.dtype)] * (len(words) - 1) + [part] for part in np.split(top, len(plain.layers[0]))
    ]
    rest = 0.0
    for layer, ways in zip(reversed(plain.layers), reversed(layers), strict=True):
        found = [lrp_back(rule, *each) for each in zip(layer, ways, incoming, strict=True)]
        rest += sum(left for _, left in found)
        inputs = [found[0][0]] + [right[::-1] for right, _ in found[1:]]
        of_inputs = [sum(side) for side in zip(*inputs, strict=True)]
        incoming = [[x[:size] for x in of_inputs], [x[size:] for x in of_inputs][::-1]][: len(ways)]
    return np.array([x.sum() for x in of_inputs]), float(logit), rest


def lrp_back(rule: Rule, way: Direction, steps: Steps, incoming: Sequence[np.ndarray]) -> tuple[list, float]:
    """The relevance of each input (in the direction's own order) and of the states before the first.

    Args:
        rule: the rule.
        way: one layer in one direction.
        steps: what it computed.
        incoming: the relevance of the state after each step, from above.
    """
    d, rows = way.size, way.candidate
    w_x, w_h = way.w_x[rows], way.w_h[rows]
    units = d + w_x.shape[1]
    of_inputs: list[np.ndarray] = []
    r_h = r_c = np.zeros(d, w_h.dtype)
    for step, from_above in zip(reversed(steps), reversed(incoming), strict=True):
        r_h = r_h + from_above
        bias, gate = way.b_x[rows] + way.b_h[rows], 1.0
        if way.cell == "lstm":
            r_c = r_c + r_h
            share = rule.share(r_c, step.c)
            spread = rule.spread(share, 0.0, step.c, 2 * d)
            r_pre = step.i * step.g * share + spread
            r_c = step.f * step.c_before * share + spread
            direct = 0.0
        elif way.cell == "gru":
            share = rule.share(r_h, step.h)
            spread = rule.spread(share, 0.0, step.h, 2 * d)
            r_pre = (1 - step.u) * step.n * share + spread
            direct = step.u * step.h_before * share + spread
            bias, gate = way.b_x[rows] + step.r * way.b_h[rows], step.r
        else:
            r_pre, direct = r_h, 0.0
        share = rule.share(r_pre, step.pre)
        spread = rule.spread(share, bias, step.pre, units)
        of_inputs.append(step.x * (w_x.T @ share) + spread)
        r_h = direct + step.h_before * (w_h.T @ (gate * share)) + spread
    return of_inputs[::-1], float(r_h.sum() + r_c.sum())


def gradient_input(plain: PlainClassifier, words: Sequence[int], target: int | None) -> np.ndarray:
    """Word vector times the gradient of the target's logit, summed over dimensions, for each word of a sentence."""
    vectors = [plain.embedding[word] for word in words]
    layers, read, logits = plain.forward(vectors)
    chosen = int(logits.argmax()) if target is None else target
    size = plain.layers[0][0].size
    incoming = [
        [np.zeros(size, read.dtype)] * (len(words) - 1) + [part]
        for part in np.split(plain.w_y[chosen], len(plain.layers[0]))
    ]
    for layer, ways in zip(reversed(plain.layers), reversed(layers), strict=True):
        found = [gradient_back(*each) for each in zip(layer, ways, incoming, strict=True)]
        of_inputs = [sum(side) for side in zip(found[0], *(right[::-1] for right in found[1:]), strict=True)]
        incoming = [[x[:size] for x in of_inputs], [x[size:] for x in of_inputs][::-1]][: len(ways)]
    return np.array([x @ gradient for x, gradient in zip(vectors, of_inputs, strict=True)])


def gradient_back(way: Direction, steps: Steps, incoming: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Backpropagation through time: the gradient of each input, in the direction's own order."""
    of_inputs: list[np.ndarray] = []
    d_h = d_c = np.zeros(way.size, way.w_h.dtype)
    for step, from_above in zip(reversed(steps), reversed(incoming), strict=True):
        d_h = d_h + from_above
        direct = 0.0
        if way.cell == "lstm":
            squashed = np.tanh(step.c)
            d_c = d_c + d_h * step.o * (1 - squashed**2)
            i, f, g, o = step.i, step.f, step.g, step.o
            parts = d_c * g * i * (1 - i), d_c * step.c_before * f * (1 - f), d_c * i * (1 - g**2)
            from_x = from_h = np.concatenate([*parts, d_h * squashed * o * (1 - o)])
            d_c = d_c * f
        elif way.cell == "gru":
            r, u, n = step.r, step.u, step.n
            d_pre = d_h * (1 - u) * (1 - n**2)
            gates = d_pre * step.from_h * r * (1 - r), d_h * (step.h_before - n) * u * (1 - u)
            from_x, from_h = np.concatenate([*gates, d_pre]), np.concatenate([*gates, d_pre * r])
            direct = d_h * u
        else:
            from_x = from_h = d_h * (1 - step.h**2)
        of_inputs.append(way.w_x.T @ from_x)
        d_h = direct + way.w_h.T @ from_h
    return of_inputs[::-1]
