"""Names of studies that jobs write, and the removal of a study."""

from __future__ import annotations

import secrets
import shutil
import unicodedata
from collections.abc import Set
from pathlib import Path

from seer.errors import JobError, SettingError, StudyError
from seer.hosting import check_writable, limits
from seer.jobs import database
from seer.listing import studies_root, study_folders
from seer.study import DEMOS

LONGEST = 80
"""Characters of a study's name."""

DELETED = ".deleted-"
"""What the name of a folder begins with whose study is being removed."""


def study_target(name: str, coming: Set[str] = frozenset()) -> Path:
    """The folder of a study that a job may write, there already or new.

    Args:
        name: of the study.
        coming: names of the studies that jobs are about to write.

    Raises:
        JobError: the name cannot be that of a folder, or belongs to a demo.
        SettingError: it would be one study more than the server takes.
    """
    fault = name_fault(name)
    if fault is not None:
        raise JobError(fault)
    full = full_fault(coming)
    if full is not None and name not in study_folders().keys() | coming:
        raise SettingError(full)
    return studies_root() / name


def full_fault(coming: Set[str] = frozenset()) -> str | None:
    """Why the server takes no study of a new name, ``None`` when it does; ``coming`` as in ``study_target``."""
    there, most = study_folders().keys() - DEMOS.keys(), limits().studies
    if most is None or len(there | coming) < most:
        return None
    more = f", and jobs make {len(coming - there):,} more" if coming - there else ""
    return (
        f"The limit of studies on this server (SEER_MAX_STUDIES) is {most:,}, and {len(there):,} are there{more}; "
        f"delete {len(there | coming) - most + 1:,} before another is made."
    )


def name_fault(name: str) -> str | None:
    """Why a study cannot have that name, ``None`` when it can: any script and blanks, but one plain folder name."""
    if not name.strip() or name != name.strip():
        return "A study's name must not be empty, nor begin or end with a blank; give it one."
    if len(name) > LONGEST or len(name.encode("utf-8", "replace")) > 3 * LONGEST:
        return f"A study's name has up to {LONGEST} characters, this one {len(name):,}; shorten it."
    if name.startswith((".", "-")) or any(
        sign in '/\\:*?"<>|' or unicodedata.category(sign)[0] == "C" for sign in name
    ):
        return "A study's name must not begin with a dot or a dash, nor hold any of / \\ : * ? \" < > |; change it."
    if name in DEMOS:
        return f"The name {name} belongs to a study that comes with the program; choose another."
    return None


def delete_study(name: str) -> None:
    """Remove a study, with the notes in its folder.

    Raises:
        JobError: a job writes it just now.
        SettingError: this server is read-only.
        StudyError: there is no such study, it comes with the program, or it cannot be removed.
    """
    check_writable()
    folders = study_folders()
    if name in DEMOS or name not in folders:
        raise StudyError(f"There is no study {name!r} that can be deleted; the demos cannot.")
    if database.present():
        with database.transaction(writing=False) as records:
            if any(not job.over and job.study == name for job in database.every(records)):
                raise JobError(f"A job writes the study {name} just now; stop the job first.")
    # Renamed first: who looks meanwhile finds it whole or not at all.
    away = studies_root() / f"{DELETED}{secrets.token_hex(4)}"
    try:
        folders[name].rename(away)
    except OSError as error:
        raise StudyError(f"The study {name} cannot be deleted ({error}).") from error
    if away.is_symlink():
        away.unlink()
    else:
        shutil.rmtree(away, ignore_errors=True)
