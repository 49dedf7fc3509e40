"""New data as one more split of a study: what is added, what stays, what is told."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seer.analysis import AnalysisSettings
from seer.apply import add_split
from seer.build import analyse_study, train_study
from seer.errors import DataError, SeerError, SettingError
from seer.models.training import TrainingSettings
from seer.notes import Note, Notes, notes_path
from seer.parts import CORPUS
from seer.rare import rare_paths
from seer.slices import class_reports, confusion_matrix
from seer.storage import read_manifest
from seer.study import Study
from seer.suspects import unseen_suspects
from seer.text import PAIR_BREAK
from tests.conftest import make_corpus, opinions

ROWS = [
    ("a good story", 1, "anything"),
    ("a bad story", 0, "anything"),
    ("the film is weak", 2, "else"),
    ("zzqx vvkw", -1, "else"),
    ("", 0, "else"),
    ("a good story", 1, "else"),
]
CLASSES = ("neg", "pos", "odd")


@pytest.fixture
def copy(small_study: Study, tmp_path: Path) -> Study:
    """A study to write to."""
    shutil.copytree(small_study.folder, tmp_path / "small")
    return Study.open(tmp_path / "small")


def test_it_is_one_split_more_and_the_others_stay(small_study: Study, copy: Study) -> None:
    added = add_split(copy, make_corpus(ROWS, CLASSES), "monday")
    study = added.study
    assert study.corpus.splits == ("train", "validation", "test", "monday")
    assert study.corpus.ids.tolist() == [*small_study.corpus.ids, *(f"monday-r{place}" for place in range(6))]
    for split in small_study.corpus.splits:
        assert study.machine(split) == small_study.machine(split)
        assert study.accuracy(split) == small_study.accuracy(split)
    assert study.name == small_study.name
    assert study.hash != small_study.hash
    assert len([path for path in study.folder.iterdir() if path.is_dir()]) == 1
    again = Study.open(study.folder)
    assert again.summary() == study.summary()
    assert list(again.summary()["accuracy"]) == ["train", "validation", "test", "monday"]


def test_its_sentences_are_read_as_typed_ones(small_study: Study, copy: Study) -> None:
    study = add_split(copy, make_corpus(ROWS, CLASSES), "monday").study
    for row, (text, _, _) in zip(study.rows("monday").tolist(), ROWS, strict=True):
        mine, typed = study.sentence(row), small_study.trace(text)
        assert (mine.text, mine.path, mine.prediction) == (text, typed.path, typed.prediction)


def test_nothing_is_trained_and_none_of_it_counts_as_trained_on(small_study: Study, copy: Study) -> None:
    study = add_split(copy, opinions(40, seed=5), "monday").study
    old, new = small_study.manifest, study.manifest
    assert {part for part in old["hashes"] if old["hashes"][part] != new["hashes"][part]} == {"corpus"}
    for field in ("seed", "analysis", "abstraction", "quality", "sweep", "quality_split"):
        assert new[field] == old[field]
    assert study.trained_rows.tolist() == small_study.trained_rows.tolist()
    assert unseen_suspects(study).judged == unseen_suspects(small_study).judged + 40


def test_a_study_without_splits_trained_on_its_own_rows_alone(tmp_path: Path) -> None:
    rows = [(text, label, "all of it") for text, label in [("good film", 1), ("bad film", 0)] * 10]
    quick = {"architecture": {"embedding": 6, "hidden": 8}, "training": TrainingSettings(epochs=2)}
    study = train_study(make_corpus(rows), tmp_path / "s", **quick)
    more = add_split(study, opinions(8), "monday").study
    assert more.trained_rows.tolist() == list(range(20))
    assert rare_paths(more, "monday").reference == "the training sentences"
    again = analyse_study(more, AnalysisSettings(states=2, components=2))
    assert again.trained_rows.tolist() == list(range(20))


def test_notes_stay_with_their_rows(copy: Study) -> None:
    book = Notes(notes_path(copy.folder, "small"), copy.hash, copy.corpus.fingerprint)
    book.put("r7", Note(text="mine"), "me")
    study = add_split(copy, opinions(12, seed=2), "monday").study
    after = Notes(notes_path(study.folder, "small"), study.hash, study.corpus.fingerprint)
    assert list(after.current()) == ["r7"]
    assert study.corpus.text(study.corpus.position("r7")) == copy.corpus.text(7)
    after.put("monday-r3", Note(text="new"), "me")
    twice = add_split(study, opinions(12, seed=3), "tuesday").study
    assert set(after.current()) == {"r7", "monday-r3"}
    assert twice.corpus.text(twice.corpus.position("monday-r3")) == study.corpus.text(
        study.corpus.position("monday-r3")
    )


def test_ids_stay_unique_where_a_row_is_called_like_a_new_one(copy: Study) -> None:
    table = copy.corpus.table.set_column(0, "id", [["monday-r0", *copy.corpus.ids[1:].tolist()]])
    corpus = replace(copy.corpus, table=table)
    study = train_study(
        corpus,
        copy.folder.parent / "odd",
        architecture={"embedding": 6, "hidden": 8},
        training=TrainingSettings(epochs=1),
    )
    more = add_split(study, make_corpus(ROWS, CLASSES), "monday").study
    assert more.corpus.ids[-6:].tolist() == [f"monday-2-r{place}" for place in range(6)]


def test_repeated_texts_are_counted_and_told(copy: Study) -> None:
    own = copy.corpus.text(int(copy.rows("test")[0]))
    rows = [(f" {own} ", 1, "x"), ("never said before", 0, "x"), ("never said before", 0, "x"), ("", -1, "x")]
    added = add_split(copy, make_corpus(rows), "monday")
    assert added.repeated["test"] == 1
    assert added.duplicates == 1
    assert "1 row has a text that stands in test too." in added.notices
    assert "monday: 1 row has a text that stands in test too." in added.study.manifest["notices"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("test", "has a split 'test' already; choose another name"),
        ("train", "cannot be called train, which means what the model was trained on"),
        ("all", "cannot be called all, which means all splits together"),
        ("  ", "1 to 80 printable characters"),
        ("a\nb", "1 to 80 printable characters"),
        ("x" * 81, "1 to 80 printable characters"),
    ],
)
def test_names_that_cannot_be_are_refused(copy: Study, name: str, said: str) -> None:
    before = read_manifest(copy.folder)
    with pytest.raises(SettingError, match=said):
        add_split(copy, opinions(8), name)
    assert read_manifest(copy.folder) == before


def test_pairs_are_no_sentences(copy: Study) -> None:
    rows = [(f"{text}{PAIR_BREAK}{text}", 0, "x") for text, _, _ in ROWS]
    with pytest.raises(DataError, match=r"reads single sentences; small holds sentence pairs\."):
        add_split(copy, replace(make_corpus(rows), paired=True), "monday")


def test_where_the_study_cannot_be_written_a_folder_is_needed(demo: Study, tmp_path: Path, copy: Study) -> None:
    with pytest.raises(SettingError, match=r"comes with the program and stays as it is; .*--out"):
        add_split(demo, opinions(4), "monday")
    with pytest.raises(SettingError, match="comes with the program"):
        add_split(Study.open("demo-pairs"), opinions(4), "monday")
    bare = train_study(
        opinions(40),
        tmp_path / "bare",
        architecture={"embedding": 6, "hidden": 8},
        training=TrainingSettings(epochs=1),
        keep_sentences=False,
    )
    with pytest.raises(SettingError, match=r"does not store its sentences, .*--out"):
        add_split(bare, opinions(4), "monday")
    beside = add_split(copy, opinions(4), "monday", folder=tmp_path / "beside").study
    assert (beside.name, beside.corpus.splits[-1], Study.open(copy.folder).hash) == ("beside", "monday", copy.hash)
    assert (beside.version / CORPUS).exists()


def test_a_damaged_or_foreign_folder_is_told(copy: Study, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("mine")
    with pytest.raises(SeerError, match="holds other files"):
        add_split(copy, opinions(4), "monday", folder=tmp_path / "mine")


def test_two_who_add_at_once_lose_nothing(copy: Study) -> None:
    """Who began before another's split came in is told so, before it reads and after."""
    late = Study.open(copy.folder)
    added: list[str] = []

    def meanwhile(*_: object) -> None:
        if not added:
            added.append(add_split(copy, opinions(4), "monday").study.hash)

    with pytest.raises(SeerError, match="was changed in the meantime; open it again"):
        add_split(late, opinions(8), "tuesday", progress=meanwhile)
    with pytest.raises(SeerError, match="was changed in the meantime"):
        add_split(late, opinions(8), "tuesday")
    assert [Study.open(copy.folder).hash] == added


# --- rare, absent and unknown classes


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of A×12, B×7, C×1."""
    counts = (("a", 12), ("b", 7), ("c", 1))
    rows = [
        (f"{name} {name}{place}", number, "train")
        for number, (name, count) in enumerate(counts)
        for place in range(count)
    ]
    return train_study(
        make_corpus(rows, ("A", "B", "C")),
        tmp_path_factory.mktemp("three") / "three",
        architecture={"embedding": 6, "hidden": 8, "dropout": 0.0},
        training=TrainingSettings(epochs=20, learning_rate=2e-2),
        min_count=1,
    )


@pytest.mark.hard_inputs(12)
def test_an_absent_class_has_no_support_and_no_recall(three: Study, tmp_path: Path) -> None:
    rows = [("a a1", 0, "x"), ("a a2", 0, "x"), ("c c0", 2, "x")]
    added = add_split(three, make_corpus(rows, ("A", "B", "C")), "without", folder=tmp_path / "s")
    reports = class_reports(confusion_matrix(added.study, added.study.rows("without")), added.study.classes)
    assert [(report.name, report.support) for report in reports] == [("A", 2), ("B", 0), ("C", 1)]
    assert reports[1].recall is None
    assert added.absent == ("B",)
    assert "No row is labelled “B”." in added.notices


@pytest.mark.hard_inputs(12)
def test_an_unknown_class_is_listed_and_its_rows_are_unlabelled(three: Study, tmp_path: Path) -> None:
    rows = [("a a1", 0, "x"), ("d d1", 1, "x"), ("d d2", 1, "x")]
    added = add_split(three, make_corpus(rows, ("A", "D")), "odd", folder=tmp_path / "s")
    assert added.unknown == {"D": 2}
    assert "“D” is not a class of this model: 2 rows are taken as unlabelled." in added.notices
    assert added.study.classes == ("A", "B", "C")
    assert added.study.corpus.labels[added.study.rows("odd")].tolist() == [0, -1, -1]
    assert added.study.accuracy("odd").labelled == 1


@pytest.mark.hard_inputs(12)
def test_one_class_alone_is_measured(three: Study, tmp_path: Path) -> None:
    added = add_split(three, make_corpus([("a a1", 0, "x"), ("b b1", 0, "x")], ("A",)), "one", folder=tmp_path / "s")
    matrix = confusion_matrix(added.study, added.study.rows("one"))
    assert (matrix[0].sum(), matrix[1:].sum()) == (2, 0)
    assert added.absent == ("B", "C")
    assert 0 <= added.study.accuracy("one").value <= 1


@pytest.mark.hard_inputs(12)
def test_training_on_one_class_is_refused_with_the_reason(tmp_path: Path) -> None:
    rows = [(f"a a{place}", 0, "train") for place in range(12)]
    with pytest.raises(DataError, match=r"the training split has 1 of 1 \(“A”, 12 times\)"):
        train_study(make_corpus(rows, ("A",)), tmp_path / "s")
    assert not (tmp_path / "s").exists()


# --- odd texts


@pytest.mark.hard_inputs(14)
def test_texts_without_usable_tokens_are_all_accounted_for(copy: Study) -> None:
    texts = ["", "   ", "\t\n", "!!! ...", "zzqx vvkw", "good"]
    study = add_split(copy, make_corpus([(text, 1, "x") for text in texts]), "odd").study
    rows = study.rows("odd")
    assert study.corpus.texts(rows) == texts
    traces = study.traces.select(rows)
    assert traces.lengths.tolist() == [0, 0, 0, 6, 2, 1]
    assert [prediction >= 0 for prediction in traces.prediction.tolist()] == [False] * 3 + [True] * 3
    machine = study.machine("odd")
    assert (machine.visits[0], machine.labelled[0]) == (3, 3)
    for place in (3, 4):
        read = study.sentence(int(rows[place]))
        assert not read.known.any()
        assert read.prediction in study.classes
    assert study.sentence(int(rows[5])).known.all()
    assert study.sentence(int(rows[0])).prediction is None
    assert len(rare_paths(study, "odd")) == 3


@pytest.mark.hard_inputs(19)
def test_the_deciding_word_of_ten_thousand_is_read(copy: Study) -> None:
    words = ["good"] * 9_989 + ["awful"] + ["dull"] * 10
    study = add_split(copy, make_corpus([(" ".join(words), 0, "x")]), "long").study
    row = int(study.rows("long")[0])
    read = study.sentence(row)
    assert len(read) == 10_000
    assert np.isfinite(read.probability).all()
    assert (read.words[9_989], read.prediction) == ("awful", "neg")
    assert set(read.predicted[100:9_989].tolist()) == {1}
    assert 9_989 <= read.flips[-1] <= 9_992  # at the word that decides, or soon after it
    assert int(rare_paths(study, "long").step[0]) >= 9_989
