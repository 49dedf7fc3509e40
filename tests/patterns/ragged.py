"""Small ragged traces for the tests of patterns, and hypothesis strategies that make them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from seer.traces import Traces

CLASSES = 3

STEP = st.tuples(st.integers(1, 3), st.integers(0, 4), st.integers(0, CLASSES - 1))
"""State, word and predicted class of a step: few of each, so that patterns meet."""

CORPUS = st.lists(st.tuples(st.lists(STEP, max_size=9), st.integers(-1, CLASSES - 1)), max_size=12)
"""Sentences of steps, with their labels; -1 is no label."""


def make_traces(sentences: Sequence[Sequence[tuple[int, int, int]]]) -> Traces:
    """Traces of (state, word, predicted class) steps; the predicted class has .5 and a bit more at each step."""
    steps = [step for sentence in sentences for step in sentence]
    state, token, predicted = np.array(steps, dtype=np.int32).reshape(-1, 3).T
    probability = np.full((len(steps), CLASSES), 0.1, dtype=np.float32)
    probability[np.arange(len(steps)), predicted] = 0.5 + 0.3 * np.arange(len(steps)) / max(len(steps), 1)
    offsets = np.cumsum([0, *map(len, sentences)])
    return Traces(offsets, token, state.astype(np.int16), predicted.astype(np.int16), probability)


def make_labelled(corpus: Sequence[tuple[Sequence[tuple[int, int, int]], int]]) -> tuple[Traces, np.ndarray]:
    """Traces and labels of a ``CORPUS``."""
    return make_traces([steps for steps, _ in corpus]), np.array([label for _, label in corpus], dtype=np.int32)


def judged_traces(failed: Sequence[Sequence[int]], correct: Sequence[Sequence[int]]) -> tuple[Traces, np.ndarray]:
    """Traces of states only, all predicted as class 0; the failed ones have the label 1."""
    rows = [[(state, state, 0) for state in states] for states in [*failed, *correct]]
    return make_traces(rows), np.array([1] * len(failed) + [0] * len(correct), dtype=np.int32)
