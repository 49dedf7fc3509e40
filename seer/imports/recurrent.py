"""The recurrent layers among tensors: their kind and sizes follow from PyTorch's names and from the shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from seer.errors import ModelError
from seer.imports.mismatch import Mismatch, shape_of

RECURRENT = re.compile(
    r"^(?P<prefix>.*?)(?P<part>(?:weight|bias)_(?:ih|hh|hr))(?:_l(?P<layer>\d{1,3})(?P<way>_reverse)?)?$"
)
"""A tensor of ``torch.nn.GRU``, ``LSTM`` or ``RNN``, or of their cells, which have no layer."""

_GATES = {3: "gru", 4: "lstm", 1: "rnn"}
_BLOCKS = {"gru": 3, "lstm": 4, "rnn": 1, "rnn_relu": 1}

MOST_LAYERS = 32


@dataclass(frozen=True)
class FoundLayers:
    """Recurrent layers.

    Attributes:
        prefix: what their names begin with in the file.
        cell: one of the classifier's cells.
        inputs: numbers of a word vector E.
        hidden: units of a direction.
        layers: how many.
        bidirectional: whether they read both ways.
        tensors: by the name they have in the classifier's ``rnn``.
        names: in the file, by the same name; none for a bias that was filled with zeros.
    """

    prefix: str
    cell: str
    inputs: int
    hidden: int
    layers: int
    bidirectional: bool
    tensors: dict[str, Tensor]
    names: dict[str, str]


def find_layers(tensors: Mapping[str, Tensor], cell: str | None) -> FoundLayers:
    """Find the one recurrent part of a model.

    Args:
        tensors: of the whole model.
        cell: what a person says it is; by default as the shapes say.

    Raises:
        ModelError: there is none, there are several, it is of a kind that is not known here, or its tensors do not fit
            one another.
    """
    parts: dict[str, dict[str, str]] = {}
    for name in tensors:
        match = RECURRENT.match(name)
        if match is not None:
            own = f"{match['part']}_l{match['layer'] or 0}{match['way'] or ''}"
            parts.setdefault(match["prefix"], {})[own] = name
    if len(parts) != 1:
        listed = ", ".join(f"{prefix or '(top)'} ({len(names)} tensors)" for prefix, names in sorted(parts.items()))
        raise ModelError(
            f"Expected one recurrent layer or stack, found {listed or 'none'}; a model with several cannot be read "
            "from its weights alone."
        )
    prefix, names = next(iter(parts.items()))
    if any(own.startswith("weight_hr") for own in names):
        raise ModelError(
            f"The LSTM {prefix or '(top)'} has a projection (weight_hr), which is not supported; train it without "
            "proj_size."
        )
    return _checked(prefix, names, tensors, cell)


def _checked(prefix: str, names: dict[str, str], tensors: Mapping[str, Tensor], cell: str | None) -> FoundLayers:
    first = [tensors[names[own]] if own in names else None for own in ("weight_ih_l0", "weight_hh_l0")]
    if any(each is None or each.ndim != 2 or not each.numel() for each in first):
        listed = ", ".join(f"{name} ({shape_of(tensors[name])})" for name in list(names.values())[:4])
        raise ModelError(f"Expected {prefix}weight_ih_l0 and {prefix}weight_hh_l0 as matrices, found {listed}.")
    (rows, inputs), (_, hidden) = (tuple(each.shape) for each in first if each is not None)
    kind = cell or _GATES.get(rows // hidden)
    if kind is None or _BLOCKS[kind] * hidden != rows:
        rule = f"{_BLOCKS[kind]} for {kind.upper()}" if kind else "1, 3 or 4 for RNN, GRU, LSTM"
        raise ModelError(
            f"The recurrent layer {prefix or '(top)'} does not fit: expected {rule} times {hidden:,} rows in "
            f"weight_ih_l0, found {rows:,}."
        )
    layers = 1 + max(int(own.removesuffix("_reverse").rsplit("_l", 1)[1]) for own in names)
    two_way = any(own.endswith("_reverse") for own in names)
    if layers > MOST_LAYERS:
        raise ModelError(f"A model may have {MOST_LAYERS} recurrent layers, this one has {layers:,}.")
    wanted = _wanted(kind, inputs, hidden, layers, two_way)
    with_bias = any(own.startswith("bias") for own in names)
    found: dict[str, Tensor] = {}
    wrong = Mismatch()
    for own, shape in wanted.items():
        name = names.get(own)
        if name is not None:
            found[own] = tensors[name]
            wrong.compare(prefix + own, shape, tensors[name])
        elif own.startswith("bias") and not with_bias:
            found[own] = torch.zeros(shape)
        else:
            wrong.compare(prefix + own, shape, None)
    wrong.stop()
    return FoundLayers(prefix, kind, inputs, hidden, layers, two_way, found, names)


def _wanted(cell: str, inputs: int, hidden: int, layers: int, two_way: bool) -> dict[str, tuple[int, ...]]:
    """Name → shape of all tensors of the layers."""
    rows = _BLOCKS[cell] * hidden
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in range(layers):
        width = inputs if layer == 0 else hidden * (1 + two_way)
        for way in ("", "_reverse") if two_way else ("",):
            of_layer = {"weight_ih": (rows, width), "weight_hh": (rows, hidden), "bias_ih": (rows,), "bias_hh": (rows,)}
            shapes |= {f"{part}_l{layer}{way}": shape for part, shape in of_layer.items()}
    return shapes
