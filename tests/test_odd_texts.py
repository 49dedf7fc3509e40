"""Signs that a display eats, and halves of characters, come unharmed through tables, notes and every file."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.charts.sentence import sentence_html
from seer.corpus import load_corpus
from seer.models.training import TrainingSettings
from seer.notes import Note, Notes, exchange, spreadsheet
from seer.report import report_html
from seer.study import Study
from seer.table import csv_bytes, jsonl_bytes, records
from tests.odd import EATEN, read_html

HALF, WHOLE = "a half \ud83d and \udc00 here", "a half � and � here"
TEXTS = {
    EATEN: EATEN,
    HALF: WHOLE,
    "\ud83d": "�",
    "both \ud83d\ude42 halves": "both 🙂 halves",
    "<i>R&D's</i>": "<i>R&D's</i>",
}
"""What a file holds, and what is shown of it."""
COLUMN, LABEL, ODD, EVEN = "<i>", "$l$ \ud83d", "<b>neg</b> \ud83d", "R&D's"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of a file whose columns, classes and texts are odd; each odd text is a test row of its own."""
    folder = tmp_path_factory.mktemp("odd")
    words = [f"{word} film {place}" for place, word in enumerate(["bad", "good"] * 20)]
    for name, texts in (("train", words), ("test", [*TEXTS, *words[:8]])):
        lines = [json.dumps({COLUMN: text, LABEL: (ODD, EVEN)[place % 2]}) for place, text in enumerate(texts)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    corpus = load_corpus(folder / "train.jsonl", text=COLUMN, label="$l$ �", test=folder / "test.jsonl")
    return train_study(
        corpus,
        folder / "study",
        architecture={"embedding": 4, "hidden": 6},
        training=TrainingSettings(epochs=2),
        analysis=AnalysisSettings(states=4, components=2),
    )


@pytest.mark.hard_inputs(18)
def test_half_characters_are_shown_and_counted(study: Study) -> None:
    rows = study.rows("test")
    assert [record.text for record in records(study, rows)][: len(TEXTS)] == list(TEXTS.values())
    assert set(study.classes) == {"<b>neg</b> �", EVEN}
    # In the test file 3 in texts and 7 in labels, in the other 20 in labels.
    for count, name in ((10, "test.jsonl"), (20, "train.jsonl")):
        notice = f"{count} half characters show as U+FFFD in {name}: the other half is missing."
        assert notice in study.corpus.notices


@pytest.mark.hard_inputs(18)
def test_files_hold_the_signs_and_the_rows(study: Study) -> None:
    rows = study.rows("test")
    shown = [*TEXTS.values()]
    table = list(csv.DictReader(io.StringIO(csv_bytes(study, rows).decode("utf-8-sig"), newline="")))
    assert [line["text"] for line in table][: len(shown)] == shown
    assert {line["true"] for line in table} == set(study.classes)
    lines = [json.loads(line) for line in jsonl_bytes(study, rows).decode().splitlines()]
    assert [line["text"] for line in lines][: len(shown)] == shown
    for row, text in zip(rows, shown, strict=False):
        assert "".join(read_html(sentence_html(study.sentence(int(row)))).parts) == text


@pytest.mark.hard_inputs(18, 39)
def test_the_report_holds_the_signs(study: Study, tmp_path: Path) -> None:
    notes = Notes(tmp_path / "notes.sqlite", study.hash, study.corpus.fingerprint)
    rows = [str(study.corpus.ids[row]) for row in study.rows("test")]
    for row_id, text in zip(rows, TEXTS, strict=False):
        notes.put(row_id, Note("other", f"{text} {EATEN}", "relabel", EVEN), f"Ann {text}")
    read = read_html(report_html(study, "test", notes.current()))
    content = "\n".join(read.parts)
    for text in (*TEXTS.values(), *study.classes, COLUMN):
        assert text in content, text
    assert "R&amp;D" not in content
    assert not {"img", "iframe"} & set(read.tags)
    assert not any(name.startswith("on") for name, _ in read.attributes)


@pytest.mark.hard_inputs(18)
@pytest.mark.parametrize("text", TEXTS)
def test_a_note_survives_the_database_and_the_download(study: Study, tmp_path: Path, text: str) -> None:
    notes, row_id = Notes(tmp_path / "notes.sqlite"), str(study.corpus.ids[study.rows("test")[0]])
    shown = TEXTS[text]
    saved = notes.put(row_id, Note("other", text, "relabel", text), text).change
    assert (saved.note.text, saved.note.label, saved.author) == (shown, shown, shown)
    assert notes.current()[row_id] == saved
    with closing(sqlite3.connect(notes.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for content, read in (
        (exchange.jsonl_bytes(notes.history()), exchange.read_jsonl),
        (spreadsheet.csv_bytes(notes.history()), spreadsheet.read_csv),
    ):
        content.decode("utf-8-sig")
        other = Notes(tmp_path / f"{read.__name__}.sqlite")
        other.merge(read(content).entries)
        assert other.current() == notes.current()
    people = spreadsheet.readable_csv(study, notes.current()).decode("utf-8-sig")
    assert shown in next(csv.DictReader(io.StringIO(people, newline=""))).values()
