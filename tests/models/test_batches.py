"""Pairs side by side: where each word stands, and rows that hold both sentences."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from seer.models.batches import Batch, PairBatch, make_batch, make_pairs, pad_rows
from tests.pairs.small import Pair, batch_of

PAIRS = st.lists(
    st.tuples(st.lists(st.integers(1, 99), max_size=5), st.lists(st.integers(1, 99), max_size=5)),
    min_size=1,
    max_size=6,
)


@given(PAIRS)
def test_pairs_are_padded_side_by_side(pairs: list[Pair]) -> None:
    batch = batch_of(pairs)
    assert len(batch) == len(pairs)
    for number, side in enumerate(batch.sides):
        words = [pair[number] for pair in pairs]
        assert side.lengths.tolist() == [len(row) for row in words]
        assert side.ids.shape == (len(pairs), max(1, *map(len, words)) if len(words) > 1 else max(1, len(words[0])))
        assert [row[:length] for row, length in zip(side.ids.tolist(), side.lengths.tolist(), strict=True)] == words
        assert not side.ids[~side.mask].any()
    assert torch.equal(batch.lengths, torch.cat([batch.premise.lengths, batch.hypothesis.lengths]))
    assert batch.ids.shape == (2 * len(pairs), max(side.ids.shape[1] for side in batch.sides))


@given(PAIRS)
def test_rows_hold_the_premise_and_then_the_hypothesis(pairs: list[Pair]) -> None:
    batch = batch_of(pairs)
    rows = batch.in_rows(torch.stack([batch.ids, -batch.ids], dim=-1))
    assert rows.shape[:2] == batch.mask.shape
    for row, (premise, hypothesis) in enumerate(pairs):
        expected = premise + hypothesis
        assert rows[row, : len(expected), 0].tolist() == expected
        assert rows[row, : len(expected), 1].tolist() == [-word for word in expected]
        assert not rows[row, len(expected) :].any()
        assert batch.mask[row].tolist() == [place < len(expected) for place in range(batch.mask.shape[1])]


def test_some_pairs_of_a_corpus_in_any_order() -> None:
    offsets, ids, first = np.array([0, 3, 3, 5]), np.array([4, 5, 6, 7, 8]), np.array([2, 0, 0])
    batch = make_pairs(offsets, ids, first, np.array([2, 0, 1]))
    assert batch.premise.ids.tolist() == [[0, 0], [4, 5], [0, 0]]
    assert batch.hypothesis.ids.tolist() == [[7, 8], [6, 0], [0, 0]]
    assert batch.ids.dtype == torch.int64


def test_rows_of_either_kind() -> None:
    offsets, ids, rows = np.array([0, 3, 5]), np.array([4, 5, 6, 7, 8]), np.array([1, 0])
    single, pairs = pad_rows(offsets, ids, rows, None), pad_rows(offsets, ids, rows, np.array([1, 2]))
    assert isinstance(single, Batch)
    assert isinstance(pairs, PairBatch)
    assert torch.equal(single.ids, make_batch(offsets, ids, rows).ids)
    assert pairs.premise.lengths.tolist() == [2, 1]
