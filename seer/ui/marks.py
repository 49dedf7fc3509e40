"""The steps of a sentence that the Selection speaks of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seer.patterns.search import find_places
from seer.traces import START, IntArray, Traces
from seer.ui.selection import Selection


def chosen_steps(
    states: IntArray, selection: Selection, token: IntArray | None = None, words: Sequence[int] | None = None
) -> list[int]:
    """Steps in the chosen state, of the chosen transition (both of its words), of the chosen pattern and words.

    Args:
        states: (T,) state after each word of one sentence.
        selection: what is chosen.
        token: (T,) vocabulary id of each word; wanted where words are chosen.
        words: vocabulary ids of the chosen words.
    """
    states = np.asarray(states)
    marks = np.zeros(len(states), dtype=bool)
    if selection.state is not None:
        marks |= states == selection.state
    if selection.transition:
        marks |= _in_row(states, selection.transition)
    if selection.pattern or words:
        for place in find_places(
            _sentence(states, token), selection.pattern, None if token is None else words, selection.collapse
        ).records():
            marks[place.begin : place.end] = True
    return [int(step) for step in np.flatnonzero(marks)]


def _sentence(states: IntArray, token: IntArray | None) -> Traces:
    """One sentence as traces, without what the model predicted."""
    nothing, unsure = np.zeros(len(states), dtype=np.int16), np.zeros((len(states), 1), dtype=np.float32)
    read = nothing if token is None else np.asarray(token)
    return Traces(np.array([0, len(states)]), read, states, nothing, unsure)


def _in_row(states: IntArray, wanted: tuple[int, ...]) -> IntArray:
    """(T,) whether a step belongs to an occurrence of ``wanted``; the start comes before the first step."""
    path = np.concatenate([[START], states])
    marks = np.zeros(len(path), dtype=bool)
    if len(path) >= len(wanted):
        windows = np.lib.stride_tricks.sliding_window_view(path, len(wanted))
        for begin in np.flatnonzero((windows == wanted).all(axis=1)):
            marks[begin : begin + len(wanted)] = True
    return marks[1:]
