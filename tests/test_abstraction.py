"""States are found, numbered and kept the same way whatever the order, the threads, or the degeneracy of the rows."""

import hashlib
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from seer.abstraction import PRESETS, StateAbstraction
from seer.clustering import principal_components, row_order
from seer.errors import DataError, ModelError, SettingError

METHODS = ("kmeans", "gmm")


def blobs(tokens=600, size=8, groups=5, seed=0, spread=0.05):
    random = np.random.default_rng(seed)
    group = random.choice(groups, size=tokens, p=np.arange(1, groups + 1) / np.arange(1, groups + 1).sum())
    centers = random.uniform(-1, 1, size=(groups, size))
    return (centers[group] + spread * random.normal(size=(tokens, size))).astype(np.float32), group


def digest(abstraction, hidden):
    content = hashlib.sha256(json.dumps(abstraction.settings(), sort_keys=True).encode())
    for name, array in sorted(abstraction.to_arrays().items()):
        content.update(name.encode() + array.tobytes())
    content.update(abstraction.predict(hidden).tobytes())
    return content.hexdigest()


@pytest.mark.parametrize("method", METHODS)
def test_finds_separate_groups_and_numbers_them_by_falling_visits(method):
    hidden, group = blobs()
    abstraction = StateAbstraction(method, states=5, components=4).fit(hidden)
    states = abstraction.predict(hidden)
    assert states.dtype == np.int16
    assert adjusted_rand_score(group, states) > 0.99
    visits = np.bincount(states, minlength=6)
    assert visits[0] == 0
    assert (np.diff(visits[1:]) <= 0).all()
    assert abstraction.notices_ == ()


def test_ties_in_visits_go_by_the_centre():
    hidden = np.array([[0.0, 0], [0, 0], [4, 0], [4, 0], [9, 0], [9, 0], [9, 0]])
    abstraction = StateAbstraction(states=3, components=1).fit(hidden)
    assert abstraction.predict(np.array([[9.0, 0], [0, 0], [4, 0]])).tolist() == [1, 2, 3]


@pytest.mark.hard_inputs(28)
def test_projection_is_that_of_scikit_learn_with_positive_largest_loading():
    hidden = np.random.default_rng(1).normal(size=(300, 6)) * [5, 4, 3, 2, 1, 0.5] @ np.ones((6, 6))
    hidden += np.random.default_rng(2).normal(size=(300, 6)) * [3, 2.5, 2, 1.5, 1, 0.5]
    mean, components, rank = principal_components(hidden, 4)
    expected = PCA(4, svd_solver="full").fit(hidden)
    assert rank == 6
    np.testing.assert_allclose(mean, expected.mean_)
    np.testing.assert_allclose(np.abs(components), np.abs(expected.components_), atol=1e-9)
    np.testing.assert_allclose(components @ components.T, np.eye(4), atol=1e-12)
    assert (components[np.arange(4), np.abs(components).argmax(axis=1)] > 0).all()


def test_assignment_equals_that_of_scikit_learn():
    hidden, _ = blobs(groups=9, spread=0.4)
    kmeans = StateAbstraction("kmeans", 9, 5).fit(hidden)
    reference = KMeans(9, n_init=1, init=kmeans.centers_, max_iter=1).fit(kmeans.transform(hidden))
    reference.cluster_centers_ = kmeans.centers_
    assert (reference.predict(kmeans.transform(hidden)) + 1 == kmeans.predict(hidden)).all()

    gmm = StateAbstraction("gmm", 9, 5).fit(hidden)
    mixture = GaussianMixture(gmm.states_, covariance_type="diag")
    mixture.means_, mixture.covariances_, mixture.weights_ = gmm.centers_, gmm.variances_, gmm.weights_
    mixture.precisions_cholesky_ = 1 / np.sqrt(gmm.variances_)
    assert (mixture.predict(gmm.transform(hidden)) + 1 == gmm.predict(hidden)).all()


@pytest.mark.parametrize("method", METHODS)
def test_round_trip_is_exact_through_arrays_and_json(method):
    hidden, _ = blobs()
    abstraction = StateAbstraction(method, states=700, components=9, random_state=3).fit(hidden[:40])
    assert abstraction.notices_
    saved = json.loads(json.dumps(abstraction.settings()))
    again = StateAbstraction.from_arrays({k: v.copy() for k, v in abstraction.to_arrays().items()}, saved)
    assert digest(again, hidden) == digest(abstraction, hidden)
    assert again.notices_ == abstraction.notices_
    assert all(array.flags.c_contiguous and array.dtype == np.float64 for array in again.to_arrays().values())


@pytest.mark.parametrize("method", METHODS)
def test_damaged_arrays_are_refused(method):
    hidden, _ = blobs(100)
    abstraction = StateAbstraction(method, 3, 2).fit(hidden)
    arrays = abstraction.to_arrays()
    with pytest.raises(ModelError, match="lacks centers"):
        StateAbstraction.from_arrays({k: v for k, v in arrays.items() if k != "centers"}, abstraction.settings())
    with pytest.raises(ModelError, match="do not fit together"):
        StateAbstraction.from_arrays({**arrays, "centers": arrays["centers"][:, :1]}, abstraction.settings())


@pytest.mark.hard_inputs(28)
@pytest.mark.parametrize("method", METHODS)
def test_shuffled_rows_give_the_same_states(method):
    hidden, _ = blobs(spread=0.3)
    order = np.random.default_rng(5).permutation(len(hidden))
    one, two = (StateAbstraction(method, 12, 6).fit(rows) for rows in (hidden, hidden[order]))
    assert digest(one, hidden) == digest(two, hidden)


def test_row_order_does_not_tell_the_zeros_apart():
    rows = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 1.0]])
    assert row_order(rows).tolist() == [0, 1, 2]


SCRIPT = """
import sys
sys.path[:0] = sys.argv[1:3]
from test_abstraction import StateAbstraction, blobs, digest
hidden, _ = blobs(12_000, 16, 30, spread=0.3)
print(*(digest(StateAbstraction(method, 20, 10).fit(hidden), hidden) for method in ("kmeans", "gmm")))
"""


@pytest.mark.hard_inputs(28)
def test_fresh_processes_and_any_number_of_threads_give_the_same_hash():
    here = os.path.dirname(__file__)

    def run(threads):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        command = [sys.executable, "-c", SCRIPT, os.path.dirname(here), here]
        environment = {**os.environ, **dict.fromkeys(names, str(threads))}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    outputs = {run(threads) for threads in (1, 4, 4)}
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 2


@pytest.mark.hard_inputs(26)
@pytest.mark.parametrize("method", METHODS)
def test_seven_tokens_and_too_much_asked(method):
    hidden = np.random.default_rng(0).normal(size=(7, 8))
    abstraction = StateAbstraction(method, states=39, components=20).fit(hidden)
    assert abstraction.components_.shape == (6, 8)
    assert 1 <= abstraction.states_ <= 7
    assert any("20 components" in notice and "only 6 directions" in notice for notice in abstraction.notices_)
    assert any("39 states" in notice and "7 distinct" in notice for notice in abstraction.notices_)
    assert set(abstraction.predict(hidden)) == set(range(1, abstraction.states_ + 1))


@pytest.mark.hard_inputs(26)
@pytest.mark.parametrize("method", METHODS)
def test_more_components_than_the_hidden_size(method):
    hidden, _ = blobs(200, 8)
    abstraction = StateAbstraction(method, states=5, components=8).fit(hidden)
    assert abstraction.notices_ == ()
    assert len(StateAbstraction(method, states=5, components=9).fit(hidden).components_) == 8


@pytest.mark.hard_inputs(26)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "hidden",
    [
        np.zeros((50, 8), np.float32),
        np.tile(np.random.default_rng(0).normal(size=(1, 8)), (100, 1)).astype(np.float32),
        np.float32(0.3) + np.random.default_rng(0).normal(size=(100, 8)).astype(np.float32) * 3e-8,
        np.ones((1, 8)),
    ],
    ids=["zero", "one-token", "rounding-noise", "single"],
)
def test_equal_hidden_states_are_one_state(method, hidden):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        abstraction = StateAbstraction(method, states=39, components=20).fit(hidden)
        states = abstraction.predict(hidden)
    assert abstraction.states_ == 1
    assert (states == 1).all()
    assert all(np.isfinite(array).all() for array in abstraction.to_arrays().values())
    assert any("same hidden state" in notice for notice in abstraction.notices_)
    assert (abstraction.predict(np.ones((3, 8))) == 1).all()


@pytest.mark.hard_inputs(26)
@pytest.mark.parametrize("method", METHODS)
def test_few_distinct_vectors_with_noise_do_not_split(method):
    random = np.random.default_rng(0)
    hidden = random.normal(size=(3, 8))[random.integers(3, size=300)] + 1e-9 * random.normal(size=(300, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        abstraction = StateAbstraction(method, states=20, components=8).fit(hidden)
    assert abstraction.states_ == 3
    assert len(abstraction.components_) == 2


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(METHODS),
    st.integers(1, 12),
    st.integers(1, 4),
    st.integers(1, 15),
    st.integers(1, 6),
    st.integers(0, 99),
)
def test_small_integer_data_always_fit(method, tokens, size, states, components, seed):
    hidden = np.random.default_rng(seed).integers(-1, 2, size=(tokens, size)).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        abstraction = StateAbstraction(method, states, components).fit(hidden)
    found = abstraction.predict(hidden)
    assert abstraction.states_ <= min(states, len(np.unique(hidden, axis=0)))
    assert set(found) == set(range(1, abstraction.states_ + 1))
    assert np.isfinite(abstraction.transform(hidden)).all()


def test_mixture_says_when_it_needs_more_regularisation(monkeypatch):
    fit = GaussianMixture.fit
    tries = []

    def fussy(self, rows):
        tries.append(self.reg_covar)
        if len(tries) < 3:
            raise ValueError("Fitting the mixture model failed because some components have ill-defined covariance")
        return fit(self, rows)

    monkeypatch.setattr(GaussianMixture, "fit", fussy)
    abstraction = StateAbstraction("gmm", 3, 2).fit(blobs()[0])
    assert "The mixture needed 100 times the usual regularisation." in abstraction.notices_
    assert tries[1] == pytest.approx(10 * tries[0])

    monkeypatch.setattr(GaussianMixture, "fit", lambda self, rows: (_ for _ in ()).throw(ValueError("ill-defined")))
    with pytest.raises(SettingError, match="ask for fewer"):
        StateAbstraction("gmm", 3, 2).fit(blobs()[0])


def test_refit_with_the_same_seed_is_the_fit():
    hidden, _ = blobs(spread=0.4)
    abstraction = StateAbstraction(states=12, components=5).fit(hidden)
    reduced = abstraction.transform(hidden[row_order(hidden.astype(float))])
    again = abstraction.refit(reduced)
    assert digest(again, hidden) == digest(abstraction, hidden)
    assert abstraction.refit(reduced, states=3, random_state=9).settings()["states"] == 3


def test_chunks_do_not_change_the_result(monkeypatch):
    hidden, _ = blobs()
    abstraction = StateAbstraction(states=5, components=4).fit(hidden)
    whole = abstraction.predict(hidden)
    monkeypatch.setattr("seer.abstraction.CHUNK", 100)
    assert (abstraction.predict(hidden) == whole).all()
    assert abstraction.predict(np.empty((0, 8))).shape == (0,)
    assert abstraction.transform(np.empty((0, 8))).shape == (0, 4)


@pytest.mark.parametrize(
    "wrong", [{"method": "dbscan"}, {"states": 0}, {"states": 40_000}, {"components": 0}, {"random_state": -1}]
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(SettingError):
        StateAbstraction(**wrong)


def test_wrong_input_is_refused():
    hidden, _ = blobs()
    abstraction = StateAbstraction(states=3, components=2)
    with pytest.raises(ModelError, match="call fit first"):
        abstraction.predict(hidden)
    for bad in (np.empty((0, 8)), np.full((3, 8), np.nan), np.zeros(8)):
        with pytest.raises(DataError):
            abstraction.fit(bad)
    abstraction.fit(hidden)
    with pytest.raises(ModelError, match="Expected hidden states of 8 numbers"):
        abstraction.predict(hidden[:, :5])
    with pytest.raises(DataError, match="NaN"):
        abstraction.predict(np.full((1, 8), np.nan))


def test_presets_are_settings():
    assert PRESETS["default"] == {"method": "kmeans", "states": 20, "components": 10}
    assert PRESETS["paper"] == {"method": "gmm", "states": 39, "components": 20}
    assert StateAbstraction(**PRESETS["paper"], random_state=4).settings()["random_state"] == 4
