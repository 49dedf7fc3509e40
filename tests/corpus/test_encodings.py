"""Encodings: UTF-8 whatever the locale, others with a notice or by name, else an error that names line and byte."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from seer.corpus import bounds, check_data, load_corpus, reload_corpus
from seer.errors import DataError, SettingError
from tests.corpus.shared import CSV, Write, said

ROOT = Path(__file__).parents[2]


@pytest.mark.hard_inputs(1)
def test_encoding_does_not_follow_the_locale(write: Write) -> None:
    path = write("utf8.csv", CSV)
    code = "import sys; from seer.corpus import load_corpus; print(ascii(load_corpus(sys.argv[1]).texts()))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = subprocess.run([sys.executable, "-c", code, path], env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == ascii(["a “good” film", "dull, long", "é"]), run.stderr


@pytest.mark.hard_inputs(1)
def test_encoding_is_found_and_said(write: Write) -> None:
    expected = load_corpus(write("utf8.csv", CSV))
    assert expected.texts() == ["a “good” film", "dull, long", "é"]
    assert "read as" not in said(expected)
    cp1252 = CSV.encode("cp1252")
    assert {0x93, 0x94, 0xE9} <= set(cp1252)
    for name, content, notice in (
        ("cp1252.csv", cp1252, "(byte 0x93 on line 2) and was read as Windows-1252"),
        ("utf16.csv", CSV.encode("utf-16"), "is UTF-16 and was read as such"),
        ("be.csv", "\ufeff".encode("utf-16-be") + CSV.encode("utf-16-be"), "is UTF-16 and was read as such"),
        ("unmarked.csv", CSV.encode("utf-16-le"), "UTF-16 without a byte-order mark"),
        ("unmarked-be.csv", CSV.encode("utf-16-be"), "UTF-16 without a byte-order mark"),
        ("utf32.csv", CSV.encode("utf-32"), "is UTF-32"),
    ):
        loaded = load_corpus(write(name, content))
        assert loaded.fingerprint == expected.fingerprint, name
        assert notice in said(loaded)


@pytest.mark.hard_inputs(1)
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("良い映画です", "shift_jis"),
        ("很好的电影，真的", "gb18030"),
        ("Очень хороший фильм", "cp1251"),
        ("é ÿ", "latin-1"),
        ("很好 é", "utf-16"),
        ("很好 é", "utf-16-be"),
    ],
)
def test_encoding_can_be_named(write: Write, text: str, encoding: str) -> None:
    content = f"text,label\n{text},pos\nx,neg\n"
    path = write("named.csv", content.encode(encoding))
    loaded = load_corpus(path, encoding=encoding)
    assert loaded.texts() == [text, "x"]
    assert loaded.source["encoding"] == encoding
    assert reload_corpus(json.loads(json.dumps(dict(loaded.source)))).fingerprint == loaded.fingerprint
    assert load_corpus(
        write("lines.jsonl", json.dumps({"text": text, "label": 1}, ensure_ascii=False).encode(encoding)),
        encoding=encoding,
    ).texts() == [text]
    if encoding in ("gb18030", "cp1251"):  # no character of another script in silence
        with pytest.raises(DataError, match=rf"line 2: the byte 0x\w\w is not UTF-8 .byte 12 of.*as .*{encoding}"):
            load_corpus(path)


@pytest.mark.hard_inputs(1)
@pytest.mark.parametrize(
    ("content", "asked", "message"),
    [
        (b"text,label\nok,a\n\x81\x8d,b\n", {}, r"line 3: the byte 0x81 is not UTF-8 \(byte 17 .*--encoding.*latin-1"),
        (b"text,label\n\xe9,b\n", {"encoding": "utf-8"}, "line 2: the byte 0xE9 is not utf-8"),
        (b"text,label\nok,a\n\x81,b\n", {"encoding": "cp1252"}, "line 3: the byte 0x81 is not cp1252"),
        (b"\xff\xfeabc", {}, "breaks off within a character of UTF-16 at byte 5"),
        ("text,label\nabc,d".encode("utf-16-le")[:-1], {}, "breaks off within a character"),
    ],
)
def test_bytes_of_no_encoding_are_refused_by_line_and_byte(
    write: Write, content: bytes, asked: dict[str, str], message: str
) -> None:
    path = write("unknown.csv", content)
    with pytest.raises(DataError, match=message):
        load_corpus(path, **asked)
    assert check_data(path, **asked).files == ()


@pytest.mark.hard_inputs(1)
def test_a_line_in_another_encoding_than_the_rest_is_left_out(write: Write) -> None:
    lines = [f"é {place},{'ab'[place % 2]}\n".encode() for place in range(40)]
    lines[20] = "naïve,a\n".encode("latin-1")
    found = check_data(write("mixed.csv", b"text,label\n" + b"".join(lines)))
    assert found.corpus is not None
    assert len(found.corpus) == 39
    assert [(row.line, row.reason, row.content) for row in found.rejected] == [
        (22, "the byte 0xEF is not UTF-8", "na�ve,a")
    ]
    assert all(text.startswith("é ") for text in found.corpus.texts())


def test_a_broken_line_of_a_json_list_stops_with_its_number(write: Write) -> None:
    content = '[{"text": "é", "label": 1},\n{"text": "ü", "label": 2},\n'.encode() + b'{"text": "\xe9", "label": 1}]'
    with pytest.raises(DataError, match="line 3: the byte 0xE9 is not UTF-8, as the rest is"):
        load_corpus(write("a.json", content))


@pytest.mark.parametrize("name", ["nope", "base64", "rot13", "punycode", "idna", "unicode_escape", ""])
def test_what_is_no_encoding_is_refused(write: Write, name: str) -> None:
    with pytest.raises(SettingError, match="There is no encoding"):
        load_corpus(write("a.csv", CSV), encoding=name)


@pytest.mark.hard_inputs(2)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV),
        ("a.tsv", "text\tlabel\na\tx\nb\ty\n"),
        ("a.json", '[{"text": "a", "label": "x"}]'),
        ("a.jsonl", '{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}\n'),
    ],
)
def test_byte_order_mark_changes_nothing(write: Write, name: str, content: str) -> None:
    plain = load_corpus(write(name, content))
    for asked in ({}, {"encoding": "utf-8"}):
        marked = load_corpus(write(name, b"\xef\xbb\xbf" + content.encode()), **asked)
        assert marked.fingerprint == plain.fingerprint
        assert marked.table.equals(plain.table)
        assert (marked.source["text"], marked.source["label"]) == ("text", "label")


@pytest.mark.hard_inputs(18)
def test_half_a_character_is_shown_and_counted(write: Write) -> None:
    escaped = write("half.jsonl", '{"text": "x\\ud83d y", "label": "a"}\n{"text": "\\ud83d\\ude42", "label": "a"}\n')
    raw = write("half.csv", b"text,label\nx\xed\xa0\xbd y,a\n\xf0\x9f\x99\x82,a\n")
    for path in (escaped, raw):
        loaded = load_corpus(path)
        assert loaded.texts() == ["x\ufffd y", "🙂"]
        assert "1 half character shows as U+FFFD" in said(loaded)


def test_a_packed_file_is_the_file_that_is_in_it(write: Write) -> None:
    plain = load_corpus(write("a.csv", CSV))
    packed = load_corpus(write("a.csv.gz", gzip.compress(CSV.encode(), mtime=0)))
    assert packed.fingerprint == plain.fingerprint
    assert packed.name == "a.csv.gz"
    record = '{"text": "x", "label": "y"}'
    assert load_corpus(write("a.jsonl.gz", gzip.compress(record.encode(), mtime=0))).texts() == ["x"]
    for content in (b"no gzip", gzip.compress(CSV.encode(), mtime=0)[:-9], b""):
        with pytest.raises(DataError, match=r"b\.csv\.gz (is no whole gzip file|is empty)"):
            load_corpus(write("b.csv.gz", content))


def test_a_packed_file_cannot_fill_the_memory(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_UNPACKED", 1000)
    assert load_corpus(write("a.csv.gz", gzip.compress(CSV.encode(), mtime=0))).classes == ("neg", "pos")
    with pytest.raises(DataError, match="unpacks to more than 1,000 bytes"):
        load_corpus(write("a.csv.gz", gzip.compress(CSV.encode() + b"x,pos\n" * 200, mtime=0)))


@pytest.mark.hard_inputs(1)
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(b"text,label\na,b\n", mtime=0), "a gzip archive; unpack it"),
        (b"PK\x03\x04" + bytes(30), "an Excel workbook or another archive; save the sheet as CSV"),
        (b"\xd0\xcf\x11\xe0" + bytes(30), "an old Excel workbook"),
        (b"PAR1" + bytes(30), "a Parquet file; let its name end in .parquet"),
        (b"\x89PNG\r\n\x1a\n" + bytes(30), "a PNG picture"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.jsonl", "a.csv.gz"])
def test_a_file_that_is_no_text_is_never_decoded(write: Write, name: str, content: bytes, said: str) -> None:
    content = gzip.compress(content, mtime=0) if name.endswith(".gz") else content
    with pytest.raises(DataError, match=f"Expected text in {name}, found {said}"):
        load_corpus(write(name, content))


def test_a_text_that_begins_like_another_kind_of_file_is_text(write: Write) -> None:
    assert load_corpus(write("a.csv", "PAR1,text,label\n1,“é”,x\n2,b,y\n")).texts() == ["“é”", "b"]
