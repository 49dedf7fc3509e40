"""Labels that may be wrong: confident learning on predictions for unseen sentences, and same texts with other labels.

Confident learning: Northcutt, Jiang and Chuang, "Confident learning: estimating uncertainty in dataset labels", JAIR 70
(2021), §3.1, by the library cleanlab. A class has as threshold the mean probability that the model gives it on the rows
labelled with it (equation 2). A row is suspected when it reaches the threshold of a class other than its label (of
several, that of the most probable one counts) and the model finds another class more probable than the label. Suspects
are ranked by self-confidence, the probability of the given label, lowest first. With two classes and similar thresholds
that is the plain ranking by self-confidence; what confident learning adds is where to stop.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from seer.build import fitting_rows
from seer.corpus import Corpus
from seer.errors import DataError, SettingError
from seer.models.batches import by_length, make_batch, one_thread
from seer.models.classifier import RNNClassifier
from seer.models.training import Sentences, TrainingSettings, train
from seer.progress import Progress, silent
from seer.study import Study
from seer.traces import FloatArray, IntArray

FEWEST_ROWS = 10
"""Fewer labelled rows than this say too little about what probability is usual for a class."""

FOLDS = 5
SIMILAR = 0.75
"""Near enough: one other word among seven, or one word more in a sentence of three."""

MOST_PAIRS = 10_000

_WORK = 50_000_000  # pairs of sentences with a rare word in common that are looked at, at most
_BLOCK = 2_000_000  # of these at a time
_BITS = 128
_TICKS = 1000
_TOO_FEW_TO_FOLD = "Cross-validation needs two classes with two labelled training sentences each."
_SLACK = 1e-9

_PICTURES = "\u2600-\u27bf\U0001f000-\U0001faff"
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # kana and han: each character is taken as a word
_WORDS = re.compile(f"[{_PICTURES}{_UNSPACED}]|[^\\W_{_PICTURES}{_UNSPACED}]+")
_APOSTROPHES = str.maketrans("", "", "'’")


@dataclass(frozen=True, eq=False)
class Suspects:
    """m rows whose label may be wrong, the most suspected first.

    Attributes:
        row: (m,) position in the corpus.
        given: (m,) class index of the label.
        suggested: (m,) class index that the model finds most probable.
        confidence: (m,) probability of the suggested class.
        self_confidence: (m,) probability of the given label; ascending.
        judged: number of rows that were looked at.
        note: why there are no suspects, ``None`` where there are.
    """

    row: IntArray
    given: IntArray
    suggested: IntArray
    confidence: FloatArray
    self_confidence: FloatArray
    judged: int
    note: str | None = None

    def __len__(self) -> int:
        return len(self.row)

    def within(self, rows: IntArray) -> Suspects:
        """Those among the given rows, such as a split; they were still judged by the thresholds of all."""
        keep = np.isin(self.row, rows)
        fields = ("row", "given", "suggested", "confidence", "self_confidence")
        note = self.note or (None if keep.any() else "None of these sentences has a suspected label.")
        return replace(self, **{name: getattr(self, name)[keep] for name in fields}, note=note)

    def records(self, corpus: Corpus, top: int | None = None) -> list[dict[str, Any]]:
        """The first ``top`` suspects, all when None: JSON-able, class names in place of indices."""
        names = np.array(corpus.classes, dtype=object)
        columns = {
            **_columns(corpus, self.row[:top]),
            "given": names[self.given[:top]].tolist(),
            "suggested": names[self.suggested[:top]].tolist(),
            "confidence": self.confidence[:top].tolist(),
            "self_confidence": self.self_confidence[:top].tolist(),
        }
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def find_suspects(labels: IntArray, probability: FloatArray) -> Suspects:
    """Suspect labels by confident learning.

    Args:
        labels: (n,) class indices, below 0 for none.
        probability: (n, C) class probabilities by a model that did not train on the row; NaN for a row that is not to
            be judged. Classes without a row are never a reason to suspect a label.
    """
    rows = np.flatnonzero((labels >= 0) & ~np.isnan(probability).any(axis=1))
    given, judged = labels[rows].astype(np.int64), probability[rows].astype(np.float64)
    if len(rows) < FEWEST_ROWS:
        return _nothing(len(rows), f"{len(rows)} labelled sentences are too few to judge; {FEWEST_ROWS} are needed.")
    if len(np.unique(given)) < 2:
        return _nothing(len(rows), "All labelled sentences here have the same label, so none can be doubted.")
    # One job and this filter: the others start processes or keep the data in globals, which two threads would share.
    # Imported at the first call: cleanlab brings the whole of datasets along, which would slow every start.
    filters = importlib.import_module("cleanlab.filter")
    wrong = np.flatnonzero(filters.find_label_issues(given, judged, filter_by="confident_learning", n_jobs=1))
    self_confidence = judged[wrong, given[wrong]]
    order = np.argsort(self_confidence, kind="stable")
    found, suggested = wrong[order], judged[wrong[order]].argmax(axis=1)
    note = None if len(found) else f"None of {len(rows):,} labels looks wrong."
    return Suspects(
        rows[found], given[found], suggested, judged[found, suggested], self_confidence[order], len(rows), note
    )


def _nothing(judged: int, note: str) -> Suspects:
    index, number = np.zeros(0, np.int64), np.zeros(0)
    return Suspects(index, index, index, number, number, judged, note)


def unseen_suspects(study: Study) -> Suspects:
    """Suspected labels of the rows that the study's classifier did not train on, judged together.

    The epoch to keep was chosen on the validation split, so its probabilities are slightly better than unseen ones.
    """
    probability = study.traces.final_probability.copy()
    probability[fitting_rows(study.corpus)] = np.nan
    found = find_suspects(study.corpus.labels, probability)
    if found.judged:
        return found
    return replace(found, note="The classifier trained on every labelled sentence; judge them by cross-validation.")


def training_suspects(study: Study, *, folds: int = FOLDS, seed: int = 0, progress: Progress = silent) -> Suspects:
    """Suspected labels of the training rows, by cross-validation: trains ``folds`` classifiers, which takes minutes.

    Raises:
        SettingError: fewer than two folds.
    """
    labels = _foldable_labels(study)
    if len(np.unique(labels[labels >= 0])) < 2:
        return _nothing(int((labels >= 0).sum()), _TOO_FEW_TO_FOLD)
    return find_suspects(labels, cross_validated_probability(study, folds=folds, seed=seed, progress=progress))


def cross_validated_probability(
    study: Study, *, folds: int = FOLDS, seed: int = 0, progress: Progress = silent
) -> FloatArray:
    """What classifiers like the study's say about the training rows that they did not train on.

    Each has the study's architecture, training settings and vocabulary, trains on the other folds, and keeps the epoch
    that does best on the study's validation split. Folds are stratified by label.

    Args:
        study: gives the sentences and the settings.
        folds: K, the number of classifiers to train.
        seed: shuffles the rows into folds.
        progress: told how far it is, in thousandths of a fold.

    Returns:
        (n, C) probabilities; NaN for rows outside the training split, without a label or a word, or alone in their
        class.

    Raises:
        SettingError: fewer than two folds.
        DataError: fewer than two classes with two labelled rows.
    """
    if folds < 2:
        raise SettingError(f"Cross-validation needs two folds or more, got {folds}.")
    labels = _foldable_labels(study)
    if len(np.unique(labels[labels >= 0])) < 2:
        raise DataError(_TOO_FEW_TO_FOLD)
    offsets, ids = study.tokenizer.encode(study.corpus.texts())
    validation = Sentences(offsets, ids, _validation_labels(study.corpus))
    settings = TrainingSettings(**study.checkpoint["training"])
    fold = _stratified_folds(labels, folds, seed)
    probability = np.full((len(labels), len(study.classes)), np.nan, dtype=np.float32)
    for number in range(folds):

        def tell(stage: str, done: int, total: int, number: int = number) -> None:
            progress("cross-validate", number * _TICKS + _TICKS * done // max(total, 1), folds * _TICKS)

        others = Sentences(offsets, ids, np.where(fold == number, -1, labels))
        model, _ = train(study.architecture, others, validation, settings, tell)
        held_out = np.flatnonzero(fold == number)
        probability[held_out] = _final_probability(model, offsets, ids, held_out)
    return probability


def _foldable_labels(study: Study) -> IntArray:
    """(n,) labels of the training rows with a word, -1 for the rest and for a row that is alone in its class."""
    labels = np.full(len(study.corpus), -1, dtype=np.int32)
    rows = fitting_rows(study.corpus)
    rows = rows[(study.traces.lengths[rows] > 0) & (study.corpus.labels[rows] >= 0)]
    counts = np.bincount(study.corpus.labels[rows], minlength=len(study.classes))
    rows = rows[counts[study.corpus.labels[rows]] > 1]
    labels[rows] = study.corpus.labels[rows]
    return labels


def _validation_labels(corpus: Corpus) -> IntArray:
    """(n,) labels of the validation split, -1 for the rest; none where the classifier trains on that split too."""
    labels = np.full(len(corpus), -1, dtype=np.int32)
    if {"train", "validation"} <= set(corpus.splits):
        rows = corpus.rows("validation")
        labels[rows] = corpus.labels[rows]
    return labels


def _stratified_folds(labels: IntArray, folds: int, seed: int) -> IntArray:
    """(n,) fold of each labelled row, -1 for the rest: dealt out class by class, so sizes differ by one at most."""
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(labels >= 0))
    fold = np.full(len(labels), -1, dtype=np.int64)
    fold[rows[np.argsort(labels[rows], kind="stable")]] = np.arange(len(rows)) % folds
    return fold


@torch.inference_mode()
def _final_probability(model: RNNClassifier, offsets: IntArray, ids: IntArray, rows: IntArray) -> FloatArray:
    """(m, C) distribution after the last word of the given sentences, each with a word."""
    probability = np.empty((len(rows), model.architecture.classes), dtype=np.float32)
    with one_thread():
        for part in by_length(np.diff(offsets)[rows]):
            probability[part] = torch.softmax(model(make_batch(offsets, ids, rows[part])), dim=-1).numpy()
    return probability


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
            columns = {**_columns(corpus, rows), "label": labels}
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


def _columns(corpus: Corpus, rows: IntArray) -> dict[str, list[Any]]:
    """Row, id, split and text of rows (m,), as lists."""
    part = corpus.table.take(pa.array(rows, pa.int64()))
    return {"row": rows.tolist(), **{name: part[name].to_pylist() for name in ("id", "split", "text")}}
