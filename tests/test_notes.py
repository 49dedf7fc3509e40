"""Notes: nothing is lost between people, processes and files, and what was written shows as it was written."""

import csv
import io
import json
import multiprocessing
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seer.errors import NotesError
from seer.notes import (
    ACTIONS,
    CAUSES,
    NO_CAUSE,
    STATUSES,
    Change,
    Checked,
    Note,
    Notes,
    action_counts,
    cause_counts,
    cause_patterns,
    checked_of,
    csv_bytes,
    jsonl_bytes,
    plan_markdown,
    read_csv,
    read_jsonl,
    standing,
)
from seer.notes.plan import literal
from seer.notes.record import change_from_record, time_after
from tests import notes_worker

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["tests.notes_worker"])

FORMATS = {"csv": (csv_bytes, read_csv), "jsonl": (jsonl_bytes, read_jsonl)}
ROUGH = '=1+1 | `x` <img src=x onerror=alert(1)> \u202eאב 🙂 "q", \'-- \ud83d\r\n# a_b_ $5 :red[x]\r\ttab'


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "study" / "notes.sqlite", "s" * 64, "c" * 64)


def current(notes: Notes) -> dict[str, Note | None]:
    return {row_id: change.note for row_id, change in notes.current().items()}


def integrity(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


def test_a_note_and_its_history(notes: Notes) -> None:
    assert (notes.current(), notes.history(), notes.revision()) == ({}, [], 0)
    assert not notes.path.parent.exists()  # reading makes nothing
    first = notes.put("test-2", Note("negation", "not bad", "augment"), "Ana")
    assert first.overtaken is None
    second = notes.put("test-2", Note("negation", "not bad", "relabel", "pos", "checked"), "Ben", first.change.id)
    assert second.overtaken is None
    assert notes.current() == {"test-2": second.change}
    assert notes.history("test-2") == notes.history() == [first.change, second.change]
    assert (second.change.replaces, second.change.study, second.change.corpus) == (first.change.id, "s" * 64, "c" * 64)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", first.change.time) is not None
    assert notes.revision() == 2
    again = notes.put("test-2", second.change.note, "Ben", first.change.id)  # a double click
    assert (again.change, again.overtaken, notes.revision()) == (second.change, None, 2)
    assert [path.name for path in notes.path.parent.iterdir()] == ["notes.sqlite"]


def test_an_overtaken_note_is_told_and_kept(notes: Notes) -> None:
    base = notes.put("r1", Note("irony"), "Ana").change
    ben = notes.put("r1", Note("negation", "not"), "Ben", base.id)
    ana = notes.put("r1", Note("irony", "sure"), "Ana", base.id)
    assert (ben.overtaken, ana.overtaken) == (None, ben.change)
    assert notes.current()["r1"] == ana.change
    assert notes.history("r1") == [base, ben.change, ana.change]
    blind = notes.put("r1", Note("other"), "Cleo")
    assert blind.overtaken == ana.change


def test_the_history_only_grows(notes: Notes) -> None:
    notes.put("r1", Note("irony"), "Ana")
    with closing(sqlite3.connect(notes.path)) as connection:
        for statement in ("UPDATE change SET author = 'x'", "DELETE FROM change"):
            with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                connection.execute(statement)


def test_a_clock_that_is_behind_does_not_bury_a_note(notes: Notes) -> None:
    ahead = Change(
        "00000000-0000-4000-8000-000000000000", "r1", Note("irony"), "Ana", "2999-01-01T00:00:00.000000Z", "b"
    )
    notes.merge([replace(ahead, batch=ahead.id)])
    notes.put("r1", Note("negation"), "Ben", ahead.id)
    assert current(notes) == {"r1": Note("negation")}
    assert time_after("2999-01-01T00:00:00.999999Z") == "2999-01-01T00:00:01.000000Z"


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"cause": "bad mood"}, "cause of a note must be one of label error, .* 'bad mood'"),
        ({"action": "delete"}, "action"),
        ({"status": None}, "to do, checked; got None"),
        ({"text": "x" * 40_000}, "at most 32,000 characters, got 40,000"),
        ({"label": 3}, "new label must be a text"),
    ],
)
def test_a_wrong_note_is_refused(notes: Notes, change: dict[str, object], match: str) -> None:
    with pytest.raises(NotesError, match=match):
        Note(**change)  # type: ignore[arg-type]
    with pytest.raises(NotesError, match=match):
        notes.put_many(["r1"], change, "Ana")  # type: ignore[arg-type]


def test_nobody_and_nowhere_are_refused(notes: Notes) -> None:
    with pytest.raises(NotesError, match="name of who writes"):
        notes.put("r1", Note(), " ")
    with pytest.raises(NotesError, match="row id"):
        notes.put("", Note(), "Ana")
    assert not notes.path.exists()


def test_bulk_sets_only_its_fields_and_is_undone(notes: Notes) -> None:
    kept = Note("irony", "mine", status="checked")
    before = notes.put("r3", kept, "Ben").change
    notes.put("r7", Note(action="clean"), "Ben")
    rows = [f"r{number}" for number in range(2000)]
    seen = notes.revision()
    notes.put("r5", Note("other"), "Ben")
    started = time.process_time()
    batch = notes.put_many([*rows, "r0"], {"action": "clean"}, "Ana", seen)
    assert time.process_time() - started < 2
    assert (batch.written, batch.unchanged, batch.overtaken) == (1999, 1, ("r5",))
    assert current(notes)["r3"] == replace(kept, action="clean")
    assert {change.batch for change in notes.history("r9")} == {batch.id}
    late = notes.put("r4", Note("negation"), "Ben", notes.current()["r4"].id).change
    undone = notes.undo("Ana")
    assert (undone.batch, undone.restored, undone.left) == (batch.id, 1998, ("r4",))
    assert current(notes) == {
        "r3": kept,
        "r4": late.note,
        "r5": Note("other"),
        "r7": Note(action="clean"),
    }
    assert [change.note for change in notes.history("r3")] == [kept, replace(kept, action="clean"), kept]
    assert notes.current()["r3"].restores == before.id
    assert notes.undo("Ana").batch is None
    again = notes.undo("Ana", undone.id)  # undoing the undo
    assert (again.restored, again.left) == (1998, ())
    assert current(notes)["r3"] == replace(kept, action="clean")


def test_undo_goes_back_step_by_step(notes: Notes) -> None:
    steps: list[Note] = [Note("irony"), Note("negation"), Note("other", "third")]
    for note in steps:
        notes.put_many(["r1"], {"cause": note.cause, "text": note.text}, "Ana")
    for note in steps[-2::-1]:
        assert notes.undo("Ana").left == ()
        assert current(notes) == {"r1": note}
    notes.undo("Ana")
    assert current(notes) == {}
    assert notes.put("r1", Note("irony"), "Ana").overtaken is None
    assert notes.undo("Ben").batch is None
    with pytest.raises(NotesError, match="no batch"):
        notes.undo("Ana", "nonsense")


def test_two_writers_wait_for_a_third(notes: Notes) -> None:
    notes.put("r0", Note(), "Ana")
    held, begin = processes.Event(), processes.Event()
    holder = processes.Process(target=notes_worker.hold, args=(notes.path, 5.0, held))
    holder.start()
    assert held.wait(30)
    ends = [processes.Pipe(duplex=False) for _ in range(2)]
    writers = [
        processes.Process(target=notes_worker.write, args=(notes.path, author, 200, begin, sender))
        for author, (_, sender) in zip(("Ben", "Cleo"), ends, strict=True)
    ]
    for writer, (_, sender) in zip(writers, ends, strict=True):
        writer.start()
        sender.close()
    begin.set()
    sent = [[receiver.recv() for _ in range(201)] for receiver, _ in ends]
    for process in (holder, *writers):
        process.join()
        assert process.exitcode == 0
    assert any(seconds > 0.9 for *_, waited in sent for seconds in waited)  # somebody was told of the wait
    saved = [own for *ids, _ in sent for own in ids]
    history = [change for change in notes.history() if change.author != "Ana"]
    assert len(history) == len(set(saved)) == 400
    assert {change.id for change in history} == set(saved)
    assert len(notes.history("shared-0")) == 2
    assert len(notes.current()) == 1 + 2 * 180 + 20
    assert integrity(notes.path) == "ok"


def test_four_writers_make_the_file_once(notes: Notes) -> None:
    begin = processes.Event()
    ends = [processes.Pipe(duplex=False) for _ in range(4)]
    writers = [
        processes.Process(target=notes_worker.write, args=(notes.path, f"w{number}", 5, begin, sender))
        for number, (_, sender) in enumerate(ends)
    ]
    for writer in writers:
        writer.start()
    begin.set()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert len(notes.history()) == 20
    assert [path.name for path in notes.path.parent.iterdir()] == ["notes.sqlite"]


def test_a_lock_held_for_too_long_is_one_sentence(notes: Notes) -> None:
    notes.put("r0", Note(), "Ana")
    with closing(sqlite3.connect(notes.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(NotesError, match=r"for more than 0\.2 seconds, so nothing was saved"):
            replace(notes, wait=0.2).put("r1", Note("irony"), "Ben")
        assert list(replace(notes, wait=0).current()) == ["r0"]  # reading does not wait
    assert list(notes.current()) == ["r0"]


@pytest.mark.parametrize("acknowledged", [1, 40])
def test_a_killed_writer_loses_nothing_it_had_saved(notes: Notes, acknowledged: int) -> None:
    begin = processes.Event()
    begin.set()
    receiver, sender = processes.Pipe(duplex=False)
    writer = processes.Process(target=notes_worker.write, args=(notes.path, "Ben", 100_000, begin, sender))
    writer.start()
    sender.close()
    saved = [receiver.recv() for _ in range(acknowledged)]
    writer.kill()
    writer.join()
    saved += list(rest(receiver))
    notes.put("after", Note("irony"), "Ana")
    assert integrity(notes.path) == "ok"
    there = {change.id for change in notes.history()}
    assert set(saved) <= there
    assert len(there) - len(saved) in (1, 2)  # one of ours, and perhaps one saved and not yet acknowledged
    assert "after" in notes.current()


def rest(receiver: multiprocessing.connection.Connection) -> Iterator[str]:
    """What a killed process had sent; the last message may be cut."""
    while True:
        try:
            yield receiver.recv()
        except (EOFError, OSError):
            return


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
        record = {"row_id": row_id, "author": author, "time": f"2025-01-01T00:00:0{second}Z", "study": "=s"}
        change = change_from_record(record, note)
        if note is None and changes:
            change = replace(change, undoes=next(iter(changes)), replaces=next(iter(changes)))
        changes[change.id] = change
    return sorted(changes.values(), key=lambda change: (change.row_id, change.order))


@given(STEPS)
def test_files_hold_the_history(steps: list[tuple[str, Note | None, str, int]]) -> None:
    history = history_of(steps)
    for write, read in FORMATS.values():
        assert read(write(history)) == history


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_export_and_import_give_the_same_notes(steps: list[tuple[str, Note | None, str, int]], tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("source.sqlite", *FORMATS)]
    for path in paths:
        path.unlink(missing_ok=True)
    source, *targets = map(Notes, paths)
    source.merge(history_of(steps))
    history = source.history()
    assert history == history_of(steps)
    for target, (write, read) in zip(targets, FORMATS.values(), strict=True):
        content = write(history)
        merged = target.merge(read(content))
        assert (merged.added, merged.known, merged.edited, merged.conflicts) == (len(history), 0, 0, ())
        assert (target.history(), target.current()) == (history, source.current())
        assert target.merge(read(content)).added == 0
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
    other.merge(read(write(notes.history())))
    notes.put("r1", Note("negation"), "Ana", notes.current()["r1"].id)
    other.put("r1", Note("other"), "Ben", other.current()["r1"].id)
    other.put("r2", Note("other"), "Ben", other.current()["r2"].id)
    here, there = write(notes.history()), write(other.history())
    assert notes.merge(read(there)).conflicts == other.merge(read(here)).conflicts == ("r1",)
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
    merged = notes.merge(read(content))
    assert (merged.added, merged.edited, merged.conflicts) == (1, 1, ())
    assert [change.note.text for change in notes.history("r1") if change.note] == ["old words", "new words"]
    notes.put("r1", Note("irony", "newest words"), "Ana", notes.current()["r1"].id)
    assert notes.merge(read(content)).added == 0
    assert current(notes)["r1"] == Note("irony", "newest words")
    with pytest.raises(NotesError, match="a spreadsheet may have altered the ids"):
        notes.merge([replace(change, row_id="1") for change in notes.history("r1")])


def test_a_hand_made_file_needs_only_rows(notes: Notes) -> None:
    notes.put("a", Note("irony"), "Ana")
    for _ in range(2):
        notes.merge(read_csv(b"row_id,cause,label\na,negation,\nb,label error,pos\n"))
        notes.merge(read_jsonl(b'{"row_id": "c", "note": {"text": "x"}}\n'))
    assert current(notes) == {"a": Note("negation"), "b": Note("label error", label="pos"), "c": Note(text="x")}
    assert len(notes.history()) == 4
    assert {change.author for change in notes.history()} == {"Ana", "import"}


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "empty file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "as CSV"),
        (b"id,text\n1,x\n", "got the columns id, text"),
        (b"row_id,cause\na,irony\nb,mood\n", "Note 2 of the file: The cause"),
        (b"row_id,time\na,yesterday\n", "Note 1 of the file: The time of a change must look like"),
        (b"row_id,time\na,9999-12-31T23:59:59Z\n", "before the year 9000"),
        (b"row_id,id\na,1.2E+31\n", "must be a UUID or empty, got '1.2E.31'"),
        (b"row_id,cause\n,irony\n", "Expected a row id"),
        ("row_id,text\na,für\n".encode("cp1252"), "cannot be read"),
    ],
)
def test_a_file_that_is_none_is_refused(content: bytes, match: str) -> None:
    with pytest.raises(NotesError, match=match):
        read_csv(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1]\n",
        b"nonsense\n",
        b"\xff\xfe\n",
        b'{"row_id": 5}\n',
        b'{"row_id": "a", "note": "x"}\n',
        b'{"row_id": "a", "note": {"mood": 1}}\n',
        b'{"row_id": "a", "history": [5]}\n',
        b'{"row_id": "a", "history": 5}\n',
        b"[" * 100_000,
    ],
)
def test_lines_that_are_none_are_refused(content: bytes) -> None:
    with pytest.raises(NotesError):
        read_jsonl(content)


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


@pytest.fixture
def worked(notes: Notes) -> Notes:
    notes.put("t1", Note("negation", "a | b\n`c` <b>", "relabel", "<i>pos</i>", "checked"), "Ana")
    notes.put("t2", Note("negation", action="augment"), "*Ben*")
    notes.put("t3", Note("irony", status="checked"), "Ben")
    notes.put("t4", Note(text="why?"), "Ben")
    notes.put("gone", Note("negation", action="augment"), "Ben")
    return notes


CONFUSIONS = {"t1": "neg → pos", "t2": "neg → pos", "t3": "pos → neg", "t4": "neg → pos", "t9": "pos → neg"}
PATTERNS = {"t1": ["S1 S2", "not|bad"], "t2": ["S1 S2"], "t3": ["S4"]}


def test_summary(worked: Notes) -> None:
    found = worked.current()
    assert checked_of(found, ["t1", "t2", "t9", "t9"]) == Checked(1, 2, 3)
    assert cause_counts(found, CONFUSIONS) == {
        "negation": {"neg → pos": 2, "pos → neg": 0},
        "irony": {"neg → pos": 0, "pos → neg": 1},
        NO_CAUSE: {"neg → pos": 1, "pos → neg": 0},
    }
    assert action_counts(found) == {"relabel": 1, "augment": 2}
    assert cause_patterns(found, PATTERNS, 1) == {"negation": [("S1 S2", 2)], "irony": [("S4", 1)]}
    fits = standing(found, ["t1", "t2", "t3", "t4", "t9"], "c" * 64)
    assert (fits.noted, fits.present, fits.elsewhere) == (5, 4, 0)
    assert fits.sentence() == "4 of 5 notes belong to a sentence that is still there."
    assert "4 of them were written on another version" in str(standing(found, CONFUSIONS, "d").sentence())
    assert standing(found, found, "c" * 64).sentence() is None
    assert cause_counts({}, {}) == action_counts({}) == cause_patterns({}, {}) == {}


def test_the_plan_shows_markup_as_text(worked: Notes) -> None:
    texts = {"t1": f"not bad {ROUGH}", "t2": "x" * 1000, "t3": "", "t4": "![a](http://x) www.x.org"}
    plan = plan_markdown(
        "<demo>\n# x",
        worked.current(),
        texts=texts,
        confusions=CONFUSIONS,
        patterns=PATTERNS,
        progress=Checked(2, 4, 10),
    )
    lines = plan.splitlines()
    assert lines[0] == r"# Plan for \<demo\> ↵ \# x"
    assert "5 sentences with a note. 2 of 10 checked." in lines
    assert "| negation | 2 | 0 | 2 |" in lines
    assert r"| negation | S1 S2 (2); not&#124;bad (1) |" in lines
    headings = [line for line in lines if line.startswith("## ")]
    assert headings == [
        "## Causes by confusion",
        "## Most frequent patterns",
        "## Relabel (1)",
        "## Augment (2)",
        "## Not decided (2)",
    ]
    assert r"| a &#124; b ↵ \`c\` \<b\> | checked | Ana |" in plan
    assert r"\<i\>pos\</i\>" in plan
    assert "(1,000 characters)" in plan
    assert "| gone | (no longer in the data) |" in plan
    tables = [line.count("|") for line in lines if line.startswith("| t")]
    assert set(tables) == {8, 9}  # with a new label, and without
    assert re.search(r"(?<!\\)[<>`*\[\]]", plan) is None
    assert plan_markdown("empty", {}, texts={}, confusions={}) == "# Plan for empty\n\n0 sentences with a note.\n"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])))
def test_escaping_only_adds(text: str) -> None:
    shown = literal(text)
    assert "|" not in shown
    assert (
        re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown.replace("&#124;", "|")).replace("\ufffd", "")
        == re.sub("[\ufffd\ufdd0-\ufdef\ufffe\uffff]", "", text).strip()
    )
