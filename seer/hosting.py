"""What a server allows, from its environment: whether anything may be changed, and how much of it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from seer.errors import SettingError, shown

READ_ONLY_VARIABLE = "SEER_READ_ONLY"
"""``1`` serves the studies that are there without training, upload and deletion."""

LOGIN_VARIABLE = "SEER_REQUIRE_LOGIN"
"""``1`` shows nothing to anybody who has not logged in."""

NOTES_READ_ONLY = "SEER_NOTES_READ_ONLY"
"""``1`` shows notes and takes none, whether or not the studies can be changed."""

_BILLION = 1_000_000_000


@dataclass(frozen=True)
class Limits:
    """What a server takes; ``None`` is no limit.

    Attributes:
        upload_mb: megabytes of one uploaded file; ``SEER_MAX_UPLOAD_MB``.
        rows: rows of a data set that the page takes; ``SEER_MAX_ROWS``.
        job_minutes: minutes that a job may run; ``SEER_MAX_JOB_MINUTES``.
        studies: studies in the folder, beside the demos; ``SEER_MAX_STUDIES``.
        text_length: characters of a text of such a data set; ``SEER_MAX_TEXT_LENGTH``.
        upload_days: days that an upload is kept which no job and no study names; ``SEER_MAX_UPLOAD_DAYS``.
    """

    upload_mb: int = 200
    rows: int | None = None
    job_minutes: int = 720
    studies: int | None = None
    text_length: int | None = None
    upload_days: int = 30


def limits() -> Limits:
    """The limits that the environment sets, the usual ones otherwise.

    Raises:
        SettingError: a limit is no whole number from 1, or larger than what can be counted with.
    """
    usual = Limits()
    return Limits(
        _limit("SEER_MAX_UPLOAD_MB") or usual.upload_mb,
        _limit("SEER_MAX_ROWS", _BILLION) or usual.rows,
        _limit("SEER_MAX_JOB_MINUTES") or usual.job_minutes,
        _limit("SEER_MAX_STUDIES") or usual.studies,
        _limit("SEER_MAX_TEXT_LENGTH", _BILLION) or usual.text_length,
        _limit("SEER_MAX_UPLOAD_DAYS") or usual.upload_days,
    )


def read_only() -> bool:
    """Whether this server shows studies and changes none."""
    return _switched_on(READ_ONLY_VARIABLE)


def notes_read_only() -> bool:
    """Whether this server shows notes and takes none."""
    return _switched_on(NOTES_READ_ONLY)


def login_required() -> bool:
    """Whether this server shows nothing to anybody who has not logged in."""
    return _switched_on(LOGIN_VARIABLE)


def check_writable() -> None:
    """Refuse a change on a read-only server.

    Raises:
        SettingError: it is one.
    """
    if read_only():
        raise SettingError(
            f"This server only shows studies ({READ_ONLY_VARIABLE} is set): nothing can be trained, uploaded or "
            "deleted here; use one of your own."
        )


def _switched_on(variable: str) -> bool:
    return os.environ.get(variable, "").strip().lower() not in ("", "0", "false", "no", "off")


def _limit(variable: str, most: int = 10_000_000) -> int | None:
    """The number in a variable; the timer of jobs and the fields for files count no further than about ``most``."""
    given = os.environ.get(variable, "").strip()
    if not given:
        return None
    digits = given.isascii() and given.isdigit() and len(given) <= len(str(most))
    if not (digits and 0 < int(given) <= most):
        raise SettingError(
            f"{variable} must be a whole number from 1 to {most:,}, got {shown(given, 40)}; correct or unset it."
        )
    return int(given)
