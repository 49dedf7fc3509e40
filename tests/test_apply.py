"""A study's classifier on another corpus: the same model and states, other sentences, nothing trained."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seer.analysis import AnalysisSettings
from seer.apply import apply_study
from seer.build import analyse_study
from seer.corpus import Corpus, load_corpus
from seer.corpus.classes import with_classes
from seer.errors import DataError, StudyError
from seer.listing import study_folders
from seer.notes import Notes
from seer.parts import TRACES
from seer.report import report_html
from seer.study import DEMOS, Study
from seer.suspects import training_suspects, unseen_suspects
from seer.text import PAIR_BREAK
from tests.conftest import make_corpus, opinions

ROWS = [
    ("a good story", 1, "monday"),
    ("a bad story", 0, "monday"),
    ("the film is weak", 2, "tuesday"),
    ("zzqx vvkw", -1, "tuesday"),
    ("", 0, "tuesday"),
]


def others(classes: tuple[str, ...] = ("neg", "pos", "odd")) -> Corpus:
    return make_corpus(ROWS, classes)


@pytest.fixture(scope="module")
def applied(small_study: Study, tmp_path_factory: pytest.TempPathFactory) -> Study:
    return apply_study(small_study, others(), tmp_path_factory.mktemp("applied") / "others")


def test_it_reads_the_sentences_as_the_study_does(small_study: Study, applied: Study) -> None:
    assert applied.name == "others"
    for row, (text, _, _) in enumerate(ROWS):
        mine, other = applied.sentence(row), small_study.trace(text)
        assert (mine.path, mine.prediction) == (other.path, other.prediction)
        assert np.allclose(mine.probability, other.probability, atol=1e-6)
    assert applied.traces.prediction[4] == -1


def test_model_states_and_quality_are_the_study_s(small_study: Study, applied: Study) -> None:
    old, new = small_study.manifest, applied.manifest
    assert {part for part in old["hashes"] if old["hashes"][part] != new["hashes"][part]} == {"corpus"}
    assert applied.hash != small_study.hash
    for field in ("seed", "analysis", "abstraction", "quality", "sweep"):
        assert new[field] == old[field]
    assert new["quality_split"] == "test of small"
    assert applied.classes == small_study.classes


def test_the_manifest_says_what_the_model_was_trained_on(small_study: Study, applied: Study) -> None:
    assert applied.manifest["trained_on"] == {
        "name": "small",
        "corpus": small_study.corpus.fingerprint,
        "study": small_study.name,
        "study_hash": small_study.hash,
    }
    assert (applied.trained_on, small_study.trained_on) == ("small", "small")
    assert "trained on small" in applied.manifest["notices"][0]
    assert len(applied.trained_rows) == 0
    assert small_study.trained_rows.tolist() == small_study.rows("train").tolist()
    json.dumps(applied.manifest, allow_nan=False)


def test_labels_that_are_no_class_become_unlabelled_with_a_notice(applied: Study) -> None:
    assert applied.corpus.labels.tolist() == [1, 0, -1, -1, 0]
    assert applied.corpus.classes == ("neg", "pos")
    assert "“odd” is not a class of this model: 1 row is taken as unlabelled." in applied.manifest["notices"]
    assert applied.accuracy("monday").labelled == 2
    assert applied.accuracy("tuesday").labelled == 0


def test_splits_are_those_of_the_corpus(applied: Study) -> None:
    assert applied.corpus.splits == ("monday", "tuesday")
    assert applied.usual_split == "monday"
    assert applied.machine("tuesday").visits[0] == 2


def test_opened_again_it_is_the_same(applied: Study) -> None:
    again = Study.open(applied.folder)
    assert again.summary() == applied.summary()
    assert again.machine(None) == applied.machine(None)


def test_no_sentence_counts_as_trained_on(small_study: Study, tmp_path: Path) -> None:
    """Even where the splits are called so, and where there is but one."""
    corpus = opinions(60, seed=5)
    named = apply_study(small_study, corpus, tmp_path / "named")
    assert unseen_suspects(named).judged == 60
    assert training_suspects(named).judged == 0
    one = replace(corpus, table=corpus.table.set_column(3, "split", [["test"] * 60]))
    assert unseen_suspects(apply_study(small_study, one, tmp_path / "one")).judged == 60


def test_a_report_and_notes_are_made_of_it(applied: Study, tmp_path: Path) -> None:
    page = report_html(applied, "monday", Notes(tmp_path / "notes.sqlite").current())
    assert "trained on small" in page
    assert "test of small" in page


def test_applied_twice_the_first_corpus_is_named(applied: Study, tmp_path: Path) -> None:
    twice = apply_study(applied, replace(others(), name="third"), tmp_path / "third")
    assert (twice.trained_on, twice.manifest["quality_split"]) == ("small", "test of small")
    assert twice.manifest["trained_on"] == applied.manifest["trained_on"]


def test_analysed_anew_it_still_says_so(small_study: Study, tmp_path: Path) -> None:
    study = apply_study(small_study, opinions(60, seed=5), tmp_path / "s")
    again = analyse_study(study, AnalysisSettings(states=3, components=2))
    assert (again.trained_on, again.states) == ("small", 3)
    assert again.manifest["trained_on"] == study.manifest["trained_on"]
    assert len(again.trained_rows) == 0


def test_an_older_study_there_is_replaced(small_study: Study, tmp_path: Path) -> None:
    apply_study(small_study, others(), tmp_path / "s")
    study = apply_study(small_study, opinions(30, seed=1), tmp_path / "s", name="Monday's traffic")
    assert (len(study.corpus), study.name) == (30, "Monday's traffic")
    assert len([path for path in (tmp_path / "s").iterdir() if path.is_dir()]) == 1


def test_what_cannot_be_is_refused_and_nothing_is_written(small_study: Study, tmp_path: Path) -> None:
    rows = [(f"{text}{PAIR_BREAK}{text}", label, split) for text, label, split in ROWS]
    pairs = replace(make_corpus(rows, ("neg", "pos", "odd")), paired=True)
    with pytest.raises(DataError, match=r"reads single sentences; small holds sentence pairs\."):
        apply_study(small_study, pairs, tmp_path / "s")
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StudyError, match="no study"):
        apply_study(small_study, others(), tmp_path)
    assert not (tmp_path / "s").exists()


# --- classes


def test_classes_take_the_model_s_order() -> None:
    found = with_classes(others(("pos", "neg", "odd")), ("neg", "pos")).corpus
    assert found.labels.tolist() == [0, 1, -1, -1, 1]
    assert len(found) == len(ROWS)
    assert found.texts() == others().texts()


def test_a_name_in_another_case_is_the_same_class_and_that_is_said() -> None:
    found = with_classes(others(("NEG", " Pos", "odd")), ("neg", "pos")).corpus
    assert found.labels.tolist() == [1, 0, -1, -1, 0]
    assert "The class “NEG” is taken as the model's “neg”." in found.notices


def test_a_name_that_two_classes_differ_from_in_case_alone_is_neither() -> None:
    found = with_classes(others(("a", "A", "Á")), ("A", "a", "á")).corpus
    assert found.labels.tolist() == [0, 1, 2, -1, 1]
    found = with_classes(others(("B", "b", "x")), ("Bb", "bB", "x")).corpus
    assert found.labels.tolist() == [-1, -1, 2, -1, -1]


def test_classes_without_a_row_are_named_and_rows_without_any_label_are_no_reason_to() -> None:
    found = with_classes(others(), ("pos", "neg", "great", "odd")).corpus
    assert [notice for notice in found.notices if "No row" in notice] == ["No row is labelled “great”."]
    nothing = with_classes(others(("x", "y", "z")), ("neg", "pos")).corpus
    assert (nothing.labels == -1).all()
    assert len(nothing.notices) == 3
    assert "“x” is not a class of this model: 2 rows are taken as unlabelled." in nothing.notices


# --- the demo of pairs


@pytest.fixture(scope="module")
def demo_pairs() -> Study:
    return Study.open("demo-pairs")


def test_the_demo_of_pairs_opens_small_and_at_once(demo_pairs: Study) -> None:
    summary = demo_pairs.summary()
    assert summary["classes"] == ["CONTRADICTION", "ENTAILMENT", "NEUTRAL"]
    assert (summary["sentences"], demo_pairs.paired, demo_pairs.trained_on) == (20, True, "sick")
    assert 0.5 <= summary["accuracy"]["test"] < 1
    assert sum(path.stat().st_size for path in demo_pairs.folder.rglob("*") if path.is_file()) < 3_000_000
    assert list(study_folders())[:2] == list(DEMOS) == ["demo", "demo-pairs"]


def test_the_demo_of_pairs_names_no_place_of_the_machine_that_made_it(demo_pairs: Study) -> None:
    files = [
        demo_pairs.folder / "manifest.json",
        demo_pairs.version / "corpus.parquet",
        demo_pairs.version / "model.json",
    ]
    for path in files:
        content = path.read_bytes()
        assert not any(f"/{folder}/".encode() in content for folder in ("work", "tmp", "home", "root", "Users"))


def test_the_demo_of_pairs_is_what_its_readme_makes(demo_pairs: Study, root: Path, tmp_path: Path) -> None:
    pairs = load_corpus(root / "data" / "demo-pairs.csv", pairs=True, split="test")
    pairs = replace(pairs, name="demo-pairs", source=demo_pairs.corpus.source)
    again = apply_study(demo_pairs, pairs, tmp_path / "demo-pairs")
    assert again.hash == demo_pairs.hash
    assert again.corpus.labels.tolist() == demo_pairs.corpus.labels.tolist()
    assert again.manifest["trained_on"] == demo_pairs.manifest["trained_on"]
    assert np.allclose(again.traces.probability, demo_pairs.traces.probability, atol=1e-5)
    assert (again.version / TRACES).is_dir()


def test_its_pairs_are_of_every_class_and_none_is_of_sick(demo_pairs: Study, root: Path) -> None:
    assert np.bincount(demo_pairs.corpus.labels).min() >= 5
    sick = root.parent / "shared" / "datasets" / "sick" / "SICK.txt"
    if not sick.exists():
        pytest.skip("SICK is not here")
    known = {
        part.strip().lower() for line in sick.read_text(encoding="utf-8").splitlines() for part in line.split("\t")
    }
    sentences = [part for text in demo_pairs.corpus.texts() for part in text.split(PAIR_BREAK)]
    assert not known & {sentence.lower() for sentence in sentences}


def test_one_split_for_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "good,pos\nbad,neg\n" * 10, encoding="utf-8")
    corpus = load_corpus(path, split="monday")
    assert (corpus.splits, corpus.notices) == (("monday",), ())
    assert corpus.source["split"] == "monday"
