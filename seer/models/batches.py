"""Ragged sentences → padded batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from seer.text import PAD_ID

IntArray = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Batch:
    """B sentences padded to T words: ``ids`` (B, T) int64 and ``lengths`` (B,) int64, each 1 or more."""

    ids: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """(B, T) true at real words."""
        return torch.arange(self.ids.shape[1]) < self.lengths[:, None]


def make_batch(offsets: IntArray, ids: IntArray, sentences: IntArray) -> Batch:
    """Pad the given sentences of a ragged corpus side by side.

    Args:
        offsets: (n+1,) where each sentence begins in ``ids``.
        ids: (N,) word ids.
        sentences: (B,) positions of sentences with at least one word.
    """
    lengths = offsets[sentences + 1] - offsets[sentences]
    columns = np.arange(lengths.max())
    real = columns < lengths[:, None]
    padded = np.full(real.shape, PAD_ID, dtype=np.int64)
    padded[real] = ids[(offsets[sentences][:, None] + columns)[real]]
    return Batch(torch.from_numpy(padded), torch.from_numpy(np.asarray(lengths, dtype=np.int64)))


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
