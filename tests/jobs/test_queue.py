"""Jobs as real processes: begun, watched, stopped, killed, joined, and refused."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seer.cli import app
from seer.errors import JobError, SettingError
from seer.jobs import jobs, log_of, start, stop
from seer.jobs.place import job_folder, temporary_folder
from seer.jobs.processes import is_alive
from seer.jobs.studies import delete_study, name_fault
from seer.listing import study_folders
from seer.processes import birth
from seer.study import Study
from tests.jobs.conftest import LONG, SHORT, begin, over, training, waited


def test_two_run_one_after_the_other_and_the_same_twice_is_joined(studies: Path) -> None:
    first, second = begin(studies, "one", *SHORT), begin(studies, "two – zwei 测试", *SHORT)
    assert [job.state for job in jobs()] == ["running", "queued"]
    again, joined = start("train", second.argv, study="two – zwei 测试", data="x", author="Bo")
    assert joined
    assert again.id == second.id
    assert len(jobs()) == 2
    waited(first, lambda job: job.state == "done")
    ended = waited(second, over)
    assert (ended.state, ended.error) == ("done", None)
    assert ended.started >= waited(first, over).ended  # type: ignore[operator]
    assert study_folders().keys() >= {"one", "two – zwei 测试"}
    assert not [name for name in study_folders() if name.startswith(".")]
    assert Study.open(studies / "one").name == "one"
    assert "Training" in log_of(ended)
    assert not temporary_folder(ended.id).exists()
    assert ended.command.startswith("python -m seer train '--out=")


def test_a_running_job_tells_how_far_it_is_and_stops_within_five_seconds(studies: Path) -> None:
    before = waited(begin(studies, "kept", *SHORT), over)
    assert before.state == "done"
    old = Study.open(studies / "kept").hash
    job = waited(begin(studies, "kept", *LONG), training)
    assert 0 < job.done < job.total
    assert job.seconds_left is not None
    assert job.seconds_left > 5
    waiting = begin(studies, "never", *SHORT)
    began = time.monotonic()
    assert stop(waiting.id).state == "stopped"
    assert stop(job.id).state == "stopped"
    assert time.monotonic() - began < 5
    assert job.pid is not None
    assert birth(job.pid) is None
    assert Study.open(studies / "kept").hash == old
    assert not (studies / "never").exists()
    with pytest.raises(JobError, match="There is no job 'x'"):
        stop("x")


def test_a_killed_job_fails_in_a_sentence_and_the_old_study_stays(studies: Path) -> None:
    waited(begin(studies, "kept", *SHORT), over)
    old = Study.open(studies / "kept").hash
    job = waited(begin(studies, "kept", *LONG), training)
    # What a writer leaves that was killed in the middle.
    leftover = studies / "kept" / f".writing-{job.pid}-x"
    leftover.mkdir()
    follower = begin(studies, "after", *SHORT)
    assert job.pid is not None
    os.kill(job.pid, signal.SIGKILL)
    failed = waited(job, over)
    assert failed.state == "failed"
    assert failed.error is not None
    assert failed.error.startswith("The process of this job ended before it was done")
    assert not leftover.exists()
    assert not temporary_folder(job.id).exists()
    assert Study.open(studies / "kept").hash == old
    assert waited(follower, over).state == "done"


@pytest.mark.slow
def test_a_job_outlives_the_process_that_started_it(studies: Path, root: Path) -> None:
    script = (
        "from pathlib import Path; from tests.jobs.conftest import *; "
        f"begin(Path({str(studies)!r}), 'mine', '--epochs=3'); begin(Path({str(studies)!r}), 'next', '--epochs=1')"
    )
    subprocess.run([sys.executable, "-c", script], cwd=root, check=True)
    end = time.monotonic() + 90
    while not all(job.over for job in jobs()) and time.monotonic() < end:  # nobody tends: jobs start the next
        time.sleep(0.2)
    assert [(job.study, job.state) for job in jobs()] == [("next", "done"), ("mine", "done")]


def test_an_error_is_the_records_sentence(studies: Path) -> None:
    argv = ("train", f"--out={studies / 'odd'}", "--", "no_such.csv")
    job = waited(start("train", argv, study="odd", data="no_such.csv", author="")[0], over)
    assert job.state == "failed"
    assert str(job.error).startswith("There is no file")
    usage = start("train", ("train", "--wrong"), study="odd", data="", author="")[0]
    assert "its log says where" in str(waited(usage, over).error)
    assert "No such option" in log_of(usage)


@pytest.mark.slow
def test_a_job_ends_at_the_time_limit(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_MAX_JOB_MINUTES", "many")
    with pytest.raises(SettingError, match=r"SEER_MAX_JOB_MINUTES must be a whole number from 1 to 1[0,]+, got 'many'"):
        begin(studies, "x", *SHORT)
    monkeypatch.setenv("SEER_MAX_JOB_MINUTES", "1")
    job = waited(begin(studies, "long", *LONG), training)
    assert job.pid is not None
    os.kill(job.pid, signal.SIGALRM)  # the minute is over
    assert "ran as long as this server allows, 1 min" in str(waited(job, over).error)
    assert not (studies / "long").exists() or not list((studies / "long").iterdir())


@pytest.mark.slow
def test_a_process_of_the_same_number_is_not_taken_for_the_job(studies: Path) -> None:
    job = waited(begin(studies, "one", *LONG), training)
    assert is_alive(job)
    stop(job.id)
    assert job.born is not None
    other = subprocess.Popen(["sleep", "30"])
    try:
        assert birth(other.pid) not in (None, job.born)
    finally:
        other.kill()
        other.wait()


def test_a_read_only_server_starts_stops_and_deletes_nothing(
    studies: Path, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    job = waited(begin(studies, "one", *LONG), training)
    monkeypatch.setenv("SEER_READ_ONLY", "1")
    for change in (lambda: begin(studies, "two", *SHORT), lambda: stop(job.id), lambda: delete_study("one")):
        with pytest.raises(SettingError, match="only shows studies"):
            change()
    assert is_alive(job)


def test_names_that_would_leave_the_folder_are_refused(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", " a", "../x", "a/b", "..", ".jobs", "-x", "a\0b", "a\nb", "demo", "x" * 81, 'a"b'):
        assert name_fault(name), name
        with pytest.raises(JobError):
            start("train", ("datasets",), study=name, data="", author="")
    for name in ("a b", "测试_🙂", "naïve", "R&D's", "x" * 80):
        assert name_fault(name) is None, name
    monkeypatch.setenv("SEER_MAX_STUDIES", "1")
    (studies / "there").mkdir(parents=True)
    (studies / "there" / "manifest.json").write_text("{}")
    with pytest.raises(SettingError, match=r"\(SEER_MAX_STUDIES\) is 1, and 1 are there; delete 1"):
        start("train", ("datasets",), study="more", data="", author="")


def test_a_study_is_deleted_whole_unless_a_job_writes_it(studies: Path) -> None:
    waited(begin(studies, "one", *SHORT), over)
    job = waited(begin(studies, "one", *LONG), training)
    with pytest.raises(JobError, match="stop the job first"):
        delete_study("one")
    stop(job.id)
    delete_study("one")
    assert "one" not in study_folders()
    assert sorted(path.name for path in studies.iterdir()) == [".jobs"]
    with pytest.raises(Exception, match="demos cannot"):
        delete_study("demo")


def test_the_command_line_lists_and_stops(studies: Path) -> None:
    job = waited(begin(studies, "one", *LONG), training)

    def run(*argv: str) -> str:
        outcome = CliRunner().invoke(app, ["jobs", *argv])
        assert outcome.exit_code == 0
        return outcome.stdout

    assert f'"id": "{job.id}"' in run("--json")
    assert "running" in run()
    assert run("stop", job.id).strip() == f"{job.id}: stopped"
    assert job_folder(job.id).is_dir()
