"""The buggy patterns as the paper lists them, to compare.

Source: DeepSeer (Wang et al., CHI 2023).
"""

from __future__ import annotations

import numpy as np

from seer.errors import SettingError
from seer.patterns.buggy import check_settings
from seer.patterns.ranked import NO_WORD, BuggyPatterns
from seer.patterns.search import starts
from seer.patterns.significance import fisher_p
from seer.patterns.windows import Level, Mask, judged
from seer.traces import IntArray, Traces


def mine_paper(
    traces: Traces,
    labels: IntArray,
    *,
    confusion: tuple[int, int] | None = None,
    lengths: tuple[int, int] = (3, 10),
    top: int = 50,
) -> BuggyPatterns:
    """The list of the paper (preset ``paper``): the failed's most frequent sequences without the correct's.

    The ``top`` sequences by support in failed sentences, ties by sequence, less the ``top`` in correct ones. It does
    not follow that correct sentences lack a listed sequence, so its true n_f and n_c are given, with p for one test,
    and no q.

    Args:
        traces: n sentences.
        labels: (n,) true class, ``NO_CLASS`` without one.
        confusion: (true, predicted) class of the sentences that count as failed.
        lengths: fewest and most states of a sequence.
        top: how many sequences of each side are compared.

    Raises:
        DataError: the labels are not one a sentence.
        SettingError: a setting is out of its range.
    """
    check_settings(traces, confusion, lengths)
    if top < 1:
        raise SettingError(f"Each side's list needs 1 sequence or more; got {top}.")
    failed, correct = judged(traces, labels, confusion)
    frequent = set(_most_frequent(traces, correct, lengths, top))
    listed = [sequence for sequence in _most_frequent(traces, failed, lengths, top) if sequence not in frequent]
    states = np.zeros((len(listed), lengths[1]), dtype=np.int16)
    counts = np.zeros((2, len(listed)), dtype=np.int32)
    for row, sequence in enumerate(listed):
        states[row, : len(sequence)] = sequence
        sentences = np.unique(traces.sentence[starts(traces.state, traces, sequence)])
        counts[:, row] = failed[sentences].sum(), correct[sentences].sum()
    p = fisher_p(counts[0], counts.sum(axis=0), int(failed.sum()), int(failed.sum() + correct.sum()))
    word = np.full(len(listed), NO_WORD, dtype=np.int32)
    return BuggyPatterns(
        "states", traces, failed, correct, 0, states, word, counts[0], counts[1], p, np.full(len(listed), np.nan)
    )


def _most_frequent(traces: Traces, kept: Mask, lengths: tuple[int, int], top: int) -> list[tuple[int, ...]]:
    """The ``top`` sequences by support, ties by sequence."""
    state = np.asarray(traces.state)
    best: list[tuple[int, tuple[int, ...]]] = []
    level = Level.start(state, traces, kept, kept, 1)
    while len(level.first) and level.length <= lengths[1]:
        if level.length >= lengths[0]:
            chosen = np.argsort(-level.support, kind="stable")[:top]
            sequences = state[level.first[chosen, None] + np.arange(level.length)].tolist()
            new = zip((-level.support[chosen]).tolist(), map(tuple, sequences), strict=True)
            best = sorted([*best, *new])[:top]
        # Longer sequences are no more frequent: what is below the last of a full list never enters it.
        level = level.longer(state, kept, -best[-1][0] if len(best) == top else 1)
    return [sequence for _, sequence in best]
