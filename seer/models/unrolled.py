"""A two-way LSTM step by step, every gate a node of the graph, so that a score can be differentiated by its gates.

The numbers are those of ``run_layer``, whose kernels keep their gates to themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from seer.models.recurrent import direction_weights

Gates = Sequence[tuple[Tensor, Tensor]]
"""Of each of T steps the input, forget and output gates (2, R, 3H) and the candidate (2, R, H), both directions side by
side: one reads from the first place to the last, the other from the last to the first."""

_WAYS = ("", "_reverse")


def unrolled(net: nn.RNNBase, inputs: Tensor, lengths: Tensor) -> tuple[Tensor, Gates]:
    """Run a two-way LSTM of one layer.

    Args:
        net: the weights.
        inputs: (R, T, E).
        lengths: (R,) real words of each row.

    Returns:
        (R, T, 2H) states, each at its word's place and 0 at padding, and the gates.
    """
    size = net.hidden_size
    weights = [torch.stack(both) for both in zip(*(direction_weights(net, 0, way) for way in _WAYS), strict=True)]
    # The sigmoid gates first and the candidate last: two activations a step.
    order = torch.cat([torch.arange(2 * size), torch.arange(3 * size, 4 * size), torch.arange(2 * size, 3 * size)])
    into, again, bias_in, bias_again = (weight[:, order] for weight in weights)
    ahead, real = inputs.transpose(0, 1), _real(lengths, inputs.shape[1], inputs.dtype)
    both = torch.stack([ahead, ahead.flip(0)])
    bias = (bias_in + bias_again)[:, None]
    projected = torch.baddbmm(bias, both.flatten(1, 2), into.transpose(1, 2)).view(*both.shape[:3], 4 * size)
    recurrent = again.transpose(1, 2)
    state = cell = inputs.new_zeros(2, len(inputs), size)
    states, gates = [], []
    for step, word in zip(projected.unbind(1), torch.stack([real, real.flip(0)], dim=1), strict=True):
        before = torch.baddbmm(step, state, recurrent)
        opening = torch.sigmoid(before[..., : 3 * size])
        candidate = torch.tanh(before[..., 3 * size :])
        gates.append((opening, candidate))
        let_in, kept, let_out = opening.chunk(3, dim=-1)
        # The memory is empty at padding, which the right-to-left direction meets before the words.
        cell = (kept * cell + let_in * candidate) * word
        state = let_out * torch.tanh(cell)
        states.append(state)
    by_place = [torch.cat([one[0], other[1]], dim=1) for one, other in zip(states, reversed(states), strict=True)]
    return torch.stack(by_place, dim=1), gates


def gates_by_word(layers: Sequence[Gates], lengths: Tensor) -> Tensor:
    """(layers, R, 2, 4, T, H) gates by row, direction, gate (input, forget, candidate, output), word and unit.

    Each number is moved once, from its step to its place; at padding stands 0.

    Args:
        layers: the gates of each net, or what a score's gradients by them are.
        lengths: (R,) real words of each row.
    """
    steps, (_, rows, units) = len(layers[0]), layers[0][0][1].shape
    out = layers[0][0][1].new_empty(len(layers), rows, 2, 4, steps, units)
    real = _real(lengths, steps, out.dtype)
    for layer, gates in zip(out, layers, strict=True):
        for step, both in enumerate(gates):
            for direction, place in enumerate((step, steps - 1 - step)):
                opening, candidate = (part[direction].detach() for part in both)
                opening = opening.reshape(rows, 3, units)
                here, word = layer[:, direction, :, place], real[place]
                torch.mul(opening[:, :2], word[:, None], out=here[:, :2])
                torch.mul(candidate, word, out=here[:, 2])
                torch.mul(opening[:, 2], word, out=here[:, 3])
    return out


def _real(lengths: Tensor, steps: int, kind: torch.dtype) -> Tensor:
    """(T, R, 1) 1 at words, 0 at padding."""
    return (torch.arange(steps)[:, None] < lengths).to(kind)[..., None]
