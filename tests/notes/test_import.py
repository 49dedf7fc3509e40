"""Files that people made or changed: read as they meant it, or refused with the line and in one short sentence."""

from pathlib import Path

import pytest

from seer.errors import NotesError
from seer.notes import Note, Notes, csv_bytes, read_csv, read_jsonl, read_notes
from tests.notes.shared import current
from tests.notes.test_exchange import merged

STANDS = Note("irony", "long careful text", "clean", None, "checked")


def test_a_hand_made_file_needs_only_rows(notes: Notes) -> None:
    notes.put("a", Note("irony"), "Ana")
    for _ in range(2):
        merged(notes, b"row_id,cause,label\na,negation,\nb,label error,pos\n")
        merged(notes, b'{"row_id": "c", "note": {"text": "x"}}\n')
    assert current(notes) == {"a": Note("negation"), "b": Note("label error", label="pos"), "c": Note(text="x")}
    assert len(notes.history()) == 4
    assert {change.author for change in notes.history()} == {"Ana", "import"}


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b"row_id,action\n5,relabel\n", Note("irony", "long careful text", "relabel", None, "checked")),
        (b"row_id,text,label\n5,,pos\n", Note("irony", "", "clean", "pos", "checked")),
        (b'{"row_id": "5", "note": {"cause": null}}\n', Note(None, "long careful text", "clean", None, "checked")),
        (b'{"row_id": "5", "note": null}\n', None),
    ],
)
def test_a_part_of_a_note_leaves_the_rest(notes: Notes, content: bytes, note: Note | None) -> None:
    notes.put("5", STANDS, "Ann")
    assert notes.preview(read_notes(content).entries).altered == ("5",)
    assert merged(notes, content).get("5") == note
    standing = notes.history("5")[-1]
    assert (standing.replaces, standing.note) == (notes.history("5")[0].id, note)
    notes.put("5", STANDS, "Ann", standing.id)
    assert notes.merge(read_notes(content).entries).added == 0  # a file brings a change once
    assert current(notes)["5"] == STANDS


@pytest.mark.parametrize(
    "content",
    [
        b"row_id,foo\n5,negation\n",
        b"row_id\n5\n",
        b"row_id,cause\n5,\n",
        b"row_id,cause,text,action,label,status\n5,,,,,\n",
        b'{"row_id": "5"}\n',
        b'{"row_id": "5", "note": {}}\n',
    ],
)
def test_a_file_that_says_nothing_of_a_note_takes_none_away(notes: Notes, content: bytes) -> None:
    notes.put("5", STANDS, "Ann")
    with pytest.raises(NotesError, match="Expected"):
        read_notes(content)
    mixed = content + (b'{"row_id": "6", "note": {"text": "x"}}' if content[:1] == b"{" else b"")
    if mixed != content:
        assert read_notes(mixed).told == ("1 line without a note was left out.",)
        assert merged(notes, mixed)["5"] == STANDS


@pytest.mark.parametrize(
    "content",
    [
        b"row_id,cause\n007,negation\n",
        b"\n\nrow_id,cause\n007,negation\n",
        b"cause,row_id\rnegation,007\r",
        b"row_id,cause\r\n007,negation\r\n\r\n",
        b" Row_ID , Cause\n007,negation\n",
        b"Row id;CAUSE\n007;negation\n;\n",
        b"row_id\tcause\ttrue\n007\tnegation\tpos\n\t\t\n",
        b'"row_id","cause","te,xt;;;;;"\n"007","negation",""\n',
        b"row_id,cause,,\n007,negation,,,,\n,,,,\n",
        b"\xef\xbb\xbfrow_id,cause\n007,negation\n",
        "row_id\tcause\n007\tnegation\n".encode("utf-16"),
        b"row_id,sentence,text,note,cause\n007,a film,a film,,negation\n",
    ],
)
def test_every_way_to_write_a_table_is_read(notes: Notes, content: bytes) -> None:
    assert merged(notes, content) == {"007": Note("negation")}


def test_how_a_file_was_read_is_told() -> None:
    assert read_csv(b"row_id;text;foo;bar\n1;x;;\n2;;;\n").told == (
        "The cells are separated by semicolons.",
        "Not read: the columns foo, bar.",
        "1 line without a note was left out.",
    )
    assert read_csv("row_id,text\n1,x\n".encode("utf-16")).told == ("The file is UTF-16 and was read as such.",)


def test_the_last_line_of_a_row_stands_and_none_is_lost(notes: Notes) -> None:
    content = b"row_id,cause\n5,irony\n5,negation\n5,irony\n"
    for _ in range(2):
        assert merged(notes, content) == {"5": Note("irony")}
        assert [change.note for change in notes.history()] == [Note("irony"), Note("negation"), Note("irony")]
    notes.put("5", Note("other"), "Ben", notes.current()["5"].id)
    assert merged(notes, content) == {"5": Note("other")}
    parts = b"row_id,cause,text\n5,other,\n"
    assert notes.merge(read_csv(parts).entries).added == 0  # what stands already is no change


def test_a_history_without_ids_and_times_ends_as_it_ends_here(notes: Notes, tmp_path: Path) -> None:
    for cause in ("irony", "negation", "irony", "other"):
        notes.put_many(["5", "6"], {"cause": cause}, "Ann")
    lines = [line.split(b'"') for line in csv_bytes(notes.history()).splitlines()]
    kept = b"\n".join(b",".join(cells[1:9:2]) for cells in lines)
    assert merged(Notes(tmp_path / "other.sqlite"), kept) == current(notes)


def test_columns_taken_out_of_an_export_leave_its_notes_known(notes: Notes) -> None:
    notes.put("5", STANDS, "Ann")
    notes.put("6", Note("irony"), "Ann")
    notes.undo("Ann")
    assert current(notes) == {"5": STANDS}
    change = notes.history()
    for cause, added in (("irony", 0), ("other", 1)):
        lines = "".join(
            f"{c.row_id},{c.id},{cause if c.note and c.row_id == '5' else ''}\n"
            for c in change
            if c.note is None or c.row_id == "5"
        )
        found = notes.merge(read_csv(f"row_id,id,cause\n{lines}".encode()).entries)
        assert (found.added, found.edited) == (added, added)
    assert current(notes) == {"5": Note("other", *[STANDS.text, STANDS.action, STANDS.label, STANDS.status])}


def test_a_partial_note_at_a_time_goes_on_what_stood_then(notes: Notes) -> None:
    content = (
        b"row_id,time,author,cause,text,action,label,status\n"
        b"5,2020-01-01,Ann,irony,first,,,to do\n5,2022-01-01,Ann,other,second,,,checked\n"
    )
    merged(notes, content)
    found = notes.merge(read_csv(b"row_id,time,author,cause\n5,2021-01-01,Ben,negation\n").entries)
    assert (found.added, found.older, found.altered) == (1, 1, ())
    assert [change.note.text for change in notes.history() if change.note] == ["first", "first", "second"]
    assert current(notes) == {"5": Note("other", "second", status="checked")}


def test_a_preview_says_what_a_merge_does_and_writes_nothing(notes: Notes) -> None:
    content = b"row_id,cause\n1,irony\n2,negation\n3,other\n"
    assert notes.preview(read_csv(content).entries).fresh == ("1", "2", "3")
    assert not notes.exists()
    notes.put("2", Note("negation"), "Ann")
    notes.put("3", Note("irony"), "Ann")
    expected = notes.preview(read_csv(content).entries)
    assert (expected.fresh, expected.altered, expected.added, expected.known) == (("1",), ("3",), 2, 1)
    assert notes.revision() == 2
    assert notes.merge(read_csv(content).entries) == expected


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "empty file"),
        (b"\x89PNG\r\n\x1a\n\0\0", r"the byte 0x89 in line 1 of the file; save it as “CSV UTF-8”"),
        (b",,,\n", "as CSV"),
        (b"id,text\n1,x\n", "got the columns id, text"),
        (
            b"row_id,foo\n1,x\n",
            "Expected a column with cause, text, action, label or status of a note, got the columns",
        ),
        (b"row_id,cause\n", "a header without lines"),
        (b"row_id,row_id,cause\n5,5,irony\n", "two columns for the row_id"),
        (b"row_id,cause,Cause\n5,irony,other\n", "two columns for the cause"),
        (b"row_id,label,new label,x,x\n5,a,b,,\n", "two columns for the label"),
        (b'row_id,cause,text\na,irony,"two\nlines"\n\nb,mood,\n', "Line 5 of the file: The cause"),
        (b"row_id,text,time\na,x,yesterday\n", "Line 2 of the file: The time of a change must look like"),
        (b"row_id,text,time\na,x,9999-12-31T23:59:59Z\n", "before the year 9000"),
        (b"row_id,text,id\na,x,1.2E+31\n", "must be a UUID or empty, got '1.2E.31'"),
        (b"row_id,cause\n,irony\n", "Line 2 of the file: Expected a row id"),
        (b"row_id,cause,text\n5,negation\n", "Line 2 of the file: expected 3 cells as in the header, got 2"),
        (b"row_id,text\n1,x\n5,well, no\n", "Line 3 of the file: expected 2 cells as in the header, got 3"),
        (b'row_id,text\n1,x\n5,"abc\n6,y\n', "Line 3 of the file: a quote is not closed"),
        (b'row_id,text\n5,"abc"d\n', "Line 2 of the file: a quote"),
        ("row_id,text\na,x\nb,für\n".encode("cp1252"), "the byte 0xFC in line 3 of the file"),
        ("row_id,text\n".encode("utf-16")[:-1], "begins like UTF-16"),
        (b"row_id,text\na," + b"x" * 200_000 + b"\n", "Line 2 of the file: The text of a note must be at most 32,000"),
        (b"row_id,cause\na," + b"x" * 3_000 + b"\n", r"… \(3,002 characters\)"),
        (b"row_id,id,cause\na," + b"x" * 3_000 + b",irony\n", "must be a UUID"),
        (b"row_id,time,cause\na," + b"x" * 3_000 + b",irony\n", "must look like"),
        (b",".join(b"column%d" % place for place in range(1000)) + b"\n1\n", "and 995 more"),
        (b"x" * 3_000 + b",y\n1,2\n", "the columns"),
    ],
)
def test_a_table_that_is_none_is_refused(content: bytes, match: str) -> None:
    with pytest.raises(NotesError, match=match) as caught:
        read_notes(content)
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "a file without any"),
        (b"[1]\n", "something else in line 1"),
        (b'{"row_id": "1", "note": {"text": "x"}}\r\nnonsense\n', "something else in line 2"),
        (b"\xff\n", "the byte 0xFF"),
        (b'{"row_id": 5, "note": {"text": "x"}}\n', "Line 1 of the file: The row id must be a text, got 5"),
        (b'\n{"row_id": "a", "note": "x"}\n', "Line 2 of the file: Expected a note with cause, "),
        (b'{"row_id": "a", "note": {"mood": 1}}\n', "got one with 'mood'"),
        (b'{"row_id": "a", "note": {"cause": ["irony"]}}\n', "The cause of a note"),
        (b'{"row_id": "a", "history": [5]}\n', "the history in line 1"),
        (b'{"row_id": "a", "history": 5}\n', "the history in line 1"),
        (b'{"row_id": "a", "note": {"text": ' + b"9" * 5000 + b"}}\n", "something else in line 1"),
        (b'{"row_id": "a", "note": {"text": ["' + b"x" * 3000 + b'"]}}\n', "must be a text"),
        (b"[" * 100_000, "something else in line 1"),
    ],
)
def test_lines_that_are_none_are_refused(content: bytes, match: str) -> None:
    with pytest.raises(NotesError, match=match) as caught:
        read_jsonl(content)
    assert len(str(caught.value)) < 400
