"""The state abstraction: hidden states reduced by PCA and grouped into a few numbered states.

Source: DeepSeer (Wang et al., CHI 2023), built on DeepStellar (Du et al., FSE 2019). KMeans is the default; the
diagonal Gaussian mixture of the paper is the preset ``paper``. The result depends on the rows and the seed alone, not
on the order of the rows or the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from seer.clustering import (
    Clusters,
    distinct_rows,
    kmeans,
    mixture,
    one_thread,
    principal_components,
    row_order,
    scores,
)
from seer.errors import DataError, ModelError, SettingError
from seer.traces import FloatArray

PRESETS: dict[str, dict[str, Any]] = {
    "default": {"method": "kmeans", "states": 20, "components": 10},
    "paper": {"method": "gmm", "states": 39, "components": 20},
}

METHODS = {"kmeans": kmeans, "gmm": mixture}
MAX_STATES = int(np.iinfo(np.int16).max)

CHUNK = 1 << 22
"""Numbers held at once while rows are reduced or assigned, which bounds memory for millions of rows."""


class StateAbstraction:
    """PCA, then KMeans or a diagonal Gaussian mixture; states are numbered 1..K by falling visits.

    Args:
        method: ``"kmeans"`` or ``"gmm"``.
        states: number of states K to look for.
        components: number of principal components d to keep.
        random_state: seed of the clustering.

    Attributes:
        mean_: (H,) mean hidden state.
        components_: (d, H) orthonormal directions; the largest loading of each is positive. One row of zeros when all
            hidden states are the same.
        centers_: (K, d) centre of each state; row ``s - 1`` belongs to state ``s``.
        variances_: (K, d) variance of each state, mixture only.
        weights_: (K,) prior share of each state, mixture only.
        states_: number of states K found, at most ``states``.
        notices_: what was done otherwise than asked, a sentence each.

    Raises:
        SettingError: a setting is out of its range.
    """

    mean_: FloatArray
    components_: FloatArray
    centers_: FloatArray
    variances_: FloatArray
    weights_: FloatArray
    states_: int
    notices_: tuple[str, ...]

    def __init__(self, method: str = "kmeans", states: int = 20, components: int = 10, random_state: int = 0) -> None:
        if method not in METHODS:
            raise SettingError(f"The method must be one of {', '.join(METHODS)}; got {method!r}.")
        if not 1 <= states <= MAX_STATES:
            raise SettingError(f"The number of states must lie between 1 and {MAX_STATES}; got {states}.")
        if components < 1:
            raise SettingError(f"The number of components must be 1 or more; got {components}.")
        if not 0 <= random_state < 2**32 - 1:
            raise SettingError(f"The seed must lie between 0 and {2**32 - 2}; got {random_state}.")
        self.method = method
        self.states = int(states)
        self.components = int(components)
        self.random_state = int(random_state)

    def fit(self, hidden: npt.ArrayLike) -> StateAbstraction:
        """Learn the projection and the states.

        Args:
            hidden: (N, H) hidden states of the fitting sample, one row a token, in any order.

        Raises:
            DataError: there is no token, or a value is not finite.
        """
        rows = _checked_rows(hidden)
        with one_thread():
            rows = rows[row_order(rows)]
            self.mean_, self.components_, rank = principal_components(rows, self.components)
            self.notices_ = _component_notices(self.components, rank, *rows.shape)
            self._cluster(_project(rows, self.mean_, self.components_))
        return self

    def refit(
        self, reduced: FloatArray, *, states: int | None = None, random_state: int | None = None
    ) -> StateAbstraction:
        """A new abstraction on the same projection, grouped afresh: for other seeds and other K.

        Args:
            reduced: (N, d) output of ``transform`` for the fitting sample, in the order of ``row_order``.
            states: number of states; as here when not given.
            random_state: seed; as here when not given.
        """
        self._require_fitted()
        new = StateAbstraction(
            self.method,
            self.states if states is None else states,
            self.components,
            self.random_state if random_state is None else random_state,
        )
        new.mean_, new.components_, new.notices_ = self.mean_, self.components_, ()
        with one_thread():
            new._cluster(reduced)
        return new

    def transform(self, hidden: npt.ArrayLike) -> FloatArray:
        """Reduce (N, H) hidden states to (N, d) float64.

        Raises:
            ModelError: the hidden size is not the one of the fit.
        """
        rows = self._matching_rows(hidden)
        out = np.empty((len(rows), len(self.components_)))
        with one_thread():
            for part in _chunks(rows):
                out[part] = _project(rows[part], self.mean_, self.components_)
        return out

    def assign(self, reduced: FloatArray) -> npt.NDArray[np.int16]:
        """The state 1..K of each row of (N, d) reduced states, (N,) int16. The lower number wins a tie.

        Raises:
            DataError: a value is not finite.
        """
        self._require_fitted()
        out = np.empty(len(reduced), dtype=np.int16)
        with one_thread():
            for part in _chunks(reduced, self.states_):
                if not np.isfinite(reduced[part]).all():
                    raise DataError("Hidden states must be finite numbers; the model gave NaN or infinity.")
                out[part] = scores(reduced[part], self._clusters()).argmax(axis=1) + 1
        return out

    def predict(self, hidden: npt.ArrayLike) -> npt.NDArray[np.int16]:
        """The state 1..K of each row of (N, H) hidden states, (N,) int16.

        Raises:
            ModelError: the hidden size is not the one of the fit.
            DataError: a value is not finite.
        """
        rows = self._matching_rows(hidden)
        out = np.empty(len(rows), dtype=np.int16)
        for part in _chunks(rows):
            out[part] = self.assign(self.transform(rows[part]))
        return out

    def settings(self) -> dict[str, Any]:
        """The settings and, once fitted, the notices, ready for JSON and ``from_arrays``."""
        return {
            "method": self.method,
            "states": self.states,
            "components": self.components,
            "random_state": self.random_state,
            "notices": list(getattr(self, "notices_", ())),
        }

    def to_arrays(self) -> dict[str, FloatArray]:
        """All that was learned, as float64 arrays: the fitted attributes without the underscore."""
        self._require_fitted()
        return {"mean": self.mean_, "components": self.components_, **self._clusters()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, FloatArray], settings: Mapping[str, Any]) -> StateAbstraction:
        """The inverse of ``to_arrays`` and ``settings``.

        Raises:
            ModelError: an array is missing or the shapes do not fit together.
            SettingError: a setting is out of its range.
        """
        new = cls(**{key: value for key, value in settings.items() if key != "notices"})
        names = ("mean", "components", "centers") + (("variances", "weights") if new.method == "gmm" else ())
        missing = [name for name in names if name not in arrays]
        if missing:
            raise ModelError(f"The state abstraction lacks {', '.join(missing)}. Analyse the study again.")
        mean, components, *clusters = (np.array(arrays[name], dtype=np.float64) for name in names)
        size, dims = len(clusters[0]), len(components)
        shapes = [mean.shape, components.shape, *(array.shape for array in clusters)]
        expected = [(mean.size,), (dims, mean.size), (size, dims), (size, dims), (size,)]
        if shapes != expected[: len(shapes)] or not size or not dims:
            raise ModelError(f"The arrays of the state abstraction do not fit together: {shapes}. Analyse again.")
        new.mean_, new.components_ = mean, components
        new._set_clusters(dict(zip(names[2:], clusters, strict=True)))
        new.notices_ = tuple(settings.get("notices", ()))
        return new

    def _cluster(self, reduced: FloatArray) -> None:
        """Group (N, d) reduced states and number the groups by falling visits, ties by centre."""
        distinct = distinct_rows(reduced, self.states)
        if distinct < self.states:
            found = "1 distinct vector" if distinct == 1 else f"{distinct} distinct vectors"
            self.notices_ += (f"{self.states} states were asked for, but the data hold only {found}.",)
        clusters, notices = METHODS[self.method](reduced, min(self.states, distinct), self.random_state)
        self.notices_ += notices
        self._set_clusters(clusters)
        visits = np.bincount(self.assign(reduced), minlength=self.states_ + 1)[1:]
        order = np.lexsort((*clusters["centers"].T[::-1], -visits))
        used = order[visits[order] > 0]
        if len(used) < len(order):
            self.notices_ += (f"{len(order) - len(used)} of {len(order)} states won no token and were left out.",)
        self._set_clusters({name: np.ascontiguousarray(array[used]) for name, array in clusters.items()})

    def _clusters(self) -> Clusters:
        extra = {"variances": self.variances_, "weights": self.weights_} if self.method == "gmm" else {}
        return {"centers": self.centers_, **extra}

    def _set_clusters(self, clusters: Clusters) -> None:
        for name, array in clusters.items():
            setattr(self, f"{name}_", array)
        self.states_ = len(self.centers_)

    def _matching_rows(self, hidden: npt.ArrayLike) -> npt.NDArray[Any]:
        self._require_fitted()
        rows = np.asarray(hidden)
        if rows.ndim != 2 or rows.shape[1] != len(self.mean_):
            raise ModelError(
                f"Expected hidden states of {len(self.mean_)} numbers, got the shape {rows.shape}. "
                "Use the model that the states were fitted on, or fit them again."
            )
        return rows

    def _require_fitted(self) -> None:
        if not hasattr(self, "mean_"):
            raise ModelError("The state abstraction is not fitted yet: call fit first.")


def _checked_rows(hidden: npt.ArrayLike) -> FloatArray:
    rows = np.asarray(hidden, dtype=np.float64)
    if rows.ndim != 2 or not rows.size:
        raise DataError(f"Expected at least one token's hidden state as a row, got an array of shape {rows.shape}.")
    if not np.isfinite(rows).all():
        raise DataError("Hidden states must be finite numbers; the model gave NaN or infinity.")
    return rows


def _component_notices(asked: int, rank: int, tokens: int, size: int) -> tuple[str, ...]:
    if rank == 0:
        return ("All tokens have the same hidden state, so there is one state.",)
    if asked <= rank:
        return ()
    return (
        f"{asked} components were asked for, but {tokens} tokens of {size} numbers differ in only {rank} "
        f"{'direction' if rank == 1 else 'directions'}, so {rank} {'is' if rank == 1 else 'are'} used.",
    )


def _project(rows: FloatArray, mean: FloatArray, components: FloatArray) -> FloatArray:
    projected: FloatArray = (rows.astype(np.float64, copy=False) - mean) @ components.T
    return projected


def _chunks(rows: npt.NDArray[Any], width: int = 0) -> Iterator[slice]:
    """Slices over the rows that each hold about ``CHUNK`` numbers, for results of ``width`` columns."""
    step = max(1, CHUNK // max(1, rows.shape[1], width))
    return (slice(start, start + step) for start in range(0, len(rows), step))
