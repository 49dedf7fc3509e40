"""What a classifier's head reads of the states of a sentence, and the head itself."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

READ_OUTS = {
    "last": "the state after the last real word",
    "padded": "the state after padding up to a fixed length",
    "last_step": "both directions' states at the last real word",
    "padded_step": "both directions' states at the end of the padding",
    "mean": "the mean state of all real words",
    "max": "the largest value of each unit over all real words",
}
"""What the head may read, in words.

The last state of a two-way model is each direction's own (``h_n`` of PyTorch), unless both are read at one step, where
the right-to-left direction has just begun (``output[:, -1]``): there are read-outs of their own for that.
"""

PADDED = ("padded", "padded_step")
"""Those for which a text is read with padding up to a fixed length."""

ONE_STEP = ("last_step", "padded_step")
"""Those for two-way models alone, whose directions are read at one step."""

ACTIVATIONS: dict[str, type[nn.Module]] = {
    "relu": nn.ReLU,
    "tanh": nn.Tanh,
    "gelu": nn.GELU,
    "sigmoid": nn.Sigmoid,
    "leaky_relu": nn.LeakyReLU,
    "elu": nn.ELU,
    "selu": nn.SELU,
    "silu": nn.SiLU,
    "none": nn.Identity,
}
"""What may stand between the linear layers of a head, as PyTorch has them by default."""


def make_head(inputs: int, hidden: tuple[int, ...], classes: int, activation: str) -> nn.Linear | nn.Sequential:
    """A linear layer; with hidden sizes several, with the activation between them."""
    layers: list[nn.Module] = []
    for before, after in pairwise((inputs, *hidden, classes)):
        layers += [nn.Linear(before, after), ACTIVATIONS[activation]()]
    linear = layers[0]
    return linear if not hidden and isinstance(linear, nn.Linear) else nn.Sequential(*layers[:-1])


def read_last(states: Tensor, lengths: Tensor, hidden: int, one_step: bool) -> Tensor:
    """(B, H) the last state of each direction: left to right at the last step, right to left at the first.

    Args:
        states: (B, T, H), the left-to-right direction's ``hidden`` units first.
        lengths: (B,) steps of each row.
        hidden: units of a direction.
        one_step: read both directions at the last step.
    """
    last = states[torch.arange(len(lengths)), lengths - 1]
    return last if one_step else torch.cat([last[:, :hidden], states[:, 0, hidden:]], dim=1)


def read_mean(states: Tensor, lengths: Tensor) -> Tensor:
    """(B, H) the mean of states (B, T, H) over the real words."""
    return (states * _real(states, lengths)).sum(1) / lengths[:, None].to(states.dtype)


def read_max(states: Tensor, lengths: Tensor) -> Tensor:
    """(B, H) the largest of states (B, T, H) over the real words."""
    return states.masked_fill(~_real(states, lengths), -torch.inf).amax(1)


def running_mean(states: Tensor) -> Tensor:
    """(B, T, H) the mean of the states up to each step."""
    steps = torch.arange(1, states.shape[1] + 1, dtype=states.dtype)
    return states.cumsum(1) / steps[:, None]


def running_max(states: Tensor) -> Tensor:
    """(B, T, H) the largest of the states up to each step."""
    return states.cummax(1).values


def _real(states: Tensor, lengths: Tensor) -> Tensor:
    """(B, T, 1) true at real words."""
    return (torch.arange(states.shape[1]) < lengths[:, None])[..., None]
