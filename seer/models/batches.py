"""Ragged sentences → padded batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from seer.text import PAD_ID

IntArray = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Batch:
    """B sentences padded to T words: ``ids`` (B, T) int64 and ``lengths`` (B,) int64, each 1 or more outside pairs."""

    ids: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """(B, T) true at real words."""
        return torch.arange(self.ids.shape[1]) < self.lengths[:, None]

    @property
    def sides(self) -> tuple[Batch, ...]:
        """The sentences of a row as batches of their own."""
        return (self,)


def make_batch(offsets: IntArray, ids: IntArray, sentences: IntArray) -> Batch:
    """Pad the given sentences of a ragged corpus side by side.

    Args:
        offsets: (n+1,) where each sentence begins in ``ids``.
        ids: (N,) word ids.
        sentences: (B,) positions of sentences with at least one word.
    """
    return _pad(ids, offsets[sentences], offsets[sentences + 1] - offsets[sentences])


def _pad(ids: IntArray, begin: IntArray, lengths: IntArray) -> Batch:
    """The words ``ids[begin:begin + length]`` of each row, side by side; at least one column."""
    columns = np.arange(max(1, lengths.max(initial=0)))
    real = columns < lengths[:, None]
    padded = np.full(real.shape, PAD_ID, dtype=np.int64)
    padded[real] = ids[(begin[:, None] + columns)[real]]
    return Batch(torch.from_numpy(padded), torch.from_numpy(np.asarray(lengths, dtype=np.int64)))


@dataclass(frozen=True)
class PairBatch:
    """B sentence pairs; either side of a pair may be without a word."""

    premise: Batch
    hypothesis: Batch

    def __len__(self) -> int:
        return len(self.premise.lengths)

    @property
    def sides(self) -> tuple[Batch, ...]:
        """The sentences of a row as batches of their own."""
        return (self.premise, self.hypothesis)

    @property
    def lengths(self) -> Tensor:
        """(2B,) words of the premises, then of the hypotheses."""
        return torch.cat([self.premise.lengths, self.hypothesis.lengths])

    @property
    def mask(self) -> Tensor:
        """(B, W) true at the words of a row, which is the premise's words followed by the hypothesis's."""
        words = self.premise.lengths + self.hypothesis.lengths
        return torch.arange(int(words.max())) < words[:, None]

    def in_rows(self, sides: Tensor) -> Tensor:
        """(B, W, H) the values of each row's words, premise first; 0 at padding.

        Args:
            sides: (2B, T, H) premises above hypotheses.
        """
        mask = self.mask
        premise, hypothesis = sides.chunk(2)
        place = torch.arange(mask.shape[1]).expand(mask.shape)
        first = self.premise.lengths[:, None]
        both = torch.cat([premise, hypothesis], dim=1)
        source = torch.where(place < first, place, place - first + premise.shape[1]) * mask
        return both.gather(1, source[..., None].expand(*mask.shape, sides.shape[2])) * mask[..., None]

    @property
    def ids(self) -> Tensor:
        """(2B, T) the premises above the hypotheses, padded to the longest of all."""
        longest = max(self.premise.ids.shape[1], self.hypothesis.ids.shape[1])
        sides = (self.premise.ids, self.hypothesis.ids)
        return torch.cat([nn.functional.pad(side, (0, longest - side.shape[1])) for side in sides])


def make_pairs(offsets: IntArray, ids: IntArray, first: IntArray, pairs: IntArray) -> PairBatch:
    """Pad the given pairs of a ragged corpus, in which each row is a premise's words followed by a hypothesis's.

    Args:
        offsets: (n+1,) where each row begins in ``ids``.
        ids: (N,) word ids.
        first: (n,) words of each premise.
        pairs: (B,) positions.
    """
    middle = offsets[:-1] + first
    return PairBatch(
        _pad(ids, offsets[:-1][pairs], first[pairs]), _pad(ids, middle[pairs], (offsets[1:] - middle)[pairs])
    )


def pad_rows(offsets: IntArray, ids: IntArray, rows: IntArray, first: IntArray | None) -> Batch | PairBatch:
    """The given rows of a ragged corpus: sentences, or pairs where ``first`` says how many words each premise has."""
    return make_batch(offsets, ids, rows) if first is None else make_pairs(offsets, ids, first, rows)


def by_length(lengths: IntArray, budget: int = 16_384) -> list[IntArray]:
    """Group sentences with at least one word into batches of similar length, longest first.

    Args:
        lengths: (n,) words of each sentence.
        budget: most padded words a batch may have; one sentence longer than that is a batch of its own.

    Returns:
        Arrays of positions that together name each sentence with a word once.
    """
    order = np.argsort(-lengths, kind="stable")
    order = order[lengths[order] > 0]
    groups: list[IntArray] = []
    begin = 0
    while begin < len(order):
        size = max(1, budget // int(lengths[order[begin]]))
        groups.append(order[begin : begin + size])
        begin += size
    return groups


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch on one thread, so that sums are added in one order whatever the machine offers."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
