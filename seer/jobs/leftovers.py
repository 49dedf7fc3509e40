"""What runs and people left behind that are gone, cleared when a server starts."""

from __future__ import annotations

import json
import logging
import shutil

from seer.errors import JobError, SeerError
from seer.hosting import limits, read_only
from seer.jobs import database
from seer.jobs.place import jobs_folder, temporary_folder
from seer.jobs.processes import is_at_work
from seer.jobs.queue import jobs, tend
from seer.jobs.studies import DELETED
from seer.listing import studies_root, study_folders
from seer.parts import CORPUS
from seer.storage import MANIFEST, clear_leftovers, read_manifest, version_name
from seer.study import DEMOS
from seer.uploads import prune_uploads

log = logging.getLogger("seer")


def clear_all() -> None:
    """Clear what dead runs, broken deletions and forgotten uploads left in the folder of studies.

    Nothing is touched on a read-only server. What cannot be removed stays, and the log says so: all that is of jobs
    and uploads where the records of jobs cannot be used.

    Raises:
        SettingError: a limit is no whole number, or too large.
    """
    if read_only() or not studies_root().is_dir():
        return
    try:
        for folder in studies_root().iterdir():
            if folder.name.startswith(DELETED):
                shutil.rmtree(folder, ignore_errors=True)
            elif folder.is_dir() and not folder.name.startswith("."):
                clear_leftovers(folder)
        tend()
        _clear_jobs()
        prune_uploads(_used(), limits().upload_days)
    except (OSError, JobError) as error:
        log.warning("Leftovers in %s could not be cleared: %s", studies_root(), error)


def _clear_jobs() -> None:
    """Remove temporary files of jobs that are over, and the folders of jobs without a record that no longer run."""
    if not database.present():
        return
    # In this order: a job is on record before it has a folder.
    folders = [folder for folder in jobs_folder().iterdir() if folder.is_dir()]
    known = {job.id: job for job in jobs()}
    for folder in folders:
        job = known.get(folder.name)
        if job is None and not is_at_work(folder):
            shutil.rmtree(folder, ignore_errors=True)
        elif job is not None and job.over:
            shutil.rmtree(temporary_folder(job.id), ignore_errors=True)


def _used() -> str:
    """A text that holds the hash of each upload that a job on record names, or a study that reads its file again."""
    found = [word for job in jobs() for word in job.argv]
    for name, folder in study_folders().items():
        try:
            manifest = read_manifest(folder)
            if name not in DEMOS and not (folder / version_name(manifest) / CORPUS).exists():
                found.append(json.dumps(manifest["corpus"]))
        except SeerError as error:
            log.warning("The study %r is damaged: %s", name, error)
            found.append((folder / MANIFEST).read_text(encoding="utf-8", errors="replace"))  # it may yet be mended
    return "\n".join(found)
