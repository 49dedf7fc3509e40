"""ESIM in plain numpy, one pair at a time and one word after the other, with any gate or attention score nudged.

Nothing here is padded, batched or differentiated: what it says is right by reading it beside Chen et al. (ACL 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from seer.models.esim import ESIM

Place = tuple[int, ...]
Array = np.ndarray


@dataclass
class Plain:
    """What an ESIM computes on one pair of P and Q words.

    ``gates`` are indexed ``[layer][sentence]`` (direction, gate i f g o, word, unit).
    """

    scores: Array
    over_hypothesis: Array
    over_premise: Array
    logits: Array
    gates: list[list[Array]] = field(default_factory=list)


def read(
    model: ESIM,
    premise: Sequence[int],
    hypothesis: Sequence[int],
    *,
    gate: tuple[Place, float] | None = None,
    score: tuple[Place, float] | None = None,
) -> Plain:
    """Read one pair.

    Args:
        model: float64; dropout is off.
        premise: word ids.
        hypothesis: word ids.
        gate: (layer, sentence, direction, gate, word, unit) and what is added to it.
        score: (premise word, hypothesis word) and what is added to their attention score.
    """
    w = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    place, delta = gate if gate is not None else ((), 0.0)
    gates: list[list[Array]] = [[], []]

    def lstm(layer: int, sentence: int, inputs: Array) -> Array:
        nudge = (place[2:], delta) if place[:2] == (layer, sentence) else ((), 0.0)
        states, found = two_way(w, ("encoder", "inference")[layer], inputs, *nudge)
        gates[layer].append(found)
        return states

    u = lstm(0, 0, vectors(w, premise, hypothesis))
    v = lstm(0, 1, vectors(w, hypothesis, premise))
    e = np.array([[x @ y for y in v] for x in u]).reshape(len(u), len(v))
    if score is not None:
        e[score[0]] += score[1]
    alpha, beta = softmax(e, 1), softmax(e, 0)
    pooled = []
    for sentence, (own, seen) in enumerate(((u, alpha @ v), (v, beta.T @ u))):
        compared = np.concatenate([own, seen, own - seen, own * seen], axis=1)
        projected = np.maximum(compared @ w["projection.weight"].T + w["projection.bias"], 0)
        states = lstm(1, sentence, projected)
        if len(states):
            pooled += [states.mean(0), states.max(0)]
        else:
            pooled += [np.zeros(states.shape[1])] * 2
    hidden = np.tanh(w["combine.weight"] @ np.concatenate(pooled) + w["combine.bias"])
    return Plain(e, alpha, beta, w["head.weight"] @ hidden + w["head.bias"], gates)


def vectors(w: dict[str, Array], words: Sequence[int], others: Sequence[int]) -> Array:
    """(T, E) word vectors, with the flag for a known word that the other sentence holds too."""
    found = w["embedding.weight"][list(words)]
    if "same_word" in w:
        found = found + np.array([[word in others and word > 1] for word in words]).reshape(-1, 1) * w["same_word"]
    return found


def two_way(w: dict[str, Array], net: str, inputs: Array, place: Place, delta: float) -> tuple[Array, Array]:
    """(T, 2H) states and (direction, gate, word, unit) gates of a two-way LSTM; the gate at ``place`` is nudged."""
    size = w[f"{net}.weight_hh_l0"].shape[1]
    states, gates = np.zeros((len(inputs), 2, size)), np.zeros((2, 4, len(inputs), size))
    for direction, suffix in enumerate(("_l0", "_l0_reverse")):
        into, again = w[f"{net}.weight_ih{suffix}"], w[f"{net}.weight_hh{suffix}"]
        bias = w[f"{net}.bias_ih{suffix}"] + w[f"{net}.bias_hh{suffix}"]
        h = c = np.zeros(size)
        for t in reversed(range(len(inputs))) if direction else range(len(inputs)):
            i, f, g, o = np.split(into @ inputs[t] + again @ h + bias, 4)
            now = np.array([sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)])
            if place and (place[0], place[2]) == (direction, t):
                now[place[1], place[3]] += delta
            gates[direction, :, t] = now
            c = now[1] * c + now[0] * now[2]
            h = now[3] * np.tanh(c)
            states[t, direction] = h
    return states.reshape(len(inputs), 2 * size), gates


def sigmoid(values: Array) -> Array:
    return 1 / (1 + np.exp(-values))


def softmax(values: Array, axis: int) -> Array:
    if not values.shape[axis]:
        return values
    powers = np.exp(values - values.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)
