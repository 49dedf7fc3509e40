"""What goes with failure: state sequences, (state, word) pairs and words that failed sentences hold more often.

Source: DeepSeer (Wang et al., CHI 2023), buggy patterns. Each is counted once a sentence, exactly, and tested with
Fisher's exact test; false discoveries are held down after Benjamini and Hochberg (1995).

The family of tests is every candidate of the kind that at least ``minimum_support`` of the sentences looked at hold,
failed and correct together; of state sequences only the closed ones, since a sequence held by the same sentences as its
extension is the same test once more. Neither choice looks at which sentences failed, so it leaves the tests valid; a
minimum on the failed alone would not. Patterns overlap, so the tests depend on each other, mostly positively, which the
procedure allows (Benjamini and Yekutieli, 2001). A pattern without a failed sentence is tested, but not listed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from seer.errors import SettingError
from seer.patterns.ranked import KINDS, NO_WORD, BuggyPatterns
from seer.patterns.significance import benjamini_hochberg, fisher_p
from seer.patterns.windows import Level, Mask, fold, judged, levels, stable_order
from seer.rates import ratio
from seer.traces import IntArray, Traces


def mine_buggy(
    traces: Traces,
    labels: IntArray,
    *,
    kind: str = "states",
    confusion: tuple[int, int] | None = None,
    minimum_support: int = 5,
    lengths: tuple[int, int] = (1, 10),
) -> BuggyPatterns:
    """Patterns that go with failure, ranked by q, then lift, then support, then states and word.

    A state sequence is left out when the same sentences hold one that is a state longer, to the left or right, and no
    longer than the longest. Whatever holds the longer one holds the shorter, so equal supports mean equal sentences.

    Args:
        traces: n sentences.
        labels: (n,) true class, ``NO_CLASS`` without one; such sentences and those without a token are left out.
        kind: ``"states"``, ``"state_words"`` (a word and the state it is read into) or ``"words"``.
        confusion: (true, predicted) class of the sentences that count as failed; correct are all correct ones.
        minimum_support: sentences, failed or correct, that must hold a pattern.
        lengths: fewest and most states of a sequence.

    Raises:
        DataError: the labels are not one a sentence.
        SettingError: a setting is out of its range.
    """
    if kind not in KINDS:
        raise SettingError(f"Buggy patterns are of the kind {', '.join(KINDS)}; got {kind!r}.")
    if minimum_support < 1:
        raise SettingError(f"A pattern needs a minimum support of 1 sentence or more; got {minimum_support}.")
    check_settings(traces, confusion, lengths)
    failed, correct = judged(traces, labels, confusion)
    parts = list(_candidates(traces, failed, failed | correct, kind, minimum_support, lengths))
    states, word, n_f, support = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    # p, q, lift and support follow from the pair (n_f, support), and few pairs are distinct.
    pairs, place, times = np.unique(n_f.astype(np.int64) << 32 | support, return_inverse=True, return_counts=True)
    pair_failed, pair_support = pairs >> 32, pairs & 0xFFFFFFFF
    failures, total = int(failed.sum()), int(failed.sum() + correct.sum())
    p = fisher_p(pair_failed, pair_support, failures, total)
    q = benjamini_hochberg(p, times)
    lift = ratio(pair_failed, pair_support)  # over a base rate that is the same for all
    rank = np.empty(len(pairs), dtype=np.int32)
    rank[np.lexsort((-pair_support, -lift, q))] = np.arange(len(pairs), dtype=np.int32)
    listed = np.flatnonzero(n_f > 0)
    columns = [rank[place[listed]], *states[listed].T, word[listed] - NO_WORD]
    order = listed[stable_order(fold(columns, [int(column.max(initial=0)) + 1 for column in columns]))]
    n_f, n_c, place = n_f[order], support[order] - n_f[order], place[order]
    return BuggyPatterns(
        kind, traces, failed, correct, len(support), states[order], word[order], n_f, n_c, p[place], q[place]
    )


def check_settings(traces: Traces, confusion: tuple[int, int] | None, lengths: tuple[int, int]) -> None:
    """Refuse settings that mean nothing.

    Raises:
        SettingError: with what was expected and what came.
    """
    if not 1 <= lengths[0] <= lengths[1]:
        raise SettingError(f"Expected the fewest and the most states, from 1 up; got {lengths[0]} and {lengths[1]}.")
    if confusion and (confusion[0] == confusion[1] or not all(0 <= index < traces.classes for index in confusion)):
        raise SettingError(f"A confusion is of two different classes from 0 to {traces.classes - 1}; got {confusion}.")


Columns = tuple[IntArray, IntArray, IntArray, IntArray]
"""States (P, W), word (P,), n_f (P,), support (P,)."""


def _candidates(
    traces: Traces, failed: Mask, kept: Mask, kind: str, minimum: int, lengths: tuple[int, int]
) -> Iterator[Columns]:
    """The candidates of a kind, in parts."""
    state = np.asarray(traces.state)
    width = {"states": lengths[1], "state_words": 1, "words": 0}[kind]
    none = np.zeros(0, dtype=np.int32)
    yield np.zeros((0, width), dtype=np.int16), none, none, none
    if kind == "states":
        for level, closed in _closed(levels(state, traces, kept, failed, minimum, lengths[1])):
            if level.length >= lengths[0]:
                rows = np.zeros((int(closed.sum()), width), dtype=np.int16)
                rows[:, : level.length] = state[level.first[closed, None] + np.arange(level.length)]
                word = np.full(len(rows), NO_WORD, dtype=np.int32)
                yield rows, word, level.marked[closed], level.support[closed]
        return
    token = np.asarray(traces.token)
    vocabulary = int(token.max(initial=0)) + 1
    symbols = token if kind == "words" else state.astype(np.int64) * vocabulary + token
    for level in levels(symbols, traces, kept, failed, minimum, 1):
        rows = state[level.first].astype(np.int16).reshape(-1, 1)[:, :width]
        yield rows, token[level.first].astype(np.int32), level.marked, level.support


def _closed(found: Iterator[Level]) -> Iterator[tuple[Level, Mask]]:
    """Each level with a mask of the patterns, (P,), that more sentences hold than any extension by one symbol."""
    before: Level | None = None
    for level in found:
        if before is not None:
            closed = np.ones(len(before.first), dtype=bool)
            for shorter in (level.prefix, level.suffix):
                closed[shorter[level.support == before.support[shorter]]] = False
            yield before, closed
        before = level
    if before is not None:
        yield before, np.ones(len(before.first), dtype=bool)
