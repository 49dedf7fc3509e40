"""Weights from a file that may come from anywhere: no code in it ever runs.

Two formats are read: safetensors, which holds nothing but tensors, and PyTorch's, through its own reader that builds
tensors and plain values only (``weights_only=True``) and refuses everything else.
"""

from __future__ import annotations

import argparse
import pathlib
import types
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.torch
import torch
from torch import Tensor

from seer.corpus.bounds import most_unpacked
from seer.errors import ModelError
from seer.imports.ordinary import check_file
from seer.imports.pickled import named_classes
from seer.imports.recurrent import RECURRENT

MOST_BYTES = 4_000_000_000
"""Most bytes of a file of weights, unpacked."""

MOST_NUMBERS = 1_000_000_000
"""Most weights."""

_MOST_OBJECTS = 50_000_000  # bytes of the part of a PyTorch file that describes its tensors

_DEPTH = 5  # of dictionaries in dictionaries

_PREFERRED = ("model_state_dict", "state_dict", "model", "net", "network", "weights", "params", "module")

# Values that research code keeps beside the weights; making one of them does nothing.
_SCALAR: Any = np.float64(0).__reduce__()[0]
_HARMLESS: list[Any] = [
    np.dtype,
    *(type(np.dtype(name)) for name in ("bool", "int32", "int64", "uint8", "float16", "float32", "float64")),
    (_SCALAR, "numpy.core.multiarray.scalar"),
    (_SCALAR, "numpy._core.multiarray.scalar"),
    argparse.Namespace,
    types.SimpleNamespace,
    pathlib.PosixPath,
]

_SAVE_AGAIN = (
    "save the weights alone in the program that made them: torch.save(model.state_dict(), 'weights.pt'), or as "
    "safetensors"
)

_OTHERS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"\x89HDF": "an HDF5 file, as Keras writes them",
    b"%PDF": "a PDF document",
    b"\x1f\x8b": "a gzip archive",
    b"\x93NUMPY": "a numpy array",
}


@dataclass(frozen=True)
class FoundWeights:
    """Tensors by name.

    Attributes:
        tensors: float32, on the CPU, finite.
        kind: what the file is, for a person.
        notes: a sentence each.
    """

    tensors: dict[str, Tensor]
    kind: str
    notes: tuple[str, ...]


def read_weights(path: Path) -> FoundWeights:
    """Read the weights of a model.

    Raises:
        ModelError: there is no such file, it is of another format, damaged, too large or holds more than plain values;
            it has no recurrent layer; or a weight is not a finite number.
    """
    check_file(path, "model weights")
    head = _head(path)
    if head[:4] == b"PK\x03\x04" or head[:1] == b"\x80":
        kind = "PyTorch file"
        held, places = _torch_file(path, zipped=head[:1] == b"P")
        where, tensors = _state_dict(held, path.name)
        notes = [f"The weights stand under “{where}”."] if where else []
        notes += [f"The weights were saved on {place}; they are read on the CPU." for place in sorted(places - {"cpu"})]
    elif head[8:9] == b"{":
        kind, tensors, notes = "safetensors file", _safetensors(path), []
    else:
        raise ModelError(_not_weights(path.name, head))
    numbers = sum(tensor.numel() for tensor in tensors.values())
    most = min(MOST_NUMBERS, most_unpacked(path) // 4)  # one number in the file can stand for as many as it likes
    if numbers > most:
        raise ModelError(f"A model in a file of this size may have {most:,} weights, {path.name} has {numbers:,}.")
    notes += _precision(tensors)
    return FoundWeights({name: _as_float(name, tensor) for name, tensor in tensors.items()}, kind, tuple(notes))


def _head(path: Path) -> bytes:
    """The first bytes of a file of fair size."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise ModelError(f"A file of weights may have {MOST_BYTES:,} bytes, {path.name} has {size:,}.")
        return _beginning(path, 16)
    except OSError as error:
        raise ModelError(f"Expected model weights in {path.name}, but it cannot be read: {error.strerror}.") from error


def _beginning(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _not_weights(name: str, head: bytes) -> str:
    found = next((kind for start, kind in _OTHERS.items() if head.startswith(start)), "neither")
    found = found if head else "an empty file"
    return f"Expected model weights as a safetensors or a PyTorch file in {name}, found {found}; {_SAVE_AGAIN}."


def _safetensors(path: Path) -> dict[str, Tensor]:
    try:
        return safetensors.torch.load_file(path, device="cpu")
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise ModelError(f"The safetensors file {path.name} is damaged; copy it again.") from error


def _torch_file(path: Path, *, zipped: bool) -> tuple[Any, set[str]]:
    """What a PyTorch file holds, and the devices its tensors were saved on."""
    described = _zipped_objects(path) if zipped else _beginning(path, _MOST_OBJECTS)
    places: set[str] = set()

    def to_cpu(storage: Any, place: str) -> Any:
        places.add(place)
        return storage

    try:
        with warnings.catch_warnings(), torch.serialization.safe_globals(_HARMLESS):
            warnings.simplefilter("ignore")
            return torch.load(path, map_location=to_cpu, weights_only=True), places
    except Exception as error:  # a file from anywhere can end in any error of the reader
        blocked = named_classes(described)
        if blocked:
            raise ModelError(
                f"{path.name} holds more than weights: it would run {', '.join(blocked[:3])}, which is refused; "
                f"{_SAVE_AGAIN}."
            ) from error
        raise ModelError(f"{path.name} is damaged or no PyTorch file; copy it again, or {_SAVE_AGAIN}.") from error


def _zipped_objects(path: Path) -> bytes:
    """The part of a zipped PyTorch file that describes its tensors; none of it is run.

    Raises:
        ModelError: it is too large unpacked, damaged, or another kind of archive.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = {entry.filename: entry.file_size for entry in archive.infolist()}
            most, size = min(MOST_BYTES, most_unpacked(path)), sum(entries.values())
            if size > most:
                raise ModelError(
                    f"Weights in a file of this size may have {most:,} bytes; {path.name} has {size:,} when unpacked."
                )
            if any("/code/" in name for name in entries):
                raise ModelError(f"{path.name} is a TorchScript program, which holds code; {_SAVE_AGAIN}.")
            described = next((name for name in entries if name.endswith("/data.pkl")), None)
            if described is None or entries[described] > _MOST_OBJECTS:
                raise ModelError(f"{path.name} is an archive, but none of weights as PyTorch writes it; {_SAVE_AGAIN}.")
            return archive.read(described)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise ModelError(f"{path.name} is a damaged archive; copy it again.") from error


def _state_dict(held: Any, name: str) -> tuple[str, dict[str, Tensor]]:
    """Under which keys the tensors of a model stand, and these tensors."""
    found = [
        (where, tensors)
        for where, tensors in _dictionaries(held, set())
        if any(RECURRENT.search(each) for each in tensors)
    ]
    if not found:
        names = [each for _, tensors in _dictionaries(held, set()) for each in tensors][:5]
        raise ModelError(
            f"Expected the weights of a recurrent layer, named weight_ih_l0 and so on, in {name}; found "
            f"{', '.join(names) or type(held).__name__}."
        )
    if len(found) > 1:
        found.sort(key=lambda each: _rank(each[0]))
        if _rank(found[0][0]) == _rank(found[1][0]):
            places = ", ".join(where or "(top)" for where, _ in found)
            raise ModelError(f"{name} holds several models, under {places}; save one of them alone.")
    return found[0]


def _rank(where: str) -> int:
    last = where.rsplit(".", 1)[-1]
    return _PREFERRED.index(last) if last in _PREFERRED else len(_PREFERRED)


def _dictionaries(held: Any, seen: set[int], where: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Tensor]]]:
    """Every dictionary inside that has tensors, once, with the keys that lead there; ``seen`` is filled."""
    if not isinstance(held, Mapping) or len(where) > _DEPTH or id(held) in seen:
        return
    seen.add(id(held))
    tensors = {key: value for key, value in held.items() if isinstance(key, str) and isinstance(value, Tensor)}
    if tensors:
        yield ".".join(where), tensors
    for key, value in held.items():
        yield from _dictionaries(value, seen, (*where, str(key)))


def _precision(tensors: Mapping[str, Tensor]) -> list[str]:
    kinds = {str(tensor.dtype).removeprefix("torch.") for tensor in tensors.values() if tensor.is_floating_point()}
    return [f"The weights are {kind}; they are read as float32." for kind in sorted(kinds - {"float32"})]


def _as_float(name: str, tensor: Tensor) -> Tensor:
    """In float32, dense, on its own memory.

    Raises:
        ModelError: it is of another kind, or not finite.
    """
    if tensor.is_meta:
        raise ModelError(f"The weights {name} have a shape and no numbers: the model was saved before it was filled.")
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_complex():
        raise ModelError(f"The weights {name} are {tensor.dtype} of the layout {tensor.layout}; save them as float32.")
    numbers = tensor.detach().to(torch.float32).contiguous().clone()
    odd = int((~torch.isfinite(numbers)).sum())
    if odd:
        raise ModelError(
            f"{odd:,} of the {numbers.numel():,} weights in {name} are not finite numbers; the training went wrong, "
            "take an earlier checkpoint."
        )
    return numbers
