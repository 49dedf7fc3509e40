"""The command that lists text patterns."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from seer.cli.output import Json, StudyName, print_data, table
from seer.mining import KINDS, pattern_records, read_confusion
from seer.study import Study


def patterns(
    study: StudyName,
    kind: Annotated[str, typer.Option(help=f"One of {', '.join(KINDS)}.")] = "buggy",
    split: Annotated[str | None, typer.Option(help="Split, or all; test by default.")] = None,
    confusion: Annotated[str | None, typer.Option(help="true:predicted, for buggy patterns; any by default.")] = None,
    preset: Annotated[str, typer.Option(help="default, or paper for the original's buggy list.")] = "default",
    top: Annotated[int, typer.Option(help="How many.")] = 50,
    as_json: Json = False,
) -> None:
    """List what text sits behind the states, what sways predictions, and what goes with errors."""
    opened = Study.open(study)
    chosen = None if split == "all" else split or opened.usual_split
    rows = pattern_records(opened, kind, chosen, confusion=read_confusion(opened, confusion), preset=preset, top=top)
    where = f"the {chosen} split" if chosen else "all splits"
    print_data(as_json, rows, lambda: [table([_flat(row) for row in rows], f"{len(rows)} {kind} of {where}")])


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A record with nested parts in a line, for a table."""
    flat = dict(row)
    if "states" in flat:
        path = " → ".join(f"S{state}" for state in row["states"])
        word = f"“{flat.pop('word')}”" if flat.get("word") is not None else ""
        flat = {"pattern": " ".join(part for part in (path, word) if part)} | flat
        for name in ("states", "word", "only_in_failed"):
            flat.pop(name, None)
    for name in ("phrases", "changes"):
        if name in flat:
            flat[name] = "; ".join(_part(part) for part in row[name][:3])
    return flat


def _part(part: dict[str, Any]) -> str:
    text = part["text"] if "text" in part else f"{part['from']} → {part['to']}"
    return f"{text} ({part['count']})"
