"""An ``.npz`` file of states."""

from __future__ import annotations

import lzma
import math
import sys
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format

from seer.corpus.bounds import grown, most_unpacked, refuse_rows, unreadable
from seer.errors import DataError
from seer.recorded.parts import NAMES, named_parts, softmax
from seer.traces import IntArray

_LISTS = frozenset(("texts", "labels", "classes", "splits", "ids", "tokens"))
_FLAT = _LISTS | {"lengths", "offsets"}

_NUMBER, _IN_A_LIST = 4, 64
"""Bytes of a number at least, as states are kept, and about those of a value of a list."""

_READ = frozenset(name for names in NAMES.values() for name in names)
"""Arrays of other names are left alone."""

_DAMAGED = (
    OSError,
    EOFError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    ValueError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    TokenError,
)
"""What the readers of archives and of arrays raise for damaged ones. No lack of memory is among them."""


def read_npz(path: Path) -> dict[str, Any]:
    """The parts of an ``.npz`` file, of which no Python object is read; ``tokens`` a list a row.

    Raises:
        DataError: it is damaged or too large, holds Python objects, or its parts do not fit each other.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_sizes(path, archive)
        with np.load(path, allow_pickle=False) as file:
            held = {name: file[name] for name in file.files if name in _READ}
    except _DAMAGED as error:
        raise unreadable(path.name, ".npz", error) from error
    parts = named_parts(path, held)
    for name in _FLAT & parts.keys():
        if parts[name].ndim != 1:
            raise DataError(f"{path.name}: expected the {name} as one list, got the shape {parts[name].shape}.")
    parts["lengths"] = _lengths(path, parts)
    refuse_rows(np.size(parts["lengths"]), path.name)
    if "logits" in parts and "probability" not in parts:
        parts["probability"] = softmax(path, parts["logits"])
    for name in _LISTS & parts.keys():
        parts[name] = _listed(path, name, parts[name])
    if "tokens" in parts:
        total = int(parts["lengths"].sum())
        if len(parts["tokens"]) != total:
            raise DataError(
                f"{path.name}: the lengths add up to {total:,}, and there are {len(parts['tokens']):,} tokens."
            )
        ends = np.cumsum(parts["lengths"]).tolist()
        parts["tokens"] = [parts["tokens"][begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
    return parts


def _listed(path: Path, name: str, array: npt.NDArray[Any]) -> list[Any]:
    if array.dtype.kind == "U":
        codes = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="))).view(np.uint32)
        if codes.max(initial=0) > sys.maxunicode:
            raise DataError(f"{path.name}: the array {name} holds what is no text; save it again with np.savez.")
    found: list[Any] = array.tolist()
    return found


def _check_sizes(path: Path, archive: zipfile.ZipFile) -> None:
    """Stop before an array is made that a packed or false file makes larger than it looks.

    Raises:
        DataError: an array is of Python objects or is not all there, or all of them grow beyond the bound.
    """
    most = most_unpacked(path)
    members = {member: member.filename.removesuffix(".npy") for member in archive.infolist()}
    members = {member: name for member, name in members.items() if name in _READ}
    total = sum(member.file_size for member in members)  # before the first header, which may be all of an array
    if total > most:
        raise grown(path.name, most)
    for member, name in members.items():
        with archive.open(member) as file:
            shape, dtype = _declared(file)
        count = math.prod(shape)
        if dtype.hasobject:
            raise DataError(
                f"{path.name}: the array {name} cannot be read, for it holds Python objects; save texts as "
                "np.array(texts, dtype=str), and states of all rows one below another."
            )
        if count * dtype.itemsize > member.file_size:
            raise DataError(
                f"{path.name} cannot be read: the array {name} is not all there; save it again with np.savez."
            )
        as_list = len(shape) < 2 or dtype.kind not in "biuf"
        total += max(0, count * max(dtype.itemsize, _IN_A_LIST if as_list else _NUMBER) - member.file_size)
    if total > most:
        raise grown(path.name, most)


def _declared(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and the type that an array begins with.

    Raises:
        ValueError: it is none, or of a version that only records need.
    """
    read = {(1, 0): format.read_array_header_1_0, (2, 0): format.read_array_header_2_0}.get(format.read_magic(file))
    if read is None:
        raise ValueError
    shape, _, dtype = read(file)
    return shape, dtype


def _lengths(path: Path, parts: Mapping[str, Any]) -> IntArray:
    if "lengths" in parts:
        lengths: IntArray = parts["lengths"]
        if lengths.dtype.kind not in "iu":
            raise DataError(f"{path.name}: the lengths must be whole numbers, one a row; got {lengths.dtype}.")
        return lengths
    if "offsets" not in parts:
        raise DataError(f"{path.name} holds no lengths and no offsets; one of them must say where each row begins.")
    offsets = np.asarray(parts["offsets"])
    if not len(offsets) or offsets.dtype.kind not in "iu" or offsets[0] != 0:
        raise DataError(f"{path.name}: the offsets must be whole numbers that begin with 0, one more than rows.")
    found: IntArray = np.diff(offsets.astype(np.int64)).astype(np.int64)
    return found
