"""What is gone is cleared when a server starts, and what lives or is needed stays."""

import json
import os
import time
from pathlib import Path

import pytest

from seer.jobs import database
from seer.jobs.leftovers import clear_all
from seer.jobs.place import job_folder, process_file, temporary_folder
from seer.jobs.record import Job
from seer.processes import birth
from seer.storage import SCHEMA
from seer.uploads import Upload, store_upload

MONTH = 31 * 86_400


def record(job_id: str, state: str, *argv: str) -> None:
    job = Job(job_id, "train", argv, "x", "x", "Ana", state, time.time(), ended=time.time())  # type: ignore[arg-type]
    with database.transaction() as records:
        database.add(records, job)
    temporary_folder(job_id).mkdir(parents=True)


def old(upload: Upload) -> Upload:
    then = time.time() - MONTH
    os.utime(upload.path.parent, (then, then))
    return upload


def test_what_dead_runs_left_goes_and_what_is_alive_stays(studies: Path) -> None:
    dead, alive = studies / "one" / ".writing-99999999-x", studies / "one" / f".writing-{os.getpid()}-y"
    broken, other = studies / ".deleted-0a", studies / ".jobs" / "no-record"
    record("over", "failed", "train")
    for folder in (dead, alive, broken, other):
        folder.mkdir(parents=True)
    clear_all()
    assert not any(folder.exists() for folder in (dead, broken, other, temporary_folder("over")))
    assert alive.exists()
    assert job_folder("over").exists()  # its log


def test_a_folder_whose_process_lives_stays_though_its_record_is_gone(studies: Path) -> None:
    record("over", "failed", "train")
    here, gone, broken = (studies / ".jobs" / name for name in ("here", "gone", "broken"))
    for folder, said in ((here, f"{os.getpid()} {birth(os.getpid())}"), (gone, f"{os.getpid()} before"), (broken, "")):
        folder.mkdir()
        process_file(folder).write_text(said, encoding="utf-8")
    clear_all()
    assert [folder.exists() for folder in (here, gone, broken)] == [True, False, False]


def test_records_that_cannot_be_used_keep_all_of_jobs_and_nothing_else(
    studies: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken, folder = studies / ".deleted-0a", studies / ".jobs" / "no-record"
    for each in (broken, folder):
        each.mkdir(parents=True)
    file = studies / ".jobs" / database.FILE
    file.write_bytes(b"garbage " * 1000)
    clear_all()
    file.unlink()
    assert not broken.exists()
    assert folder.exists()
    assert "The records of jobs are damaged" in caplog.text


def test_uploads_that_nothing_names_go_after_their_days(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, gone, again = store_upload("a.csv", b"1"), old(store_upload("b.csv", b"2")), old(store_upload("c.csv", b"3"))
    named, read_again = old(store_upload("d.csv", b"4")), old(store_upload("e.csv", b"5"))
    record("over", "done", "train", "--", str(named.path))
    manifest = {
        "schema": SCHEMA,
        "name": "s",
        "seed": 0,
        "hash": "a" * 64,
        "corpus": {"name": "s", "source": {"path": str(read_again.path)}},
        "sweep": [],
    } | {field: {} for field in ("abstraction", "quality", "hashes")}
    (studies / "kept").mkdir()
    (studies / "kept" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    store_upload("c.csv", b"3")  # brought once more
    stranger = studies / ".uploads" / "notes of mine"
    stranger.mkdir()
    os.utime(stranger, (0, 0))
    clear_all()
    there = [upload.path.exists() for upload in (new, gone, again, named, read_again)]
    assert there == [True, False, True, True, True]
    assert stranger.exists()
    monkeypatch.setenv("SEER_MAX_UPLOAD_DAYS", "40")
    kept = old(store_upload("b.csv", b"2"))
    clear_all()
    assert kept.path.exists()


def test_a_read_only_server_touches_nothing(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead = studies / "one" / ".writing-99999999-x"
    dead.mkdir(parents=True)
    monkeypatch.setenv("SEER_READ_ONLY", "1")
    clear_all()
    assert dead.exists()
