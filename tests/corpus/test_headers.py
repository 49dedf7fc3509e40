"""Files without a header, and names of columns that are awkward."""

import time
from pathlib import Path

import pytest

from seer.corpus import check_data, load_corpus, reload_corpus
from seer.errors import DataError, SettingError
from tests.corpus.shared import Write, label_names, said

AG_NEWS = Path(__file__).resolve().parents[3] / "shared" / "datasets" / "ag_news" / "test.csv"


@pytest.mark.skipif(not AG_NEWS.is_file(), reason="the AG News file is not here")
def test_ag_news_has_four_classes_and_no_header() -> None:
    found = check_data(AG_NEWS)
    assert found.corpus is not None
    assert (found.files[0].header, found.files[0].columns) == (False, ("column 1", "column 2", "column 3"))
    assert (found.files[0].records, found.files[0].read) == (7600, 7600)
    assert found.corpus.classes == ("1", "2", "3", "4")
    assert {name: sum(parts.values()) for name, parts in found.counts.items()} == dict.fromkeys("1234", 1900)
    assert found.columns is not None
    assert (found.columns.text, found.columns.label) == ("column 3", "column 1")
    assert {"header", "text", "label"} <= found.guessed
    assert found.corpus.text(0).startswith("Unions representing workers")
    both = load_corpus(AG_NEWS, text="column 2+column 3")
    assert both.text(0).startswith("Fears for T N pension after talks Unions representing")
    assert reload_corpus(both.source).fingerprint == both.fingerprint


@pytest.mark.parametrize(
    ("content", "header", "text", "label"),
    [
        ("y,a great film\nn,bad\ny,ok then\nn,no\n", False, "column 2", "column 1"),
        ("a good film,pos\na bad film,neg\nnice,pos\n", False, "column 1", "column 2"),
        ("3,Fears for,Unions say it\n4,Race,Second team\n", False, "column 3", "column 1"),
        ("text,label\ntext,label 2\nother,label 1\n", True, "text", "label"),
        ("Body,Rating\n3,3\n4,4\n", True, "Body", "Rating"),
        ("sentiment,tweet\n0,so bad\n1,so good\n", True, "tweet", "sentiment"),
        ("".join(f"{n // 40},{n},NONE,words of row {n}\n" for n in range(80)), False, "column 4", "column 1"),
        (
            "g1,1,,Friends will not buy it.\ng1,0,*,They drank the pub\nc2,1,,So.\n",
            False,
            "column 4",
            "column 2",
        ),
        ("how many stars would you give,review\n3,fine\n4,good\n3,so so\n", True, "review", None),
    ],
)
def test_a_header_is_told_from_a_row(write: Write, content: str, header: bool, text: str, label: str | None) -> None:
    found = check_data(write("a.csv", content), labelled=None)
    assert found.columns is not None, found.fault
    assert (found.files[0].header, found.columns.text, found.columns.label) == (header, text, label)
    assert found.files[0].records == content.count("\n") - header


def test_a_wrong_guess_can_be_changed(write: Write) -> None:
    path = write("a.csv", "good,pos\nbad,neg\n")
    found = check_data(path)
    assert found.fault is not None
    assert "its columns are 'good', 'pos'" in found.fault
    assert (found.files[0].header, found.files[0].head) == (True, (("bad", "neg"),))
    loaded = load_corpus(path, header=False, text="column 1", label="column 2")
    assert (loaded.texts(), label_names(loaded)) == (["good", "bad"], ["pos", "neg"])
    assert loaded.source["header"] is False
    assert reload_corpus(loaded.source).fingerprint == loaded.fingerprint
    named = load_corpus(write("b.csv", "3,4\n5,6\n"), header=True, text="3", label="4")
    assert (named.texts(), named.classes) == (["5"], ("6",))
    assert load_corpus(write("b.csv", "3,4\n5,6\n"), text="3", label="4").texts() == ["5"]


def test_pairs_without_a_header_are_the_two_longest_columns(write: Write) -> None:
    path = write(
        "pairs.csv", "1,A man sings,Somebody sings,yes\n2,A dog runs,Nobody runs here,no\n3,Up we go,Down,yes\n"
    )
    loaded = load_corpus(path, pairs=True, label="column 4")
    assert loaded.text(0) == "A man sings\nSomebody sings"
    assert (loaded.source["text"], loaded.source["second"]) == ("column 2", "column 3")


def test_a_file_without_a_header_and_a_label_says_so(write: Write) -> None:
    rows = "".join(f"sentence number {place},{place}\n" for place in range(30))
    with pytest.raises(DataError, match="no label column that stands out"):
        load_corpus(write("a.csv", rows))
    bare = load_corpus(write("a.csv", rows), labelled=False)
    assert (bare.text(3), bare.source["labelled"], bare.source["text"]) == ("sentence number 3", False, "column 1")
    assert "None of the 30 rows of a.csv has a label" in said(bare)
    assert reload_corpus(bare.source).fingerprint == bare.fingerprint


def test_a_label_column_may_be_left_aside_or_looked_for(write: Write) -> None:
    with_label, without = write("a.csv", "text,label\na,x\nb,y\n"), write("b.csv", "text,kind\na,x\nb,y\n")
    assert load_corpus(with_label, labelled=False).classes == ()
    assert load_corpus(with_label, labelled=None).classes == ("x", "y")
    assert load_corpus(without, labelled=None).classes == ()
    assert load_corpus(without, labelled=None, label="kind").classes == ("x", "y")
    with pytest.raises(SettingError, match="Either there is no label column, or it is 'label'"):
        load_corpus(with_label, labelled=False, label="label")


@pytest.mark.hard_inputs(7)
def test_awkward_columns_are_told_apart_by_position(write: Write) -> None:
    path = write("twice.csv", "text,score.a,score [x],text\na,1,2,b\nc,3,4,d\n")
    with pytest.raises(DataError, match="--text 'text#1' or --text 'text#4'"):
        load_corpus(path)
    loaded = load_corpus(path, text="text#4", label="score [x]")
    assert (loaded.texts(), loaded.classes) == (["b", "d"], ("2", "4"))
    assert load_corpus(path, text="text#1", label="score.a").classes == ("1", "3")


@pytest.mark.hard_inputs(19)
def test_a_hundred_thousand_columns_are_named_in_a_moment(write: Write) -> None:
    names = ["text", "label", *(f"c{place // 2}" for place in range(100_000))]
    rows = [[f"t {row}", "ab"[row % 2], *("x" * 100_000)] for row in range(4)]
    begun = time.perf_counter()
    found = check_data(write("wide.csv", "\n".join(",".join(row) for row in [names, *rows])))
    assert time.perf_counter() - begun < 30  # a look at all names for each name takes minutes
    assert found.fault is None
    assert found.files[0].columns[2:4] == ("c0#3", "c0#4")
