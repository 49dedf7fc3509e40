"""Word deletion: does the prediction follow the words that a relevance method names?

Relevance is computed once, for the *true* class. Words are then taken out of the sentence one after another, and the
model reads what is left (Arras, Osman, Müller, Samek, BlackboxNLP 2019, section 4.2). A good method finds the words a
right prediction hangs on, so that accuracy falls fast, and the words that misled a wrong one, so that it recovers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from seer.errors import DataError, SettingError
from seer.evaluation.seeds import checked_seed
from seer.models.batches import by_length, make_batch, one_thread
from seer.models.classifier import Architecture, RNNClassifier
from seer.progress import Progress, silent
from seer.relevance.methods import METHODS, attribute_rows, find_method, settings_by_method
from seer.study import Study
from seer.traces import FloatArray, IntArray

RANDOM = "random"
RANDOM_RUNS = 10
"""Random orders that the random line is the mean of."""

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DeletionCurve:
    """How accuracy moves while words are deleted in the order of a method's relevance.

    Attributes:
        method: a key of ``METHODS``.
        group: the sentences that the model got ``correct`` or ``wrong`` before anything was deleted.
        order: ``falling``: what speaks most for the true class goes first; ``rising``: what speaks most against it.
        accuracy: share of the group that is predicted right after 0, 1, … deletions; NaN for an empty group.
    """

    method: str
    group: str
    order: str
    accuracy: tuple[float, ...]

    def record(self) -> dict[str, Any]:
        """JSON-able fields and the method's title."""
        shares = [None if np.isnan(share) else share for share in self.accuracy]
        title = METHODS[self.method].title
        return {"method": self.method, "title": title, "group": self.group, "order": self.order, "accuracy": shares}


@dataclass(frozen=True)
class Deletion:
    """Deletion curves of several methods on the same sentences.

    Attributes:
        split: where the sentences come from.
        correct: sentences that the model got right at first.
        wrong: those it got wrong.
        deletions: most words deleted from a sentence.
        least_words: a shorter sentence is left out.
        seed: of the random line, and of the draw when there are more sentences than wanted.
        curves: for each method, the random control last: correct falling, wrong rising, wrong falling.
        settings: those given, by method.
        strain: of each method the largest |relevance| of a word, and |logit| of its sentence.
    """

    split: str
    correct: int
    wrong: int
    deletions: int
    least_words: int
    seed: int
    curves: tuple[DeletionCurve, ...]
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    strain: dict[str, tuple[float, float]] = field(default_factory=dict)

    def accuracy(self, method: str, group: str = "correct", order: str = "falling") -> tuple[float, ...]:
        """The shares of one curve.

        Raises:
            SettingError: there is no such curve.
        """
        for curve in self.curves:
            if (curve.method, curve.group, curve.order) == (method, group, order):
                return curve.accuracy
        raise SettingError(f"No curve was measured for {method}, {group} sentences, {order} relevance.")

    def record(self) -> dict[str, Any]:
        """JSON-able fields."""
        return {
            "split": self.split,
            "sentences": self.correct + self.wrong,
            "correct": self.correct,
            "wrong": self.wrong,
            "deletions": self.deletions,
            "least_words": self.least_words,
            "seed": self.seed,
            "random_runs": RANDOM_RUNS,
            "settings": self.settings,
            "curves": [curve.record() for curve in self.curves],
        }


def deletion(
    study: Study,
    *,
    methods: Sequence[str] | None = None,
    split: str | None = None,
    most: int | None = None,
    deletions: int = 5,
    least_words: int = 10,
    seed: int = 0,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress = silent,
) -> Deletion:
    """Delete words by their relevance and see what becomes of the predictions.

    Args:
        study: gives the model and the labelled sentences.
        methods: keys of ``METHODS``; by default all that apply to the model and do not run it hundreds of times. The
            random control is always measured.
        split: where the sentences come from; by default the one to look at first: test, else validation.
        most: draw so many sentences at random; all by default.
        deletions: words to delete from each sentence.
        least_words: leave shorter sentences out.
        seed: of the draw and of the random line.
        settings: of the methods, by key: ``{"lrp": {"eps": 0.1}}``.
        progress: told how far it is.

    Raises:
        SettingError: a number out of its range, no such method or setting, or one that is not defined for this model;
            the study is one of sentence pairs.
        DataError: no such split, or no labelled sentence in it is long enough.
    """
    if study.paired:
        raise SettingError(f"Words are deleted from single sentences; {study.name} classifies pairs of them.")
    model = study.classifier
    chosen = _methods(methods, model.architecture)
    given, seed = settings_by_method(settings, chosen), checked_seed(seed)
    if not 1 <= deletions < least_words:
        raise SettingError(
            f"Delete one word or more, and fewer than the shortest sentence has; got {deletions} deletions from "
            f"sentences of {least_words} words or more."
        )
    if most is not None and most < 1:
        raise SettingError(f"At least one sentence is needed, got {most}.")
    split = study.usual_split if split is None else split
    offsets, ids, labels = _sentences(study, split, most, least_words, seed)
    rows = np.arange(len(labels))
    relevance: list[tuple[str, FloatArray]] = []
    strain = {}
    with one_thread():
        for place, name in enumerate(chosen):
            told = _part(progress, place, len(chosen))
            found = attribute_rows(model, offsets, ids, rows, name, labels, progress=told, **given.get(name, {}))
            relevance.append((name, found.relevance))
            strain[name] = found.strain
        random = np.random.default_rng(seed)
        relevance += [(RANDOM, random.random(len(ids))) for _ in range(RANDOM_RUNS)]
        paths = []
        for place, (name, values) in enumerate(relevance):
            paths.append((name, *_paths(model, offsets, ids, labels, values, deletions)))
            progress("deletion", place + 1, len(relevance))
    right = paths[0][1][0]
    curves = [
        DeletionCurve(name, group, order, accuracy)
        for name in (*chosen, RANDOM)
        for group, order, accuracy in _shares([path[1:] for path in paths if path[0] == name])
    ]
    counts = int(right.sum()), int((~right).sum())
    return Deletion(split, *counts, deletions, least_words, seed, tuple(curves), given, strain)


def deletion_ranks(offsets: IntArray, relevance: FloatArray, *, rising: bool = False) -> IntArray:
    """(N,) the place of each word in the order in which its sentence loses words, from 0.

    Args:
        offsets: (n+1,) where each sentence begins.
        relevance: (N,) of the words; of two equal ones the first in the sentence goes first.
        rising: lowest relevance first, instead of highest.
    """
    lengths = np.diff(offsets)
    order = np.lexsort((relevance if rising else -relevance, np.repeat(np.arange(len(lengths)), lengths)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - np.repeat(offsets[:-1], lengths)
    return place


@torch.inference_mode()
def right_after_deletions(
    model: RNNClassifier, offsets: IntArray, ids: IntArray, labels: IntArray, ranks: IntArray, deletions: int
) -> BoolArray:
    """(deletions + 1, n) whether each sentence is predicted right without its first 0, 1, … words by ``ranks``.

    Args:
        model: the classifier, in eval mode.
        offsets: (n+1,) where each sentence begins in ``ids``; each has more words than are deleted.
        ids: (N,) word ids.
        labels: (n,) true classes.
        ranks: (N,) see ``deletion_ranks``.
        deletions: most words to delete.
    """
    right = np.empty((deletions + 1, len(labels)), dtype=np.bool_)
    for count in range(deletions + 1):
        left, lengths = ids[ranks >= count], np.diff(offsets) - count
        begins = np.concatenate([[0], np.cumsum(lengths)])
        for group in by_length(lengths):
            predicted = model(make_batch(begins, left, group)).argmax(dim=1).numpy()
            right[count, group] = predicted == labels[group]
    return right


def _methods(asked: Iterable[str] | None, architecture: Architecture) -> list[str]:
    """The methods to measure beside the random control."""
    if asked is None:
        return [
            name
            for name, method in METHODS.items()
            if name != RANDOM and not method.slow and method.why_not(architecture) is None
        ]
    chosen = [name for name in dict.fromkeys(asked) if name != RANDOM]
    for name in chosen:
        find_method(name, architecture)
    return chosen


def _sentences(
    study: Study, split: str, most: int | None, least_words: int, seed: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Offsets, word ids and labels of a split's labelled sentences with words enough."""
    rows = study.rows(split)
    rows = rows[study.corpus.labels[rows] >= 0]
    if not len(rows):
        raise DataError(f"The {split} split has no labelled sentence, and deletion needs true classes; choose another.")
    offsets, _ = study.tokenizer.encode(study.corpus.texts(rows))
    rows = rows[np.diff(offsets) >= least_words]
    if not len(rows):
        raise DataError(f"The {split} split has no labelled sentence of {least_words} words or more; ask for fewer.")
    if most is not None and most < len(rows):
        rows = np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
    return *study.tokenizer.encode(study.corpus.texts(rows)), study.corpus.labels[rows]


def _paths(
    model: RNNClassifier, offsets: IntArray, ids: IntArray, labels: IntArray, relevance: FloatArray, deletions: int
) -> tuple[BoolArray, BoolArray]:
    """(deletions + 1, n) in falling order, and the same of the initially wrong sentences in rising order."""
    falling = right_after_deletions(model, offsets, ids, labels, deletion_ranks(offsets, relevance), deletions)
    wrong = ~falling[0]
    lengths = np.diff(offsets)
    words = np.repeat(wrong, lengths)
    begins = np.concatenate([[0], np.cumsum(lengths[wrong])])
    ranks = deletion_ranks(begins, relevance[words], rising=True)
    return falling, right_after_deletions(model, begins, ids[words], labels[wrong], ranks, deletions)


def _shares(paths: Sequence[tuple[BoolArray, BoolArray]]) -> list[tuple[str, str, tuple[float, ...]]]:
    """Group, order and accuracy of the three curves, each the mean over the given runs."""
    falling = np.concatenate([path[0][:, path[0][0]] for path in paths], axis=1)
    fallen = np.concatenate([path[0][:, ~path[0][0]] for path in paths], axis=1)
    rising = np.concatenate([path[1] for path in paths], axis=1)
    named = (("correct", "falling", falling), ("wrong", "rising", rising), ("wrong", "falling", fallen))
    return [(group, order, _mean(right)) for group, order, right in named]


def _mean(right: BoolArray) -> tuple[float, ...]:
    return tuple(right.mean(axis=1).tolist()) if right.shape[1] else (float("nan"),) * len(right)


def _part(progress: Progress, part: int, parts: int) -> Progress:
    """Progress of one of several equal parts."""

    def tell(stage: str, done: int, total: int) -> None:
        progress(stage, part * total + done, parts * total)

    return tell
