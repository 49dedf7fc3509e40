"""The commands classify, rare and import-states, as a person calls them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from seer.build import train_study
from seer.cli import app
from seer.errors import DataError, ModelError, SettingError
from seer.models.training import TrainingSettings
from seer.profile import ModelReader
from seer.rare import rare_paths
from seer.study import Study
from tests.conftest import opinions


def seer(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def data_of(*arguments: object) -> Any:
    done = seer(*arguments, "--json")
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


@pytest.fixture
def folder(small_study: Study, tmp_path: Path) -> Path:
    shutil.copytree(small_study.folder, tmp_path / "small")
    return tmp_path / "small"


@pytest.fixture
def monday(tmp_path: Path) -> Path:
    """Labelled rows, one of a class that the model lacks, one without a word, one that the study has too."""
    path = tmp_path / "monday.csv"
    rows = ["a good story,pos", "a bad story,neg", "odd one,D", '"",neg', "the film is dull and weak,pos"]
    path.write_text("text,label\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_labelled_rows_become_a_split_with_its_figures(folder: Path, monday: Path) -> None:
    found = data_of("classify", folder, monday)
    study = Study.open(folder)
    assert study.corpus.splits[-1] == found["split"] == "monday"
    assert (found["rows"], found["labelled"], found["without_words"]) == (5, 3, 1)
    accuracy = study.accuracy("monday")
    assert (found["right"], found["accuracy"]) == (accuracy.right, accuracy.value)
    assert (found["accuracy_low"], found["accuracy_high"]) == (accuracy.low, accuracy.high)
    assert found["unknown_classes"] == {"D": 1}
    assert sum(found["predictions"].values()) == 4
    assert found["hash"] == study.hash
    assert [path["id"] for path in found["rare_paths"]] == [
        study.corpus.ids[row] for row in rare_paths(study, "monday").row
    ]
    assert data_of("show", folder)["accuracy"]["monday"] == accuracy.value
    assert data_of("rare", folder, "--split", "monday")["paths"] == found["rare_paths"]
    machine = data_of("machine", folder, "--split", "monday")
    assert sum(row["count"] for row in machine["transitions"] if row["source"] == 0) == 4


@pytest.mark.parametrize("content", ["text\na good film\na bad film\n", "text,label\na good film,\na bad film,\n"])
def test_unlabelled_rows_have_predictions_and_no_accuracy(folder: Path, tmp_path: Path, content: str) -> None:
    path = tmp_path / "traffic.2026.csv"
    path.write_text(content, encoding="utf-8")
    found = data_of("classify", folder, path)
    assert (found["split"], found["labelled"], found["accuracy"]) == ("traffic", 0, None)
    assert found["predictions"] == {"neg": 1, "pos": 1}
    assert (found["classes"], found["absent_classes"]) == ([], [])
    shown = seer("classify", folder, path, "--split", "again")
    assert "none labelled" in shown.stdout
    assert "Accuracy" not in shown.stdout
    assert "2 rows have a text that stands in traffic too." in shown.stderr


@pytest.mark.hard_inputs(12)
def test_a_class_without_a_row_shows_support_0_and_no_recall(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("text,label\na good film,pos\na great film,pos\n", encoding="utf-8")
    found = data_of("classify", folder, path)
    neg = next(report for report in found["classes"] if report["name"] == "neg")
    assert (neg["support"], neg["recall"]) == (0, None)
    assert found["absent_classes"] == ["neg"]
    table = seer("classify", folder, path, "--split", "two").stdout
    assert "–" in next(line for line in table.splitlines() if " neg " in line)


def test_a_copy_leaves_the_study_as_it_is(folder: Path, monday: Path, tmp_path: Path) -> None:
    before = Study.open(folder).hash
    found = data_of("classify", folder, monday, "--split", "new", "--out", tmp_path / "copy")
    assert Study.open(folder).hash == before
    assert found["folder"] == str(tmp_path / "copy")
    assert Study.open(tmp_path / "copy").corpus.splits[-1] == "new"


def test_a_copy_never_takes_the_place_of_a_study(folder: Path, monday: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    data_of("classify", folder, monday, "--split", "new", "--out", other)
    before = Study.open(other)
    for place in (other, folder):
        ran = CliRunner().invoke(app, ["classify", "demo", str(monday), "--out", str(place)])
        assert isinstance(ran.exception, SettingError)
        assert "holds a study already; name a new folder" in str(ran.exception)
    assert Study.open(other).hash == before.hash


@pytest.mark.parametrize("name", ["x y" * 5000, f"{'x' * 5000}.csv"])
def test_a_name_that_is_too_long_is_told(folder: Path, name: str) -> None:
    ran = CliRunner().invoke(app, ["classify", str(folder), name, "--split", "long"])
    assert isinstance(ran.exception, DataError)


def test_what_cannot_be_is_refused_before_the_model_reads(folder: Path, monday: Path, tmp_path: Path) -> None:
    data_of("classify", folder, monday)
    for arguments, said in (
        ((folder, monday), "has a split 'monday' already"),
        ((folder, monday, "--split", "train"), "cannot be called train"),
        (("demo", monday), "comes with the program"),
    ):
        done = seer("classify", *arguments)
        assert isinstance(done.exception, SettingError)
        assert said in str(done.exception)


def test_the_demo_in_a_copy_has_the_new_split(monday: Path, tmp_path: Path, demo: Study) -> None:
    found = data_of("classify", "demo", monday, "--out", tmp_path / "copy")
    study = Study.open(tmp_path / "copy")
    assert study.machine("test") == demo.machine("test")
    assert found["rare_reference"] == "the training sentences"
    assert len(study.trained_rows) == len(demo.trained_rows)


def test_new_data_are_read_by_the_columns_of_the_study_s_own(tmp_path: Path) -> None:
    own = replace(opinions(), source={"kind": "file", "name": "own.csv", "text": "words", "label": "verdict"})
    study = train_study(own, tmp_path / "own", training=TrainingSettings(epochs=1), architecture={"hidden": 4})
    path = tmp_path / "new.csv"
    path.write_text("text,words,verdict\n1,a good film,pos\n2,a bad film,neg\n", encoding="utf-8")
    done = seer("classify", study.folder, path)
    assert done.exit_code == 0, done.exception
    assert "The text is read from the column “words”, the label from “verdict”." in done.stderr
    added = Study.open(study.folder).corpus
    assert added.texts(added.rows("new")) == ["a good film", "a bad film"]
    found = data_of("classify", study.folder, path, "--text", "text", "--split", "again")
    assert found["labelled"] == 0
    bare = tmp_path / "bare.csv"
    bare.write_text("words\na good film\n", encoding="utf-8")
    assert data_of("classify", study.folder, bare)["rows"] == 1


def test_a_built_in_set_is_one_split_of_the_study(small_study: Study, tmp_path: Path) -> None:
    done = seer("classify", small_study.folder, "bbc_news", "--limit", 20, "--out", tmp_path / "copy")
    assert done.exit_code == 0, done.exception
    assert "20 of 2,225 rows" in done.stderr
    assert "shared out" not in done.stderr
    assert len(Study.open(tmp_path / "copy").rows("bbc_news")) == 20


def test_the_text_has_the_room_beside_a_rare_path(demo: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = seer("rare", "demo", "--top", 5).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    head = next(line for line in lines if "predicted" in line).split("┃")
    assert len(head[-2]) >= 30
    assert [cell.strip() for cell in head[1:-1]] == ["id", "predicted", "step (taken)", "word", "text"]


def test_show_counts_with_commas_and_names_its_figures(demo: Study) -> None:
    shown = " ".join(seer("show", "demo").stdout.replace("│", " ").split())
    assert f"sentences {len(demo.corpus):,} tokens {demo.traces.steps:,} " in shown
    assert "one class always" in shown
    assert "majority" not in shown
    assert data_of("show", "demo")["sentences"] == len(demo.corpus)


def test_states_and_predictions_alone_become_a_study(small_study: Study, tmp_path: Path) -> None:
    offsets, ids = small_study.tokenizer.encode(small_study.corpus.texts())
    states, probability = np.zeros((len(ids), 12)), np.zeros((len(ids), 2))
    for part in ModelReader(small_study.model, offsets, ids).steps():
        states[part.steps], probability[part.steps] = part.states, part.probability
    file, data = tmp_path / "states.npz", tmp_path / "opinions.csv"
    np.savez_compressed(file, states=states, offsets=offsets, probability=probability)
    names = [small_study.classes[label] for label in small_study.corpus.labels]
    lines = [f"{text},{name}" for text, name in zip(small_study.corpus.texts(), names, strict=True)]
    data.write_text("text,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    options = ("--out", tmp_path / "study", "--states", "6", "--components", "4")
    found = data_of("import-states", file, "--data", data, "--split", "test", *options)
    assert found["accuracy"] == {"test": pytest.approx(small_study.accuracy().value)}
    assert (found["tokens"], found["classes"]) == (len(ids), ["neg", "pos"])
    assert data_of("analyse", tmp_path / "study", "--states", "4")["states"] == 4
    for command in (("trace", tmp_path / "study", "a"), ("explain", tmp_path / "study", "a")):
        done = seer(*command)
        assert isinstance(done.exception, ModelError)
        assert "holds no model" in str(done.exception)
    assert isinstance(seer("classify", tmp_path / "study", data, "--split", "more").exception, ModelError)
