"""Sentences with the same or nearly the same words but another label."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from seer.corpus import Corpus
from seer.errors import SettingError
from seer.suspects.columns import row_columns
from seer.traces import FloatArray, IntArray

SIMILAR = 0.75
"""Near enough: one other word among seven, or one word more in a sentence of three."""

MOST_PAIRS = 10_000

_WORK = 50_000_000  # pairs of sentences with a rare word in common that are looked at, at most
_BLOCK = 2_000_000  # of these at a time
_BITS = 128
_SLACK = 1e-9

_PICTURES = "\u2600-\u27bf\U0001f000-\U0001faff"
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # kana and han: each character is taken as a word
_WORDS = re.compile(f"[{_PICTURES}{_UNSPACED}]|[^\\W_{_PICTURES}{_UNSPACED}]+")
_APOSTROPHES = str.maketrans("", "", "'’")


@dataclass(frozen=True, eq=False)
class Conflicts:
    """m pairs of rows with the same or nearly the same text and different labels, the most similar first.

    Attributes:
        first: (m,) position of a row.
        second: (m,) position of the other, after the first; no pair comes twice.
        similarity: (m,) words that both have among the words that either has (Jaccard); 1 for the same words.
        exact: (m,) whether the texts are the same but for case, white space and punctuation.
        total: number of pairs found, which is above m where only the most similar were kept.
        note: what was left out or why nothing was found, else ``None``.
    """

    first: IntArray
    second: IntArray
    similarity: FloatArray
    exact: npt.NDArray[np.bool_]
    total: int
    note: str | None = None

    def __len__(self) -> int:
        return len(self.first)

    def records(self, corpus: Corpus, top: int | None = None) -> list[dict[str, Any]]:
        """The first ``top`` pairs, all when None: JSON-able; each side with its row, id, split, text and label."""
        sides = []
        for rows in (self.first[:top], self.second[:top]):
            labels = [corpus.classes[label] for label in corpus.labels[rows]]
            columns = {**row_columns(corpus, rows), "label": labels}
            sides.append([dict(zip(columns, side, strict=True)) for side in zip(*columns.values(), strict=True)])
        pairs = zip(self.similarity[:top].tolist(), self.exact[:top].tolist(), *sides, strict=True)
        return [dict(zip(("similarity", "exact", "first", "second"), pair, strict=True)) for pair in pairs]


def conflicting_texts(
    texts: Sequence[str], labels: IntArray, *, threshold: float = SIMILAR, most: int = MOST_PAIRS
) -> Conflicts:
    """Pairs of labelled texts that are the same, or nearly, and have different labels; splits do not matter.

    Similarity is Jaccard's over the sets of words. The pairs are exact, not sampled: two sets as similar as t have a
    word in common among the |x| − ⌈t·|x|⌉ + 1 rarest of each (prefix filter; Chaudhuri, Ganti and Kaushik, ICDE 2006;
    Bayardo, Ma and Srikant, WWW 2007), and parity bits of hashed words rule out most of those candidates (Sandes,
    Teodoro and Melo, Information Systems 2020). Where too many texts share their rarest words, the commonest of these
    are passed over and ``note`` says so; pairs with the same text are always found.

    Args:
        texts: n texts, such as ``corpus.texts()``.
        labels: (n,) class indices, below 0 for none.
        threshold: least similarity of a pair, 0.5 to 1.
        most: pairs to keep, the most similar.

    Raises:
        SettingError: the threshold or ``most`` is out of its range.
    """
    if not 0.5 <= threshold <= 1:
        raise SettingError(f"The similarity must lie between 0.5 and 1, got {threshold}.")
    if most < 1:
        raise SettingError(f"The number of pairs must be 1 or more, got {most}.")
    plain = [plain_words(text) for text in texts]
    numbers: dict[str, int] = {"": 0}
    text = np.array([numbers.setdefault(words, len(numbers)) for words in plain], dtype=np.int64)
    rows = np.flatnonzero((labels >= 0) & (text > 0))
    # Rows with the same words and the same label are one item; the items come sorted by text.
    classes = int(labels.max(initial=0)) + 1
    keys, members, sizes = np.unique(text[rows] * classes + labels[rows], return_inverse=True, return_counts=True)
    item_text, item_label = np.divmod(keys, classes)
    same = _same_text(item_text)
    chosen = np.array([*numbers], dtype=object)[item_text].tolist()
    near, found, cut = _near_texts(chosen, item_text, item_label, sizes, threshold, most)
    pairs = _Pairs(*(np.concatenate(both) for both in zip(same, near, strict=True)))
    total = found + int((sizes[same.first] * sizes[same.second]).sum())
    first, second, of = _row_pairs(pairs, rows[np.argsort(members, kind="stable")], sizes, most)
    order = np.lexsort((second, first, -pairs.similarity[of]))[:most]
    of, exact = of[order], item_text[pairs.first] == item_text[pairs.second]
    return Conflicts(first[order], second[order], pairs.similarity[of], exact[of], total, _note(total, most, cut))


def plain_words(text: str) -> str:
    """The words of a text in lower case with single spaces between, without punctuation; all of it if it has no word.

    Letters are compared in their compatible form (NFKC); pictures such as emoji are words.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_WORDS.findall(folded.translate(_APOSTROPHES)) or folded.split())


class _Pairs(NamedTuple):
    """Pairs of items: (k,) first, (k,) second, (k,) similarity."""

    first: IntArray
    second: IntArray
    similarity: FloatArray


def _same_text(text: IntArray) -> _Pairs:
    """All pairs of items (m,) with the same text, which stand side by side."""
    firsts, seconds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for apart in range(1, len(text)):
        first = np.flatnonzero(text[:-apart] == text[apart:])
        if not len(first):
            break
        firsts.append(first)
        seconds.append(first + apart)
    first = np.concatenate(firsts)
    return _Pairs(first, np.concatenate(seconds), np.ones(len(first)))


def _near_texts(
    texts: list[str], text: IntArray, label: IntArray, sizes: IntArray, threshold: float, most: int
) -> tuple[_Pairs, int, bool]:
    """The most similar pairs of items with other texts and labels, how many row pairs, and whether some were cut."""
    best, total = _Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)), 0
    if not texts:
        return best, total, False
    words = _word_sets(texts)
    rarest, cut = _rarest(words, threshold)
    holders = rarest.T.tocsr()
    parity, lengths = _parity(words), np.diff(words.indptr)
    for begin, end in _blocks(rarest):
        first, second = (rarest[begin:end] @ holders).nonzero()
        first = first + begin
        keep = (first < second) & (label[first] != label[second]) & (text[first] != text[second])
        first, second = first[keep], second[keep]
        differing = np.bitwise_count(parity[first] ^ parity[second]).sum(axis=1)
        keep = differing * (1 + threshold) <= (1 - threshold) * (lengths[first] + lengths[second]) + _SLACK
        first, second = first[keep], second[keep]
        similarity = _jaccard(words, first, second)
        keep = similarity >= threshold - _SLACK
        total += int((sizes[first[keep]] * sizes[second[keep]]).sum())
        new = (first[keep], second[keep], similarity[keep])
        best = _most_similar(_Pairs(*(np.concatenate(both) for both in zip(best, new, strict=True))), most)
    return best, total, cut


def _word_sets(texts: list[str]) -> sparse.csr_array:
    """(m, V) which words each text has; the words are numbered from the rarest to the commonest."""
    counts = CountVectorizer(analyzer=str.split, binary=True, dtype=np.int32).fit_transform(texts).tocsr()
    order = np.argsort(np.bincount(counts.indices, minlength=counts.shape[1]), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    words = sparse.csr_array((counts.data, rank[counts.indices], counts.indptr), shape=counts.shape)
    words.sort_indices()
    return words


def _rarest(words: sparse.csr_array, threshold: float) -> tuple[sparse.csr_array, bool]:
    """(m, V) the rarest words of each text, one of which any similar text shares; and whether common ones were cut."""
    lengths = np.diff(words.indptr)
    wanted = lengths - np.ceil(threshold * lengths - _SLACK).astype(np.int64) + 1
    place = np.arange(words.nnz) - np.repeat(words.indptr[:-1], lengths)
    keep = place < np.repeat(wanted, lengths)
    holders = np.bincount(words.indices[keep], minlength=words.shape[1]).astype(np.int64)
    order = np.argsort(holders, kind="stable")
    within = np.zeros(words.shape[1], dtype=bool)
    within[order] = np.cumsum(holders[order] ** 2) <= _WORK
    keep &= within[words.indices]
    text = np.repeat(np.arange(len(lengths)), lengths)[keep]
    shape = words.shape
    return sparse.csr_array((np.ones(len(text), bool), (text, words.indices[keep])), shape=shape), not within.all()


def _blocks(rarest: sparse.csr_array) -> list[tuple[int, int]]:
    """Cuts the rows where the pairs to look at reach ``_BLOCK``, so that memory stays bounded."""
    holders = np.bincount(rarest.indices, minlength=rarest.shape[1])
    work = np.concatenate([[0], np.cumsum(holders[rarest.indices])])[rarest.indptr]
    cuts = np.searchsorted(work, np.arange(0, work[-1], _BLOCK))
    bounds = np.unique([0, *cuts, rarest.shape[0]]).tolist()
    return list(pairwise(bounds))


def _parity(words: sparse.csr_array) -> npt.NDArray[np.uint64]:
    """(m, 2) one bit for each of ``_BITS`` groups of words: whether the text has an odd number of them.

    Two sets differ in at least as many words as they differ in bits.
    """
    counts = np.zeros((words.shape[0], _BITS), dtype=np.uint8)
    text = np.repeat(np.arange(words.shape[0]), np.diff(words.indptr))
    np.add.at(counts, (text, words.indices % _BITS), 1)
    return np.packbits(counts & 1, axis=1).view(np.uint64)


def _jaccard(words: sparse.csr_array, first: IntArray, second: IntArray) -> FloatArray:
    """(k,) shared words over all words of pairs of texts."""
    lengths = np.diff(words.indptr)
    step = max(1, _BLOCK // int(lengths.max(initial=1)))
    shared = np.zeros(len(first), dtype=np.int64)
    for begin in range(0, len(first), step):
        part = slice(begin, begin + step)
        shared[part] = words[first[part]].multiply(words[second[part]]).sum(axis=1)
    similarity: FloatArray = shared / (lengths[first] + lengths[second] - shared)
    return similarity


def _most_similar(pairs: _Pairs, most: int) -> _Pairs:
    order = np.lexsort((pairs.second, pairs.first, -pairs.similarity))[:most]
    return _Pairs(pairs.first[order], pairs.second[order], pairs.similarity[order])


def _row_pairs(pairs: _Pairs, members: IntArray, sizes: IntArray, most: int) -> tuple[IntArray, IntArray, IntArray]:
    """Pairs of items → pairs of rows, the lower row first, and the item pair of each; a little over ``most`` at most.

    Args:
        pairs: pairs of items.
        members: (r,) rows, item by item.
        sizes: (m,) rows of each item.
        most: rows to make.
    """
    order = np.argsort(-pairs.similarity, kind="stable")
    counts = np.minimum(sizes[pairs.first] * sizes[pairs.second], most)[order]
    enough = int(np.searchsorted(np.cumsum(counts), most)) + 1
    order, counts = order[:enough], counts[:enough]
    of = np.repeat(order, counts)
    number = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = np.cumsum(sizes) - sizes
    across = sizes[pairs.second[of]]
    one = members[starts[pairs.first[of]] + number // across]
    other = members[starts[pairs.second[of]] + number % across]
    return np.minimum(one, other), np.maximum(one, other), of


def _note(total: int, most: int, cut: bool) -> str | None:
    notes = []
    if cut:
        notes.append(
            "Many sentences share their rarest words, so pairs of nearly the same text may be missing; "
            "those with the same text are complete."
        )
    if total > most:
        notes.append(f"Of {total:,} pairs, the {most:,} most similar are kept.")
    elif not total:
        notes.append("No two sentences with different labels have the same or nearly the same text.")
    return " ".join(notes) or None
