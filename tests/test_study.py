import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from seer.analysis import AnalysisSettings
from seer.build import analyse_study, train_study
from seer.errors import DataError, SettingError, StudyError
from seer.models.training import TrainingSettings
from seer.parts import ABSTRACTION, CHECKPOINT, TOKENIZER, TRACES, WEIGHTS
from seer.study import Study
from tests.conftest import make_corpus, opinions

QUICK = TrainingSettings(epochs=2, learning_rate=1e-2)
SMALL = {"embedding": 6, "hidden": 8}


def test_opened_again_it_is_the_same(small_study: Study) -> None:
    again = Study.open(small_study.folder)
    assert again.summary() == small_study.summary()
    assert again.machine("test") == small_study.machine("test")
    assert again.machine(None).visits[0] == len(again.corpus)


def test_machines_of_the_splits_add_up_to_the_whole(small_study: Study) -> None:
    machines = [small_study.machine(split) for split in small_study.corpus.splits]
    assert machines[0] + machines[1] + machines[2] == small_study.machine(None)


def test_summary_has_the_figures(small_study: Study) -> None:
    summary = small_study.summary()
    assert list(summary) == [
        "name", "dataset", "classes", "sentences", "tokens", "accuracy", "states", "components", "method",
        "fidelity_step", "fidelity_final", "purity", "stability", "majority", "seed", "hash",
    ]  # fmt: skip
    assert set(summary["accuracy"]) == {"train", "validation", "test"}
    assert summary["accuracy"]["test"] > 0.75
    json.dumps(summary, allow_nan=False)


def test_a_typed_sentence_reads_like_the_same_row(small_study: Study) -> None:
    row, typed = small_study.sentence(7), small_study.trace(small_study.corpus.text(7))
    assert np.allclose(row.probability, typed.probability, atol=1e-6)
    assert (row.path, row.prediction, row.words) == (typed.path, typed.prediction, typed.words)
    assert row.words == tuple(small_study.corpus.text(7).split())
    with pytest.raises(DataError, match="from 0 to 239, got 240"):
        small_study.sentence(240)


@pytest.mark.parametrize("text", ["", "  \t\n", "\u200b"])
def test_a_text_without_a_word_has_no_prediction(small_study: Study, text: str) -> None:
    read = small_study.trace(text)
    assert (len(read), read.prediction, read.final, read.records(), read.path) == (0, None, None, [], (0,))


def test_punctuation_unknown_words_and_length(small_study: Study) -> None:
    read = small_study.trace("!!! ... zzqx vvkw")
    assert len(read) == 8
    assert not read.known.any()
    assert read.prediction in ("neg", "pos")
    long = small_study.trace("good " * 9_989 + "bad " * 11)
    assert len(long) == 10_000
    assert np.isfinite(long.probability).all()


def test_analysed_anew_the_weights_stay_and_the_states_change(small_study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(small_study.folder, folder)
    study = analyse_study(Study.open(folder), AnalysisSettings("gmm", 3, 2, seed=1), sweep=True)
    assert (study.states, study.abstraction.method) == (3, "gmm")
    assert study.manifest["hashes"]["weights"] == small_study.manifest["hashes"]["weights"]
    assert study.hash != small_study.hash
    assert [quality.states for quality in study.sweep][:2] == [5, 10]
    assert len([path for path in folder.iterdir() if path.is_dir()]) == 1
    beside = analyse_study(study, AnalysisSettings(states=4, components=2), folder=tmp_path / "other")
    assert (beside.name, beside.states, Study.open(folder).hash) == ("other", 4, study.hash)


def test_files_are_plain_formats(small_study: Study) -> None:
    names = {path.name for path in small_study.version.rglob("*") if path.is_file()}
    assert {WEIGHTS, CHECKPOINT, TOKENIZER, ABSTRACTION, "corpus.parquet"} <= names
    assert {Path(name).suffix for name in names} <= {".safetensors", ".json", ".parquet", ".npy"}
    checkpoint = json.loads((small_study.version / CHECKPOINT).read_text())
    assert checkpoint["classes"] == ["neg", "pos"]
    assert checkpoint["tokenizer"] == small_study.tokenizer.hash


def test_long_texts_are_cut_while_training_only(tmp_path: Path) -> None:
    rows = [("good film", 1, "train"), ("bad film", 0, "train")] * 20 + [("bad " * 5000, 0, "train")]
    study = train_study(make_corpus(rows), tmp_path / "s", architecture=SMALL, training=QUICK)
    assert study.traces.lengths[-1] == 5000
    assert "1 text is longer than 2,000 words" in study.manifest["notices"][-1]


def test_weights_and_vocabulary_of_two_studies_do_not_mix(small_study: Study, tmp_path: Path) -> None:
    other = train_study(opinions(80, seed=3), tmp_path / "other", architecture=SMALL, training=QUICK)
    shutil.copy(small_study.version / TOKENIZER, other.version / TOKENIZER)
    with pytest.raises(StudyError, match="mixes files"):
        Study.open(other.folder)


def test_rows_without_a_word_or_a_label_are_kept_and_left_out_of_the_figures(tmp_path: Path) -> None:
    rows = [(text, label, "train") for text, label, _ in [("good film", 1, ""), ("bad film", 0, "")] * 20]
    rows += [("", 1, "test"), ("good film", -1, "test"), ("good film", 1, "test"), ("bad film", 0, "test")]
    study = train_study(make_corpus(rows), tmp_path / "s", architecture=SMALL, training=QUICK)
    machine = study.machine("test")
    assert (machine.visits[0], machine.labelled[0]) == (3, 2)
    assert study.accuracy("test").labelled == 2
    assert study.traces.prediction[40] == -1
    assert len(study.corpus) == 44


def test_one_sentence_is_refused_with_the_reason_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="two classes or more"):
        train_study(make_corpus([("good film", 1, "train")]), tmp_path / "one")
    assert not (tmp_path / "one").exists()


def test_more_states_than_there_are_says_so(tmp_path: Path) -> None:
    rows = [("good", 1, "train"), ("bad", 0, "train")] * 30 + [("good", 1, "test"), ("bad", 0, "test")]
    study = train_study(make_corpus(rows), tmp_path / "s", architecture=SMALL, training=QUICK)
    assert study.states == 2
    assert any("2 distinct vectors" in notice for notice in study.abstraction.notices_)
    assert study.summary()["stability"] == pytest.approx(1.0)


def test_without_its_own_splits_a_study_still_works(tmp_path: Path) -> None:
    rows = [(text, label, "train") for text, label in [("good film", 1), ("bad film", 0)] * 10]
    study = train_study(make_corpus(rows), tmp_path / "s", architecture=SMALL, training=QUICK)
    assert (study.usual_split, study.manifest["quality_split"]) == ("train", "train")
    with pytest.raises(DataError, match="no split 'test'"):
        study.machine("test")


def test_settings_are_checked_before_anything_is_trained(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="got 0"):
        AnalysisSettings(states=0)
    with pytest.raises(SettingError, match="preset"):
        AnalysisSettings.preset("best")
    with pytest.raises(SettingError, match="hidden"):
        train_study(opinions(40), tmp_path / "s", architecture={"hidden": 0})
    assert not (tmp_path / "s").exists()


REPEAT = """
import sys
from pathlib import Path
from seer.build import train_study
from seer.models.training import TrainingSettings
from tests.conftest import opinions
study = train_study(opinions(), Path(sys.argv[1]), architecture={"embedding": 6, "hidden": 8},
                    training=TrainingSettings(epochs=2))
print(study.hash)
"""


@pytest.mark.hard_inputs(28)
def test_three_processes_and_any_number_of_threads_give_the_same_study(tmp_path: Path, root: Path) -> None:
    """Whatever the number of threads and the hash seed."""
    hashes = set()
    for place, threads in enumerate(("1", "4", "2")):
        environment = os.environ | {"OMP_NUM_THREADS": threads, "PYTHONHASHSEED": str(place)}
        command = [sys.executable, "-c", REPEAT, str(tmp_path / str(place))]
        run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
        hashes.add(run.stdout.strip())
    assert len(hashes) == 1


def test_the_demo_opens_without_training_and_without_stored_sentences(demo: Study) -> None:
    summary = demo.summary()
    assert (summary["sentences"], summary["states"], summary["classes"]) == (8530, 20, ["neg", "pos"])
    assert summary["accuracy"]["test"] >= 0.74
    assert summary["fidelity_step"] >= 0.88
    assert summary["stability"] >= 0.60
    assert not (demo.version / TRACES).exists()
    assert not list(demo.folder.rglob("*.parquet"))


@pytest.mark.slow
def test_the_demo_is_what_its_command_makes(demo: Study, tmp_path: Path, root: Path) -> None:
    """Rebuilt by the documented command: the same corpus and vocabulary, and as good a model.

    The last bits of the weights depend on the processor, so the hash is compared where it is the same kind.
    """
    command = [sys.executable, "-m", "seer", "train", "rotten_tomatoes", "--seed", "0", "--without-sentences", "--json"]
    run = subprocess.run(
        [*command, "--out", str(tmp_path / "demo")], cwd=root, capture_output=True, text=True, check=True
    )
    summary, again = json.loads(run.stdout), Study.open(tmp_path / "demo")
    assert summary["hash"] == again.hash
    for name in ("corpus", "tokenizer"):
        assert again.manifest["hashes"][name] == demo.manifest["hashes"][name]
    if again.hash == demo.hash:
        assert summary == demo.summary()
    else:
        same = again.traces.prediction == demo.traces.prediction
        assert same[demo.rows("test")].mean() >= 0.85
        assert abs(summary["accuracy"]["test"] - demo.summary()["accuracy"]["test"]) <= 0.03
