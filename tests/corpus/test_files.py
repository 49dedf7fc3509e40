"""Files in every format, and those that broke comparable tools."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seer.corpus import load_corpus, reload_corpus
from seer.errors import DataError
from tests.corpus.shared import CSV, Write, label_names, said

ROWS = [
    {"text": "a “good” film", "label": "pos"},
    {"text": "dull, long", "label": "neg"},
    {"text": "é", "label": "pos"},
]


@pytest.fixture
def same_rows(write: Write, tmp_path: Path) -> list[Path]:
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS)
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "a.parquet")
    return [
        write("a.csv", CSV),
        write("a.tsv", "text\tlabel\na “good” film\tpos\ndull, long\tneg\né\tpos\n"),
        write("semicolons.csv", "text;label\r\na “good” film;pos\r\ndull, long;neg\r\né;pos\r\n"),
        write("a.jsonl", lines),
        write("a.json", json.dumps(ROWS)),
        write("nested.json", json.dumps({"data": ROWS}, indent=2)),
        write("lines.json", lines),
        write("测试_🙂 [1]*.csv", CSV),
        tmp_path / "a.parquet",
    ]


def test_every_format_gives_the_same_corpus(same_rows: list[Path]) -> None:
    prints = {path.name: load_corpus(path).fingerprint for path in same_rows}
    assert len(set(prints.values())) == 1, prints
    loaded = load_corpus(same_rows[0])
    assert loaded.name == "a.csv"
    assert loaded.classes == ("neg", "pos")
    assert loaded.texts() == [row["text"] for row in ROWS]
    assert label_names(loaded) == ["pos", "neg", "pos"]
    assert loaded.ids.tolist() == ["0", "1", "2"]
    assert reload_corpus(json.loads(json.dumps(dict(loaded.source)))).fingerprint == loaded.fingerprint


@pytest.mark.parametrize("index", range(8))
def test_byte_order_mark_changes_nothing(same_rows: list[Path], index: int) -> None:
    path = same_rows[index]
    before = load_corpus(path).fingerprint
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_corpus(path).fingerprint == before


def test_other_encodings_are_read_and_said(write: Write) -> None:
    expected = load_corpus(write("utf8.csv", CSV)).fingerprint
    cp1252, utf16 = write("cp1252.csv", CSV.encode("cp1252")), write("utf16.csv", CSV.encode("utf-16"))
    assert load_corpus(cp1252).fingerprint == load_corpus(utf16).fingerprint == expected
    assert "byte 0x93 on line 2) and was read as Windows-1252" in said(load_corpus(cp1252))
    assert "UTF-16" in said(load_corpus(utf16))
    with pytest.raises(DataError, match="line 3: the byte 0x81 is not UTF-8"):
        load_corpus(write("unknown.csv", b"text,label\nok,a\n\x81\x8d,b\n"))


def test_words_that_look_like_nothing_stay_words(write: Write) -> None:
    words = ["null", "NA", "None", "nan", "N/A", ""]
    csv = load_corpus(write("words.csv", "text,label\n" + "".join(f"{word},None\n" for word in words)))
    jsonl = load_corpus(write("w.jsonl", "\n".join(json.dumps({"text": w or None, "label": "None"}) for w in words)))
    for loaded in (csv, jsonl):
        assert loaded.texts() == words
        assert loaded.classes == ("None",)
        assert "1 row has an empty text" in said(loaded)


def test_stray_quotes_swallow_no_row(write: Write) -> None:
    texts = ["ok one", '"20 inch pipe', "next row", 'width is 5"', "last"]
    rows = "".join(f"{text}\t{name}\n" for text, name in zip(texts, ["pos", "neg", "pos", "neg", "pos"], strict=True))
    loaded = load_corpus(write("stray.tsv", "text\tlabel\n" + rows))
    assert loaded.texts() == texts
    assert "ordinary characters" in said(loaded)


def test_quote_that_swallows_rows_beside_a_good_one_is_named(write: Write) -> None:
    content = 'text\tlabel\n"two\nlines"\tpos\n"20 inch\tneg\nnext\tpos\nwide 5"\tneg\nlast\tpos\n'
    with pytest.raises(DataError, match="ends on line 6"):
        load_corpus(write("swallow.tsv", content))


def test_quoted_fields_are_read_as_the_format_says(write: Write) -> None:
    loaded = load_corpus(write("quoted.csv", 'text,label\n"two\r\nlines, ""so""",a\n"x",b\n  lead,a\n\n   \nw 5",a\n'))
    assert loaded.texts() == ['two\r\nlines, "so"', "x", "  lead", 'w 5"']
    assert loaded.ids.tolist() == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text,label\nok,a\none, two,b\n", "line 3: 3 fields, but the header has 2"),
        ('text,label\n"a, b",x\n"good" film, yes,x\n', "line 3: a quote"),
        ('text,label\n"a, b",x\n"open,x\nmore, of it,y\n', "a quote is not closed"),
        ("", "is empty"),
        ("text,label\n", "no rows"),
        ("3,Fears for,Unions\n4,Race,Second\n", "'3', 'Fears for', 'Unions'"),
        ("sentence\na, b, and c\nd, e\n", "no label column"),
        ("text,score.a,score [x],text\na,1,2,b\n", "--text 'text#1' or --text 'text#4'"),
    ],
)
def test_broken_tables_name_the_place(write: Write, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_corpus(write("broken.csv", content))


def test_a_column_that_is_there_twice_can_be_chosen_by_position(write: Write) -> None:
    path = write("twice.csv", "text,score.a,label,text\na,1,x,b\n")
    assert load_corpus(path, text="text#4").texts() == ["b"]


def test_the_delimiter_is_found_said_and_can_be_given(write: Write) -> None:
    path = write("brackets.csv", "id;text;label\n7;['a', 'b'];pos\n8;['c', 'd', 'e'];neg\n")
    loaded = load_corpus(path)
    assert loaded.texts() == ["['a', 'b']", "['c', 'd', 'e']"]
    assert loaded.ids.tolist() == ["7", "8"]
    assert "separated by a semicolon" in said(loaded)
    assert load_corpus(path, delimiter=";").fingerprint == loaded.fingerprint
    with pytest.raises(DataError, match="no text column"):
        load_corpus(path, delimiter="|")


def test_short_records_are_counted(write: Write) -> None:
    loaded = load_corpus(write("short.csv", "text,label\nok,a\nno label\n"))
    assert label_names(loaded) == ["a", None]
    assert "1 records of short.csv have fewer fields" in said(loaded)
    assert "line 3" in said(loaded)


def test_uneven_json_loses_no_record(write: Write) -> None:
    records = [
        {"text": "a", "label": 1},
        {"text": "b", "label": "1"},
        {"text": "2024-05-01"},
        {"text": ["x"], "label": 1},
    ]
    loaded = load_corpus(write("uneven.jsonl", "\n".join(map(json.dumps, [*records, {"text": "null", "label": 2.0}]))))
    assert loaded.texts() == ["a", "b", "2024-05-01", "null"]
    assert loaded.ids.tolist() == ["0", "1", "2", "4"]
    assert label_names(loaded) == ["1", "1", None, "2"]
    assert "both as a number and as a text" in said(loaded)
    assert "1 of 5 records of uneven.jsonl were left out" in said(loaded)
    assert "record 4, field “text”" in said(loaded)
    assert "1 of 4 rows have no label" in said(loaded)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"text": "a", "label": 1}\n\n{"text": ', "line 3: not valid JSON"),
        ("a.json", '[{"text": "a"},\n{"text" "b"}]', "line 2: not valid JSON"),
        ("a.json", '["a", "b"]', "record 1: an object"),
        ("a.jsonl", "3\n", "line 1: an object"),
        ("a.json", '{"text": ["a"], "label": [1]}', "no rows"),
        ("a.jsonl", "", "no text column"),
        ("a.parquet", "PAR1 not", "cannot be read as a parquet file"),
        ("a.csv", b"\xff\xfeabc", "breaks off"),
    ],
)
def test_broken_files_are_explained(write: Write, name: str, content: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_corpus(write(name, content))


def test_half_a_character_is_shown_and_counted(write: Write) -> None:
    escaped = write("half.jsonl", '{"text": "x\\ud83d y", "label": "a"}\n{"text": "\\ud83d\\ude42", "label": "a"}\n')
    raw = write("half.csv", b"text,label\nx\xed\xa0\xbd y,a\n\xf0\x9f\x99\x82,a\n")
    for path in (escaped, raw):
        loaded = load_corpus(path)
        assert loaded.texts() == ["x\ufffd y", "🙂"]
        assert "1 half character shows as U+FFFD" in said(loaded)


def test_long_fields_load(write: Write) -> None:
    loaded = load_corpus(write("long.csv", f'text,label\n{"x" * 150_000},a\n"{"y " * 90_000}",b\n'))
    assert [len(text) for text in loaded.texts()] == [150_000, 180_000]


def test_markup_is_kept_as_it_is(write: Write) -> None:
    text = "cost $5 then $9 *really* :red[x] :smile: # a_b_ <img src=x onerror=alert(1)>"
    loaded = load_corpus(write("markup.csv", f"text,label\n{text},<b>neg</b>\nx,R&D's\n"))
    assert loaded.text(0) == text
    assert loaded.classes == ("<b>neg</b>", "R&D's")


def test_same_name_other_content_is_another_corpus(tmp_path: Path) -> None:
    prints = set()
    for folder, rows in (("one", 3), ("two", 4)):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "data.csv"
        path.write_text("text,label\n" + "t,a\n" * rows)
        prints.add((load_corpus(path).fingerprint, len(load_corpus(path))))
    assert {size for _, size in prints} == {3, 4}
