"""What every command shares: options, tables or JSON, notes and progress."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from seer.jobs.own import job_progress
from seer.relevance.methods import METHODS
from seer.study import Study

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
StudyName = Annotated[str, typer.Argument(metavar="STUDY", help="Folder of a study, or demo.")]
Split = Annotated[str | None, typer.Option(help="Only this split; all sentences by default.")]
Methods = Annotated[
    list[str] | None, typer.Option("--method", help=f"One of {', '.join(METHODS)}; repeat it, or put commas between.")
]

UsualSplit = Annotated[str | None, typer.Option("--split", help="Split, or all; test by default.")]

ALL = "all"
"""Names all splits together."""

MOST_NOTICES = 10

_NAME = 24
"""Characters of a first column that stays in one line."""

_NARROW = 13
"""Characters of a column at most beside one that has the room."""

STAGES = {
    "train": "Training",
    "accuracy": "Measuring accuracy",
    "profile": "Reading states",
    "states": "Finding states",
    "sweep": "Trying other numbers",
    "lime": "Explaining with LIME",
    "relevance": "Computing relevance",
    "deletion": "Deleting words",
    "alignments": "Taking pairs of words out",
    "addition": "Learning to add",
    "addition nets": "Choosing nets that add",
    "addition methods": "Explaining sums",
    "subtraction": "Learning to subtract",
    "subtraction nets": "Choosing nets that subtract",
    "subtraction methods": "Explaining differences",
}


class Bars:
    """Progress bars on stderr with the time left, one a stage; of a job, its record tells the same."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
        self._bars = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        self._tasks: dict[str, TaskID] = {}
        self._record = job_progress()

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Move the bar of a stage; a ``Progress``."""
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(STAGES[stage], total=total)
        self._bars.update(self._tasks[stage], completed=done, total=total)
        self._record(STAGES[stage], done, total)


def names(given: Sequence[str] | None) -> tuple[str, ...] | None:
    """Names given one by one or with commas between, each once; ``None`` when none is given."""
    parts = [part.strip() for value in given or () for part in value.split(",")]
    return tuple(dict.fromkeys(part for part in parts if part)) or None


def chosen_split(study: Study, name: str | None) -> str | None:
    """The split that an option names: the usual one when nothing is said, ``None`` for all sentences.

    Raises:
        DataError: the study has no such split.
    """
    chosen = study.usual_split if name is None else None if name == ALL else name
    study.rows(chosen)
    return chosen


def tell(notices: Sequence[str]) -> None:
    """Print notes on stderr, one a line."""
    for notice in notices[:MOST_NOTICES]:
        Console(stderr=True).print(f"Note: {escape(notice)}", highlight=False, soft_wrap=True)
    if len(notices) > MOST_NOTICES:
        Console(stderr=True).print(f"Note: {len(notices) - MOST_NOTICES} more such notes stand in the manifest.")


def print_data(as_json: bool, data: Any, tables: Callable[[], Iterable[Table | str]]) -> None:
    """Print the data as JSON, or the tables made of it."""
    if as_json:
        print(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False))
        return
    for part in tables():
        Console().print(part)


def table(rows: Sequence[dict[str, Any]], title: str | None = None, *, room: str | None = None) -> Table:
    """A table of records with the same keys.

    Args:
        rows: the records.
        title: above it.
        room: the column that has the room; the others fold what is long.
    """
    named = any(column.strip() for row in rows[:1] for column in row)
    drawn = Table(title=title, title_justify="left", show_header=named)
    for place, column in enumerate(rows[0] if rows else ()):
        numeric = all(isinstance(row[column], int | float | None) for row in rows)
        short = place == 0 and max(len(cell(row[column])) for row in rows) <= _NAME
        narrow = room is not None and column != room
        drawn.add_column(
            escape(column),
            justify="right" if numeric else "left",
            overflow="fold",
            no_wrap=(numeric or short) and not narrow,
            max_width=_NARROW if narrow else None,
        )
    for row in rows:
        drawn.add_row(*(cell(value) for value in row.values()))
    return drawn


def cell(value: Any) -> str:
    """A value as a person reads it; markup in it is text."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.1e}" if 0 < abs(value) < 0.0005 else f"{value:.3f}"
    return escape(", ".join(map(str, value)) if isinstance(value, list) else str(value))
