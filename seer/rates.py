"""Rates with their uncertainty: missing is NaN in arrays and None in records, never 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seer.traces import FloatArray

Z95 = 1.959963984540054
"""Standard normal quantile of .975, for two-sided 95 % intervals."""


@dataclass(frozen=True)
class Accuracy:
    """Right predictions among labelled sentences with a word; the share lies in ``low``–``high`` (Wilson, 95 %)."""

    right: int
    labelled: int
    value: float
    low: float
    high: float

    @classmethod
    def of(cls, right: int, labelled: int) -> Accuracy:
        """From counts; NaN where nothing is labelled."""
        low, high = wilson_interval(right, labelled).tolist()
        return cls(right, labelled, right / labelled if labelled else math.nan, low, high)

    @property
    def errors(self) -> int:
        """Number of wrong predictions."""
        return self.labelled - self.right


def wilson_interval(successes: npt.ArrayLike, trials: npt.ArrayLike, z: float = Z95) -> FloatArray:
    """Wilson's score interval of a share (Wilson, JASA 1927), shape (…, 2); NaN without a trial.

    Args:
        successes: (…) counts.
        trials: (…) totals.
        z: standard normal quantile, 95 % by default.
    """
    total = np.asarray(trials, dtype=np.float64)
    share = ratio(np.asarray(successes, dtype=np.float64), total)
    safe = np.where(total > 0, total, np.nan)
    centre = (share + z * z / (2 * safe)) / (1 + z * z / safe)
    half = z / (1 + z * z / safe) * np.sqrt(share * (1 - share) / safe + z * z / (4 * safe * safe))
    interval: FloatArray = np.clip(np.stack([centre - half, centre + half], axis=-1), 0.0, 1.0)
    return interval


def ratio(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> FloatArray:
    """Part over whole, NaN where the whole is 0."""
    rates: FloatArray = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return rates


def number(value: float) -> float | None:
    """A plain float for JSON, None for NaN."""
    return None if math.isnan(value) else float(value)
