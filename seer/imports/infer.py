"""What model a set of tensors is: embedding → recurrent layers → head; every tensor is used once, or it is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

import torch
from torch import Tensor

from seer.errors import ModelError, SettingError
from seer.imports.mismatch import Mismatch, shape_of
from seer.imports.recurrent import FoundLayers, find_layers
from seer.models.classifier import CELLS, Architecture
from seer.models.readout import ACTIVATIONS

_EMBEDDING_NAMES = ("emb", "word_vec", "lookup", "wte")

_MOST_HEAD = 6  # linear layers of a head


@dataclass(frozen=True)
class Choices:
    """What weights do not say of a model; ``None`` where it follows from them.

    Attributes:
        cell: one of the classifier's cells; the shapes cannot tell a plain RNN with tanh from one with ReLU.
        activation: between the layers of a head, by default ReLU.
        read_out: what the head reads; see ``Architecture``.
        length: that texts are padded to, for the read-out ``"padded"``.
        sigmoid: the head has one output, the logit of the second class; by default where it has one.

    Raises:
        SettingError: an unknown cell or activation.
    """

    cell: str | None = None
    activation: str | None = None
    read_out: str = "last"
    length: int | None = None
    sigmoid: bool | None = None

    def __post_init__(self) -> None:
        if self.cell is not None and self.cell not in CELLS:
            raise SettingError(f"The cell must be one of {', '.join(CELLS)}, got {self.cell!r}.")
        if self.activation is not None and self.activation not in ACTIVATIONS:
            raise SettingError(f"The activation must be one of {', '.join(ACTIVATIONS)}, got {self.activation!r}.")


@dataclass(frozen=True)
class Use:
    """One tensor of the file: its name there, its shape, and what it is used as."""

    name: str
    shape: tuple[int, ...]
    use: str


@dataclass(frozen=True)
class Inferred:
    """A model as its tensors tell it.

    Attributes:
        architecture: with as many words as the embedding has rows.
        state: the classifier's tensors by its own names, the embedding's rows in the order of the file.
        uses: every tensor of the file.
        outputs: of the head; one for a sigmoid.
        notes: a sentence each.
    """

    architecture: Architecture
    state: dict[str, Tensor]
    uses: tuple[Use, ...]
    outputs: int
    notes: tuple[str, ...]


def infer(tensors: Mapping[str, Tensor], choices: Choices) -> Inferred:
    """Find out what model the tensors are.

    Raises:
        ModelError: they are not an embedding, one recurrent net and a head of linear layers; it says what was expected
            and what was found.
        SettingError: a choice that contradicts them.
    """
    prefix, own = strip_prefix(tensors)
    layers = find_layers(own, choices.cell)
    rest = {name: tensor for name, tensor in own.items() if name not in layers.names.values()}
    embedding = _embedding(rest, layers.inputs)
    del rest[embedding]
    head = _head(rest, layers.hidden * (2 if layers.bidirectional else 1))
    outputs = len(head[-1].weight)
    if choices.sigmoid is not None and choices.sigmoid != (outputs == 1):
        needed = "A sigmoid needs a head with one output" if choices.sigmoid else "A softmax needs two outputs or more"
        raise SettingError(f"{needed}, this one has {outputs}.")
    architecture = Architecture(
        len(own[embedding]),
        max(2, outputs),
        cell=layers.cell,
        embedding=layers.inputs,
        hidden=layers.hidden,
        layers=layers.layers,
        bidirectional=layers.bidirectional,
        dropout=0.0,
        head=tuple(len(layer.weight) for layer in head[:-1]),
        activation=(choices.activation or "relu") if len(head) > 1 else "relu",
        read_out=choices.read_out,
        length=choices.length,
    )
    state = {"embedding.weight": own[embedding]}
    state |= {f"rnn.{name}": tensor for name, tensor in layers.tensors.items()}
    state |= _head_state(head)
    notes = [f"All names begin with “{prefix}”, which was left out."] if prefix else []
    notes += _notes(layers, head, outputs, choices)
    return Inferred(architecture, state, tuple(_uses(prefix, own, embedding, layers, head)), outputs, tuple(notes))


def strip_prefix(tensors: Mapping[str, Tensor]) -> tuple[str, dict[str, Tensor]]:
    """What all names begin with up to a point, such as ``module.``, and the tensors by what follows."""
    names = list(tensors)
    parts = [name.split(".") for name in names]
    shared = 0
    while all(len(part) > shared + 1 for part in parts) and len({part[shared] for part in parts}) == 1:
        shared += 1
    prefix = "".join(f"{part}." for part in parts[0][:shared])
    return prefix, {name.removeprefix(prefix): tensors[name] for name in names}


def _embedding(rest: Mapping[str, Tensor], size: int) -> str:
    """Name of the word vectors: the matrix as wide as the recurrent layer reads, that no bias belongs to."""
    wide = [
        name
        for name, tensor in rest.items()
        if tensor.ndim == 2 and tensor.shape[1] == size and f"{name.removesuffix('weight')}bias" not in rest
    ]
    called = [name for name in wide if any(part in name.lower() for part in _EMBEDDING_NAMES)]
    candidates = called or wide
    if len(candidates) != 1:
        listed = ", ".join(f"{name} ({shape_of(rest[name])})" for name in candidates[:4])
        others = ", ".join(f"{name} ({shape_of(tensor)})" for name, tensor in list(rest.items())[:4])
        found = f"{len(candidates)}: {listed}" if candidates else others or "none"
        raise ModelError(f"Expected one embedding, a matrix of {size} numbers a word, found {found}.")
    return candidates[0]


@dataclass(frozen=True)
class _Linear:
    """A linear layer by the name it has in the file; its bias is zero where there is none."""

    name: str
    weight: Tensor
    bias: Tensor | None


def _head(rest: Mapping[str, Tensor], inputs: int) -> list[_Linear]:
    """The linear layers from the recurrent net's state to the outputs, in their order; all tensors are used."""
    wrong = Mismatch()
    linear: list[_Linear] = []
    used = set()
    for name in sorted(rest, key=_natural):
        if rest[name].ndim == 2 and name.endswith("weight"):
            stem = name.removesuffix("weight")
            linear.append(_Linear(stem.removesuffix("."), rest[name], rest.get(f"{stem}bias")))
            used |= {name, f"{stem}bias"}
    for name in rest:
        if name not in used:
            wrong.left_over(name, rest[name])
    for layer in linear:
        if layer.bias is not None:
            wrong.compare(f"{layer.name}.bias", (len(layer.weight),), layer.bias)
    wrong.stop()
    if len(linear) > _MOST_HEAD:
        raise ModelError(f"Expected a head of at most {_MOST_HEAD} linear layers, found {len(linear)}.")
    for order in permutations(linear):  # the order of their names comes first
        widths = [inputs, *(len(layer.weight) for layer in order)]
        if order and all(layer.weight.shape[1] == width for layer, width in zip(order, widths, strict=False)):
            return list(order)
    found = ", ".join(f"{layer.name}.weight ({shape_of(layer.weight)})" for layer in linear) or "none"
    raise ModelError(
        f"Expected a head of linear layers that reads the {inputs:,} numbers of the recurrent net's state; found "
        f"{found}."
    )


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts ``dense.10`` after ``dense.2``."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _head_state(head: list[_Linear]) -> dict[str, Tensor]:
    """The classifier's tensors of the head; one output z becomes two, −z/2 and z/2, with the same probabilities."""
    state: dict[str, Tensor] = {}
    for number, layer in enumerate(head):
        weight = layer.weight
        bias = torch.zeros(len(weight)) if layer.bias is None else layer.bias
        if number == len(head) - 1 and len(weight) == 1:
            weight, bias = torch.cat([-weight / 2, weight / 2]), torch.cat([-bias / 2, bias / 2])
        name = f"head.{2 * number}" if len(head) > 1 else "head"
        state |= {f"{name}.weight": weight, f"{name}.bias": bias}
    return state


def _notes(layers: FoundLayers, head: list[_Linear], outputs: int, choices: Choices) -> list[str]:
    notes = []
    if layers.cell == "rnn" and choices.cell is None:
        notes.append("A plain RNN is taken to use tanh; --cell rnn_relu is for one with ReLU.")
    if not any(own.startswith("bias") for own in layers.names):
        notes.append("The recurrent layers have no bias: zeros stand in.")
    if len(head) > 1 and choices.activation is None:
        notes.append("The activation between the layers of the head is taken to be ReLU; --activation chooses.")
    if outputs == 1:
        notes.append("The head has one output: a sigmoid, the probability of the second class.")
    return notes


def _uses(
    prefix: str, own: Mapping[str, Tensor], embedding: str, layers: FoundLayers, head: list[_Linear]
) -> list[Use]:
    """Every tensor of the file, in its order."""
    uses = {embedding: "word vectors"} | {name: f"recurrent, {part}" for part, name in layers.names.items()}
    for number, layer in enumerate(head, start=1):
        of = "head" if len(head) == 1 else f"head, layer {number} of {len(head)}"
        stem = f"{layer.name}." if layer.name else ""
        uses |= {f"{stem}weight": of, f"{stem}bias": of}
    return [Use(prefix + name, tuple(tensor.shape), uses[name]) for name, tensor in own.items()]
