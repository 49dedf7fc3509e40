"""Layer-wise relevance propagation from a logit to the states that the head reads of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from seer.models.classifier import RNNClassifier
from seer.models.readout import ONE_STEP
from seer.relevance.epsilon import Arrive, EpsilonRule
from seer.relevance.record import Target, targets
from seer.relevance.steps import Array
from seer.traces import IntArray


def output_relevance(
    rule: EpsilonRule, model: RNNClassifier, states: Array, lengths: IntArray, count: int, target: Target
) -> tuple[Tensor, Tensor, Arrive]:
    """Logits, and the relevance of the top layer's states.

    Args:
        rule: shares sums out.
        model: whose head it is.
        states: (T+1, D, d, B) of the top layer, those before the first word in front.
        lengths: (B,) words of each sentence.
        count: sentences that are asked for, the first of the B.
        target: which logit of these.

    Returns:
        Logits (count, C), target classes (count,), and what brings the relevance of the states.
    """
    read_out, after = model.architecture.read_out, states[1:]
    real = np.arange(len(after))[:, None, None, None] < lengths
    if read_out == "mean":
        read = np.where(real, after, 0).sum(0) / lengths.astype(states.dtype)
    elif read_out == "max":
        winner = np.where(real, after, -np.inf).argmax(0)
        read = np.take_along_axis(after, winner[None], axis=0)[0]
    else:
        # Where both directions are read at one step, the other one has read a single word there.
        ends = [lengths, np.ones_like(lengths) if read_out in ONE_STEP else lengths][: states.shape[1]]
        read = np.stack([states[end, way, :, np.arange(len(end))].T for way, end in enumerate(ends)])
    logits, chosen, flat = _through_head(
        rule, model, np.ascontiguousarray(read).reshape(-1, len(lengths)), count, target
    )
    relevance = flat.reshape(read.shape)
    if read_out == "mean":
        return logits, chosen, from_above(_of_mean(rule, after, read, relevance, real, lengths))
    if read_out == "max":
        steps = np.arange(len(after))[:, None, None, None]
        return logits, chosen, from_above(np.where(steps == winner, relevance, 0))
    return logits, chosen, _at_ends(relevance, ends)


def from_above(relevance: Array) -> Arrive:
    """The relevance (T, D, d, B) of all states, step by step."""

    def arrive(step: int, now: Array) -> None:
        now += relevance[step]

    return arrive


def _at_ends(relevance: Array, ends: list[IntArray]) -> Arrive:
    """The relevance (D, d, B) of one state of each direction, that after (B,) words."""
    rows = [{end: np.flatnonzero(of == end) for end in set(of.tolist())} for of in ends]

    def arrive(step: int, now: Array) -> None:
        for way, ended in enumerate(rows):
            here = ended.get(step + 1)
            if here is not None:
                now[way][:, here] += relevance[way][:, here]

    return arrive


def _of_mean(
    rule: EpsilonRule, after: Array, mean: Array, relevance: Array, real: npt.NDArray[np.bool_], lengths: IntArray
) -> Array:
    """(T, D, d, B) from the relevance of a mean (D, d, B) to that of its T states."""
    share = relevance / rule.divisor(mean)
    found: Array = after * (share / lengths.astype(after.dtype))
    if rule.bias_factor:
        found += share * rule.spread(mean, 0.0, 1) / lengths.astype(after.dtype)
    return np.where(real, found, 0)


def _through_head(
    rule: EpsilonRule, model: RNNClassifier, read: Array, count: int, target: Target
) -> tuple[Tensor, Tensor, Array]:
    """Logits (count, C), target classes (count,), and the relevance (H, B) of what the head reads (H, B)."""
    inputs, sums = [read], []
    modules = [model.head] if isinstance(model.head, nn.Linear) else list(model.head)
    linear = [module for module in modules if isinstance(module, nn.Linear)]
    for number, layer in enumerate(linear):
        sums.append(layer.weight.detach().numpy() @ inputs[-1] + _bias(layer))
        if number + 1 < len(linear):
            activation = modules[2 * number + 1]
            inputs.append(activation(torch.from_numpy(sums[-1])).numpy())
    logits = torch.from_numpy(np.ascontiguousarray(sums[-1].T[:count]))
    chosen = targets(target, logits)
    relevance = np.zeros_like(sums[-1])
    places = chosen.numpy(), np.arange(count)
    relevance[places] = sums[-1][places]
    for layer, before, total in zip(reversed(linear), reversed(inputs), reversed(sums), strict=True):
        share = relevance / rule.divisor(total)
        relevance = before * (layer.weight.detach().numpy().T @ share)
        if rule.bias_factor:
            relevance += (share * rule.spread(total, _bias(layer), len(before))).sum(0)
    return logits, chosen, relevance


def _bias(layer: nn.Linear) -> Array:
    """(units, 1)."""
    bias: Array = layer.bias.detach().numpy()[:, None]
    return bias
