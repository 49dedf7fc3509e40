"""What is known of a job."""

from __future__ import annotations

import shlex
import time
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

State = Literal["queued", "running", "done", "failed", "stopped"]
ENDED: frozenset[State] = frozenset(("done", "failed", "stopped"))


@dataclass(frozen=True)
class Job:
    """One command, what became of it, and how far it is. Times are seconds since 1970.

    Attributes:
        id: of the job; its folder bears the same name.
        kind: the command: train, classify, import.
        argv: what follows ``python -m seer``.
        study: name of the study that it writes.
        data: what a person calls the data.
        author: who started it.
        state: what it is doing, or how it ended.
        created: when it joined the queue.
        started: when its process began.
        ended: when it ended.
        pid: of its process.
        born: tells that process from a later one with the same number; see ``seer.jobs.processes.birth``.
        stage: what it is at, in words.
        done: parts of the stage that are finished.
        total: parts of the stage.
        left: seconds left in the stage when it was last told.
        told: when that was.
        stopping: whether somebody asked it to stop.
        error: why it failed, a sentence.
    """

    id: str
    kind: str
    argv: tuple[str, ...]
    study: str
    data: str
    author: str
    state: State
    created: float
    started: float | None = None
    ended: float | None = None
    pid: int | None = None
    born: str | None = None
    stage: str = ""
    done: int = 0
    total: int = 0
    left: float | None = None
    told: float | None = None
    stopping: bool = False
    error: str | None = None

    @property
    def over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state in ENDED

    @property
    def share(self) -> float:
        """The finished share of the stage, from 0 to 1."""
        return min(max(self.done / self.total, 0.0), 1.0) if self.total else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds left in the stage now, as far as that is known."""
        if self.over or self.left is None or self.told is None:
            return None
        return max(0.0, self.left - max(0.0, time.time() - self.told))  # the clock may have been set back

    @property
    def seconds(self) -> float | None:
        """How long it ran, or has been running; ``None`` where that cannot be told, as when the clock was set back."""
        took = -1.0 if self.started is None else (self.ended or time.time()) - self.started
        return None if took < 0 else took

    @property
    def command(self) -> str:
        """The command line, to be pasted into a shell."""
        return command_line(self.argv)

    def record(self) -> dict[str, Any]:
        """JSON-able fields."""
        return asdict(self) | {"argv": list(self.argv), "command": self.command, "seconds_left": self.seconds_left}


FIELDS = tuple(field.name for field in fields(Job))


def command_line(argv: tuple[str, ...]) -> str:
    """A command as one types it."""
    return shlex.join(("python", "-m", "seer", *argv))
