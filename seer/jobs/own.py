"""What a job's own process does: it claims its record, tells how far it is, and writes down how it ended."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from seer.errors import JobError, SeerError
from seer.hosting import limits
from seer.jobs import database
from seer.jobs.place import JOB_VARIABLE, temporary_folder
from seer.jobs.queue import tend
from seer.jobs.record import Job
from seer.progress import Progress, remaining_seconds, silent

log = logging.getLogger("seer")

EVERY = 0.5
"""Seconds between two writings of the progress."""

GLANCE, ENDURE = 0.1, 300.0
"""Seconds to wait while others hold the records: to tell progress, which comes again, and to begin and to end."""

INTERRUPTED = 130
"""What the command line leaves with when it is interrupted."""
ENDED_OUTSIDE = "The job was ended from outside, as when the machine shuts down; nothing was changed. Start it again."


@contextmanager
def job_of_environment() -> Iterator[None]:
    """Run a command as the job that the environment names; without one, just run it.

    Its end is recorded, whichever it is, and the next job of the queue begins. A request to stop (SIGTERM) comes as
    ``KeyboardInterrupt``, so that temporary files are cleared; the time limit as a ``JobError``.
    """
    job_id = os.environ.get(JOB_VARIABLE)
    if job_id is None:
        yield
        return
    _claim(job_id)
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGALRM, _too_long)
    ending: tuple[str, str | None] = ("failed", "The command broke off; its log says where.")
    try:
        signal.alarm(limits().job_minutes * 60)
        yield
        ending = ("done", None)
    except SystemExit as leaving:
        if leaving.code in (None, 0):
            ending = ("done", None)
        if leaving.code == INTERRUPTED:
            ending = ("failed", ENDED_OUTSIDE)
        raise
    except KeyboardInterrupt:
        ending = ("failed", ENDED_OUTSIDE)
        raise
    except SeerError as error:
        ending = ("failed", str(error))
        raise
    except MemoryError:
        ending = ("failed", "The memory of this machine did not suffice; use fewer rows or a smaller model.")
        raise
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end(job_id, *ending)


def job_progress() -> Progress:
    """Writes progress into the record of this process's job, now and then; silent when it runs for none."""
    job_id = os.environ.get(JOB_VARIABLE)
    return silent if job_id is None else _Telling(job_id)


class _Telling:
    """A ``Progress`` that writes into a record."""

    def __init__(self, job_id: str) -> None:
        self._id, self._stage, self._began, self._told = job_id, "", 0.0, 0.0
        self._fault = ""
        self._lock = threading.Lock()

    def __call__(self, stage: str, done: int, total: int) -> None:
        with self._lock:
            now = time.monotonic()
            if stage != self._stage:
                self._stage, self._began = stage, now
                print(f"{time.strftime('%H:%M:%S')} {stage}", flush=True)
            elif now - self._told < EVERY and done < total:
                return
            self._told = now
            left = remaining_seconds(self._began, done, total)
        try:
            with database.transaction(wait=GLANCE) as records:
                database.change(records, self._id, stage=stage, done=done, total=total, left=left, told=time.time())
        except JobError as error:  # work goes on, though nobody sees how far; each cause is said once
            if str(error) != self._fault:
                self._fault = str(error)
                log.warning("The progress was not recorded: %s", error)


def _claim(job_id: str) -> None:
    with database.transaction(wait=ENDURE) as records:
        job: Job | None = database.one(records, job_id)
    # Whoever started this process died before that was recorded: the queue starts the job once more.
    if job is None or job.state != "running" or job.pid != os.getpid():
        raise JobError(f"The job {job_id} is not this process's; it was started anew or stopped.")


def _end(job_id: str, state: str, error: str | None) -> None:
    ended = time.time()
    shutil.rmtree(temporary_folder(job_id), ignore_errors=True)
    with database.transaction(wait=ENDURE) as records:
        job = database.one(records, job_id)
        if state != "done" and job is not None and job.stopping:
            state, error = "stopped", None
        database.change(records, job_id, state=state, error=error, ended=ended, left=None)
    tend()


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _too_long(number: int, frame: FrameType | None) -> None:
    minutes = limits().job_minutes
    raise JobError(
        f"The job ran as long as this server allows, {minutes:,} min (SEER_MAX_JOB_MINUTES); use fewer rows "
        "or epochs, or a smaller model."
    )
