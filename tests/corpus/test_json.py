"""JSON and JSONL: uneven records, lines that are none, and values that are no text."""

import json

import pytest

from seer.corpus import check_data, load_corpus
from seer.errors import DataError
from tests.corpus.shared import Write, label_names, said


@pytest.mark.hard_inputs(7)
def test_uneven_json_loses_no_record(write: Write) -> None:
    records = [
        {"text": "a", "label": 1},
        {"text": "b", "label": "1"},
        {"text": "2024-05-01"},
        {"text": ["x"], "label": 1},
    ]
    found = check_data(write("uneven.jsonl", "\n".join(map(json.dumps, [*records, {"text": "null", "label": 2.0}]))))
    assert found.corpus is not None
    assert found.corpus.texts() == ["a", "b", "2024-05-01", "null"]
    assert found.corpus.ids.tolist() == ["0", "1", "2", "4"]
    assert label_names(found.corpus) == ["1", "1", None, "2"]
    assert "both as a number and as a text" in said(found.corpus)
    reason = "field “text” holds a list where a single value is needed"
    assert [(row.line, row.reason) for row in found.rejected] == [(4, reason)]
    assert f"1 of 5 records was left out of uneven.jsonl (line 4: {reason})" in found.notices[0]
    assert [(row.line, row.reason, row.content) for row in found.unlabelled] == [(3, "empty", "2024-05-01")]


@pytest.mark.hard_inputs(6)
def test_real_words_are_not_read_as_missing_in_json(write: Write) -> None:
    words = ["null", "NA", "None", "nan", "N/A", ""]
    loaded = load_corpus(write("w.jsonl", "\n".join(json.dumps({"text": w or None, "label": "None"}) for w in words)))
    assert loaded.texts() == words
    assert loaded.classes == ("None",)
    assert "1 row has an empty text" in said(loaded)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"text": "cut off', "not valid JSON (Unterminated string starting at: character 10)"),
        ("[1, 2]", "an object with named fields is needed, got [1, 2]"),
        ('{"text": {"de": "x"}, "label": "p"}', "field “text” holds an object where a single value is needed"),
    ],
)
def test_one_bad_line_among_ten_thousand_is_left_out(write: Write, bad: str, reason: str) -> None:
    lines = [json.dumps({"text": f"row {place}", "label": "pn"[place % 2]}) for place in range(10_000)]
    lines[5000] = bad
    found = check_data(write("big.jsonl", "\n".join(lines)))
    assert found.corpus is not None
    assert len(found.corpus) == 9999
    assert [(row.line, row.reason, row.content) for row in found.rejected] == [(5001, reason, bad)]
    assert found.corpus.ids[[4999, 5000]].tolist() == ["4999", "5001"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"text": "a", "label": 1}\n\n{"text": ', "line 3: not valid JSON"),
        ("a.json", '[{"text": "a"},\n{"text" "b"}]', "line 2: not valid JSON"),
        ("a.json", '["a", "b"]', "record 1: an object"),
        ("a.jsonl", "3\n", "line 1: an object"),
        ("a.json", '{"text": ["a"], "label": [1]}', "record 1: field “text” holds a list"),
        ("a.json", '[{"text": {"en": "a"}, "label": 1}]', "record 1: field “text” holds an object"),
        ("a.json", '{"data": []}', "no rows"),
        ("a.jsonl", "", "is empty"),
        ("a.jsonl", " \n\n", "is empty"),
        ("a.json", "[" * 100_000, "nested too deeply"),
    ],
)
def test_broken_json_is_explained(write: Write, name: str, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_corpus(write(name, content))


def test_a_preview_shows_values_of_any_kind(write: Write) -> None:
    content = '{"text": "a", "label": 1, "tags": ["x", "é"], "none": null}\n{"text": "b", "label": true}\n'
    (file,) = check_data(write("a.jsonl", content)).files
    assert file.columns == ("text", "label", "tags", "none")
    assert file.head == (("a", "1", '["x", "é"]', ""), ("b", "true", "", ""))


@pytest.mark.hard_inputs(7)
def test_numbers_that_are_missing_or_too_long(write: Write) -> None:
    labels = ["NaN", "1", "1" + "0" * 400, "2" * 5000, "1", "1"]
    lines = "\n".join(f'{{"text": "t{place}", "label": {label}}}' for place, label in enumerate(labels))
    found = check_data(write("a.jsonl", lines))
    assert found.corpus is not None
    assert label_names(found.corpus) == [None, "1", "1" + "0" * 400, "1", "1"]
    assert [(row.line, row.reason) for row in found.rejected] == [(4, "a number has too many digits to be read")]
    (file,) = found.files
    assert (file.records, file.read, file.rejected) == (6, 5, 1)
    with pytest.raises(DataError, match=r"a\.json: a number has too many digits"):
        load_corpus(write("a.json", f"[{lines.splitlines()[3]}]"))


def test_a_refused_file_says_how_many_records_did_not_fit(write: Write) -> None:
    (file,) = check_data(write("a.jsonl", '["a", "b"]\n' * 20)).files
    assert (file.records, file.read, file.rejected) == (20, 0, 20)
