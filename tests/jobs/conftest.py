"""Jobs in a folder of studies that end with the test."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from seer.jobs import Job, find_job, start, tend


def begin(studies: Path, name: str, *options: str, limit: int = 300) -> Job:
    """Training of a study; small and short unless the options make it long."""
    argv = ("train", f"--out={studies / name}", f"--limit={limit}", "--hidden=8", "--embedding=8", *options)
    return start("train", (*argv, "--", "rotten_tomatoes"), study=name, data="rotten_tomatoes", author="Ana")[0]


LONG = ("--epochs=100000", "--patience=100000")
SHORT = ("--epochs=1",)


def waited(job: Job, until: Callable[[Job], bool], seconds: float = 90) -> Job:
    """The job as soon as it is so, the queue being tended meanwhile."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        tend()
        found = find_job(job.id)
        assert found is not None
        if until(found):
            return found
        time.sleep(0.1)
    raise AssertionError(f"It came to nothing: {found}")


def over(job: Job) -> bool:
    return job.over


def training(job: Job) -> bool:
    return job.stage == "Training" and job.done > 0
