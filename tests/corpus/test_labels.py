"""Class names and label numbers out of any label column."""

import json
from pathlib import Path

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seer.corpus import load_corpus
from seer.corpus.labels import class_order
from seer.errors import DataError
from tests.corpus.shared import Write, said


@pytest.mark.parametrize("none", ["-1", "-", ""])
def test_rows_without_a_label(write: Write, none: str) -> None:
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


def test_twelve_numeric_classes_keep_their_order(write: Write) -> None:
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
