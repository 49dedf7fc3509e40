"""One recurrent layer over padded rows: what every model here reads sentences with.

Padding never reaches a real word: it follows the words in either direction, since the right-to-left direction reads
each row reversed by its own length. The numbers are those of PyTorch's packed sequences, whose backward pass costs the
square of the length: ten times more at 450 words.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

_KERNELS: dict[str, Any] = {
    "GRU": torch.gru,
    "LSTM": torch.lstm,
    "RNN_TANH": torch.rnn_tanh,
    "RNN_RELU": torch.rnn_relu,
}


def reverse(rows: Tensor, lengths: Tensor) -> Tensor:
    """(B, T, H) with the real words of each row in reverse order and the padding where it was."""
    places = torch.arange(rows.shape[1])
    source = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
    return rows.gather(1, source[..., None].expand_as(rows))


def run_layer(rnn: nn.RNNBase, inputs: Tensor, lengths: Tensor, layer: int = 0) -> Tensor:
    """(B, T, H) states of one layer, both directions side by side for a two-way net, each at its word's place.

    Args:
        rnn: the weights.
        inputs: (B, T, E).
        lengths: (B,) real words of each row; what stands beyond them in the result means nothing.
        layer: which layer of ``rnn``.
    """
    states = _run(rnn, inputs, layer, "")
    if rnn.bidirectional:
        backward = _run(rnn, reverse(inputs, lengths), layer, "_reverse")
        states = torch.cat([states, reverse(backward, lengths)], dim=-1)
    return states


def direction_weights(rnn: nn.RNNBase, layer: int, direction: str) -> list[Tensor]:
    """weight_ih, weight_hh, bias_ih and bias_hh of a layer; the direction is ``""`` or ``"_reverse"``."""
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    return [getattr(rnn, f"{name}_l{layer}{direction}") for name in names]


def _run(rnn: nn.RNNBase, inputs: Tensor, layer: int, direction: str) -> Tensor:
    """(B, T, hidden) states in one direction, from the start of the rows as they are given."""
    start = inputs.new_zeros(1, len(inputs), rnn.hidden_size)
    first = (start, start) if rnn.mode == "LSTM" else start
    weights = direction_weights(rnn, layer, direction)
    states: Tensor = _KERNELS[rnn.mode](inputs, first, weights, True, 1, 0.0, rnn.training, False, True)[0]
    return states
