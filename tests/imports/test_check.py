"""What an import checks first, and what becomes of its study."""

from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from seer.analysis import AnalysisSettings
from seer.cli import app
from seer.corpus import Corpus, load_corpus
from seer.errors import ModelError, SettingError
from seer.explain import explain, methods_for
from seer.imports.check import check_import
from seer.imports.infer import Choices
from seer.imports.reading import Reading
from seer.imports.study import import_study
from seer.models.batches import make_batch
from seer.study import Study
from tests.imports.research import PIECES, Research, csv_of, plain_ids, reviews, saved, trained
from tests.imports.test_weights import on_a_gpu

TEXTS, LABELS = reviews(90, seed=3)
SMALL = AnalysisSettings(states=5, components=4)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("import")
    torch.manual_seed(0)
    model = Research(len(PIECES), read_out="mean", outputs=2)
    trained(model, plain_ids(TEXTS), LABELS)
    saved(model, folder / "w.pt")
    (folder / "vocab.txt").write_text("\n".join(PIECES), encoding="utf-8")
    csv_of(TEXTS, LABELS, folder / "d.csv")
    return folder


def corpus_of(folder: Path, **options: object) -> Corpus:
    return load_corpus(folder / "d.csv", split="test", **options)


@pytest.fixture(scope="module")
def study(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return import_study(
        files / "w.pt",
        files / "vocab.txt",
        corpus_of(files),
        tmp_path_factory.mktemp("studies") / "imported",
        choices=Choices(read_out="mean"),
        reading=Reading(length=6),
        analysis=SMALL,
    )


def test_accuracy_is_told_before_anything_else(files: Path, tmp_path: Path) -> None:
    found = check_import(files / "w.pt", files / "vocab.txt", corpus_of(files), choices=Choices(read_out="mean"))
    assert found.usual is not None
    accuracy = found.usual.value
    assert accuracy > found.usual.largest
    assert not found.warnings
    found.expect(accuracy + 0.004)
    for expected in (accuracy + 0.006, accuracy - 0.006):
        with pytest.raises(
            ModelError, match=f"Expected an accuracy of {expected:.4f}, found {accuracy:.4f} on 90 rows"
        ):
            found.expect(expected)
    with pytest.raises(ModelError, match="Expected an accuracy"):
        import_study(
            files / "w.pt",
            files / "vocab.txt",
            corpus_of(files),
            tmp_path / "none",
            choices=Choices(read_out="mean"),
            expect=0.2,
        )
    assert not (tmp_path / "none").exists()


@pytest.mark.hard_inputs(20)
def test_gpu_checkpoint_predicts_as_before(files: Path, tmp_path: Path) -> None:
    gpu = on_a_gpu(files / "w.pt", tmp_path / "gpu.pt")
    here, there = (
        check_import(path, files / "vocab.txt", corpus_of(files), choices=Choices(read_out="mean"))
        for path in (files / "w.pt", gpu)
    )
    assert "The weights were saved on cuda:0; they are read on the CPU." in there.notes
    batch = make_batch(*here.vocabulary.tokenizer.encode(TEXTS), np.arange(len(TEXTS)))
    np.testing.assert_allclose(here.model.probabilities(batch), there.model.probabilities(batch), atol=1e-5)


def test_wrong_order_of_classes_warns(files: Path) -> None:
    found = check_import(
        files / "w.pt", files / "vocab.txt", corpus_of(files), choices=Choices(read_out="mean"), classes=["pos", "neg"]
    )
    assert "no more than always naming the largest class" in found.warnings[0]


def test_unlabelled_data_says_that_nothing_is_known(files: Path) -> None:
    corpus = corpus_of(files, labelled=False, text="text")
    with pytest.raises(SettingError, match="tells 2 classes apart, the data has 0"):
        check_import(files / "w.pt", files / "vocab.txt", corpus)
    found = check_import(files / "w.pt", files / "vocab.txt", corpus, classes=["neg", "pos"])
    assert found.usual is None
    assert found.warnings[0].startswith("The data has no label")
    with pytest.raises(ModelError, match="no label to measure it with"):
        found.expect(0.9)


def test_another_number_of_classes_is_told(files: Path, tmp_path: Path) -> None:
    saved(Research(len(PIECES), outputs=3), tmp_path / "three.pt")
    with pytest.raises(SettingError, match=r"tells 3 classes apart, the data has 2 \(neg, pos\)"):
        check_import(tmp_path / "three.pt", files / "vocab.txt", corpus_of(files))
    with pytest.raises(SettingError, match="tells 3 classes apart, 2 are named: neg, pos"):
        check_import(tmp_path / "three.pt", files / "vocab.txt", corpus_of(files), classes=["neg", "pos"])
    found = check_import(tmp_path / "three.pt", files / "vocab.txt", corpus_of(files), classes=["neg", "so", "pos"])
    assert found.corpus.classes == ("neg", "so", "pos")


def test_names_that_the_data_does_not_have_are_told(files: Path) -> None:
    asked = ["import", files / "w.pt", "--tokenizer", files / "vocab.txt", "--data", files / "d.csv", "--check"]
    ran = CliRunner().invoke(app, [str(part) for part in asked] + ["--classes", "bad,good"])
    assert ran.exit_code == 0
    assert "“neg” is not a class of this model" in ran.stderr
    assert "The data has no label to check the model with" in ran.stderr


@pytest.mark.hard_inputs(19)
def test_a_cut_is_told_everywhere(study: Study) -> None:
    lengths = np.array([len(ids) for ids in plain_ids(TEXTS)])
    longer = int((lengths > 6).sum())
    assert longer > 1
    assert (
        f"{longer} texts are cut to 6 words; of the longest, 6 of {lengths.max()} are used."
        in study.manifest["notices"]
    )
    row = int(lengths.argmax())
    trace = study.sentence(row)
    assert len(trace) == 6
    assert trace.cut_line == f"6 of {lengths.max()} words used: this model's texts are cut there."
    assert study.sentence(int(lengths.argmin())).cut_line is None
    text = " ".join(["film"] * 9_999 + ["good"])
    assert study.trace(text).cut_line == "6 of 10,000 words used: this model's texts are cut there."


def test_study_of_an_imported_model_explains_itself(study: Study) -> None:
    assert {"lrp", "integrated_gradients", "occlusion", "removal", "lime"} <= set(methods_for(study))
    assert "cd" not in methods_for(study)
    for method in methods_for(study):
        assert len(explain(study, TEXTS[0], method)) == len(study.trace(TEXTS[0]))
    assert abs(explain(study, TEXTS[0], "lrp", bias_factor=1.0).gap) < 1e-5


def test_study_says_where_its_model_came_from(study: Study) -> None:
    imported = study.checkpoint["imported"]
    assert imported["model"] == "GRU 12, one-way, 1 layer, head 8 relu, read-out mean"
    assert imported["accuracy"][0]["labelled"] == 90
    assert len(study.trained_rows) == 0
    assert Study.open(study.folder).hash == study.hash


def test_command_needs_a_folder_or_a_check(files: Path) -> None:
    asked = ["import", files / "w.pt", "--tokenizer", files / "vocab.txt", "--data", files / "d.csv"]
    ran = CliRunner().invoke(app, [str(part) for part in asked])
    assert ran.exit_code == 2
    assert "--out" in ran.output


@pytest.mark.parametrize("expected", [-0.1, 1.5, 87.3, float("nan")])
def test_an_expected_accuracy_is_a_share(files: Path, expected: float) -> None:
    found = check_import(files / "w.pt", files / "vocab.txt", corpus_of(files), choices=Choices(read_out="mean"))
    with pytest.raises(SettingError, match=r"An accuracy lies from 0 to 1, such as 0\.873"):
        found.expect(expected)
