"""Small files that would fill the memory are refused before they are read; damaged ones say so in one sentence."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seer.corpus import bounds, check_data, json_file, load_corpus
from seer.errors import DataError
from tests.corpus.shared import CSV, Write

WIDE = {"text": ["a film", "b film"] * 50, "label": ["p", "n"] * 50}


def written(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    file = path / "a.parquet"
    pq.write_table(pa.table(columns), file, **options)
    return file


def fault(path: Path, **options: Any) -> str:
    found = check_data(path, **options).fault
    assert found is not None
    return found


@pytest.mark.parametrize("coding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", None])
def test_a_parquet_file_is_bounded_however_it_is_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coding: str | None
) -> None:
    how = {"use_dictionary": False, "column_encoding": dict.fromkeys(WIDE, coding)} if coding else {}
    columns = WIDE | {"text": ["a film " * 100] * 100}
    file = written(tmp_path, columns, compression="zstd", **how)
    assert len(load_corpus(file)) == 100
    monkeypatch.setattr(bounds, "MOST_UNPACKED", 50_000)
    assert fault(file) == "a.parquet unpacks to more than 50,000 bytes; load a part of it."
    monkeypatch.setattr(bounds, "MOST_UNPACKED", 100_000)
    assert len(load_corpus(file)) == 100
    monkeypatch.setattr(bounds, "MOST_CELL", 600)
    assert "a cell of the column text has more than 600 bytes" in fault(file)


def test_lists_within_a_parquet_file_count_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = {"n": pa.array([["x" * 500] * 4] * 100), "s": pa.array([{"q": ["z"], "r": 1}] * 100)}
    file = written(tmp_path, WIDE | lists, compression="zstd")
    assert len(load_corpus(file)) == 100
    monkeypatch.setattr(bounds, "MOST_UNPACKED", 100_000)
    assert "unpacks to more than 100,000 bytes" in fault(file)


def test_rows_of_a_parquet_file_are_counted_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, WIDE)
    said = "This server takes 99 rows (SEER_MAX_ROWS), the data has 100; use fewer of them."
    assert fault(file, most_rows=99) == said
    assert check_data(file, most_rows=100).fault is None
    monkeypatch.setattr(bounds, "MOST_ROWS", 99)
    assert "a.parquet has 100 rows, and at most 99 can be read" in fault(file)
    monkeypatch.setattr(bounds, "MOST_COLUMNS", 1)
    monkeypatch.setattr(bounds, "MOST_ROWS", 100)
    assert "a.parquet has 2 columns, and at most 1 can be read" in fault(file)


def test_lines_are_bounded_in_length_and_number(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "a b,x\nc d,y\n" * 4
    monkeypatch.setattr(bounds, "MOST_CELL", 30)
    assert len(load_corpus(write("a.csv", f"text,label\n{lines}"))) == 8
    long = f"text,label\n{lines}{'x' * 40},y\n"
    assert fault(write("a.csv", long)).startswith("a.csv, line 10: it has more than 30 bytes, the most that can be")
    assert "line 10: it has more" in fault(write("a.csv", long.replace("\n", "\r")))
    assert "line 2: it has more" in fault(write("a.jsonl", '{"text": "a"}\n{"text": "' + "x" * 40))
    assert "a.json, record 1: the field 'text' has more than" in _giant(write, monkeypatch)
    monkeypatch.setattr("seer.corpus.encodings.MOST_ROWS", 5)
    for content in (lines.encode(), lines.encode("utf-16"), lines.encode() + b"\xe9,x\n", b"\n" * 6):
        packed = write("a.csv.gz", gzip.compress(content, mtime=0))
        assert fault(packed) == "a.csv.gz has more than 5 lines, the most that can be read; load a part of it."


def _giant(write: Write, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(json_file, "MOST_CELL", 30)
    return fault(write("a.json", '[{"text": "' + "x" * 40 + '", "label": 1}]'))


def test_values_of_json_are_bounded(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_file, "_MOST_VALUES", 20)
    for name, content in (("a.json", "[" + "[]," * 20 + "[]]"), ("a.jsonl", '{"text":[[]]}\n' * 7)):
        assert f"{name} holds about 2" in fault(write(name, content)) or "holds about 4" in fault(write(name, content))


def test_a_parquet_text_that_is_none_is_mended_wherever_it_stands(tmp_path: Path) -> None:
    good = pa.array(["a film", "b film", "cc"])
    bad = pa.Array.from_buffers(
        pa.string(), 3, [*pa.array(["xx", "b", "xx"]).buffers()[:2], pa.py_buffer(b"\xff\xfeb" * 2)]
    )
    for columns in ({"text": bad}, {"label": bad}, {"id": bad}, {"other": bad}):
        found = check_data(written(tmp_path, {"text": good, "label": ["p", "n", "p"]} | columns))
        assert found.fault is None
        assert (
            "In a.parquet 2 cells hold bytes that are no character; each such place shows as U+FFFD." in found.notices
        )


@pytest.mark.parametrize(
    "facts", [b'{"info":{"features":{"text":{"_type":"Nope"}}}}', b'{"info":{"features":[1]}}', b"no"]
)
def test_a_reader_s_own_words_reach_nobody(tmp_path: Path, facts: bytes) -> None:
    pq.write_table(pa.table(WIDE).replace_schema_metadata({b"huggingface": facts}), tmp_path / "a.parquet")
    said = "a.parquet cannot be read as a parquet file: it is damaged, or of another kind; save it again."
    assert fault(tmp_path / "a.parquet") == said
    whole = written(tmp_path, WIDE).read_bytes()
    (tmp_path / "a.parquet").write_bytes(whole[:-20])
    assert fault(tmp_path / "a.parquet") == said


def test_a_broken_archive_says_no_more_than_that(write: Write) -> None:
    with pytest.raises(DataError, match=r"^a\.csv\.gz is no whole gzip file; pack it again\.$"):
        load_corpus(write("a.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:-9]))


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_unmarked_utf16_is_known_by_its_line_breaks(write: Write, codec: str) -> None:
    content = "本文,ラベル\n良い映画 でした,良い\n悪い,悪い\n"
    loaded = load_corpus(write("a.csv", content.encode(codec)), text="本文", label="ラベル")
    assert loaded.texts() == ["良い映画 でした", "悪い"]
    assert "a.csv is UTF-16 without a byte-order mark and was read as such." in loaded.notices
