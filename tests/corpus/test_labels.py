"""Class names and label numbers out of any label column."""

import json
from pathlib import Path

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.corpus import check_data, load_corpus
from seer.corpus.labels import class_order
from seer.errors import DataError, SeerError, SettingError
from seer.models.training import TrainingSettings
from seer.study import Study
from tests.corpus.shared import Write, said


@pytest.mark.hard_inputs(9)
@pytest.mark.parametrize("none", ["-1", "-", ""])
def test_label_minus_one_is_none_and_never_the_last_class(write: Write, none: str) -> None:
    rows = "".join(f"t,{label}\n" for label in ["0", "1", "2", none, "1", none])
    loaded = load_corpus(write("labels.csv", "text,label\n" + rows))
    assert loaded.classes == ("0", "1", "2")
    assert loaded.labels.tolist() == [0, 1, 2, -1, 1, -1]
    assert "2 of 6 rows have no label" in said(loaded)


def test_numeric_labels_of_json_and_parquet(write: Write, tmp_path: Path) -> None:
    values = [10, 2, -1, None, 2]
    jsonl = write("n.jsonl", "\n".join(json.dumps({"text": "t", "label": value}) for value in values))
    tables = {"int": pa.array(values, pa.int8()), "float": pa.array(values, pa.float32())}
    for name, labels in tables.items():
        pq.write_table(pa.table({"text": ["t"] * 5, "label": labels}), tmp_path / f"{name}.parquet")
    for path in (jsonl, tmp_path / "int.parquet", tmp_path / "float.parquet"):
        loaded = load_corpus(path)
        assert loaded.classes == ("2", "10")
        assert loaded.labels.tolist() == [1, 0, -1, -1, 0]


@pytest.mark.hard_inputs(10)
def test_classes_are_not_sorted_as_text(write: Write) -> None:
    rows = "".join(f"t,{label}\n" for label in reversed(range(12)))
    loaded = load_corpus(write("twelve.csv", "text,label\n" + rows))
    assert loaded.classes == tuple(map(str, range(12)))
    assert loaded.labels.tolist() == list(reversed(range(12)))
    assert class_order(["b", "10", "2"]) == ("2", "10", "b")
    assert class_order(["class 10", "class 2"]) == ("class 2", "class 10")
    assert class_order(["10", "2.5", "-3"]) == ("-3", "2.5", "10")
    assert class_order(["nan", "1"]) == ("1", "nan")


def test_other_label_types(tmp_path: Path) -> None:
    path = tmp_path / "types.parquet"
    pq.write_table(pa.table({"text": ["a", "b", "c"], "label": [True, False, None]}), path)
    assert load_corpus(path).classes == ("false", "true")
    pq.write_table(pa.table({"text": ["a", "b"], "label": pa.array(["y", "x"]).dictionary_encode()}), path)
    assert load_corpus(path).labels.tolist() == [1, 0]
    pq.write_table(pa.table({"text": ["a"], "label": [[1]]}), path)
    with pytest.raises(DataError, match="type list"):
        load_corpus(path)
    pq.write_table(pa.table({"text": [1, 2], "label": ["a", "b"]}), path)
    with pytest.raises(DataError, match="type int64, not texts"):
        load_corpus(path)
    pq.write_table(pa.table({"text": ["a"] * 1200, "label": np.linspace(0, 1, 1200)}), path)
    with pytest.raises(DataError, match="1,200 different values"):
        load_corpus(path)


def test_a_set_without_any_label_is_refused(write: Write) -> None:
    with pytest.raises(DataError, match="no row has a label"):
        load_corpus(write("none.csv", "text,label\na,\nb,-1\n"))


def test_class_labels_keep_their_own_order(tmp_path: Path) -> None:
    features = datasets.Features({"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["pos", "neg"])})
    path = tmp_path / "own.parquet"
    datasets.Dataset.from_dict({"text": ["a", "b", "c"], "label": [1, 0, -1]}, features=features).to_parquet(path)
    loaded = load_corpus(path)
    assert loaded.classes == ("pos", "neg")
    assert loaded.labels.tolist() == [1, 0, -1]


@pytest.mark.hard_inputs(10)
def test_classes_are_not_sorted_as_text_after_a_reload(write: Write, tmp_path: Path) -> None:
    rows = "".join(f"word{label} film {copy},{label}\n" for copy in range(10) for label in reversed(range(12)))
    corpus = load_corpus(write("twelve.csv", "text,label\n" + rows))
    train_study(
        corpus,
        tmp_path / "study",
        architecture={"embedding": 4, "hidden": 4},
        training=TrainingSettings(epochs=1),
        analysis=AnalysisSettings(states=3, components=2),
    )
    study = Study.open(tmp_path / "study")
    assert study.classes == tuple(map(str, range(12)))
    row = corpus.texts().index("word2 film 0")
    assert study.classes[study.corpus.labels[row]] == "2"
    saved = json.loads(next((tmp_path / "study").rglob("model.json")).read_text(encoding="utf-8"))
    assert saved["classes"] == list(map(str, range(12)))


# --- rare, absent and unknown classes: A 12 times, B 7 times, C once

TRAIN = "text,label\n" + "".join(f"row {place},{name}\n" for place, name in enumerate("A" * 12 + "B" * 7 + "C"))


@pytest.mark.hard_inputs(12)
def test_rare_class_is_named_with_its_count(write: Write) -> None:
    found = check_data(write("train.csv", TRAIN))
    assert {name: sum(parts.values()) for name, parts in found.counts.items()} == {"A": 12, "B": 7, "C": 1}
    assert "The class “C” has only 1 row, which went to train." in found.notices
    many = "".join(f"row {place},class {place}\n" for place in range(200))
    notices = check_data(write("many.csv", "text,label\n" + many)).notices
    assert [notice for notice in notices if "class" in notice] == [
        "200 classes have fewer than 3 rows, which went to train: “class 0” (1), “class 1” (1), “class 2” (1), "
        "“class 3” (1), “class 4” (1) …."
    ]


@pytest.mark.hard_inputs(12)
@pytest.mark.parametrize(
    ("labels", "counts", "unknown"),
    [("AAC", {"A": 2, "B": 0, "C": 1}, 0), ("ABDD", {"A": 1, "B": 1, "C": 0}, 2), ("AA", {"A": 2, "B": 0, "C": 0}, 0)],
)
def test_absent_and_unknown_class_of_an_evaluation_file(
    write: Write, labels: str, counts: dict[str, int], unknown: int
) -> None:
    test = write("test.csv", "text,label\n" + "".join(f"new {place},{name}\n" for place, name in enumerate(labels)))
    found = check_data(write("train.csv", TRAIN), test=test)
    assert found.corpus is not None
    assert found.corpus.classes == ("A", "B", "C")
    assert {name: parts["test"] for name, parts in found.counts.items()} == counts
    assert (found.corpus.labels[found.corpus.rows("test")] == -1).sum() == unknown
    assert [row.reason for row in found.unlabelled] == ["“D” is not a class of the training rows"] * unknown
    assert ("“D” (2) is not a class of the training rows" in " ".join(found.notices)) == bool(unknown)


@pytest.mark.hard_inputs(12)
def test_one_class_is_not_trained_on(write: Write, tmp_path: Path) -> None:
    corpus = load_corpus(write("one.csv", "text,label\n" + "a film,A\n" * 20))
    with pytest.raises(SeerError, match=r"two classes or more, .* 1"):
        train_study(corpus, tmp_path / "study")
    assert not (tmp_path / "study").exists()


@pytest.mark.hard_inputs(7)
def test_one_number_written_in_two_ways_is_one_class_with_a_notice(write: Write) -> None:
    train = write("train.csv", "text,label\n" + "".join(f"t{row},{row % 2}\n" for row in range(20)))
    test = write("test.csv", "text,label\na,0.0\nb,1.0\nc,-1.0\nd,2.0\ne,2\nf,\n")
    loaded = load_corpus(train, test=test)
    assert loaded.classes == ("0", "1")
    assert loaded.labels[loaded.rows("test")].tolist() == [0, 1, -1, -1, -1, -1]
    assert "“0.0” and “0”, “1.0” and “1”, “2.0” and “2” are the same number" in said(loaded)
    assert "“2” (2) is not a class of the training rows" in said(loaded)
    alone = load_corpus(write("a.csv", "text,label\na,1.0\nb,2.5\n"))
    assert alone.classes == ("1.0", "2.5")
    assert "same number" not in said(alone)


def test_classes_that_differ_in_case_alone_are_told(write: Write) -> None:
    loaded = load_corpus(write("a.csv", "text,label\na,Pos\nb,pos\nc,neg\n"))
    assert loaded.classes == ("Pos", "neg", "pos")
    assert "The classes “Pos” and “pos” differ in case alone; they are kept apart." in loaded.notices


@pytest.mark.parametrize("name", ["learning_rate", "weight_decay"])
@pytest.mark.parametrize("value", [-1.0, 11.0, 1e38, float("inf"), float("nan")])
def test_a_rate_that_overflows_is_refused(name: str, value: float) -> None:
    with pytest.raises(SettingError, match=f"The {name.replace('_', ' ')} must lie"):
        TrainingSettings(**{name: value})
