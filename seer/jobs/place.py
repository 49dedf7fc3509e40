"""Where jobs are kept: a folder beside the studies that no list of studies shows.

::

    STUDIES/.jobs/
      jobs.sqlite          a record a job
      3f0c…/log.txt        what a job printed
      3f0c…/process        number and birth of its process, which tell that it runs even when its record is gone
      3f0c…/tmp/           its temporary files, cleared when it is over
"""

from __future__ import annotations

from pathlib import Path

from seer.listing import studies_root

JOB_VARIABLE = "SEER_JOB"
"""In the environment of a job's process: the id of its record."""


def jobs_folder() -> Path:
    """The folder of all jobs."""
    return studies_root() / ".jobs"


def job_folder(job_id: str) -> Path:
    """The folder of one job."""
    return jobs_folder() / job_id


def log_file(job_id: str) -> Path:
    """What a job printed."""
    return job_folder(job_id) / "log.txt"


def process_file(folder: Path) -> Path:
    """What says which process works for a job; see ``seer.jobs.processes.is_at_work``."""
    return folder / "process"


def temporary_folder(job_id: str) -> Path:
    """A job's temporary files."""
    return job_folder(job_id) / "tmp"
