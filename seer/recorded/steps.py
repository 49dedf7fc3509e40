"""Hidden states and predictions of a corpus' words, checked against it and against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seer.corpus import Corpus
from seer.errors import DataError
from seer.traces import FloatArray, IntArray

_SUM = 1e-3
"""How far the probabilities of a step may add up to something else than 1."""

_CHUNK = 1 << 22  # numbers looked at at once


@dataclass(frozen=True)
class Steps:
    """``offsets`` (n+1,), ``states`` (N, H) and ``probability`` (N, C), both float32."""

    offsets: IntArray
    states: FloatArray
    probability: FloatArray


def checked_steps(corpus: Corpus, states: Any, lengths: Any, probability: Any) -> Steps:
    """The arrays as they are stored; see ``study_of_states``.

    Raises:
        DataError: they do not fit each other or the corpus, or hold what is no number or no probability.
    """
    if corpus.paired:
        raise DataError(f"{corpus.name} holds sentence pairs; stored states are of single sentences.")
    lengths = np.asarray(lengths)
    if lengths.ndim != 1 or lengths.dtype.kind not in "iu":
        raise DataError(f"Expected the lengths as whole numbers, one a row; got {lengths.dtype} of {lengths.shape}.")
    if len(lengths) != len(corpus):
        raise DataError(f"Expected a length for each of {len(corpus):,} rows of {corpus.name}, got {len(lengths):,}.")
    if len(negative := np.flatnonzero(lengths < 0)):
        row = int(negative[0])
        raise DataError(f"{corpus.name}, row {corpus.ids[row]}: expected a length of 0 or more, got {lengths[row]}.")
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    total, classes = int(offsets[-1]), len(corpus.classes)
    found = []
    for noun, array in (("states", states), ("predictions", probability)):
        array = np.asarray(array)
        if array.ndim != 2 or array.dtype.kind not in "fiu":
            raise DataError(f"Expected the {noun} as rows of numbers; got {array.dtype} of the shape {array.shape}.")
        if len(array) != total:
            raise DataError(
                f"The lengths add up to {total:,} words, and there are {len(array):,} {noun}; each word needs one."
            )
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinity, and is told
            found.append(np.asarray(array, dtype=np.float32))
        _check_finite(corpus, offsets, found[-1], noun)
    if found[1].shape[1] != classes:
        raise DataError(
            f"The predictions have {found[1].shape[1]} columns, and there are {classes} classes "
            f"({', '.join(corpus.classes)}); name as many classes as columns, in their order."
        )
    off = (found[1] < 0).any(axis=1) | (np.abs(found[1].sum(axis=1) - 1) > _SUM)
    if off.any():
        step = int(off.argmax())
        raise DataError(
            f"{_place(corpus, offsets, step)}: the predictions must be probabilities that add up to 1, got "
            f"{', '.join(f'{value:.4g}' for value in found[1][step][:6])}; give logits as logits."
        )
    return Steps(offsets, found[0], found[1])


def _check_finite(corpus: Corpus, offsets: IntArray, array: FloatArray, noun: str) -> None:
    size = max(1, _CHUNK // max(1, array.shape[1]))
    for begin in range(0, len(array), size):
        finite = np.isfinite(array[begin : begin + size]).all(axis=1)
        if not finite.all():
            place = _place(corpus, offsets, begin + int((~finite).argmax()))
            raise DataError(f"{place}: its {noun} hold NaN or infinity; every number must be finite.")


def _place(corpus: Corpus, offsets: IntArray, step: int) -> str:
    row = int(np.searchsorted(offsets, step, side="right")) - 1
    return f"{corpus.name}, row {corpus.ids[row]}, word {step - int(offsets[row]) + 1}"
