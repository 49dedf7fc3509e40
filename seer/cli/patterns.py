"""The command that lists text patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from seer.cli.output import Json, StudyName, UsualSplit, chosen_split, print_data, table
from seer.mining import KINDS, pattern_records, read_confusion
from seer.study import Study

_SHOWN = 3
"""Phrases and changes in a line of a table."""
_TOLD = {"states", "word", "failed", "correct", "rate", "only_in_failed", "from", "to"}


def patterns(
    study: StudyName,
    kind: Annotated[str, typer.Option(help=f"One of {', '.join(KINDS)}.")] = "buggy",
    split: UsualSplit = None,
    confusion: Annotated[str | None, typer.Option(help="true:predicted, for buggy patterns; any by default.")] = None,
    preset: Annotated[str, typer.Option(help="default, or paper for the original's buggy list.")] = "default",
    top: Annotated[int, typer.Option(help="How many; of words, how many a state.")] = 50,
    as_json: Json = False,
) -> None:
    """List what text sits behind the states, what sways predictions, and what goes with errors."""
    opened = Study.open(study)
    chosen = chosen_split(opened, split)
    rows = pattern_records(opened, kind, chosen, confusion=read_confusion(opened, confusion), preset=preset, top=top)
    title = f"{len(rows)} {kind} of {f'the {chosen} split' if chosen else 'all splits'}"
    title += f", at most {top} a state" if kind == "words" else ""
    print_data(as_json, rows, lambda: [table([_flat(row) for row in rows], title)])


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A record in a line of a table: nested parts as text, and what follows from another column left out."""
    flat = dict(row)
    if "states" in row:
        path = " → ".join(f"S{state}" for state in row["states"])
        word = f"“{row['word']}”" if row.get("word") is not None else ""
        flat = {"pattern": " ".join(part for part in (path, word) if part)}
        if "failed" in row:
            flat["wrong"] = f"{row['failed']:,} of {row['failed'] + row['correct']:,}"
        flat |= {name: value for name, value in row.items() if name not in _TOLD}
    if "changes" in row:
        more = len(row["changes"]) - _SHOWN
        flat["changes"] = _parts(row["changes"]) + (f"; and {more} more" if more > 0 else "")
    if "phrases" in row:
        flat["phrases"] = _parts(row["phrases"])
    return flat


def _parts(parts: Sequence[dict[str, Any]]) -> str:
    return "; ".join(map(_part, parts[:_SHOWN]))


def _part(part: dict[str, Any]) -> str:
    if "text" in part:
        # The phrases of failed sentences come first.
        failed = f", {part['failed']} wrong" if "failed" in part else ""
        return f"{part['text']} ({part['count']}{failed})"
    between = " → " if part["from"] != part["to"] else " → … → "
    return f"{part['from']}{between}{part['to']} ({part['count']})"
