"""Columns of uncommon names: guessed by what they hold where that leaves no doubt, or as those of another set."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seer.corpus import check_data, load_corpus, reload_corpus
from seer.errors import DataError, SettingError
from tests.corpus.shared import Write, label_names, said

NAMES = ("nr", "wording", "kind")
ROWS = [(row, f"words of the row {row}, not few", ("good", "bad")[row % 2]) for row in range(12)]


def table(names: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in [names, *rows]) + "\n"


def written(folder: Path, kind: str) -> Path:
    records = [dict(zip(NAMES, row, strict=True)) | {"parts": str(row[1]).split()} for row in ROWS]
    path = folder / f"a{kind}"
    if kind == ".parquet":
        pq.write_table(pa.Table.from_pylist(records), path)
    elif kind == ".json":
        path.write_text(json.dumps(records))
    elif kind == ".jsonl":
        path.write_text("\n".join(map(json.dumps, records)))
    else:
        path.write_text(table(NAMES, ROWS))
    return path


@pytest.mark.parametrize("kind", [".csv", ".json", ".jsonl", ".parquet"])
def test_columns_of_uncommon_names_are_guessed_and_said(tmp_path: Path, kind: str) -> None:
    found = check_data(written(tmp_path, kind))
    assert found.corpus is not None, found.fault
    assert found.columns is not None
    assert (found.columns.text, found.columns.label) == ("wording", "kind")
    assert {"text", "label"} <= found.guessed
    assert "The text is read from the column “wording”, the label from “kind”." in found.notices
    assert (found.corpus.texts()[0], found.corpus.classes) == (ROWS[0][1], ("bad", "good"))
    assert reload_corpus(found.corpus.source).fingerprint == found.corpus.fingerprint
    assert {"text", "label"}.isdisjoint(check_data(tmp_path / f"a{kind}", text="wording", label="kind").guessed)


def test_one_uncommon_name_beside_a_common_one_is_guessed(write: Write) -> None:
    text = load_corpus(write("a.csv", table(("nr", "wording", "stars"), ROWS)))
    label = load_corpus(write("b.csv", table(("nr", "review_body", "kind"), ROWS)))
    for loaded in (text, label):
        assert (loaded.text(0), loaded.classes) == (ROWS[0][1], ("bad", "good"))
    bare = load_corpus(write("a.csv", table(NAMES[:2], [row[:2] for row in ROWS])), labelled=None)
    assert (bare.text(0), bare.classes, bare.source["text"]) == (ROWS[0][1], (), "wording")


@pytest.mark.parametrize(
    ("names", "rows", "fault"),
    [
        (
            ("wording", "more", "kind"),
            [(row[1], f"just as long as that, {row[0]}", row[2]) for row in ROWS],
            "no text column",
        ),
        (("wording", "kind"), [(f"word{row[0]}", row[2]) for row in ROWS], "no text column"),
        (("wording", "kind", "by"), [(*row[1:], "xy"[row[0] // 6]) for row in ROWS], "no label column"),
        (("nr", "wording"), [row[:2] for row in ROWS], "no label column"),
        (("wording", "kind"), [(row[1], "good") for row in ROWS], "no label column"),
    ],
)
def test_a_doubt_is_no_guess(write: Write, names: tuple[str, ...], rows: list[tuple[object, ...]], fault: str) -> None:
    with pytest.raises(DataError, match=f"{fault} with a common name; its columns are '{names[0]}', '{names[1]}'"):
        load_corpus(write("a.csv", table(names, rows)))


def test_the_other_side_of_a_pair_is_guessed_but_not_both(write: Write) -> None:
    rows = [(row, f"so says the row {row}", kind, f"and so says {row}") for row, _, kind in ROWS]
    path = write("a.csv", table(("nr", "said", "kind", "then"), rows))
    loaded = load_corpus(path, pairs=True, text="said")
    assert loaded.text(1) == "so says the row 1\nand so says 1"
    assert "The premise is read from the column “said”, the hypothesis from “then”" in said(loaded)
    assert load_corpus(path, second="said").text(1) == "and so says 1\nso says the row 1"
    with pytest.raises(DataError, match="no two columns with common names"):
        load_corpus(path, pairs=True)


def test_the_columns_of_another_set_come_before_common_names(write: Write) -> None:
    names = ("text", "wording", "label", "kind")
    path = write("a.csv", table(names, [("title", row[1], "x", row[2]) for row in ROWS]))
    other = {"kind": "file", "text": "wording", "label": "kind"}
    found = check_data(path, like=other, labelled=None)
    assert found.corpus is not None, found.fault
    assert (found.corpus.text(0), label_names(found.corpus)[:2]) == (ROWS[0][1], ["good", "bad"])
    assert {"text", "label"} <= found.guessed
    assert "like" not in found.corpus.source
    assert reload_corpus(found.corpus.source).fingerprint == found.corpus.fingerprint
    assert load_corpus(path, like=other, labelled=False).classes == ()
    for given in ({"label": "label"}, {"text": "text"}, {"like": {"text": "absent", "label": "kind"}}):
        assert load_corpus(path, **{"like": other} | given).text(0) == "title"  # type: ignore[arg-type]
    joined = load_corpus(path, like={"text": "text+wording", "label": "absent"}, labelled=None)
    assert (joined.text(0), joined.classes) == (f"title {ROWS[0][1]}", ("x",))


def test_numbered_columns_of_another_set_are_taken_when_all_are_there(write: Write) -> None:
    other = {"text": "column 2", "label": "column 3"}
    cells = [("a longer title than the text is", "so short", row[2]) for row in ROWS]
    assert load_corpus(write("a.csv", table(cells[0], cells[1:])), like=other).text(0) == "so short"
    fewer = load_corpus(write("b.csv", table(ROWS[0][1:], [row[1:] for row in ROWS[1:]])), like=other)
    assert (fewer.text(0), fewer.source["label"]) == (ROWS[0][1], "column 2")


def test_a_known_set_has_labels_of_its_own() -> None:
    with pytest.raises(SettingError, match="bbc_news is a built-in set, whose rows have labels of their own"):
        load_corpus("bbc_news", labelled=False)
