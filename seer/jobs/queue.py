"""Starting, watching and stopping jobs. Any process may call these: the records and the studies are shared."""

from __future__ import annotations

import logging
import secrets
import shutil
import sqlite3
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from seer.errors import JobError
from seer.hosting import check_writable, read_only
from seer.jobs import database, processes
from seer.jobs.place import job_folder, jobs_folder, log_file, temporary_folder
from seer.jobs.record import Job
from seer.jobs.studies import study_target
from seer.listing import studies_root
from seer.storage import MANIFEST, clear_leftovers

log = logging.getLogger("seer")

KEPT = 50
"""Jobs that are over and whose records and logs are kept."""
_LOG = 60_000
"""Characters of a log's end that are shown."""

GONE = (
    "The process of this job ended before it was done: it was killed, it ran out of memory, or the machine was "
    "restarted. Nothing was changed; a study that was there before is whole. Start it again."
)
NOT_BEGUN = "The process of this job could not be started ({cause}); nothing was changed. Start it again."


def start(kind: str, argv: Sequence[str], *, study: str, data: str, author: str) -> tuple[Job, bool]:
    """Put a command into the queue, and start it when nothing runs.

    Args:
        kind: train, classify or import.
        argv: what follows ``python -m seer``: never read by a shell.
        study: name of the study that it writes.
        data: what a person calls the data.
        author: who starts it.

    Returns:
        The job; and whether the same command was waiting or running already, so that this is that job.

    Raises:
        JobError: the study's name is no good, or the records cannot be used.
        SettingError: this server is read-only, or has as many studies as it may, with those that are to come.
    """
    check_writable()
    job = Job(
        f"{time.time_ns():x}-{secrets.token_hex(3)}", kind, tuple(argv), study, data, author, "queued", time.time()
    )
    with database.transaction() as records:
        unfinished = [other for other in database.every(records) if not other.over]
        study_target(study, {other.study for other in unfinished})
        same = [other for other in unfinished if other.argv == job.argv]
        if not same:
            database.add(records, job)
    tend()
    found = find_job((same[0] if same else job).id)
    return found or job, bool(same)


def jobs() -> tuple[Job, ...]:
    """All jobs: the running one, those that wait in their order, then those that are over, the latest first.

    Raises:
        JobError: the records cannot be used.
    """
    if not database.present():
        return ()
    with database.transaction(writing=False) as records:
        found = database.every(records)
    over = sorted((job for job in found if job.over), key=lambda job: -(job.ended or job.created))
    return (*sorted((job for job in found if not job.over), key=lambda job: job.state != "running"), *over)


def find_job(job_id: str) -> Job | None:
    """The job of that id.

    Raises:
        JobError: the records cannot be used.
    """
    return next((job for job in jobs() if job.id == job_id), None)


def log_of(job: Job) -> str:
    """The end of what a job printed."""
    try:
        return log_file(job.id).read_text(encoding="utf-8", errors="replace")[-_LOG:]
    except FileNotFoundError:
        return ""


def tend() -> None:
    """Record what became of the running job when its process is gone, and start the next; cheap when all is well.

    Whoever looks at the jobs calls this, and so does each job at its end.

    Raises:
        JobError: the records cannot be read or written.
    """
    if read_only() or not _needs_tending(jobs()):
        return
    with database.transaction() as records:
        for job in database.every(records):
            if job.state == "running" and not processes.is_alive(job):
                _bury(records, job)
        found = database.every(records)
        waiting = [job for job in found if not job.over]
        if waiting and not any(job.state == "running" for job in waiting) and not _stray({job.id for job in found}):
            _launch(records, waiting[0])
        over = [job for job in database.every(records) if job.over]
        for job in over[:-KEPT]:
            records.execute("DELETE FROM job WHERE id = ?", [job.id])
            shutil.rmtree(job_folder(job.id), ignore_errors=True)


def stop(job_id: str) -> Job:
    """Stop a job: one that waits never starts, one that runs ends within seconds and changes nothing.

    Returns:
        The job as it then stands.

    Raises:
        JobError: there is no such job, or the records cannot be used.
        SettingError: this server is read-only.
    """
    check_writable()
    with database.transaction() as records:
        job = database.one(records, job_id)
        if job is None:
            raise JobError(f"There is no job {job_id!r}; “python -m seer jobs” lists them.")
        if job.state == "queued":
            database.change(records, job_id, state="stopped", ended=time.time())
        elif job.state == "running":
            database.change(records, job_id, stopping=True)
    if job.state == "running":
        processes.end(job)
    tend()
    return find_job(job_id) or job


def _needs_tending(found: Sequence[Job]) -> bool:
    running = [job for job in found if job.state == "running"]
    if running:
        return any(not processes.is_alive(job) for job in running)
    return any(job.state == "queued" for job in found)


def _stray(known: Collection[str]) -> bool:
    """Whether a job runs whose record is gone; two at once are what a machine's memory may not bear."""
    return any(folder.name not in known and processes.is_at_work(folder) for folder in jobs_folder().iterdir())


def _launch(records: sqlite3.Connection, job: Job) -> None:
    """Start a job's process; inside the transaction, so that nobody starts it twice: see ``seer.jobs.own``."""
    began = time.time()
    try:
        pid, born = processes.spawn(job)
    except (OSError, ValueError) as error:  # a job that can never begin must not hold up the others
        log.warning("The job %s was not started: %s", job.id, error)
        sentence = NOT_BEGUN.format(cause=getattr(error, "strerror", None) or "its command holds a sign that none may")
        database.change(records, job.id, state="failed", error=sentence, ended=time.time())
        return
    database.change(records, job.id, state="running", started=began, pid=pid, born=born)


def _bury(records: sqlite3.Connection, job: Job) -> None:
    """Record a job whose process is gone without a word, and clear what it left."""
    ending: dict[str, Any] = {"state": "stopped"} if job.stopping else {"state": "failed", "error": GONE}
    folder = studies_root() / job.study
    if _written_since(folder / MANIFEST, job.started):
        ending = {"state": "done"}  # the manifest comes last: all it had left was to say so
    database.change(records, job.id, ended=time.time(), **ending)
    shutil.rmtree(temporary_folder(job.id), ignore_errors=True)
    if not folder.is_dir():
        return
    try:
        clear_leftovers(folder)
        if not any(folder.iterdir()):
            folder.rmdir()
    except OSError as error:
        log.warning("What the job %s left in %s could not be cleared: %s", job.id, folder, error)


def _written_since(path: Path, moment: float | None) -> bool:
    return moment is not None and path.is_file() and path.stat().st_mtime >= moment
