"""Many numbers in few: how far methods agree on a sentence, and which words count most over many sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from seer.relevance.record import WordRelevance
from seer.traces import FloatArray, IntArray


def rank_agreement(relevance: Sequence[FloatArray], signed: Sequence[bool]) -> FloatArray:
    """Spearman's rank correlation of each pair of methods over the words of a sentence.

    A method without a sign is compared with the strength |R| of the others.

    Args:
        relevance: M arrays (T,).
        signed: (M,) whether each method's numbers have a sign.

    Returns:
        (M, M); NaN where a method gives all words the same, or there are fewer than two words.
    """
    count = len(relevance)
    out = np.full((count, count), np.nan)
    for one in range(count):
        for other in range(one, count):
            both = signed[one] and signed[other]
            pair = [np.asarray(relevance[place], dtype=np.float64) for place in (one, other)]
            out[one, other] = out[other, one] = _spearman(*(pair if both else map(np.abs, pair)))
    return out


def _spearman(first: FloatArray, second: FloatArray) -> float:
    ranks = [rankdata(values) - (len(values) + 1) / 2 for values in (first, second)]
    spread = np.sqrt((ranks[0] ** 2).sum() * (ranks[1] ** 2).sum())
    return float((ranks[0] * ranks[1]).sum() / spread) if spread > 0 else float("nan")


@dataclass(frozen=True)
class WordRanking:
    """W distinct words of some sentences.

    Attributes:
        word: (W,) vocabulary ids.
        count: (W,) how often each was read.
        total: (W,) sum of its relevance.
        median: (W,) median of its relevance.
    """

    word: IntArray
    count: IntArray
    total: FloatArray
    median: FloatArray

    def __len__(self) -> int:
        return len(self.word)

    @property
    def mean(self) -> FloatArray:
        """(W,) mean relevance of an occurrence."""
        return self.total / np.maximum(self.count, 1)

    def value(self, by: str) -> FloatArray:
        """(W,) ``"mean"``, ``"median"`` or ``"sum"``."""
        return {"mean": self.mean, "median": self.median, "sum": self.total}[by]

    def select(self, keep: IntArray) -> WordRanking:
        """The words at some places, in that order."""
        return WordRanking(self.word[keep], self.count[keep], self.total[keep], self.median[keep])

    def ordered(self, by: str, least: int = 1, exclude: frozenset[int] = frozenset()) -> WordRanking:
        """From the most for the class to the most against it.

        Args:
            by: ``"mean"``, ``"median"`` or ``"sum"``.
            least: leave out words read less often.
            exclude: ids to leave out.
        """
        keep = np.flatnonzero((self.count >= least) & ~np.isin(self.word, list(exclude)))
        return self.select(keep[np.lexsort((self.word[keep], -self.value(by)[keep]))])

    def ends(self, by: str, most: int) -> WordRanking:
        """Of a ranking ordered ``by``: the first words for the class and the last ones against it, ``most`` of each."""
        value = self.value(by)
        places = np.arange(len(self))
        return self.select(np.concatenate([places[value > 0][:most], places[value < 0][-most:]]))


def rank_words(relevance: WordRelevance) -> WordRanking:
    """Gather the relevance of every word over the sentences it was read in."""
    word, place = np.unique(relevance.token, return_inverse=True)
    count = np.bincount(place, minlength=len(word))
    total: FloatArray = np.bincount(place, weights=relevance.relevance, minlength=len(word)).astype(np.float64)
    ordered = np.asarray(relevance.relevance, dtype=np.float64)[np.lexsort((relevance.relevance, place))]
    begin = np.cumsum(count) - count
    median = (ordered[begin + (count - 1) // 2] + ordered[begin + count // 2]) / 2
    return WordRanking(word, count, total, median)
