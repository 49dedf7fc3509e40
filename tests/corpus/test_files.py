"""Files in every format, and those that broke comparable tools."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seer.corpus import load_corpus, reload_corpus
from seer.errors import DataError
from tests.corpus.shared import CSV, Write, label_names

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


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [("a.parquet", "PAR1 not", "cannot be read as a parquet file"), ("a.xlsx", "x", "must end in")],
)
def test_broken_files_are_explained(write: Write, name: str, content: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_corpus(write(name, content))


@pytest.mark.hard_inputs(19)
def test_size_of_a_field_has_no_limit(write: Write) -> None:
    loaded = load_corpus(write("long.csv", f'text,label\n{"x" * 150_000},a\n"{"y " * 90_000}",b\n'))
    assert [len(text) for text in loaded.texts()] == [150_000, 180_000]


@pytest.mark.hard_inputs(18, 39)
def test_markup_is_kept_as_it_is(write: Write) -> None:
    text = "cost $5 then $9 *really* :red[x] :smile: # a_b_ <img src=x onerror=alert(1)>"
    loaded = load_corpus(write("markup.csv", f"text,label\n{text},<b>neg</b>\nx,R&D's\n"))
    assert loaded.text(0) == text
    assert loaded.classes == ("<b>neg</b>", "R&D's")


@pytest.mark.hard_inputs(34, 36)
def test_same_name_after_a_re_upload_is_another_corpus(tmp_path: Path) -> None:
    prints = set()
    for folder, rows in (("one", 3), ("two", 4)):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "data.csv"
        path.write_text("text,label\n" + "t,a\n" * rows)
        prints.add((load_corpus(path).fingerprint, len(load_corpus(path))))
    assert {size for _, size in prints} == {3, 4}


def test_json_under_another_name_is_told(write: Write) -> None:
    for content in (json.dumps(ROWS), "\n".join(map(json.dumps, ROWS)), json.dumps(ROWS, indent=2)):
        with pytest.raises(DataError, match=r"a\.csv looks like JSON; let its name end in \.json or \.jsonl"):
            load_corpus(write("a.csv", content))


def test_a_text_that_begins_with_a_bracket_is_no_json(write: Write) -> None:
    for first in ("[1] said he", "{x}", '{"a": 1}', "[{"):
        assert load_corpus(write("a.tsv", f"{first}\tb\n" + "t\ta\n" * 9), header=False).texts()[0] == first


def test_the_columns_of_an_error_have_bounds(write: Write) -> None:
    with pytest.raises(DataError, match="and 970 more") as caught:
        load_corpus(
            write("a.csv", ",".join(f"{'c' * 500}{place}" for place in range(1000)) + "\n" + "x," * 999 + "x\n")
        )
    assert len(str(caught.value)) < 4000


def test_parquet_without_rows_or_with_a_name_twice_is_told(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(ROWS)
    pq.write_table(table.slice(0, 0), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"a\.parquet has no rows; at least one is needed"):
        load_corpus(tmp_path / "a.parquet")
    pq.write_table(table.append_column("label", table["label"]), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"b\.parquet has 2 columns 'label'; give each column its own name"):
        load_corpus(tmp_path / "b.parquet")


def test_paths_that_are_no_file_are_told(tmp_path: Path) -> None:
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    for name, said in (
        ("x" * 5000, "is no data set"),
        ("x y" * 5000, "is no data set"),
        (f"{'x' * 5000}.csv", "There is no file"),
        (tmp_path / "loop.csv", "cannot be opened: Symlink loop"),
        (tmp_path / "pipe.csv", "is no ordinary file"),
        (tmp_path / "a\0.csv", "cannot be opened: embedded null"),
    ):
        with pytest.raises(DataError, match=said):
            load_corpus(name)


def test_a_missing_column_of_pairs_names_all_columns(write: Write) -> None:
    with pytest.raises(DataError, match="no text column with a common name; its columns are 'text', 'label'"):
        load_corpus(write("a.csv", CSV), second="text")


def test_one_file_for_two_splits_is_told(write: Write) -> None:
    path, other = write("a.csv", CSV), write("b.csv", CSV.replace("film", "story"))
    corpus = load_corpus(path, validation=other, test=path)
    said = "The test split is the same file as train: its figures say nothing about texts that are new to a model."
    assert said in corpus.notices
    assert not any("same file" in notice for notice in load_corpus(path, test=other).notices)
