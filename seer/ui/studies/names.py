"""Names for studies and splits, made of what the data is called."""

from __future__ import annotations

import re
import unicodedata

from seer.corpus.files import SUFFIXES
from seer.errors import JobError
from seer.jobs import jobs
from seer.jobs.studies import LONGEST
from seer.listing import study_folders


def plain_name(shown: str) -> str:
    """A file's or set's name without folder, ending, and signs that no name of a folder has; at least one letter."""
    stem = shown.rpartition("/")[2]
    suffix = max((ending for ending in SUFFIXES if stem.lower().endswith(ending)), key=len, default="")
    stem = stem[: len(stem) - len(suffix)]
    kept = "".join(" " if sign in '\\:*?"<>|' or unicodedata.category(sign)[0] == "C" else sign for sign in stem)
    return re.sub(r"\s+", " ", kept).strip(" .-")[: LONGEST - 10].strip() or "study"


def taken_names() -> set[str]:
    """Names of the studies that are there, and of those that jobs are about to make."""
    return {*study_folders(), *coming_names()}


def coming_names() -> set[str]:
    """Names of the studies that jobs are about to make, or to make anew."""
    try:
        return {job.study for job in jobs() if not job.over}
    except JobError:  # as the page says where it shows jobs; none can be started then
        return set()


def free_name(shown: str) -> str:
    """A name for a study of that data that no study has yet, nor will have when the jobs are done."""
    base, taken, number = plain_name(shown), taken_names(), 2
    name = base
    while name in taken:
        name, number = f"{base} {number}", number + 1
    return name
