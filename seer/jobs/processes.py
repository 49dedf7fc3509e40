"""A job's process: how it is started, known again, and ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from seer.jobs.place import JOB_VARIABLE, job_folder, log_file, process_file, temporary_folder
from seer.jobs.record import Job
from seer.listing import STUDIES_VARIABLE, studies_root
from seer.processes import birth

_PROJECT = Path(__file__).resolve().parents[2]

PATIENCE = 3.0
"""Seconds between the request to stop and the end by force."""


def spawn(job: Job) -> tuple[int, str | None]:
    """Start a job's process: of its own session, so that it outlives whoever starts it.

    Returns:
        Its number, and its ``birth``.

    Raises:
        OSError: it cannot be started, for want of room, of memory, or of a right.
        ValueError: a word of its command holds what none may.
    """
    temporary_folder(job.id).mkdir(parents=True, exist_ok=True)
    changed = {
        JOB_VARIABLE: job.id,
        STUDIES_VARIABLE: str(studies_root()),
        "TMPDIR": str(temporary_folder(job.id)),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(_PROJECT), os.environ.get("PYTHONPATH")))),
        "PYTHONUNBUFFERED": "1",
        "COLUMNS": "110",
    }
    with log_file(job.id).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "seer", *job.argv],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=os.environ | changed,
        )
    born = birth(process.pid)
    process_file(job_folder(job.id)).write_text(f"{process.pid} {born}", encoding="utf-8")
    return process.pid, born


def is_at_work(folder: Path) -> bool:
    """Whether the process that was started for a job's folder is there, on record or not."""
    try:
        pid, _, born = process_file(folder).read_text(encoding="utf-8").partition(" ")
        return birth(int(pid)) == born
    except (FileNotFoundError, NotADirectoryError, ValueError):  # of no job, or written in part
        return False


def is_alive(job: Job) -> bool:
    """Whether the job's own process is there."""
    return job.pid is not None and job.born is not None and birth(job.pid) == job.born


def end(job: Job) -> None:
    """End a job's process and all that it started: on request first, by force after ``PATIENCE`` seconds."""
    give_up = time.monotonic() + PATIENCE
    _signal(job, signal.SIGTERM)
    while is_alive(job) and time.monotonic() < give_up:
        time.sleep(0.05)
    _signal(job, signal.SIGKILL)
    give_up = time.monotonic() + PATIENCE
    while is_alive(job) and time.monotonic() < give_up:
        time.sleep(0.02)


def _signal(job: Job, number: signal.Signals) -> None:
    if job.pid is None or not is_alive(job):
        return
    try:
        os.killpg(job.pid, number)  # it leads a session, so its group has its number
    except ProcessLookupError:
        return
