"""The steps of a sentence that the Selection speaks of."""

from __future__ import annotations

import numpy as np

from seer.traces import START, IntArray
from seer.ui.selection import Selection


def chosen_steps(states: IntArray, selection: Selection) -> list[int]:
    """Steps in the chosen state, of the chosen transition (both of its words) and of the chosen pattern.

    Args:
        states: (T,) state after each word of one sentence.
        selection: what is chosen.
    """
    marks = np.zeros(len(states), dtype=bool)
    if selection.state is not None:
        marks |= np.asarray(states) == selection.state
    for states_in_row in (selection.transition, selection.pattern):
        if states_in_row:
            marks |= _in_row(np.asarray(states), states_in_row)
    return [int(step) for step in np.flatnonzero(marks)]


def _in_row(states: IntArray, wanted: tuple[int, ...]) -> IntArray:
    """(T,) whether a step belongs to an occurrence of ``wanted``; the start comes before the first step."""
    path = np.concatenate([[START], states])
    marks = np.zeros(len(path), dtype=bool)
    if len(path) >= len(wanted):
        windows = np.lib.stride_tricks.sliding_window_view(path, len(wanted))
        for begin in np.flatnonzero((windows == wanted).all(axis=1)):
            marks[begin : begin + len(wanted)] = True
    return marks[1:]
