"""Which prefixes of a sentence a model is re-run on, when its states at a word have seen what follows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.integer]

_PREFIXES = 38  # of one sentence: keeps their cost below 20 plain forwards at any length


def prefix_stride(length: int) -> int:
    """Every how many words a two-way model is re-run on the prefix of a sentence of that length."""
    return max(1, -(-length // _PREFIXES))


@dataclass(frozen=True)
class Prefixes:
    """The P prefixes of B sentences padded to T words.

    Attributes:
        row: (P,) whose prefix it is.
        end: (P,) place of its last word.
        newest: (B, T) for each word the newest prefix that ends at or before it.
    """

    row: IntArray
    end: IntArray
    newest: IntArray

    def __len__(self) -> int:
        return len(self.row)

    @classmethod
    def of(cls, lengths: IntArray) -> Prefixes:
        """Every ``prefix_stride``-th word of each sentence ends a prefix, and so does its last.

        Args:
            lengths: (B,) words of each sentence, each 1 or more.
        """
        strides = np.array([prefix_stride(int(length)) for length in lengths])
        position = np.arange(lengths.max())[None, :]
        final = position == lengths[:, None] - 1
        wanted = ((position % strides[:, None] == 0) & (position < lengths[:, None])) | final
        row, end = np.nonzero(wanted)
        # The running count of a row's prefixes, minus one, after those of the rows above.
        newest = np.cumsum(wanted, axis=1) - 1 + np.concatenate([[0], np.cumsum(wanted.sum(1))[:-1]])[:, None]
        return cls(row, end, newest)

    def groups(self, budget: int = 65_536, least: int = 1) -> Iterator[IntArray]:
        """Positions of prefixes of similar length, the longest first, at most ``budget`` padded words together.

        Args:
            budget: padded words.
            least: words that a prefix counts for, even a shorter one.
        """
        order = np.argsort(-self.end, kind="stable")
        begin = 0
        while begin < len(order):
            size = max(1, budget // max(least, int(self.end[order[begin]]) + 1))
            yield order[begin : begin + size]
            begin += size
