"""Files that are not notes, damaged or in a place that cannot be: said in a sentence, and left alone."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from seer.errors import NotesError
from seer.notes import Note, Notes
from tests.notes.shared import current


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE change (id)")


def damaged(path: Path) -> None:
    notes = Notes(path)
    notes.put_many([f"r{number}" for number in range(500)], {"cause": "irony"}, "Ana")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def newer(path: Path) -> None:
    Notes(path).put("r1", Note(), "Ana")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (foreign, "is no file of notes; it was not touched"),
        (damaged, "are damaged"),
        (newer, "Expected notes of schema version 1 in .*, got 2"),
        (lambda path: path.write_text("row_id,cause\n" * 500), "is no file of notes"),
        (lambda path: path.write_bytes(b""), "is no file of notes"),
    ],
)
def test_a_file_that_is_not_ours_is_not_touched(tmp_path: Path, make: object, match: str) -> None:
    path = tmp_path / "notes.sqlite"
    make(path)  # type: ignore[operator]
    content = path.read_bytes()
    for call in (Notes(path).current, Notes(path).revision, lambda: Notes(path).put("r1", Note(), "Ana")):
        with pytest.raises(NotesError, match=match) as caught:
            call()
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == content
    assert [other.name for other in tmp_path.iterdir()] == ["notes.sqlite"]


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file" / "notes.sqlite", Path("/proc/notes.sqlite"), tmp_path):
        with pytest.raises(NotesError):
            Notes(path).put("r1", Note(), "Ana")


@pytest.mark.parametrize("name", ["file/notes.sqlite", "loop", "loop/notes.sqlite", "x" * 300, "a\0b"])
def test_a_place_that_can_never_hold_notes_is_said_and_not_empty(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    notes = Notes(tmp_path / name)
    for call in (notes.current, notes.history, notes.revision, notes.exists, lambda: notes.put("1", Note(), "Ana")):
        with pytest.raises(NotesError, match="cannot be kept in") as caught:
            call()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("note", ['{"cause": "foo"}', "not json", '{"zzz": 1}', "[]", "null", "5", b"\xff"])
def test_a_note_that_cannot_be_read_is_named_and_the_others_are_kept(notes: Notes, note: str | bytes) -> None:
    saved = notes.put("1", Note("irony"), "Ana").change
    with closing(sqlite3.connect(notes.path)) as connection:
        connection.execute(
            "INSERT INTO change (id, row_id, note, author, time, batch, study, corpus) VALUES "
            "('x', 'the second', ?, 'Ana', '2025-01-01T00:00:00.000000Z', 'b', '', '')",
            (note,),
        )
        connection.commit()
    for call in (notes.current, notes.history):
        with pytest.raises(NotesError, match=r"are damaged .the note on the row 'the second' cannot be read") as caught:
            call()
        assert str(notes.path) in str(caught.value)
    assert notes.history("1") == [saved]
    assert notes.put("1", Note("negation"), "Ben", saved.id).overtaken is None


def test_a_time_that_cannot_be_read_is_damage(notes: Notes) -> None:
    notes.put("1", Note("irony"), "Ana")
    with closing(sqlite3.connect(notes.path)) as connection:
        connection.execute(
            "INSERT INTO change (id, row_id, note, author, time, batch, study, corpus) "
            "VALUES ('x', '1', '{}', '', 'z', '', '', '')"
        )
        connection.commit()
    for call in (notes.current, lambda: notes.put("1", Note(), "Ben")):
        with pytest.raises(NotesError, match="are damaged"):
            call()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_notes_in_a_folder_that_cannot_be_written_are_read(notes: Notes) -> None:
    notes.put("r1", Note("irony"), "Ana")
    notes.path.parent.chmod(0o555)
    try:
        assert current(notes) == {"r1": Note("irony")}
        with pytest.raises(NotesError, match="cannot be written"):
            notes.put("r2", Note(), "Ana")
    finally:
        notes.path.parent.chmod(0o755)
