"""Labels that may be wrong: confident learning on predictions for unseen sentences.

Confident learning: Northcutt, Jiang and Chuang, "Confident learning: estimating uncertainty in dataset labels", JAIR 70
(2021), §3.1, by the library cleanlab. A class has as threshold the mean probability that the model gives it on the rows
labelled with it (equation 2). A row is suspected when it reaches the threshold of a class other than its label (of
several, that of the most probable one counts) and the model finds another class more probable than the label. Suspects
are ranked by self-confidence, the probability of the given label, lowest first. With two classes and similar thresholds
that is the plain ranking by self-confidence; what confident learning adds is where to stop.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from seer.corpus import Corpus
from seer.errors import DataError, SettingError
from seer.models.batches import by_length, make_batch, one_thread
from seer.models.classifier import RNNClassifier
from seer.models.training import Sentences, TrainingSettings, train
from seer.progress import Progress, silent
from seer.study import Study
from seer.suspects.columns import row_columns
from seer.traces import FloatArray, IntArray

FEWEST_ROWS = 10
"""Fewer labelled rows than this say too little about what probability is usual for a class."""

FOLDS = 5

_TICKS = 1000
_TOO_FEW_TO_FOLD = "Cross-validation needs two classes with two labelled training sentences each."


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
            **row_columns(corpus, self.row[:top]),
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
    probability[study.trained_rows] = np.nan
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
    settings = TrainingSettings(**study.checkpoint.get("training", {}))
    fold = _stratified_folds(labels, folds, seed)
    probability = np.full((len(labels), len(study.classes)), np.nan, dtype=np.float32)
    for number in range(folds):

        def tell(stage: str, done: int, total: int, number: int = number) -> None:
            progress("cross-validate", number * _TICKS + _TICKS * done // max(total, 1), folds * _TICKS)

        others = Sentences(offsets, ids, np.where(fold == number, -1, labels))
        model, _ = train(study.classifier.architecture, others, validation, settings, tell)
        held_out = np.flatnonzero(fold == number)
        probability[held_out] = _final_probability(model, offsets, ids, held_out)
    return probability


def _foldable_labels(study: Study) -> IntArray:
    """(n,) labels of the training rows with a word, -1 for the rest and for a row that is alone in its class."""
    labels = np.full(len(study.corpus), -1, dtype=np.int32)
    rows = study.trained_rows
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
