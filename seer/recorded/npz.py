"""An ``.npz`` file of states."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from seer.errors import DataError
from seer.recorded.parts import named_parts, softmax
from seer.traces import IntArray


def read_npz(path: Path) -> dict[str, Any]:
    """The parts of an ``.npz`` file, of which no Python object is read; ``tokens`` a list a row.

    Raises:
        DataError: it is damaged, holds Python objects, or its parts do not fit each other.
    """
    try:
        # Else numpy takes it for one array, or for a pickle, and advises to run that.
        if path.is_file() and not zipfile.is_zipfile(path):
            raise DataError(
                f"{path.name} cannot be read as an .npz (no whole archive of arrays); save it again with np.savez."
            )
        with np.load(path, allow_pickle=False) as file:
            held = {name: _array(path, file, name) for name in file.files}
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, ValueError) as error:
        raise DataError(f"{path.name} cannot be read as an .npz ({error}); save it again with np.savez.") from error
    parts = named_parts(path, held)
    parts["lengths"] = _lengths(path, parts)
    if "logits" in parts and "probability" not in parts:
        parts["probability"] = softmax(path, parts["logits"])
    for name in ("texts", "labels", "classes", "splits", "ids", "tokens"):
        if name in parts:
            parts[name] = parts[name].tolist()
    if "tokens" in parts:
        total = int(parts["lengths"].sum())
        if len(parts["tokens"]) != total:
            raise DataError(
                f"{path.name}: the lengths add up to {total:,}, and there are {len(parts['tokens']):,} tokens."
            )
        ends = np.cumsum(parts["lengths"]).tolist()
        parts["tokens"] = [parts["tokens"][begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
    return parts


def _array(path: Path, file: Any, name: str) -> npt.NDArray[Any]:
    try:
        found: npt.NDArray[Any] = file[name]
    except ValueError as error:
        raise DataError(
            f"{path.name}: the array {name} cannot be read ({error}); save texts as np.array(texts, dtype=str), and "
            "states of all rows one below another."
        ) from error
    return found


def _lengths(path: Path, parts: Mapping[str, Any]) -> IntArray:
    if "lengths" in parts:
        lengths: IntArray = parts["lengths"]
        return lengths
    if "offsets" not in parts:
        raise DataError(f"{path.name} holds no lengths and no offsets; one of them must say where each row begins.")
    offsets = np.asarray(parts["offsets"])
    if offsets.ndim != 1 or not len(offsets) or offsets.dtype.kind not in "iu" or offsets[0] != 0:
        raise DataError(f"{path.name}: the offsets must be whole numbers that begin with 0, one more than rows.")
    found: IntArray = np.diff(offsets.astype(np.int64)).astype(np.int64)
    return found
