"""Which classes are taken for which: the pairs most often confused, and orders of the classes that show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from seer.errors import SettingError
from seer.traces import IntArray

Order = Literal["errors", "confusion", "size", "stored"]
"""Of classes: most errors first, the confused ones side by side, largest first, or as they are stored."""


@dataclass(frozen=True)
class Confusion:
    """One class read as another.

    Attributes:
        true: place of the class.
        predicted: place of the class that it was read as.
        count: how often.
        share: of the rows of the true class.
    """

    true: int
    predicted: int
    count: int
    share: float


def most_confused(matrix: IntArray, most: int | None = None) -> list[Confusion]:
    """The wrong cells of a confusion matrix that are not empty, the largest first, then in the stored order.

    Args:
        matrix: (C, C) counts, true classes in rows.
        most: how many at most; all by default.
    """
    wrong = matrix * ~np.eye(len(matrix), dtype=bool)
    order = [int(at) for at in np.argsort(-wrong, axis=None, kind="stable") if wrong.flat[at]]
    pairs = [divmod(at, len(matrix)) for at in order[:most]]
    return [Confusion(t, p, int(matrix[t, p]), float(matrix[t, p] / matrix[t].sum())) for t, p in pairs]


def class_order(matrix: IntArray, by: Order) -> IntArray:
    """Places of the classes in an order; what is alike stays in the stored one.

    Args:
        matrix: (C, C) counts, true classes in rows.
        by: ``errors``: false in either way, ``size``: rows of the class, ``confusion``: leaves of an average-linkage
            tree over the share of errors between two classes, confused ones side by side.

    Returns:
        (C,) a permutation.

    Raises:
        SettingError: there is no such order.
    """
    if by not in get_args(Order):
        raise SettingError(f"Classes are ordered by {', '.join(get_args(Order))}, got {by}.")
    size, right = matrix.sum(axis=1), np.diag(matrix)
    errors = size + matrix.sum(axis=0) - 2 * right
    if by == "confusion" and len(matrix) > 2 and errors.any():
        return _side_by_side(matrix)
    weight = {"errors": errors, "size": size}.get(by, np.zeros(len(matrix)))
    order: IntArray = np.argsort(-weight, kind="stable")
    return order


def pooled(matrix: IntArray, kept: Sequence[int]) -> IntArray:
    """The matrix of some classes, with all others as one more class at the end.

    Args:
        matrix: (C, C) counts, true classes in rows.
        kept: places of K of them in the order wanted.

    Returns:
        (K+1, K+1); an error among the others stands in the last cell of the diagonal.
    """
    rest = np.setdiff1d(np.arange(len(matrix)), kept)
    groups = [[place] for place in kept] + [rest.tolist()]
    rows = np.stack([matrix[group].sum(axis=0) for group in groups])
    found: IntArray = np.stack([rows[:, group].sum(axis=1) for group in groups], axis=1)
    return found


def _side_by_side(matrix: IntArray) -> IntArray:
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    distance = 1 - np.clip((shares + shares.T) / 2, 0, 1)
    np.fill_diagonal(distance, 0)
    condensed = squareform(distance, checks=False)
    order: IntArray = leaves_list(optimal_leaf_ordering(linkage(condensed, "average"), condensed)).astype(np.int64)
    return order
