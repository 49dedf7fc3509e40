"""A sentence read word by word, and a machine's states, as tables that fit the terminal whatever the classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from seer.charts.names import short_names
from seer.cli.output import table
from seer.machine import StateMachine
from seer.pair_reading import SENTENCES
from seer.traces import NO_CLASS, SentenceTrace

MOST_ROWS = 300
"""Words in the table of a sentence."""

_WIDE = 10_000
"""Columns of a terminal in which any table fits."""
_LEAST, _MOST = 8, 40
"""Letters of a class at least and at most."""
_STATES = 60
"""Letters that the other columns of the table of states take."""
_STEPS = 44
"""The same of the table of steps, without the words."""


def reading_tables(read: SentenceTrace) -> Iterable[Table | str]:
    """The steps of a sentence: with the probability of each class where that fits, else with the likeliest two."""
    if not len(read):
        yield "No prediction: the text has no word to read."
        return
    title = f"Prediction: {escape(str(read.prediction))}"
    if len(read) > MOST_ROWS:
        title += f"; the last {MOST_ROWS} of {len(read):,} words, all of them with --json"
    console, steps = Console(), range(max(0, len(read) - MOST_ROWS), len(read))
    for predicted in (True, False):
        whole = table([{**_step(read, step), **_each(read, step, predicted)} for step in steps], title)
        if console.measure(whole, options=console.options.update(max_width=_WIDE)).maximum <= console.width:
            yield whole
            return
    words = min(24, max(len(read.words[step]) for step in steps)) + (13 if read.second is not None else 0)
    names = short_names(read.classes, _room(console.width - _STEPS - words, 2))
    yield table([{**_step(read, step), **_likeliest(read, step, names)} for step in steps], title)
    yield f"The two likeliest of {len(read.classes)} classes after each word; --json has them all."


def state_table(machine: StateMachine, columns: Iterable[str]) -> Table:
    """The states with some fields of their records; the class is cut so that each stands in a line."""
    names = short_names(machine.classes, _room(Console().width - _STATES, 1))
    rows = []
    for record, majority in zip(machine.state_records(), machine.majority[1:], strict=True):
        told = None if majority == NO_CLASS else names[majority]
        rows.append({column: told if column == "majority" else record[column] for column in columns})
    return table(rows)


def _room(letters: int, columns: int) -> int:
    return max(_LEAST, min(_MOST, letters // columns))


def _step(read: SentenceTrace, step: int) -> dict[str, Any]:
    sentence = {} if read.second is None else {"sentence": SENTENCES[step >= read.second]}
    return {**sentence, "word": read.words[step], "known": bool(read.known[step]), "state": int(read.state[step])}


def _each(read: SentenceTrace, step: int, predicted: bool) -> dict[str, Any]:
    first = {"predicted": read.classes[int(read.predicted[step])]} if predicted else {}
    return {**first, **dict(zip(read.classes, map(float, read.probability[step]), strict=True))}


def _likeliest(read: SentenceTrace, step: int, names: list[str]) -> dict[str, Any]:
    shares, first = np.asarray(read.probability[step], dtype=np.float64), int(read.predicted[step])
    second = int(np.where(np.arange(len(shares)) == first, -1, shares).argmax())
    return {
        "predicted": names[first],
        "p": float(shares[first]),
        "next": names[second],
        "p next": float(shares[second]),
    }
