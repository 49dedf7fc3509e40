"""Columns, row ids, and a file a split."""

import json
from pathlib import Path

import datasets
import numpy as np
import pytest

from seer.corpus import check_data, load_corpus, reload_corpus
from seer.errors import DataError, SettingError
from tests.corpus.shared import CSV, Write, said


@pytest.mark.parametrize(
    "columns", [("Review", "Sentiment"), ("sentence", "class"), ("content", "y"), ("body", "target")]
)
def test_common_column_names_are_found_and_said(write: Write, columns: tuple[str, str]) -> None:
    loaded = load_corpus(write("names.csv", f"nr,{columns[1]},{columns[0]}\n1,a,hello\n"))
    assert loaded.text(0) == "hello"
    assert f"“{columns[0]}”, the label from “{columns[1]}”" in said(loaded)
    assert (loaded.source["text"], loaded.source["label"]) == columns


def test_columns_can_be_named(write: Write) -> None:
    path = write("own.csv", "text,words,kind\nx,hello,a\n")
    assert load_corpus(path, text="words", label="kind").text(0) == "hello"
    with pytest.raises(DataError, match="no column 'word' for the text; its columns are 'text', 'words', 'kind'"):
        load_corpus(path, text="word", label="kind")


@pytest.mark.parametrize(
    ("ids", "expected", "notice"),
    [("7,8", ["7", "8"], ""), ("7,7", ["0", "1"], "is not unique"), ("7,", ["0", "1"], "is not complete")],
)
def test_own_ids_are_used_when_they_are_good(write: Write, ids: str, expected: list[str], notice: str) -> None:
    first, second = ids.split(",")
    for name, content in (
        ("ids.csv", f"id,text,label\n{first},same,a\n{second},same,b\n"),
        ("ids.jsonl", "\n".join(json.dumps({"id": i or None, "text": "same", "label": 0}) for i in (first, second))),
    ):
        loaded = load_corpus(write(name, content))
        assert loaded.ids.tolist() == expected
        assert notice in said(loaded)


def test_a_file_a_split(write: Write) -> None:
    train = write("train.csv", "text,label\n" + "".join(f"t{i},{'ab'[i % 2]}\n" for i in range(40)))
    test = write("test.jsonl", '{"text": "u", "label": "b"}\n{"text": "v", "label": "d"}\n')
    dev = write("dev.tsv", "text\tlabel\nw\ta\n")
    loaded = load_corpus(train, validation=dev, test=test)
    assert {s: len(loaded.rows(s)) for s in loaded.splits} == {"train": 40, "validation": 1, "test": 2}
    assert loaded.classes == ("a", "b")
    assert loaded.labels[-2:].tolist() == [1, -1]
    assert "“d” (1) is not a class of the training rows" in said(loaded)
    assert loaded.ids[[0, 39, 40, 41, 42]].tolist() == ["train-0", "train-39", "validation-0", "test-0", "test-1"]
    assert reload_corpus(dict(loaded.source)).fingerprint == loaded.fingerprint

    carved = load_corpus(train, test=test)
    assert {s: len(carved.rows(s)) for s in carved.splits} == {"train": 36, "validation": 4, "test": 2}
    assert np.bincount(carved.labels[carved.rows("validation")]).tolist() == [2, 2]
    assert all(name.startswith("train-") for name in carved.ids[carved.rows("validation")])
    assert "no validation split; 4 of its 40 training rows" in said(carved)
    assert "no test split" in said(load_corpus(train, validation=dev))
    assert len(load_corpus(train, validation=dev, test=test, limit=10)) == 10


def test_splits_must_share_their_columns(write: Write) -> None:
    train, test = write("train.csv", "text,label\na,x\n"), write("test.csv", "sentence,label\na,x\n")
    with pytest.raises(DataError, match="no column 'text'"):
        load_corpus(train, test=test)


def test_names_that_are_nothing_are_explained(write: Write, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file"):
        load_corpus(tmp_path / "absent.csv")
    with pytest.raises(DataError, match="is a folder"):
        load_corpus(tmp_path)
    with pytest.raises(DataError, match="must end in"):
        load_corpus(write("a.xlsx", "x"))
    with pytest.raises(DataError, match="is no data set"):
        load_corpus("what is this?")
    with pytest.raises(SettingError, match="takes no config"):
        load_corpus(write("a.csv", CSV), config="x")


def test_reading_a_file_leaves_the_settings_of_datasets_alone(write: Write) -> None:
    before = datasets.are_progress_bars_disabled(), datasets.utils.logging.get_verbosity()
    load_corpus(write("a.csv", CSV))
    assert (datasets.are_progress_bars_disabled(), datasets.utils.logging.get_verbosity()) == before


def test_what_a_set_is_called_changes_its_name_alone(write: Write) -> None:
    path = write("kept.csv", "text,label\na,x\nb,y\nc,x,z\nd,y\ne,x\n")
    plain, loaded = load_corpus(path), load_corpus(path, called="My reviews (1).csv")
    assert (plain.name, loaded.name) == ("kept.csv", "My reviews (1).csv")
    assert "left out of My reviews (1).csv (line 4" in said(loaded)
    assert "kept.csv" not in said(loaded)
    assert "kept.csv" not in str(check_data(path, called="My reviews (1).csv").record())
    assert loaded.fingerprint == plain.fingerprint
    assert reload_corpus(dict(loaded.source)).name == loaded.name
    assert load_corpus("rotten_tomatoes", called="films", limit=20).name == "films"


@pytest.mark.parametrize("called", ["", " ", "a\nb", "x" * 201])
def test_a_set_is_called_by_a_line_of_text(write: Write, called: str) -> None:
    with pytest.raises(SettingError, match="1 to 200 printable characters"):
        load_corpus(write("a.csv", "text,label\na,x\n"), called=called)
