"""Alignments: effects of removals beside plain loops, ranks beside scipy, and the published claims on SICK."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.corpus import load_corpus
from seer.errors import DataError, ModelError, SettingError
from seer.evaluation.alignments import Alignments, alignments, removal_effects, spearman
from seer.models.removal import REMOVED, Removal, without_word
from seer.models.training import TrainingSettings
from seer.pairs import pair_saliency
from seer.study import Study
from tests.pairs.plain import read
from tests.pairs.small import batch_of, make_esim, some_pairs

SICK = Path(__file__).resolve().parents[3] / "shared" / "datasets" / "sick"
MEASURES = ["saliency", "attention", "score", "random"]
WAYS = ["gate saliency", "gate signal", "word-vector saliency", "attention", "random"]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=12))
def test_rank_correlation_is_scipy_s(values: list[tuple[int, int]]) -> None:
    one, other = np.array(values, dtype=float).reshape(-1, 2).T
    found = spearman(one, other)
    if len(set(one)) < 2 or len(set(other)) < 2:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(one, other).statistic, abs=1e-12)


@pytest.mark.parametrize("same_word", [False, True])
def test_effects_are_those_of_removing_one_pair_of_words_after_the_other(same_word: bool) -> None:
    model, pairs = make_esim(same_word=same_word), some_pairs([(3, 4), (1, 2), (5, 1), (0, 3), (0, 0)])
    batch = batch_of(pairs)
    found = pair_saliency(model, batch)
    effect, real = removal_effects(model, batch, found)
    assert real.sum((1, 2)).tolist() == [len(premise) * len(hypothesis) for premise, hypothesis in pairs]
    assert not effect[~real].any()
    for row, pair in enumerate(pairs):
        whole = read(model, *pair)
        for place in zip(*np.nonzero(real[row]), strict=True):
            logits = read(model, *pair, score=(place, REMOVED - whole.scores[place])).logits
            fall = (whole.logits - logits)[found.target[row]]
            assert effect[row][place] == pytest.approx(fall, abs=1e-12)


def test_a_removal_leaves_the_scores_it_is_given_alone() -> None:
    scores = torch.zeros(2, 3, 3)
    found = Removal(torch.tensor([1, 2]), torch.tensor([0, 2]))(scores)
    assert not scores.any()
    assert found.nonzero().tolist() == [[0, 1, 0], [1, 2, 2]]
    assert (found[found != 0] == REMOVED).all()


def test_a_word_is_deleted_where_it_stands() -> None:
    batch = batch_of([([4, 5, 6], [7]), ([4], [7, 8]), ([4, 5], [9])])
    found = without_word(batch, torch.tensor([0, 1, 1]), torch.tensor([1, 1, 0]))
    assert found.premise.ids.tolist() == [[4, 6, 0], [4, 0, 0], [4, 5, 0]]
    assert found.premise.lengths.tolist() == [2, 1, 2]
    assert found.hypothesis.ids.tolist() == [[7, 0], [7, 0], [0, 0]]
    assert found.hypothesis.lengths.tolist() == [1, 1, 0]
    assert batch.premise.ids.tolist()[0] == [4, 5, 6]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Pairs that are the same but for a word, or not; some with a side that is empty or long."""
    folder, random = tmp_path_factory.mktemp("alignments"), np.random.default_rng(0)
    rows = ["premise,hypothesis,label"]
    for number in range(300):
        who, other = random.choice(["man", "girl", "dog", "child", "bird"], 2, replace=False)
        what, today = random.choice(["sings", "eats", "runs"]), random.choice(["today", "here", "now"])
        rows.append(f"The {who} {what} {today},A {(who, other)[number % 2]} {what},{('same', 'other')[number % 2]}")
    (folder / "train.csv").write_text("\n".join(rows), encoding="utf-8")
    odd = [",A man,same", "The man,,same", ",,other", f"The {'man ' * 300},A {'dog ' * 300},other"]
    (folder / "test.csv").write_text("\n".join([*rows[:61], *odd]), encoding="utf-8")
    (folder / "empty.csv").write_text("\n".join([rows[0], *odd]), encoding="utf-8")
    files = {"test": folder / "test.csv", "validation": folder / "empty.csv"}
    return train_study(
        load_corpus(folder / "train.csv", pairs=True, **files),
        folder / "study",
        architecture={"embedding": 16, "hidden": 12, "dropout": 0.1},
        training=TrainingSettings(epochs=12, batch=16, learning_rate=1e-2, patience=12),
        analysis=AnalysisSettings(states=4, components=3),
    )


def test_it_measures_each_pair_once_and_is_repeatable(study: Study) -> None:
    steps: list[tuple[str, int, int]] = []
    found = alignments(study, progress=lambda *step: steps.append(step))
    assert (found.split, found.pairs, found.left_out, found.removed) == ("test", 60, 4, 60 * 4 * 3)
    assert steps[-1] == ("alignments", 60, 60)
    assert (list(found.correlation), list(found.flips)) == (MEASURES, WAYS)
    assert found == alignments(study)
    assert all(-1 <= value <= 1 for value in found.correlation.values())
    assert all(0 <= value <= 1 for value in found.flips.values())
    assert abs(found.correlation["random"]) < 0.15
    assert found.correlation["saliency"] > 0.5
    assert found.ratio == pytest.approx(found.flips["gate saliency"] / found.flips["random"])
    json.dumps(found.record(), allow_nan=False)


def test_fewer_pairs_are_drawn_by_seed(study: Study) -> None:
    first, second = (alignments(study, split="train", pairs=20, seed=seed) for seed in (0, 1))
    assert (first.pairs, second.pairs) == (20, 20)
    assert first.correlation != second.correlation


def test_what_it_cannot_measure_is_said(study: Study, small_study: Study) -> None:
    with pytest.raises(SettingError, match="got 0"):
        alignments(study, pairs=0)
    with pytest.raises(DataError, match="No pair of validation has a word on both sides, and 64 at most"):
        alignments(study, split="validation")
    with pytest.raises(DataError, match="no split 'dev'"):
        alignments(study, split="dev")
    with pytest.raises(ModelError, match="reads single sentences"):
        alignments(small_study)


def test_a_figure_that_cannot_be_told_is_none() -> None:
    nothing = float("nan")
    record = Alignments("test", 1, 0, 1, {"saliency": nothing}, nothing, {"random": 0.0}, nothing).record()
    assert (record["correlation"], record["signed"], record["ratio"]) == ({"saliency": None}, None, None)


@pytest.mark.slow
@pytest.mark.parametrize(("same_word", "accuracy"), [(False, 0.77), (True, 0.82)], ids=["published", "same-word"])
def test_sick(tmp_path: Path, same_word: bool, accuracy: float) -> None:
    """The claims on SICK, seed 0: accuracy, CPU time of the training, and what saliency is worth."""
    if not (SICK / "SICK.txt").exists():
        pytest.skip("SICK is not here")
    corpus, begin = load_corpus("sick", data=SICK), time.process_time()
    study = train_study(corpus, tmp_path / "sick", architecture={"hidden": 50, "same_word": same_word})
    spent = time.process_time() - begin
    found = alignments(study)
    figures = f"test {study.accuracy('test').value:.4f}, {spent:.0f} CPU s with the analysis, {found.record()}"
    print(figures)
    assert study.accuracy("test").value >= accuracy, figures
    assert spent <= 150, figures
    assert found.pairs == 500
    assert found.correlation["saliency"] >= 0.8, figures
    assert found.correlation["saliency"] > found.correlation["attention"], figures
    assert found.ratio >= 1.7, figures
