"""Notes as files: what was written comes back as it was written."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seer.errors import NotesError
from seer.notes import (
    ACTIONS,
    CAUSES,
    STATUSES,
    Change,
    Entry,
    Note,
    Notes,
    csv_bytes,
    jsonl_bytes,
    read_csv,
    read_jsonl,
    read_notes,
    readable_csv,
)
from seer.notes.record import derived_id, note_json
from seer.study import Study
from seer.text import readable
from tests.notes.shared import ROUGH, current

FORMATS = {"csv": (csv_bytes, read_csv), "jsonl": (jsonl_bytes, read_jsonl)}

WORDS = st.text(st.characters(), max_size=12) | st.sampled_from(
    [ROUGH, "=1+1", "'=1+1", "a\r\nb", '"', "\ufeffx", "+", ""]
)
NOTE = st.builds(
    Note,
    st.sampled_from([None, *CAUSES]),
    WORDS,
    st.sampled_from([None, *ACTIONS]),
    st.none() | WORDS,
    st.sampled_from(STATUSES),
)
AUTHORS = st.sampled_from(["=Ana", "בן", "C\ud83d"])
STEPS = st.lists(st.tuples(WORDS.filter(bool), st.none() | NOTE, AUTHORS, st.integers(0, 3)), min_size=1, max_size=8)


def history_of(steps: list[tuple[str, Note | None, str, int]]) -> list[Change]:
    """Changes as they stand in a history: one after another on few rows, some of them undone."""
    changes: dict[str, Change] = {}
    for row_id, note, author, second in steps:
        row_id, author = readable(row_id), readable(author)
        own = derived_id(row_id, note_json(note), author, str(second))
        change = Change(own, row_id, note, author, f"2025-01-01T00:00:0{second}.000000Z", own, study="=s")
        if note is None and changes:
            change = replace(change, undoes=next(iter(changes)), replaces=next(iter(changes)))
        changes[change.id] = change
    return sorted(changes.values(), key=lambda change: (change.row_id, change.order))


def merged(notes: Notes, content: bytes) -> dict[str, Note | None]:
    notes.merge(read_notes(content).entries)
    return current(notes)


@given(STEPS)
def test_files_hold_the_history(steps: list[tuple[str, Note | None, str, int]]) -> None:
    history = history_of(steps)
    for write, read in FORMATS.values():
        assert [entry.change for entry in read(write(history)).entries] == history
        assert all(entry.whole for entry in read(write(history)).entries)
        assert read(write(history)).told == ()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_export_and_import_give_the_same_notes(steps: list[tuple[str, Note | None, str, int]], tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("source.sqlite", *FORMATS)]
    for path in paths:
        path.unlink(missing_ok=True)
    source, *targets = map(Notes, paths)
    source.merge(map(Entry, history_of(steps)))
    history = source.history()
    assert history == history_of(steps)
    for target, (write, read) in zip(targets, FORMATS.values(), strict=True):
        content = write(history)
        expected = target.preview(read(content).entries)
        found = target.merge(read(content).entries)
        assert expected == found
        assert (found.added, found.known, found.edited, found.conflicts) == (len(history), 0, 0, ())
        assert set(found.fresh) == set(source.current())
        assert (target.history(), target.current()) == (history, source.current())
        again = target.merge(read(content).entries)
        assert (again.added, again.fresh, again.altered) == (0, (), ())
        assert write(target.history()) == content


def test_what_a_spreadsheet_opens(notes: Notes) -> None:
    notes.put("007", Note("other", ROUGH, "relabel", "=neg"), "-Ana")
    content = csv_bytes(notes.history())
    assert content.startswith(b"\xef\xbb\xbf")
    (line,) = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert (line["row_id"], line["current"], line["cause"], line["status"]) == ("007", "yes", "other", "to do")
    assert (line["label"], line["author"]) == ("'=neg", "'-Ana")
    stored = ROUGH.replace("\ud83d", "\ufffd").replace("\r\n", "\n").replace("\r", "\n")
    assert line["text"] == f"'{stored}"
    assert current(notes)["007"].text == stored  # type: ignore[union-attr]
    (record,) = map(json.loads, jsonl_bytes(notes.history()).splitlines())
    assert record["note"]["text"] == record["history"][0]["note"]["text"] == stored


@pytest.mark.parametrize("kind", FORMATS)
def test_two_copies_merge_to_the_same_notes(notes: Notes, tmp_path: Path, kind: str) -> None:
    write, read = FORMATS[kind]
    notes.put_many(["r1", "r2", "r3"], {"cause": "irony"}, "Ana")
    other = Notes(tmp_path / "other.sqlite")
    other.merge(read(write(notes.history())).entries)
    notes.put("r1", Note("negation"), "Ana", notes.current()["r1"].id)
    other.put("r1", Note("other"), "Ben", other.current()["r1"].id)
    other.put("r2", Note("other"), "Ben", other.current()["r2"].id)
    here, there = read(write(notes.history())).entries, read(write(other.history())).entries
    found, back = notes.merge(there), other.merge(here)
    assert found.conflicts == back.conflicts == ("r1",)
    assert (found.altered, back.altered, back.older) == (("r1", "r2"), (), 1)
    assert notes.history() == other.history()
    assert notes.current() == other.current()
    assert len(notes.history("r1")) == 3
    assert current(notes)["r1"] == Note("other")  # the later one


@pytest.mark.parametrize("kind", FORMATS)
def test_a_note_edited_in_a_file_is_a_new_change(notes: Notes, kind: str) -> None:
    write, read = FORMATS[kind]
    notes.put("r1", Note("irony", "old words"), "Ana")
    history = write(notes.history())
    if kind == "jsonl":
        record = json.loads(history)
        record["note"]["text"] = "new words"
        content = json.dumps(record).encode()
    else:
        content = history.replace(b"old words", b"new words").replace(b",", b";")
        assert read(content).told == ("The cells are separated by semicolons.",)
    found = notes.merge(read(content).entries)
    assert (found.added, found.edited, found.conflicts, found.altered) == (1, 1, (), ("r1",))
    assert [change.note.text for change in notes.history("r1") if change.note] == ["old words", "new words"]
    assert notes.current()["r1"].corpus == "c" * 64
    notes.put("r1", Note("irony", "newest words"), "Ana", notes.current()["r1"].id)
    assert notes.merge(read(content).entries).added == 0
    assert current(notes)["r1"] == Note("irony", "newest words")
    with pytest.raises(NotesError, match=r"Line 0 of the file: .* a spreadsheet may have altered the ids"):
        notes.merge(Entry(replace(change, row_id="1")) for change in notes.history("r1"))


def test_the_notes_for_people_come_back(small_study: Study, tmp_path: Path) -> None:
    notes = Notes(tmp_path / "n.sqlite", small_study.hash, small_study.corpus.fingerprint)
    notes.put("r3", Note("irony", "=why\nso", "relabel", "pos"), "-Ana")
    notes.put("r4", Note("negation", status="checked"), "Ben")
    notes.put("gone", Note(text="left"), "Ben")
    content = readable_csv(small_study, notes.current())
    lines = {line["row_id"]: line for line in csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))}
    assert ",".join(lines["r3"]) == (
        "row_id,sentence,true,predicted,confidence,cause,action,new label,status,note,author,time"
    )
    row = small_study.corpus.position("r3")
    assert lines["r3"]["sentence"] == small_study.corpus.text(row)
    assert lines["r3"]["true"] == small_study.classes[small_study.corpus.labels[row]]
    assert lines["r3"]["predicted"] == small_study.classes[small_study.traces.prediction[row]]
    assert float(lines["r3"]["confidence"]) == pytest.approx(small_study.traces.confidence[row], abs=1e-4)
    assert (lines["r3"]["note"], lines["r3"]["new label"], lines["r3"]["author"]) == ("'=why\nso", "pos", "'-Ana")
    assert (lines["gone"]["sentence"], lines["gone"]["note"]) == ("", "left")

    read = read_notes(content)
    assert read.told == ()
    assert notes.preview(read.entries).added == 0
    before = notes.current()
    edited = content.replace(b"negation", b"other")
    found = notes.merge(read_notes(edited).entries)
    assert (found.added, found.edited, found.altered) == (1, 1, ("r4",))
    assert notes.current()["r4"].note == Note("other", status="checked")
    assert (notes.current()["r4"].replaces, notes.current()["r4"].corpus) == (before["r4"].id, notes.corpus)
    notes.put("r3", Note("other"), "Cleo", before["r3"].id)  # what changed here since stays
    assert notes.merge(read_notes(content).entries).added == 0
    fresh = Notes(tmp_path / "fresh.sqlite")
    assert merged(fresh, content) == {row_id: change.note for row_id, change in before.items()}
    assert {change.author for change in fresh.history()} == {"-Ana", "Ben"}
    assert fresh.merge(read_notes(content).entries).added == 0
