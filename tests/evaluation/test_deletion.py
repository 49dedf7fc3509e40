"""Word deletion: orders, predictions on what is left, the three curves, and the published result on SST-5."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.corpus import load_corpus
from seer.errors import DataError, SettingError
from seer.evaluation.deletion import RANDOM_RUNS, Deletion, deletion, deletion_ranks, right_after_deletions
from seer.models.batches import make_batch
from seer.models.training import TrainingSettings
from seer.relevance.methods import METHODS, attribute_rows
from seer.study import Study
from tests.conftest import make_corpus, make_model

SST5 = Path(__file__).resolve().parents[3] / "shared" / "datasets" / "sst5"

RAGGED = st.lists(st.lists(st.integers(-3, 3), max_size=6), min_size=1, max_size=8)


def ragged(rows: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return offsets, np.array([value for row in rows for value in row], dtype=float)


@given(RAGGED, st.booleans())
def test_ranks_are_those_of_each_sentence_sorted_by_itself(rows: list[list[int]], rising: bool) -> None:
    offsets, flat = ragged(rows)
    ranks = deletion_ranks(offsets, flat, rising=rising)
    for place, row in enumerate(rows):
        order = sorted(range(len(row)), key=lambda word: row[word] if rising else -row[word])
        mine = ranks[offsets[place] : offsets[place + 1]]
        assert np.argsort(mine).tolist() == order


def test_ranks_of_an_example() -> None:
    offsets, flat = ragged([[0.1, 0.9, -2.0], [5.0, 5.0]])
    assert deletion_ranks(offsets, flat).tolist() == [1, 0, 2, 0, 1]
    assert deletion_ranks(offsets, flat, rising=True).tolist() == [1, 2, 0, 0, 1]


@pytest.mark.parametrize("changes", [{}, {"cell": "lstm", "bidirectional": True}, {"cell": "rnn", "layers": 2}])
def test_predictions_are_those_of_the_shortened_sentence_alone(changes: dict) -> None:
    model = make_model(**changes)
    random = np.random.default_rng(0)
    lengths = random.integers(4, 12, 25)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    ids = random.integers(1, 50, offsets[-1])
    labels = random.integers(0, 3, 25)
    relevance = random.normal(size=offsets[-1])
    right = right_after_deletions(model, offsets, ids, labels, deletion_ranks(offsets, relevance), 3)
    assert right.shape == (4, 25)
    for place in range(25):
        words = ids[offsets[place] : offsets[place + 1]]
        order = np.argsort(-relevance[offsets[place] : offsets[place + 1]])
        for count in range(4):
            left = np.delete(words, order[:count])
            batch = make_batch(np.array([0, len(left)]), left, np.array([0]))
            assert right[count, place] == (int(model(batch).argmax()) == labels[place])


def measure(study: Study, **changes: object) -> Deletion:
    return deletion(study, **({"methods": ("occlusion", "lrp"), "deletions": 3, "least_words": 6} | changes))


def test_curves_start_at_one_or_zero_and_the_control_is_always_there(small_study: Study) -> None:
    found = measure(small_study)
    assert [(curve.method, curve.group, curve.order) for curve in found.curves] == [
        (method, group, order)
        for method in ("occlusion", "lrp", "random")
        for group, order in (("correct", "falling"), ("wrong", "rising"), ("wrong", "falling"))
    ]
    assert all(curve.accuracy[0] == (curve.group == "correct") for curve in found.curves)
    assert all(len(curve.accuracy) == 4 for curve in found.curves)
    assert [curve.method for curve in measure(small_study, methods=()).curves] == ["random"] * 3
    assert found.accuracy("random") == measure(small_study, methods=("random",)).accuracy("random")
    assert found.accuracy("occlusion")[-1] < found.accuracy("random")[-1]
    assert found.accuracy("occlusion", "wrong", "rising")[-1] > found.accuracy("occlusion", "wrong")[-1]
    with pytest.raises(SettingError, match="No curve was measured for lime"):
        found.accuracy("lime")


def test_relevance_is_for_the_true_class_and_computed_once(small_study: Study) -> None:
    study = small_study
    rows = study.rows("test")
    offsets, ids = study.tokenizer.encode(study.corpus.texts())
    rows = rows[(np.diff(offsets)[rows] >= 6) & (study.corpus.labels[rows] >= 0)]
    offsets, ids = study.tokenizer.encode(study.corpus.texts(rows))
    labels = study.corpus.labels[rows]
    record = attribute_rows(study.model, offsets, ids, np.arange(len(rows)), "gradient_input", labels)
    falling = right_after_deletions(study.model, offsets, ids, labels, deletion_ranks(offsets, record.relevance), 3)
    rising = right_after_deletions(
        study.model, offsets, ids, labels, deletion_ranks(offsets, record.relevance, rising=True), 3
    )
    first = record.prediction == labels
    assert 0 < first.sum() < len(first)
    found = measure(study, methods=("gradient_input",))
    assert (found.correct, found.wrong) == (first.sum(), (~first).sum())
    assert found.accuracy("gradient_input") == pytest.approx(falling[:, first].mean(1))
    assert found.accuracy("gradient_input", "wrong", "falling") == pytest.approx(falling[:, ~first].mean(1))
    assert found.accuracy("gradient_input", "wrong", "rising") == pytest.approx(rising[:, ~first].mean(1))


def test_it_is_the_same_each_time_and_leaves_the_model_alone(small_study: Study) -> None:
    model = small_study.model
    before = {name: value.clone() for name, value in model.state_dict().items()}
    first, second = measure(small_study, methods=None), measure(small_study, methods=None)
    assert first == second
    assert not model.training
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(weight.grad is None for weight in model.parameters())
    assert {curve.method for curve in first.curves} == {
        name for name, method in METHODS.items() if not method.slow and "gru" in method.cells
    }


def test_a_draw_takes_so_many_and_another_seed_takes_others(small_study: Study) -> None:
    drawn = [measure(small_study, most=20, seed=seed) for seed in (0, 0, 1)]
    assert [found.correct + found.wrong for found in drawn] == [20, 20, 20]
    assert drawn[0] == drawn[1] != drawn[2]
    everything = measure(small_study, most=10_000)
    assert everything == measure(small_study)


def test_the_record_is_json_and_progress_reaches_the_end(small_study: Study) -> None:
    told: dict[str, list[tuple[int, int]]] = {}
    found = measure(small_study, progress=lambda stage, *so_far: told.setdefault(stage, []).append(so_far))
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert record["sentences"] == record["correct"] + record["wrong"] > 0
    assert (record["split"], record["deletions"], record["least_words"]) == ("test", 3, 6)
    assert record["curves"][0]["title"] == "Occlusion"
    assert set(told) == {"relevance", "deletion"}
    for steps in told.values():
        done = [part / whole for part, whole in steps]
        assert done == sorted(done)
        assert done[-1] == 1
    assert told["deletion"][-1] == (2 + RANDOM_RUNS, 2 + RANDOM_RUNS)


def test_a_group_without_a_sentence_has_no_share(small_study: Study, tmp_path: Path) -> None:
    pair = (("bad film of a very long kind", 0), ("good film of a very long kind", 1))
    rows = [(*row, split) for split in ("train", "validation", "test") for row in pair * 9]
    study = train_study(
        make_corpus(rows),
        tmp_path / "easy",
        architecture={"embedding": 4, "hidden": 4, "dropout": 0.0},
        training=TrainingSettings(epochs=40, batch=6, learning_rate=2e-2),
        analysis=AnalysisSettings(states=2, components=2),
    )
    found = measure(study, split="validation")
    assert (found.split, found.correct, found.wrong) == ("validation", 18, 0)
    assert all(map(math.isnan, found.accuracy("random", "wrong", "rising")))
    assert found.record()["curves"][1]["accuracy"] == [None] * 4
    # The one word that tells the class is the first to go, and takes the answer with it for one class at least.
    assert found.accuracy("occlusion")[1] <= 0.5


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"deletions": 0}, SettingError, "one word or more"),
        ({"deletions": 6}, SettingError, "fewer than the shortest sentence has; got 6 deletions"),
        ({"most": 0}, SettingError, "At least one sentence"),
        ({"methods": ("magic",)}, SettingError, "The method must be one of"),
        ({"methods": ("cd",)}, SettingError, "defined for LSTM"),
        ({"split": "dev"}, DataError, "no split 'dev'"),
        ({"seed": -1}, SettingError, "The seed must lie between 0 and 4294967294; got -1"),
        ({"seed": 2**32}, SettingError, "got 4294967296"),
        ({"settings": {"cd": {}}}, SettingError, "given for cd"),
        ({"methods": ("lrp",), "settings": {"lrp": {"nodes": 3}}}, SettingError, "LRP has the settings eps"),
        ({"least_words": 500}, DataError, "no labelled sentence of 500 words or more"),
    ],
)
def test_what_cannot_be_measured_is_said(small_study: Study, changes: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        measure(small_study, **changes)


def test_settings_go_to_their_method_and_into_the_record(small_study: Study) -> None:
    usual = measure(small_study, methods=("lrp", "occlusion"))
    found = measure(small_study, methods=("lrp", "occlusion"), settings={"lrp": {"eps": 10.0}})
    assert found.record()["settings"] == {"lrp": {"eps": 10.0}}
    assert usual.record()["settings"] == {}
    assert found.strain["occlusion"] == usual.strain["occlusion"]
    assert found.strain["lrp"][0] < usual.strain["lrp"][0]


def test_a_split_without_labels_is_said(tmp_path: Path) -> None:
    rows = [("good film " * 6, 1, "train"), ("bad film " * 6, 0, "train")] * 6 + [("good film " * 6, -1, "test")]
    study = train_study(
        make_corpus(rows),
        tmp_path / "bare",
        architecture={"embedding": 4, "hidden": 4, "dropout": 0.0},
        training=TrainingSettings(epochs=1, batch=6),
        analysis=AnalysisSettings(states=2, components=2),
    )
    with pytest.raises(DataError, match="The test split has no labelled sentence, and deletion needs true classes"):
        measure(study, split="test", least_words=6)


TREEBANK = {"cell": "lstm", "bidirectional": True, "embedding": 60, "hidden": 60, "dropout": 0.3}


@pytest.mark.slow
@pytest.mark.skipif(not SST5.is_dir(), reason="the SST-5 trees are not here")
def test_on_the_treebank_relevance_finds_the_words_that_decide(tmp_path: Path) -> None:
    study = train_study(
        load_corpus("sst5", data=SST5, phrases=True),
        tmp_path / "sst5",
        architecture=TREEBANK,
        training=TrainingSettings(batch=256, weight_decay=3e-5),
    )
    assert study.accuracy("test").value >= 0.46
    found = deletion(study, methods=("lrp",))
    assert found.accuracy("lrp")[5] <= 0.15
    assert found.accuracy("random")[5] >= 0.60
    assert found.accuracy("lrp", "wrong", "rising")[5] >= 0.40
    assert found.accuracy("lrp", "wrong", "rising")[5] > found.accuracy("random", "wrong", "rising")[5]
