"""Principal components and clusterings that give the same bits for the same rows, whatever their order or the threads.

One thread adds up, since the order of a sum changes its last bits; rows are float64 and put into a fixed order first.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from threadpoolctl import ThreadpoolController

from seer.errors import SettingError
from seer.traces import FloatArray, IntArray

Clusters = dict[str, FloatArray]
"""``centers`` (K, d) and, for a mixture, ``variances`` (K, d) and ``weights`` (K,)."""

SAME = 1e-6
"""Vectors closer than this share of the largest value are the same vector: float32 noise is smaller."""

RESTARTS = 10
"""Whole runs of KMeans, the tightest of which is kept. Many optima are nearly as good as the best one, so seeds agree
only so far: an adjusted Rand index of .67, .69 and .75 on three GRUs of movie reviews."""

REGULARISATION = 1e-6
"""Added to the mixture's variances, as a share of the mean variance of the reduced states."""

_LOCK = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS and OpenMP use one thread inside, so that sums have one order. One caller at a time."""
    with _LOCK, _threadpools().limit(limits=1):
        yield


@cache
def _threadpools() -> ThreadpoolController:
    return ThreadpoolController()


def row_order(rows: FloatArray) -> IntArray:
    """(N,) positions that put the rows of (N, H) into an order which depends on their content alone."""
    plain = np.ascontiguousarray(rows) + 0.0  # -0.0 and 0.0 are one number with two byte patterns
    return np.argsort(plain.view(np.dtype((np.void, plain.shape[1] * plain.itemsize))).ravel(), kind="stable")


def principal_components(rows: FloatArray, components: int) -> tuple[FloatArray, FloatArray, int]:
    """Principal components by the covariance matrix.

    Args:
        rows: (N, H) float64.
        components: how many to keep at most.

    Returns:
        The mean (H,), the components (d, H) in falling variance with their largest loading positive, and the rank: the
        number of directions in which the rows differ by more than rounding.
    """
    mean = rows.mean(axis=0)
    centred = rows - mean
    values, vectors = np.linalg.eigh(centred.T @ centred / len(rows))
    spread = np.sqrt(np.maximum(values[::-1], 0.0))
    rank = int((spread > SAME * np.abs(rows).max()).sum())
    if rank == 0:
        return mean, np.zeros((1, rows.shape[1])), 0
    kept = vectors[:, ::-1].T[: min(components, rank)]
    size = np.abs(kept)
    # Loadings that tie but for rounding must not decide the sign by chance: the first of them does.
    pivot = (size >= size.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
    signs = np.sign(kept[np.arange(len(kept)), pivot])
    return mean, np.ascontiguousarray(kept * signs[:, None]), rank


def distinct_rows(reduced: FloatArray, enough: int) -> int:
    """Number of distinct rows up to rounding, counted no further than ``enough``."""
    largest = np.abs(reduced).max()
    if largest == 0:
        return 1
    for rows in (reduced[: 10 * enough], reduced):
        distinct = len(np.unique(np.round(rows / (SAME * largest)), axis=0))
        if distinct >= enough:
            return enough
    return distinct


def kmeans(reduced: FloatArray, states: int, seed: int) -> tuple[Clusters, tuple[str, ...]]:
    """KMeans of (N, d) rows into K or fewer centres, the tightest of several runs."""
    with warnings.catch_warnings():
        # Fewer groups than asked are merged below, or left out by the caller with a notice.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(states, n_init=RESTARTS, random_state=seed).fit(reduced)
    centers = model.cluster_centers_
    _, group = connected_components(cdist(centers, centers) <= SAME * np.abs(reduced).max(), directed=False)
    return {"centers": centers[np.unique(group, return_index=True)[1]]}, ()


def mixture(reduced: FloatArray, states: int, seed: int) -> tuple[Clusters, tuple[str, ...]]:
    """A diagonal Gaussian mixture of (N, d) rows, and the notices.

    Raises:
        SettingError: the mixture is ill-defined even with much regularisation.
    """
    spread = float(reduced.var(axis=0).mean())
    usual = REGULARISATION * spread if spread > 0 else REGULARISATION
    if len(reduced) == 1:  # scikit-learn wants two rows
        one = np.ones((1, reduced.shape[1]))
        return {"centers": reduced.copy(), "variances": one * usual, "weights": np.ones(1)}, ()
    for factor in (1, 10, 100, 1000):
        model = GaussianMixture(states, covariance_type="diag", reg_covar=usual * factor, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # told in a notice instead
            try:
                model.fit(reduced)
            except ValueError:  # scikit-learn: ill-defined empirical covariance
                continue
        notices: tuple[str, ...] = ()
        if factor > 1:
            notices += (f"The mixture needed {factor} times the usual regularisation.",)
        if not model.converged_:
            notices += (f"The mixture was stopped after {model.max_iter} rounds, before it had settled.",)
        return {"centers": model.means_, "variances": model.covariances_, "weights": model.weights_}, notices
    raise SettingError(f"A mixture of {states} states cannot be fitted to these data: ask for fewer, or use kmeans.")


def scores(reduced: FloatArray, clusters: Clusters) -> FloatArray:
    """(N, K) score of each state: minus half the squared distance, or the log of weight times density.

    Terms that are the same for all states of a row are left out.
    """
    centers = clusters["centers"]
    if "variances" not in clusters:
        distances: FloatArray = reduced @ centers.T - 0.5 * (centers**2).sum(axis=1)
        return distances
    precision = 1.0 / clusters["variances"]
    constant = np.log(clusters["weights"]) + 0.5 * (np.log(precision) - centers**2 * precision).sum(axis=1)
    density: FloatArray = reduced @ (centers * precision).T - 0.5 * (reduced**2) @ precision.T + constant
    return density
