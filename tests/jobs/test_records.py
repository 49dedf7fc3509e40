"""The records of jobs: damaged, held, on a full disk, lost or out of date, they end in a sentence and in what is so."""

import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from seer.errors import JobError, SettingError
from seer.jobs import Job, database, find_job, jobs, own, processes, start, tend
from seer.jobs.place import JOB_VARIABLE, job_folder, process_file
from seer.jobs.queue import GONE
from seer.processes import birth
from seer.storage import MANIFEST

ALIVE = {"pid": os.getpid(), "born": birth(os.getpid())}
DEAD = {"pid": 99_999_999, "born": "long ago"}
SPAWN = processes.spawn
DAMAGED = (
    "The records of jobs are damaged, or the file is none of this program; move .jobs/jobs.sqlite out of the folder of "
    "studies."
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of studies. No process is started: what runs is this one, which nobody may stop."""
    monkeypatch.setenv("SEER_STUDIES", str(tmp_path))
    monkeypatch.setattr(processes, "spawn", lambda _: (ALIVE["pid"], ALIVE["born"]))
    return tmp_path


def record(job_id: str = "one", state: str = "running", **fields: object) -> Job:
    job = Job(job_id, "train", ("train", job_id), f"s-{job_id}", "d", "Ana", state, time.time())  # type: ignore[arg-type]
    job = Job(**vars(job) | fields)  # type: ignore[arg-type]
    with database.transaction() as records:
        database.add(records, job)
    return job


def begin(name: str, argv: tuple[str, ...] | None = None) -> Job:
    return start("train", argv or ("train", name), study=name, data="d", author="Ana")[0]


def changed(sql: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(sql)

    return change


def foreign(file: Path) -> None:
    for path in file.parent.glob(f"{file.name}*"):
        path.unlink()
    changed("CREATE TABLE recipe (name TEXT)")(file)


def overwritten(file: Path) -> None:
    for path in file.parent.glob(f"{file.name}-*"):
        path.unlink()
    file.write_bytes(b"garbage " * 2000)


def truncated(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    os.truncate(file, 5000)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(overwritten, id="garbage"),
        truncated,
        foreign,
        pytest.param(changed("ALTER TABLE job RENAME COLUMN stage TO phase"), id="another column"),
        pytest.param(changed("UPDATE job SET argv = '[\"train'"), id="argv cut"),
        pytest.param(changed("UPDATE job SET argv = '[1]'"), id="argv of numbers"),
        pytest.param(changed("UPDATE job SET state = 'lost'"), id="state"),
        pytest.param(changed("UPDATE job SET created = 'monday'"), id="a text for a time"),
        pytest.param(changed("UPDATE job SET stage = CAST(X'FF' AS TEXT)"), id="no text"),
    ],
)
def test_damaged_records_are_refused_in_one_sentence(folder: Path, damage: Callable[[Path], None]) -> None:
    record(**ALIVE)
    damage(folder / ".jobs" / database.FILE)
    for use in (jobs, tend, lambda: begin("two")):
        with pytest.raises(JobError) as refused:
            use()
        assert str(refused.value) == DAMAGED


def test_another_programs_file_stays_as_it_is(folder: Path) -> None:
    record(**ALIVE)
    file = folder / ".jobs" / database.FILE
    foreign(file)
    with pytest.raises(JobError):
        begin("two")
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("recipe",)]


@pytest.mark.parametrize(
    ("setting", "advice"),
    [("max_page_count = 1", "the disk is full or fails; make room on it"), ("query_only = 1", "give this server the")],
)
def test_the_advice_fits_the_cause(setting: str, advice: str) -> None:
    record(**ALIVE)

    def add() -> None:
        with database.transaction(writing=False) as records:
            records.execute(f"PRAGMA {setting}")
            database.add(records, Job("x", "train", ("x" * 100_000,), "s", "d", "Ana", "queued", 1.0))

    with pytest.raises(JobError, match=advice):
        add()


def test_places_that_cannot_be_used_are_not_told(folder: Path) -> None:
    (folder / ".jobs" / database.FILE).mkdir(parents=True)
    with pytest.raises(JobError, match="cannot be opened or written; give this server the right to write its folder"):
        begin("two")
    (folder / ".jobs" / database.FILE).rmdir()
    (folder / ".jobs").rmdir()
    (folder / ".jobs").write_text("")
    with pytest.raises(JobError, match=r"^Jobs cannot be kept in the folder of studies \(File exists\)"):
        begin("two")


def test_progress_is_skipped_where_the_records_are_held_and_the_end_waits(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    job, waits, connect = record(**ALIVE), [], sqlite3.connect

    def watched(path: Path, timeout: float, isolation_level: None) -> sqlite3.Connection:
        waits.append(timeout)
        return connect(path, timeout=0.01, isolation_level=isolation_level)

    monkeypatch.setattr(sqlite3, "connect", watched)
    tell = own._Telling(job.id)
    with closing(connect(folder / ".jobs" / database.FILE, isolation_level=None)) as held:
        held.execute("BEGIN IMMEDIATE")
        tell("Training", 1, 2)
        tell("Training", 2, 2)
        with pytest.raises(JobError, match="held by another process; try again in a moment"):
            own._end(job.id, "done", None)
    assert waits == [own.GLANCE, own.GLANCE, own.ENDURE]
    assert own.GLANCE < 1 < database.WAIT * 10 < own.ENDURE
    assert caplog.text.count("The progress was not recorded") == 1
    own._end(job.id, "done", None)
    assert find_job(job.id).state == "done"  # type: ignore[union-attr]


@pytest.mark.parametrize("stopping", [False, True])
def test_a_burial_looks_whether_the_study_was_written(folder: Path, stopping: bool) -> None:
    before, began = time.time() - 1000, time.time() - 500
    for name, written in (("old", before), ("new", time.time())):
        record(name, started=began, stopping=stopping, **DEAD)
        (folder / f"s-{name}").mkdir()
        (folder / f"s-{name}" / MANIFEST).write_text("{}")
        os.utime(folder / f"s-{name}" / MANIFEST, (written, written))
    tend()
    ends = {job.id: (job.state, job.error) for job in jobs()}
    assert ends == {"new": ("done", None), "old": ("stopped", None) if stopping else ("failed", GONE)}


def test_studies_that_jobs_are_to_make_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_MAX_STUDIES", "2")
    assert [begin(name).state for name in ("a", "b")] == ["running", "queued"]
    with pytest.raises(
        SettingError, match=r"\(SEER_MAX_STUDIES\) is 2, and 0 are there, and jobs make 2 more; delete 1"
    ):
        begin("c")
    assert begin("a", ("train", "once more")).state == "queued"
    assert begin("b").argv == ("train", "b")  # that very job
    assert len(jobs()) == 3


def test_no_second_job_runs_beside_one_whose_record_is_gone(folder: Path) -> None:
    stray = process_file(job_folder("stray"))
    stray.parent.mkdir(parents=True)
    stray.write_text(f"{ALIVE['pid']} {ALIVE['born']}")
    job = begin("a")
    assert job.state == "queued"
    stray.write_text("99999999 long ago")
    tend()
    assert find_job(job.id).state == "running"  # type: ignore[union-attr]


def test_a_job_that_cannot_begin_fails_and_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "spawn", SPAWN)
    odd, long = begin("a", ("train", "a\0b")), begin("b", ("train", "x" * 10_000_000))
    assert [job.state for job in (odd, long)] == ["failed", "failed"]
    assert str(odd.error).startswith("The process of this job could not be started (its command holds a sign that none")
    assert "(Argument list too long); nothing was changed." in str(long.error)


def test_a_clock_that_was_set_back_gives_no_negative_times_and_no_other_order() -> None:
    ahead = time.time() + 9999
    record("first", created=ahead, started=ahead, left=5.0, told=ahead, **ALIVE)
    record("second", "queued")
    record("third", "failed", started=ahead, ended=time.time())
    first, second, third = jobs()
    assert (first.id, second.id, first.state) == ("first", "second", "running")
    assert (first.seconds, first.seconds_left, third.seconds) == (None, 5.0, None)
    json.dumps(first.record(), allow_nan=False)
    record("fourth", "queued", created=1.0)
    assert [job.id for job in jobs()][1:3] == ["second", "fourth"]


def test_a_limit_that_a_job_cannot_read_is_what_it_ends_with(monkeypatch: pytest.MonkeyPatch) -> None:
    job = record(**ALIVE)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setenv(JOB_VARIABLE, job.id)
    monkeypatch.setenv("SEER_MAX_JOB_MINUTES", "71582789")
    with pytest.raises(SettingError), own.job_of_environment():
        raise AssertionError("never begun")
    ended = find_job(job.id)
    assert ended is not None
    assert ended.state == "failed"
    assert "SEER_MAX_JOB_MINUTES must be a whole number from 1 to 10,000,000, got '71582789'" in str(ended.error)
