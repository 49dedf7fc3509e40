"""How long work tells how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total) now and then; it may raise to stop the work."""


def silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


def remaining_seconds(started: float, done: int, total: int) -> float | None:
    """Seconds left at the pace so far, ``None`` before anything is done.

    Args:
        started: ``time.monotonic()`` when the stage began.
        done: finished parts.
        total: all parts.
    """
    return (time.monotonic() - started) / done * (total - done) if done else None
