import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.errors import DataError, SettingError
from seer.evaluation import vectors
from seer.evaluation.vectors import chance_agreement, neighbour_agreement, sentence_vectors, weighted_sums
from seer.models.training import TrainingSettings
from seer.relevance.methods import attribute_rows
from seer.study import Study
from tests.conftest import make_corpus


def test_sums_by_hand() -> None:
    words = np.array([[0.0, 0.0], [1.0, 2.0], [10.0, 20.0]])
    found = weighted_sums(np.array([0, 2, 3, 6]), np.array([1, 2, 2, 1, 1, 2]), np.array([1, -1, 0.5, 2, 3, 0]), words)
    np.testing.assert_array_equal(found, [[-9, -18], [5, 10], [5, 10]])  # a word that comes twice counts twice


@given(st.integers(4, 30), st.integers(1, 3), st.integers(0, 1000))
def test_agreement_equals_a_search_by_hand(count: int, neighbours: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    points, classes = random.normal(size=(count, 3)), random.integers(3, size=count)
    shares = []
    for one in range(count):
        others = [other for other in range(count) if other != one]
        nearest = sorted(others, key=lambda other: np.linalg.norm(points[one] - points[other]))[:neighbours]
        shares.append(np.mean([classes[other] == classes[one] for other in nearest]))
    assert neighbour_agreement(points, classes, neighbours) == pytest.approx(np.mean(shares))
    both = neighbour_agreement(points, np.stack([classes, np.zeros_like(classes)]), neighbours)
    np.testing.assert_allclose(both, [np.mean(shares), 1.0])


def test_a_sentence_is_no_neighbour_of_its_own_even_beside_its_copy() -> None:
    points = np.array([[0.0], [0.0], [5.0], [5.0]])
    assert neighbour_agreement(points, np.array([0, 1, 0, 1]), 1) == 0
    assert neighbour_agreement(points, np.array([0, 0, 1, 1]), 1) == 1


def test_chance_is_the_mean_over_all_pairs() -> None:
    classes = np.array([0, 0, 0, 2, 2])
    pairs = [classes[one] == classes[other] for one in range(5) for other in range(5) if one != other]
    assert chance_agreement(classes) == pytest.approx(np.mean(pairs))
    points = np.random.default_rng(0).normal(size=(5, 2))
    assert neighbour_agreement(points, classes, 4) == pytest.approx(np.mean(pairs))  # all others are neighbours


def test_the_vectors_are_those_of_a_plain_loop(small_study: Study) -> None:
    found = sentence_vectors(small_study, methods=("lrp", "occlusion"), most=40)
    words = small_study.model.embedding.weight.detach().double().numpy()
    assert [kind.kind for kind in found.maps] == ["sum", "mean", "lrp", "occlusion"]
    assert [kind.title for kind in found.maps][2:] == ["LRP", "Occlusion"]
    for kind in found.maps:
        sums = []
        for row in found.rows:
            token = small_study.traces.token[small_study.traces.steps_of(row)]
            if kind.kind in ("sum", "mean"):
                weight = np.ones(len(token)) / (len(token) if kind.kind == "mean" else 1)
            else:
                traces = small_study.traces
                weight = attribute_rows(
                    small_study.model, traces.offsets, traces.token, np.array([row]), kind.kind
                ).relevance
            sums.append(sum(w * words[t] for w, t in zip(weight, token, strict=True)))
        centred = np.array(sums) - np.mean(sums, axis=0)
        _, size, axes = np.linalg.svd(centred, full_matrices=False)
        places = centred @ axes[:2].T
        np.testing.assert_allclose(np.abs(kind.places), np.abs(places), rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(kind.explained, (size**2 / (size**2).sum())[:2], atol=1e-4)
        assert kind.label_agreement == pytest.approx(neighbour_agreement(np.array(sums), found.label, 5), abs=0.02)
        assert kind.prediction_agreement == pytest.approx(
            neighbour_agreement(np.array(sums), found.prediction, 5), abs=0.02
        )


def test_relevance_tells_the_classes_apart_and_noise_does_not(small_study: Study) -> None:
    found = sentence_vectors(small_study, methods=("lrp", "random"), split="train")
    agreement = {kind.kind: kind.prediction_agreement for kind in found.maps}
    assert agreement["lrp"] > 0.9
    assert agreement["lrp"] > agreement["random"] + 0.1
    assert len(found.rows) == 120
    np.testing.assert_array_equal(found.label, small_study.corpus.labels[found.rows])
    np.testing.assert_array_equal(found.prediction, small_study.traces.prediction[found.rows])
    assert found.ids == tuple(small_study.corpus.ids[found.rows])


def test_the_sample_is_seeded_and_the_record_is_json(small_study: Study) -> None:
    steps: list[tuple[int, int]] = []

    def tell(stage: str, done: int, total: int) -> None:
        steps.append((done, total))

    one = sentence_vectors(small_study, most=20, seed=3, progress=tell)
    two, other = (sentence_vectors(small_study, most=20, seed=seed) for seed in (3, 4))
    assert one.split == "test"
    assert json.dumps(one.record(), allow_nan=False) == json.dumps(two.record())
    assert one.ids != other.ids
    assert one.record()["sentences"] == len(one.maps[0].record()["places"]) == 20
    assert steps == sorted(steps)
    assert steps[-1] == (40, 40)


def test_without_a_method_and_with_few_neighbours_there_is_a_map(small_study: Study) -> None:
    found = sentence_vectors(small_study, methods=(), most=3, neighbours=50)
    assert found.neighbours == 2
    assert [kind.kind for kind in found.maps] == ["sum", "mean"]
    assert all(kind.label_agreement == pytest.approx(found.label_chance) for kind in found.maps)


def test_one_dimension_and_no_spread_have_a_map_too() -> None:
    places, explained = vectors._map(np.array([[1.0], [3.0], [2.0]]), 0)
    np.testing.assert_allclose(places, [[-1, 0], [1, 0], [0, 0]], atol=1e-12)
    np.testing.assert_allclose(explained, [1, 0])
    places, explained = vectors._map(np.ones((4, 3)), 0)
    assert not places.any()
    assert not explained.any()


def test_what_cannot_be_asked_is_said(small_study: Study) -> None:
    with pytest.raises(SettingError, match="got most = 2, neighbours = 5"):
        sentence_vectors(small_study, most=2)
    with pytest.raises(SettingError, match="neighbours = 0"):
        sentence_vectors(small_study, neighbours=0)
    with pytest.raises(SettingError, match="The method must be one of"):
        sentence_vectors(small_study, methods=("lrp", "nothing"))
    with pytest.raises(SettingError, match="this model is a GRU"):
        sentence_vectors(small_study, methods=("cd",))
    with pytest.raises(DataError, match="has no split 'dev'"):
        sentence_vectors(small_study, split="dev")
    with pytest.raises(SettingError, match="The seed must lie between 0 and 4294967294; got -1"):
        sentence_vectors(small_study, seed=-1)
    with pytest.raises(SettingError, match="LRP has the settings eps"):
        sentence_vectors(small_study, settings={"lrp": {"nodes": 3}})


def test_settings_go_to_their_method_and_into_the_record(small_study: Study) -> None:
    usual = sentence_vectors(small_study, most=40)
    found = sentence_vectors(small_study, most=40, settings={"lrp": {"eps": 10.0}})
    assert (found.record()["settings"], usual.record()["settings"]) == ({"lrp": {"eps": 10.0}}, {})
    relevance = attribute_rows(
        small_study.model, small_study.traces.offsets, small_study.traces.token, found.rows, "lrp", eps=10.0
    )
    assert found.strain["lrp"] == relevance.strain
    assert found.strain["gradient_input"] == usual.strain["gradient_input"]
    np.testing.assert_array_equal(found.maps[3].places, usual.maps[3].places)
    assert not np.allclose(found.maps[2].places, usual.maps[2].places)


def test_sentences_without_a_label_or_a_word_are_left_out(tmp_path: Path) -> None:
    rows = [(f"good film {'bad' * (place % 2)}", place % 2, "train") for place in range(12)]
    rows += [("good film", -1, "test"), ("", 1, "test"), ("film bad", 0, "test"), ("good", 1, "test")]
    study = train_study(
        make_corpus(rows),
        tmp_path / "study",
        architecture={"embedding": 3, "hidden": 4},
        training=TrainingSettings(epochs=1, batch=4),
        analysis=AnalysisSettings(states=2, components=2),
    )
    with pytest.raises(DataError, match="the test split has 2"):
        sentence_vectors(study)
    assert len(sentence_vectors(study, split="train").rows) == 12
