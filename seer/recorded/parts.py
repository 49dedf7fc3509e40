"""What the parts of a file of states are called, and what is done to them whatever the format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from seer.errors import DataError
from seer.traces import FloatArray

NAMES = {
    "states": ("states", "hidden_states", "hidden"),
    "lengths": ("lengths", "length"),
    "offsets": ("offsets",),
    "probability": ("probability", "probabilities", "predictions"),
    "logits": ("logits",),
    "tokens": ("tokens", "words"),
    "texts": ("texts", "text", "sentences", "sentence"),
    "labels": ("labels", "label"),
    "classes": ("classes", "class_names"),
    "splits": ("splits", "split"),
    "ids": ("ids", "id"),
}
"""What each part may be called."""


def named_parts(path: Path, held: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a file by the keys of ``NAMES``, out of what it holds by its own names.

    Raises:
        DataError: it holds a part under two names.
    """
    parts: dict[str, Any] = {}
    for part, names in NAMES.items():
        found = [name for name in names if name in held]
        if len(found) > 1:
            raise DataError(f"{path.name} holds both {' and '.join(found)}; keep one of them.")
        if found:
            parts[part] = held[found[0]]
    return parts


def softmax(path: Path, logits: Any) -> FloatArray:
    """(N, C) class probabilities of logits.

    Raises:
        DataError: they are no rows of numbers.
    """
    values = np.asarray(logits)
    if values.ndim != 2 or values.dtype.kind not in "fiu":
        raise DataError(f"{path.name}: expected the logits as rows of numbers; got {values.dtype} of {values.shape}.")
    powers: FloatArray = values.astype(np.float64)
    powers -= powers.max(axis=1, keepdims=True, initial=-np.inf)
    np.exp(powers, out=powers)
    powers /= powers.sum(axis=1, keepdims=True)
    return powers
