"""``check_data``: what was understood, what was left out, and what repeats."""

import csv
import inspect
import io
import json
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seer.corpus import check_data, load_corpus
from seer.corpus.load import Request
from seer.corpus.repeats import MOST_TEXTS, find_repeats
from tests.conftest import make_corpus
from tests.corpus.shared import Write

TRAIN = "id,text,label\n1,same,a\n2,same,a\n3, same ,b\n4,other,b\n5,,a\n6,alone,\n7,alone too,-1\n8,one,a\n"
TEST = 'text;id;label\nsame;9;a\nnew;10;b\n"=cmd(1)";11;-\nx;12;D\ntoo;many;13;a\n' + "".join(
    f"new {place};{place};b\n" for place in range(20, 30)
)


def test_a_check_says_what_was_read_left_out_and_left_unlabelled(write: Write) -> None:
    found = check_data(write("train.csv", TRAIN), test=write("test.csv", TEST))
    assert found.fault is None
    assert found.corpus is not None
    shape = [(f.split, f.file, f.delimiter, f.header, f.records, f.read, f.rejected) for f in found.files]
    assert shape == [("train", "train.csv", ",", True, 8, 8, 0), ("test", "test.csv", ";", True, 15, 14, 1)]
    assert all(file.records == file.read + file.rejected for file in found.files)
    assert len(found.corpus) == sum(file.read for file in found.files)
    assert [(row.file, row.line, row.content) for row in found.rejected] == [("test.csv", 6, "too;many;13;a")]
    assert [(row.file, row.line, row.reason) for row in found.unlabelled] == [
        ("train.csv", 7, "empty"),
        ("train.csv", 8, "-1"),
        ("test.csv", 4, "-"),
        ("test.csv", 5, "“D” is not a class of the training rows"),
    ]
    assert found.columns is not None
    assert found.columns.record() == {"text": "text", "label": "label", "second": None}
    assert found.guessed == {"delimiter", "encoding", "header", "text", "label"}
    whole = {name: sum(parts.values()) for name, parts in found.counts.items()}
    assert whole == {"a": 5, "b": 13}
    assert found.counts["b"]["test"] == 11


def test_a_check_lists_repeats_in_a_split_with_another_label_and_across_splits(write: Write) -> None:
    train, test = write("train.csv", TRAIN), write("test.csv", TEST)
    found = check_data(train, validation=write("dev.csv", "text,label\nquite new,a\n"), test=test)
    assert (found.duplicates.count, found.duplicates.texts) == (2, 1)
    (same,) = found.duplicates.rows
    assert (same.text, same.rows, same.ids, same.splits, same.labels) == (
        "same",
        3,
        ("train-0", "train-1", "train-2"),
        ("train",) * 3,
        ("a", "a", "b"),
    )
    assert (found.conflicts.count, found.conflicts.texts) == (4, 1)
    assert found.conflicts.rows[0].ids == ("train-0", "train-1", "train-2", "test-0")
    assert (found.overlaps.count, found.overlaps.texts) == (1, 1)
    assert found.overlaps.rows[0].splits == ("train", "train", "train", "test")


TEXTS, SPLITS = st.sampled_from(["a", "b", " a", "", "c"]), st.sampled_from(["train", "test", "odd"])
ROWS = st.lists(st.tuples(TEXTS, st.integers(-1, 1), SPLITS), min_size=1, max_size=25)


@given(ROWS)
@settings(max_examples=100)
def test_repeats_equal_a_plain_count(rows: list[tuple[str, int, str]]) -> None:
    found = find_repeats(corpus := make_corpus(rows))
    order = {split: place for place, split in enumerate(corpus.splits)}
    clean = [(text.strip(), label, order[split]) for text, label, split in rows]
    full = [(at, *row) for at, row in enumerate(clean) if row[0]]
    plain = [
        sum(any((t, s) == (text, split) for t, _, s in clean[:at]) for at, text, _, split in full),
        sum(any(t == text and -1 < k != label for t, k, _ in clean) for _, text, label, _ in full if label >= 0),
        sum(any(t == text and s < split for t, _, s in clean) for _, text, _, split in full),
    ]
    assert [found.duplicates.count, found.conflicts.count, found.overlaps.count] == plain
    for repeats in (found.duplicates, found.conflicts, found.overlaps):
        assert len(repeats.rows) == repeats.texts
        assert all(repeated.rows == len(repeated.ids) > 1 for repeated in repeats.rows)


def test_repeats_are_listed_to_a_limit_and_counted_beyond() -> None:
    rows = [(f"text {place}", place % 2, "train") for place in range(3 * MOST_TEXTS)] * 2
    found = find_repeats(make_corpus(rows)).duplicates
    assert (found.count, found.texts, len(found.rows)) == (3 * MOST_TEXTS, 3 * MOST_TEXTS, MOST_TEXTS)


def test_a_fault_leaves_what_is_known_so_that_a_guess_can_be_changed(write: Write) -> None:
    found = check_data(write("a.csv", "what,kind\nhello,x\nbye,y\n"))
    assert found.corpus is None
    assert found.fault == (
        "a.csv has no text column with a common name; its columns are 'what', 'kind'. Name it with --text (in Python "
        "text=…). If its first line holds no names, say --no-header (in Python header=False)."
    )
    (file,) = found.files
    assert (file.columns, file.head) == (("what", "kind"), (("hello", "x"), ("bye", "y")))
    assert found.columns is None
    assert json.loads(json.dumps(found.record(), allow_nan=False))["fault"] == found.fault
    mended = check_data(write("a.csv", "what,kind\nhello,x\nbye,y\n"), text="what", label="kind")
    assert mended.guessed == {"delimiter", "encoding", "header"}
    assert mended.record()["classes"] == ["x", "y"]


def test_too_many_rows_that_do_not_fit_stop_it_and_are_listed(write: Write) -> None:
    found = check_data(write("a.csv", "text,label\na,x\none, two,y\nthree, four,x\n"))
    assert found.fault == (
        "a.csv, line 3: 3 fields, but the header has 2. 2 of 3 records do not fit (line 3, 4), too many to leave out. "
        "Put texts that hold a comma in double quotes, or name another delimiter with --delimiter."
    )
    assert [(row.line, row.content) for row in found.rejected] == [(3, "one, two,y"), (4, "three, four,x")]
    assert (found.files[0].records, found.files[0].read, found.files[0].rejected) == (3, 1, 2)
    assert found.rejected_csv().count("left out") == 2


def test_what_is_given_is_not_guessed(write: Write) -> None:
    path = write("a.csv", "text,label\nhello,x\nbye,y\n")
    assert check_data(path, delimiter=",", encoding="utf-8", header=True, text="text", label="label").guessed == set()
    assert check_data(path, labelled=False).guessed == {"delimiter", "encoding", "header", "text"}


def test_the_table_of_rows_left_out_runs_nothing_in_a_spreadsheet(write: Write) -> None:
    found = check_data(write("train.csv", TRAIN), test=write("=1+1.csv", TEST))
    rows = list(csv.DictReader(io.StringIO(found.rejected_csv())))
    assert [(row["file"], row["line"], row["what"], row["content"]) for row in rows] == [
        ("'=1+1.csv", "6", "left out", "too;many;13;a"),
        ("train.csv", "7", "no label", "alone"),
        ("train.csv", "8", "no label", "alone too"),
        ("'=1+1.csv", "4", "no label", "'=cmd(1)"),
        ("'=1+1.csv", "5", "no label", "x"),
    ]


@pytest.mark.parametrize("asked", [{}, {"limit": 50}])
def test_built_in_sets_are_checked_too(asked: dict[str, int]) -> None:
    found = check_data("rotten_tomatoes", **asked)
    assert found.corpus is not None
    assert sum(sum(parts.values()) for parts in found.counts.values()) == len(found.corpus) == asked.get("limit", 8530)
    assert [(file.file, file.records) for file in found.files] == [("rotten_tomatoes", 8530)]
    assert found.guessed == set()


def test_pairs_are_checked_too(write: Write) -> None:
    found = check_data(write("a.csv", "premise,hypothesis,label\na,b,x\na,b,y\nc,d,y\n"), pairs=True)
    assert found.record()["paired"] is True
    assert found.record()["columns"] == {"text": "premise", "label": "label", "second": "hypothesis"}
    assert (found.conflicts.count, found.conflicts.rows[0].text) == (2, "a\nb")
    assert "second" in found.guessed


def test_the_options_of_a_check_are_those_of_loading() -> None:
    asked = list(inspect.signature(load_corpus).parameters.values())
    declared = fields(Request)
    assert [parameter.name for parameter in asked] == [field.name for field in declared]
    assert [parameter.default for parameter in asked[1:]] == [field.default for field in declared[1:]]


def test_one_class_is_told(write: Write) -> None:
    found = check_data(write("a.csv", "text,label\n" + "t,A\n" * 5))
    assert "All 5 labelled rows have the class “A”; a classifier needs two classes to train on." in found.notices


@pytest.mark.hard_inputs(19, 36)
def test_size_of_sixty_thousand_rows_is_read_whole_and_one_other_label_is_another_corpus(write: Write) -> None:
    rows = [f"a text of row {place % 59_000},title {place},{'ab'[place % 2]}" for place in range(60_000)]
    path = write("a.csv", "\n".join(["text,title,label", *rows]))
    found = check_data(path)
    assert found.corpus is not None
    assert (len(found.corpus), found.files[0].read) == (60_000, 60_000)
    assert found.conflicts.count == 0
    assert found.duplicates.count + found.overlaps.count >= 1000 > found.overlaps.count
    rows[30_000] = rows[30_000][:-1] + "b"
    changed = load_corpus(write("a.csv", "\n".join(["text,title,label", *rows])))
    assert changed.fingerprint != found.corpus.fingerprint
    assert np.flatnonzero(changed.labels != found.corpus.labels).tolist() == [30_000]
    renamed = load_corpus(write("a.csv", "\n".join(["title,text,label", *rows])))
    assert (renamed.text(0), changed.text(0)) == ("title 0", "a text of row 0")
    assert renamed.fingerprint != changed.fingerprint
