"""How long work tells how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total) now and then; it may raise to stop the work."""


def silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


def part_of(progress: Progress, part: int, parts: int) -> Progress:
    """The progress of one of several equal parts, told as that of the whole.

    Args:
        progress: told of the whole.
        part: which one, from 0.
        parts: how many.
    """

    def tell(stage: str, done: int, total: int) -> None:
        progress(stage, part * total + done, parts * total)

    return tell


def remaining_seconds(started: float, done: int, total: int) -> float | None:
    """Seconds left at the pace so far, ``None`` before anything is done.

    Args:
        started: ``time.monotonic()`` when the stage began.
        done: finished parts.
        total: all parts.
    """
    return (time.monotonic() - started) / done * (total - done) if done else None
