"""CSV and TSV files: quotes, delimiters, and records that do not fit."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seer.corpus import check_data, load_corpus
from seer.corpus.bridge import copied_table
from seer.errors import DataError
from tests.corpus.shared import Write, label_names, said

GOOD = [f"row {place},{'pn'[place % 2]}" for place in range(10_000)]
QUOTED = [f'"row {place}, and more",{"pn"[place % 2]}' for place in range(10_000)]


@pytest.mark.hard_inputs(3)
def test_stray_quotes_swallow_no_row(write: Write) -> None:
    texts = ["ok one", '"20 inch pipe', "next row", 'width is 5"', "last"]
    rows = "".join(f"{text}\t{name}\n" for text, name in zip(texts, ["pos", "neg", "pos", "neg", "pos"], strict=True))
    found = check_data(write("stray.tsv", "text\tlabel\n" + rows))
    assert found.corpus is not None
    assert found.corpus.texts() == texts
    assert label_names(found.corpus) == ["pos", "neg", "pos", "neg", "pos"]
    assert (found.files[0].records, found.files[0].read, found.files[0].rejected) == (5, 5, 0)
    assert "ordinary characters" in " ".join(found.notices)


@pytest.mark.hard_inputs(3)
def test_stray_quote_that_swallows_rows_beside_a_good_one_is_named(write: Write) -> None:
    content = 'text\tlabel\n"two\nlines"\tpos\n"20 inch\tneg\nnext\tpos\nwide 5"\tneg\nlast\tpos\n'
    with pytest.raises(DataError, match="begins on line 4 and ends on line 6"):
        load_corpus(write("swallow.tsv", content))


@pytest.mark.hard_inputs(3)
def test_stray_quotes_are_told_from_a_quoted_field_with_a_newline(write: Write) -> None:
    loaded = load_corpus(write("quoted.csv", 'text,label\n"two\r\nlines, ""so""",a\n"x",b\n  lead,a\n\n   \nw 5",a\n'))
    assert loaded.texts() == ['two\r\nlines, "so"', "x", "  lead", 'w 5"']
    assert loaded.ids.tolist() == ["0", "1", "2", "3"]


@pytest.mark.parametrize("rows", [GOOD, QUOTED])
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("one, two,p", "3 fields, but the header has 2"),
        ("no delimiter here", "ends before the label"),
        ('"open, quote,p', "a quote is not closed, or stands inside a field"),
    ],
)
def test_one_bad_line_among_ten_thousand_is_left_out(write: Write, rows: list[str], bad: str, reason: str) -> None:
    lines = [*rows[:5000], bad, *rows[5001:]]
    found = check_data(write("big.csv", "\n".join(["text,label", *lines])))
    assert found.corpus is not None
    assert len(found.corpus) == 9999
    assert [(row.file, row.line, row.reason, row.content) for row in found.rejected] == [("big.csv", 5002, reason, bad)]
    (file,) = found.files
    assert (file.records, file.read, file.rejected) == (10_000, 9999, 1)
    assert f"1 of 10,000 records was left out of big.csv (line 5,002: {reason})" in " ".join(found.notices)
    assert found.corpus.ids[[4999, 5000]].tolist() == ["4999", "5001"]
    kept = [*rows[:5000], *rows[5001:]]
    assert found.corpus.texts() == [next(csv.reader([row]))[0] for row in kept]


def test_a_broken_quote_whose_end_is_not_clear_stops(write: Write) -> None:
    lines = [*QUOTED[:50], '"says "hi" and', 'goes on",p', *QUOTED[50:100]]
    with pytest.raises(DataError, match=r"line 52: a quote is not closed.*where the record ends is not clear"):
        load_corpus(write("open.csv", "\n".join(["text,label", *lines])))


def test_a_header_in_the_middle_and_empty_fields_at_the_end_are_no_rows(write: Write) -> None:
    found = check_data(write("joined.csv", "text,label\na,x\nb,y,,\ntext,label\nc,x\nd,y\n"))
    assert found.corpus is not None
    assert found.corpus.texts() == ["a", "b", "c", "d"]
    assert [(row.line, row.reason) for row in found.rejected] == [(4, "repeats the header")]


def test_many_records_that_end_before_the_label_are_rows_without_one(write: Write) -> None:
    found = check_data(write("short.csv", "text,label\nok,a\nno label\n"))
    assert found.corpus is not None
    assert label_names(found.corpus) == ["a", None]
    assert "1 of 2 records of short.csv end before the label" in said(found.corpus)
    assert [(row.line, row.reason, row.content) for row in found.unlabelled] == [(3, "empty", "no label")]


def test_a_record_without_its_text_is_left_out_and_one_without_other_columns_is_not(write: Write) -> None:
    rows = [f"{'ab'[place % 2]},text {place},x" for place in range(10)]
    found = check_data(write("order.csv", "\n".join(["label,text,note", *rows, "a", "b,no note"])))
    assert found.corpus is not None
    assert found.corpus.text(10) == "no note"
    assert [(row.line, row.reason) for row in found.rejected] == [(12, "only 1 of 3 fields")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text,label\nok,a\none, two,b\n", "line 3: 3 fields, but the header has 2. 1 of 2 records do not fit"),
        ('text,label\n"a, b",x\n"good" film, yes,x\n', "line 3: a quote"),
        ('text,label\n"a, b",x\n"open,x\nmore, of it,y\n', "a quote is not closed"),
        ("", "is empty"),
        ("text,label\n", "no rows"),
        ('"text,label\na,x\n"b, c",y\n', "line 1: a quote in the first record"),
    ],
)
def test_broken_tables_name_the_place(write: Write, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_corpus(write("broken.csv", content))


@pytest.mark.hard_inputs(4)
def test_delimiter_is_guessed_said_and_can_be_given(write: Write) -> None:
    path = write("brackets.csv", "id;text;label\n7;['a', 'b'];pos\n8;['c', 'd', 'e'];neg\n")
    found = check_data(path)
    assert found.corpus is not None
    assert found.corpus.texts() == ["['a', 'b']", "['c', 'd', 'e']"]
    assert found.corpus.ids.tolist() == ["7", "8"]
    assert (found.files[0].delimiter, found.files[0].columns) == (";", ("id", "text", "label"))
    assert "delimiter" in found.guessed
    assert "separated by a semicolon" in said(found.corpus)
    given = check_data(path, delimiter=";")
    assert given.corpus is not None
    assert given.corpus.fingerprint == found.corpus.fingerprint
    assert "delimiter" not in given.guessed
    with pytest.raises(DataError, match="no text column"):
        load_corpus(path, delimiter="|")


@pytest.mark.hard_inputs(4)
@pytest.mark.parametrize("rows", ["a, b, and c\nd, e\n", "abba\nabab\nbaba\n", "a b; c\nd; e\n"])
def test_delimiter_of_one_column_is_none(write: Write, rows: str) -> None:
    path = write("one.csv", "sentence\n" + rows)
    found = check_data(path)
    assert found.fault is not None
    assert "no label column" in found.fault
    assert "its columns are 'sentence'" in found.fault
    assert (found.files[0].delimiter, found.files[0].columns) == (None, ("sentence",))
    bare = load_corpus(path, labelled=False)
    assert bare.texts() == rows.splitlines()
    assert (bare.classes, set(bare.labels.tolist())) == ((), {-1})


def test_a_spreadsheet_s_own_line_is_no_record(write: Write) -> None:
    found = check_data(write("excel.csv", "sep=;\r\ntext;label\r\na, b;x\r\nc;y;z\r\nd;y\r\ne;x\r\nf;y\r\n"))
    assert found.corpus is not None
    assert found.corpus.texts() == ["a, b", "d", "e", "f"]
    assert [row.line for row in found.rejected] == [4]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system_end_a_record(write: Write, end: str) -> None:
    loaded = load_corpus(write("ends.csv", end.join(["text,label", "a,x", '"b, c",y', ""])))
    assert loaded.texts() == ["a", "b, c"]


def test_a_tab_can_be_named(write: Write) -> None:
    path = write("tabs.csv", "text\tlabel\na, b\tx\nc, d\ty\n")
    for name in ("tab", "\\t", "\t"):
        assert load_corpus(path, delimiter=name).texts() == ["a, b", "c, d"]


@pytest.mark.hard_inputs(6)
def test_real_words_are_not_read_as_missing(write: Write) -> None:
    words = ["null", "NA", "None", "nan", "N/A", ""]
    loaded = load_corpus(write("words.csv", "text,label\n" + "".join(f"{word},None\n" for word in words)))
    assert loaded.texts() == words
    assert loaded.classes == ("None",)
    assert loaded.labels.tolist() == [0] * 6
    assert "1 row has an empty text and gets no prediction" in said(loaded)


CELL = st.text(st.characters(exclude_categories=["Cs"])) | st.text(alphabet='a",\r\n\x00 \\')


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_cell_comes_through_datasets_as_it_is(rows: list[tuple[str, str]]) -> None:
    table = copied_table(Path("any.csv"), ("a", "b"), rows)
    assert [tuple(row.values()) for row in table.to_pylist()] == rows


@given(st.lists(st.tuples(CELL, st.sampled_from("xy")), min_size=1, max_size=8))
@example([(",\r,\n", "x")])
@settings(max_examples=60, deadline=None)
def test_what_a_csv_writer_writes_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerows([("text", "label"), *rows])
    path = tmp_path_factory.mktemp("written") / "a.csv"
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    assert load_corpus(path).texts() == [text for text, _ in rows]
