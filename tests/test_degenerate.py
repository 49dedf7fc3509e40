"""Studies of almost nothing: seven words, one word a hundred times, a network that is all zeros."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from seer.analysis import AnalysisSettings
from seer.build import model_study
from seer.models.classifier import Architecture, RNNClassifier
from seer.report import report_html
from seer.study import Study
from seer.text import Tokenizer
from tests.conftest import make_corpus

Rows = list[tuple[str, int, str]]
SEVEN: Rows = [("good film", 1, "train"), ("bad film here", 0, "train"), ("good one", 1, "test")]
ONE: Rows = [("good", place % 2, ("train", "test")[place % 2]) for place in range(100)]
UNEVEN: Rows = [
    (" ".join(["good", "bad", "film"][: 1 + place % 3] * (1 + place % 5)), place % 2, "train") for place in range(40)
]


def study_of(rows: Rows, folder: Path, method: str, zero: bool = False, **asked: int) -> Study:
    """A study by an untrained network of hidden size 8."""
    corpus = make_corpus(rows)
    tokenizer = Tokenizer.train(corpus.texts(corpus.rows("train")), min_count=1)
    torch.manual_seed(0)
    model = RNNClassifier(Architecture(tokenizer.size, 2, embedding=6, hidden=8)).eval()
    if zero:
        with torch.no_grad():
            for weight in model.parameters():
                weight.zero_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return model_study(
            model, tokenizer, corpus, folder / "study", origin={}, seed=0, analysis=AnalysisSettings(method, **asked)
        )


def assert_whole(study: Study) -> None:
    """No NaN anywhere, and everything that reads the study works on it."""
    assert np.isfinite(study.traces.probability).all()
    assert all(np.isfinite(array).all() for array in study.abstraction.to_arrays().values())
    machine = study.machine(None)
    assert machine.visits[1:].sum() == len(study.traces.token)
    assert np.isfinite(machine.probability).all()
    report_html(study, study.usual_split)


@pytest.mark.hard_inputs(26)
@pytest.mark.parametrize("method", ["kmeans", "gmm"])
def test_more_states_and_components_than_seven_words_have(tmp_path: Path, method: str) -> None:
    study = study_of(SEVEN, tmp_path, method, states=39, components=20)
    assert len(study.traces.token) == 7
    fitted_on = 5  # of the seven words, those of the training rows
    assert study.abstraction.components_.shape[0] < 8
    assert 1 <= study.states <= fitted_on
    said = " ".join(study.abstraction.notices_)
    assert "20 components" in said
    assert "39 states" in said
    assert_whole(study)


@pytest.mark.hard_inputs(26)
@pytest.mark.parametrize("method", ["kmeans", "gmm"])
@pytest.mark.parametrize("components", [8, 9, 100])
def test_as_many_components_as_the_hidden_size_or_more(tmp_path: Path, method: str, components: int) -> None:
    study = study_of(UNEVEN, tmp_path, method, states=4, components=components)
    assert set(study.traces.lengths) >= {1, 2, 3, 15}
    assert 1 <= study.abstraction.components_.shape[0] <= 8
    assert study.states == 4
    assert_whole(study)


@pytest.mark.hard_inputs(26)
@pytest.mark.parametrize("method", ["kmeans", "gmm"])
@pytest.mark.parametrize(
    ("rows", "zero"), [(ONE, False), (UNEVEN, True), (ONE, True)], ids=["one word", "zero", "both"]
)
def test_one_hidden_state_is_exactly_one_state(tmp_path: Path, method: str, rows: Rows, zero: bool) -> None:
    study = study_of(rows, tmp_path, method, zero, states=39, components=20)
    assert study.states == 1
    assert set(study.traces.state) == {1}
    assert_whole(study)
