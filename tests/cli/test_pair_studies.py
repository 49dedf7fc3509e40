"""A study of sentence pairs the whole way: trained from a file, opened, traced, mined, reported and noted."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from seer.analysis import AnalysisSettings
from seer.apply import apply_study
from seer.build import analyse_study
from seer.cli import app
from seer.corpus import load_corpus
from seer.errors import DataError, ModelError, SeerError, SettingError
from seer.mining import KINDS
from seer.models.esim import PairArchitecture
from seer.notes import Note, Notes, notes_path, plan_markdown
from seer.slices import Filter, matching_rows
from seer.study import Study

FEW = [
    "--hidden",
    "6",
    "--embedding",
    "8",
    "--epochs",
    "12",
    "--batch",
    "16",
    "--learning-rate",
    "0.01",
    "--states",
    "5",
]


def seer(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def data_of(*arguments: object) -> dict:
    done = seer(*arguments, "--json")
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs whose hypothesis says yes or no to the premise, or speaks of something else; a tenth is mislabelled."""
    random, rows = np.random.default_rng(0), ["premise,hypothesis,label"]
    for number in range(240):
        who, what, other = (
            random.choice(["man", "girl", "dog", "child"]),
            *random.choice(["sings", "eats", "runs"], 2, False),
        )
        label = number % 3
        hypothesis = (f"A {who} {what}", f"No {who} {what}", f"Some {who} {other} there")[label]
        shown = label if random.random() > 0.1 else (label + 1) % 3
        rows.append(f"The {who} {what} today,{hypothesis},{('same', 'opposite', 'other')[shown]}")
    rows += [",,same", "The man sings,,other", "The man sings,A man sings,-1"]
    path = tmp_path_factory.mktemp("data") / "pairs.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=[(), ("--same-word",)], ids=["published", "same-word"])
def trained(request: pytest.FixtureRequest, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies") / "pairs"
    summary = data_of("train", data, "--task", "pairs", "--out", folder, *FEW, *request.param)
    assert summary["classes"] == ["opposite", "other", "same"]
    assert summary == data_of("show", folder)
    return folder


@pytest.fixture
def study(trained: Path) -> Study:
    return Study.open(trained)


def test_it_opens_as_a_study_of_pairs(study: Study) -> None:
    assert study.paired
    assert isinstance(study.architecture, PairArchitecture)
    assert study.architecture.hidden == 6
    assert study.pair_model is study.model
    with pytest.raises(ModelError, match="reads sentence pairs"):
        _ = study.classifier
    assert study.corpus.labels[-1] == -1
    assert study.accuracy("test").value > 0.6
    assert study.accuracy("test").labelled == len(study.rows("test")) - unusable(study)


def unusable(study: Study) -> int:
    rows = study.rows("test")
    return int(((study.corpus.labels[rows] < 0) | (study.traces.lengths[rows] == 0)).sum())


def test_machine_and_trace_follow_both_sentences(trained: Path, study: Study) -> None:
    machine = data_of("machine", trained, "--split", "test")
    started = sum(row["count"] for row in machine["transitions"] if row["source"] == 0)
    assert started == int((study.traces.lengths[study.rows("test")] > 0).sum())
    read = data_of("trace", trained, "The man sings today\nNo man SINGS zzqx")
    assert [token["text"] for token in read["tokens"]] == ["The", "man", "sings", "today", "No", "man", "SINGS", "zzqx"]
    assert [token["known"] for token in read["tokens"]] == [True] * 7 + [False]
    assert read["prediction"] == max(read["probabilities"], key=read["probabilities"].get)
    assert data_of("trace", trained, "\n")["prediction"] is None


def test_a_typed_pair_reads_like_the_same_row(study: Study) -> None:
    row, typed = study.sentence(7), study.trace(study.corpus.text(7))
    assert np.allclose(row.probability, typed.probability, atol=1e-6)
    assert (row.path, row.prediction, row.words) == (typed.path, typed.prediction, typed.words)
    traces = study.as_traces(typed)
    assert (traces.sentences, traces.steps) == (1, len(typed))


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_of_every_kind(trained: Path, kind: str) -> None:
    assert isinstance(data_of("patterns", trained, "--kind", kind, "--split", "train"), list)


def test_a_report_and_notes_from_the_errors(trained: Path, study: Study, tmp_path: Path) -> None:
    wrong = matching_rows(study, Filter("train", outcome="wrong"))
    assert len(wrong)
    row_id = str(study.corpus.ids[wrong[0]])
    notes = Notes(notes_path(study.folder, "pairs"), study.hash, study.corpus.fingerprint)
    notes.put(row_id, Note("label error", "the label says another thing"), "Ann")
    out = tmp_path / "report.html"
    assert seer("report", trained, "--split", "train", "--out", out).exit_code == 0
    page = out.read_text(encoding="utf-8")
    assert "the label says another thing" in page
    premise, _, hypothesis = study.corpus.text(int(wrong[0])).partition("\n")
    plan = plan_markdown(study.name, notes.current(), texts={row_id: study.corpus.text(int(wrong[0]))}, confusions={})
    for text in (premise, hypothesis):
        assert text in plan


def test_analysed_anew_and_on_other_pairs_it_stays_one_of_pairs(study: Study, data: Path, tmp_path: Path) -> None:
    other = analyse_study(study, AnalysisSettings(states=3, components=2), folder=tmp_path / "other")
    assert (other.states, other.paired) == (3, True)
    same = apply_study(study, load_corpus(data, pairs=True), tmp_path / "same")
    assert np.allclose(same.traces.probability, study.traces.probability, atol=1e-6)
    assert same.trained_on == "pairs.csv"
    with pytest.raises(DataError, match=r"reads sentence pairs; pairs\.csv holds single"):
        apply_study(study, load_corpus(data, text="hypothesis"), tmp_path / "single")


def test_without_stored_sentences_they_are_read_again(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    settings = ["--hidden", "4", "--embedding", "4", "--epochs", "1", "--states", "3", "--without-sentences"]
    summary = data_of("train", data, "--task", "pairs", "--out", folder, *settings)
    assert not list(folder.rglob("*.parquet"))
    assert data_of("show", folder) == summary
    assert Study.open(folder).corpus.paired


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        (
            ("--task", "pairs", "--cell", "lstm"),
            SettingError,
            "A classifier of sentence pairs has no cell; leave it out.",
        ),
        (("--task", "pairs", "--bidirectional", "--layers", "2"), SettingError, "has no bidirectional and no layers"),
        (("--text", "hypothesis", "--same-word"), SettingError, "of single sentences has no same_word; leave it out."),
        (("--task", "pairs", "--hidden", "0"), SettingError, "hidden must lie between 1 and 8,192, got 0"),
        (("--task", "pairs", "--dropout", "1"), SettingError, "Dropout must lie in"),
        (("--task", "pairs", "--text", "odd"), DataError, "no column 'odd' for the text; its columns are 'premise'"),
        (("--task", "pairs", "--data", "."), SettingError, "takes no data"),
    ],
)
def test_options_that_do_not_fit_are_one_sentence(
    data: Path, tmp_path: Path, arguments: tuple[str, ...], kind: type[SeerError], said: str
) -> None:
    done = seer("train", data, "--out", tmp_path / "s", *arguments)
    assert isinstance(done.exception, kind)
    assert said in str(done.exception)
    assert not (tmp_path / "s").exists()


def test_one_class_of_pairs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("premise,hypothesis,label\n" + "a,b,x\n" * 20, encoding="utf-8")
    done = seer("train", path, "--task", "pairs", "--out", tmp_path / "s")
    assert isinstance(done.exception, SeerError)
    assert "two classes or more" in str(done.exception)
