"""Long work in processes of its own: a queue of commands, one running at a time, that outlives browser and app."""

from seer.jobs.queue import find_job, jobs, log_of, start, stop, tend
from seer.jobs.record import ENDED, Job, State

__all__ = ["ENDED", "Job", "State", "find_job", "jobs", "log_of", "start", "stop", "tend"]
