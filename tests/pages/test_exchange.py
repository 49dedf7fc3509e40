"""Files on the plan page: what an import would do is said before it is done."""

from pathlib import Path

import pytest

from seer.notes import Note, Notes, csv_bytes, read_notes
from seer.study import Study
from seer.ui.notes.exchange import merge_label, merged_line, preview_lines
from tests.pages.test_notes import opened, said


@pytest.fixture
def notes(notes_folder: Path, demo: Study) -> Notes:
    return Notes(notes_folder / "demo.sqlite", demo.hash, demo.corpus.fingerprint)


def lines_of(notes: Notes, study: Study, content: str) -> tuple[list[str], str]:
    read = read_notes(content.encode())
    expected = notes.preview(read.entries)
    return preview_lines(read, expected, study.corpus), merge_label(expected)


def test_a_preview_names_what_is_new_known_changed_and_strange(notes: Notes, demo: Study) -> None:
    one, two, three = demo.corpus.ids[:3].tolist()
    notes.put(two, Note("negation"), "Ann")
    notes.put(three, Note("irony"), "Ann")
    content = f"row_id;cause;mood\n{one};irony;\n{two};negation;\n{three};other;\nx<b>;irony;\ny;;\n"
    lines, label = lines_of(notes, demo, content)
    assert lines == [
        "The file has 4 changes on 4 sentences.",
        "New: 2 sentences without a note here get one.",
        f"Changed: 1 sentence has another note here, and it changes: {three}. What stands now stays in the history.",
        "Known: on 1 sentence the note stays as it is.",
        "Not in this study: 1 row (x<b>); its note is kept, but no page shows it.",
        "The cells are separated by semicolons.",
        "Not read: the column mood.",
        "1 line without a note was left out.",
    ]
    assert label == "Add 2 notes and change 1 note"
    merged = notes.merge(read_notes(content.encode()).entries)
    assert merged_line(merged) == (
        f"3 changes added, 1 known already. 1 sentence changed in the file and here ({three}): the later note stands, "
        "the other is in the history."
    )
    lines, label = lines_of(notes, demo, content)
    assert (label, lines[1]) == ("Nothing to bring back", "Known: on 4 sentences the note stays as it is.")
    past = f"row_id,time,text\n{one},2020-01-01,first\n"
    lines, label = lines_of(notes, demo, past)
    assert lines[2] == "History: 1 change of the past is added."
    assert label == "Add 1 change to the history"
    many = "row_id,text\n" + "".join(f"gone-{place},x\n" for place in range(7))
    assert (
        "7 rows (gone-0, gone-1, gone-2, gone-3, gone-4 and 2 others); their notes are kept"
        in lines_of(notes, demo, many)[0][-1]
    )


def test_an_import_on_the_page(notes: Notes, demo: Study, tmp_path: Path) -> None:
    other = Notes(tmp_path / "other.sqlite")
    other.put_many(demo.corpus.ids[:2].tolist(), {"cause": "irony", "text": "*mine* <b>"}, "Bob")
    test = opened("plan")
    test.file_uploader(key="plan-upload").upload("notes.csv", csv_bytes(other.history())).run()
    assert not test.exception
    assert "New: 2 sentences without a note here get one." in said(test)
    assert not notes.exists()
    button = test.button(key="plan-merge")
    assert (button.label, button.disabled) == ("Add 2 notes", False)
    button.click().run()
    assert not test.exception
    assert "2 changes added, 0 known already." in said(test)
    assert notes.history() == other.history()
    assert (test.button(key="plan-merge").label, test.button(key="plan-merge").disabled) == (
        "Nothing to bring back",
        True,
    )
    twice = b"row_id,row_id,cause\n5,5,irony\n"
    test.file_uploader(key="plan-upload").set_value(("notes.csv", twice, "text/csv")).run()
    assert not test.exception
    assert "two columns for the row" in test.error[0].value
    names = [button.label for button in test.get("download_button")]
    assert names == ["Plan", "Notes CSV", "History CSV", "History JSONL", "Report"]


def test_a_folder_of_notes_that_is_a_file_is_said(notes_folder: Path) -> None:
    notes_folder.write_text("x")
    for page in ("plan", "triage"):
        test = opened(page)
        assert not test.exception
        assert "Not a directory" in test.error[0].value
