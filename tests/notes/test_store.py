"""Notes in their file: nothing is lost between people and processes."""

import multiprocessing
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from seer.errors import NotesError
from seer.notes import Change, Entry, Note, Notes
from seer.notes.record import time_after
from tests.notes import worker
from tests.notes.shared import current

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["tests.notes.worker"])


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
    notes.merge([Entry(replace(ahead, batch=ahead.id))])
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


@pytest.mark.hard_inputs(35)
def test_two_writers_wait_for_a_third(notes: Notes) -> None:
    notes.put("r0", Note(), "Ana")
    held, begin = processes.Event(), processes.Event()
    ends = [processes.Pipe(duplex=False) for _ in range(2)]
    writers = [
        processes.Process(target=worker.write, args=(notes.path, author, 200, begin, sender))
        for author, (_, sender) in zip(("Ben", "Cleo"), ends, strict=True)
    ]
    for writer, (_, sender) in zip(writers, ends, strict=True):
        writer.start()
        sender.close()
    assert [receiver.recv() for receiver, _ in ends] == [
        "ready",
        "ready",
    ]  # starting takes longer than the lock is held
    holder = processes.Process(target=worker.hold, args=(notes.path, 5.0, held))
    holder.start()
    assert held.wait(30)
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
        processes.Process(target=worker.write, args=(notes.path, f"w{number}", 5, begin, sender))
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


@pytest.mark.hard_inputs(35)
def test_a_lock_held_for_too_long_is_one_sentence(notes: Notes) -> None:
    notes.put("r0", Note(), "Ana")
    with closing(sqlite3.connect(notes.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(NotesError, match=r"for more than 0\.2 seconds, so nothing was saved"):
            replace(notes, wait=0.2).put("r1", Note("irony"), "Ben")
        assert list(replace(notes, wait=0).current()) == ["r0"]  # reading does not wait
    assert list(notes.current()) == ["r0"]


@pytest.mark.hard_inputs(35)
@pytest.mark.parametrize("acknowledged", [1, 40])
def test_a_killed_writer_loses_nothing_it_had_saved(notes: Notes, acknowledged: int) -> None:
    begin = processes.Event()
    begin.set()
    receiver, sender = processes.Pipe(duplex=False)
    writer = processes.Process(target=worker.write, args=(notes.path, "Ben", 100_000, begin, sender))
    writer.start()
    sender.close()
    assert receiver.recv() == "ready"
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
