"""What took long to compute, kept for all sessions, and how far it is while it runs.

Streamlit's own cache replays whatever its functions draw, so that nothing cached can move a progress bar.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

import streamlit as st

from seer.progress import Progress
from seer.ui import state

KEPT = 80
"""Results that are kept."""

_EVERY = 0.15
"""Seconds between two drawings of a progress bar."""


class Results:
    """Finished results by what they depend on, the newest ``KEPT`` of them; shared by all sessions."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any | None:
        """The result for a key, ``None`` without one."""
        with self._lock:
            return self._kept.get(key)

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result."""
        with self._lock:
            self._kept[key] = result
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)


@st.cache_resource
def results() -> Results:
    """The one store of the server."""
    return Results()


def shown_in(bar: Any) -> Progress:
    """A progress that moves a progress bar, a few times a second."""
    last = 0.0

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _EVERY or done >= total:
            last = now
            share = min(max(done / total, 0.0), 1.0) if total else 0.0
            bar.progress(share, f"{state.literal(stage.replace('_', ' '))}: {done:,} of {total:,}")

    return tell
