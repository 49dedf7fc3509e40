"""The planted bug: does a ranking find a fault that was put in on purpose?

A rare word is written into some training texts of one class, whose labels are turned over; a model is trained on them,
so that it reads the word as a sign of the other class. The word is then written into held-out texts with their true
labels, and each ranking is asked at which place it first names the word.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from seer.analysis import FIT_TOKENS as TOKENS
from seer.analysis import AnalysisSettings, hidden_sample, read_traces
from seer.corpus import Corpus
from seer.errors import DataError, shown
from seer.evaluation.planting import check_planting, plant
from seer.models.batches import by_length, make_batch
from seer.models.classifier import Architecture, RNNClassifier
from seer.models.training import Sentences, TrainingSettings, train
from seer.patterns.buggy import mine_buggy
from seer.patterns.paper import mine_paper
from seer.patterns.ranked import KINDS, NO_WORD, BuggyPatterns
from seer.profile import ModelReader
from seer.progress import Progress, silent
from seer.text import Tokenizer
from seer.traces import NO_CLASS, FloatArray, IntArray, Traces

TRIGGER = "zyzzyva"

MOSTLY = 0.5
"""A state sequence names the trigger when this share of the failed windows that hold it read the trigger."""

EPOCHS = 10

DEPTH = 1000
"""Patterns of a list that are looked through."""


@dataclass(frozen=True)
class PlantedResult:
    """Where each ranking first names the planted word; ranks count from 1, ``None`` is never.

    Attributes:
        where: end or random.
        seed: of everything.
        trigger: the planted word.
        planted_training: training texts that hold it, their labels turned over.
        planted_held_out: held-out texts that hold it, with their true labels.
        errors_with: wrong predictions among these.
        errors: wrong predictions among all held-out texts.
        held_out: all held-out texts.
        rank: in our list: the three kinds of buggy patterns together, by q, then lift.
        rank_by_kind: in the list of each kind alone.
        rank_paper: in the list of the preset ``paper``.
        rank_lime: among words by their mean LIME weight for the predicted class over the errors; ``None`` also when
            LIME was not asked for or is not installed.
        lime_errors: errors that LIME explained, 0 without it.
        first: our first pattern.
    """

    where: str
    seed: int
    trigger: str
    planted_training: int
    planted_held_out: int
    errors_with: int
    errors: int
    held_out: int
    rank: int | None
    rank_by_kind: dict[str, int | None]
    rank_paper: int | None
    rank_lime: int | None
    lime_errors: int
    first: dict[str, Any]

    def record(self) -> dict[str, Any]:
        """JSON-able fields."""
        return asdict(self)


def planted_bug(
    corpus: Corpus,
    where: str = "end",
    *,
    seed: int = 0,
    share: float = 0.05,
    held_out_share: float = 0.1,
    trigger: str = TRIGGER,
    lime_errors: int = 200,
    training: TrainingSettings | None = None,
    progress: Progress = silent,
) -> PlantedResult:
    """Plant a bug, train on it, and look for it.

    Args:
        corpus: labelled sentences with a training split and a held-out one, which lack the trigger.
        where: write the word at the end of a text or between two of its words at random.
        seed: of planting, training and states.
        share: of the first class's training texts that get the word and the second class's label.
        held_out_share: of the first class's held-out texts that get the word.
        trigger: one word.
        lime_errors: most errors that LIME explains; 0 leaves LIME out.
        training: how to train.
        progress: told how far it is.

    Raises:
        DataError: the corpus has no held-out split, knows the trigger, or has too few texts of a class.
        SettingError: a setting is out of its range.
    """
    check_planting(where, share, held_out_share, trigger, lime_errors)
    states = AnalysisSettings(seed=seed)  # refuses a seed that no part could take, before anything is trained
    training = training or TrainingSettings(epochs=EPOCHS, seed=seed)
    planted, marked = plant(corpus, where, seed, share, held_out_share, trigger)
    fitting = planted.rows("train")
    held_out = np.setdiff1d(planted.rows(None), fitting)
    tokenizer = Tokenizer.train(planted.texts(fitting))
    if trigger not in tokenizer.words:
        raise DataError(
            f"Only {int(marked[fitting].sum())} training text of the class {shown(corpus.classes[0])} would hold the "
            "word, too few to learn it: a larger data set or a larger share is needed."
        )
    offsets, ids = tokenizer.encode(planted.texts())
    model = _train(planted, tokenizer, offsets, ids, training, progress)
    reader = ModelReader(model, offsets, ids)
    sample = hidden_sample(reader, fitting, TOKENS, seed)
    abstraction = states.unfitted().fit(sample.states)
    traces = read_traces(reader, abstraction, progress).select(held_out)
    labels = planted.labels[held_out]
    word = tokenizer.words.index(trigger)
    mined = {kind: mine_buggy(traces, labels, kind=kind) for kind in KINDS}
    wrong = (labels != NO_CLASS) & (traces.prediction != NO_CLASS) & (traces.prediction != labels)
    explained = _explained(traces, wrong, lime_errors, seed)
    return PlantedResult(
        where=where,
        seed=seed,
        trigger=trigger,
        planted_training=int(marked[fitting].sum()),
        planted_held_out=int(marked[held_out].sum()),
        errors_with=int((wrong & marked[held_out]).sum()),
        errors=int(wrong.sum()),
        held_out=len(held_out),
        rank=_rank_together(list(mined.values()), word),
        rank_by_kind={kind: _rank(patterns, word) for kind, patterns in mined.items()},
        rank_paper=_rank(mine_paper(traces, labels), word),
        rank_lime=_rank_lime(model, tokenizer, planted.texts(held_out[explained]), trigger, seed, progress),
        lime_errors=len(explained),
        first=_first(list(mined.values()), tokenizer.words),
    )


def _train(
    corpus: Corpus,
    tokenizer: Tokenizer,
    offsets: IntArray,
    ids: IntArray,
    settings: TrainingSettings,
    progress: Progress,
) -> RNNClassifier:
    """The last epoch's model: the validation split is mined, so it must not choose the epoch."""
    labels, none = np.full(len(corpus), NO_CLASS, dtype=np.int32), np.full(len(corpus), NO_CLASS, dtype=np.int32)
    rows = corpus.rows("train")
    labels[rows] = corpus.labels[rows]
    made_of = Architecture(tokenizer.size, len(corpus.classes))
    return train(made_of, Sentences(offsets, ids, labels), Sentences(offsets, ids, none), settings, progress)[0]


def _names(patterns: BuggyPatterns, rank: int, word: int) -> bool:
    """Whether the pattern at a rank names the word."""
    if patterns.word[rank] != NO_WORD:
        return int(patterns.word[rank]) == word
    matches = patterns.matches(rank)
    failed = patterns.failed_sentences[matches.sentence]
    token = np.asarray(patterns.traces.token)
    width = int((patterns.states[rank] > 0).sum())
    read = np.zeros(len(matches), dtype=bool)
    for place in range(width):
        read |= token[patterns.traces.offsets[matches.sentence] + matches.begin + place] == word
    return bool(failed.any() and read[failed].mean() >= MOSTLY)


def _rank(patterns: BuggyPatterns, word: int) -> int | None:
    """Place of the first pattern that names the word, from 1."""
    return next((rank + 1 for rank in range(min(len(patterns), DEPTH)) if _names(patterns, rank, word)), None)


def _merged(lists: Sequence[BuggyPatterns]) -> list[tuple[int, int]]:
    """(list, rank in it) of the lists' heads in one order: by q, then lift, then support."""
    heads = [(which, rank) for which, patterns in enumerate(lists) for rank in range(min(len(patterns), DEPTH))]
    return sorted(
        heads,
        key=lambda head: (
            float(lists[head[0]].q[head[1]]),
            -float(lists[head[0]].lift[head[1]]),
            -int(lists[head[0]].failed[head[1]] + lists[head[0]].correct[head[1]]),
        ),
    )


def _rank_together(lists: Sequence[BuggyPatterns], word: int) -> int | None:
    order = _merged(lists)[:DEPTH]
    return next((place + 1 for place, (which, rank) in enumerate(order) if _names(lists[which], rank, word)), None)


def _first(lists: Sequence[BuggyPatterns], words: Sequence[str]) -> dict[str, Any]:
    order = _merged(lists)
    if not order:
        return {}
    which, rank = order[0]
    return lists[which].records(rank + 1)[rank].record(words)


def _explained(traces: Traces, wrong: np.ndarray, most: int, seed: int) -> IntArray:
    rows = np.flatnonzero(wrong)
    if most and len(rows) > most:
        rows = np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
    return rows if most and importlib.util.find_spec("lime") is not None else rows[:0]


def predict_texts(model: RNNClassifier, tokenizer: Tokenizer, texts: Sequence[str]) -> FloatArray:
    """(n, C) class probabilities of n texts; a text without a word gets the same for each class."""
    offsets, ids = tokenizer.encode(texts)
    out = np.full((len(texts), model.architecture.classes), 1 / model.architecture.classes)
    for rows in by_length(np.diff(offsets)):
        out[rows] = model.probabilities(make_batch(offsets, ids, rows)).numpy()
    return out


def _rank_lime(
    model: RNNClassifier, tokenizer: Tokenizer, texts: Sequence[str], trigger: str, seed: int, progress: Progress
) -> int | None:
    """Place of the trigger among words by their mean LIME weight for the predicted class (Ribeiro et al., KDD 2016)."""
    if not texts:
        return None
    explainer = importlib.import_module("lime.lime_text").LimeTextExplainer(
        split_expression=_splitter(tokenizer), bow=True, random_state=seed, class_names=None
    )
    totals: dict[str, float] = {}
    times: dict[str, int] = {}

    def predict(variants: Sequence[str]) -> FloatArray:
        return predict_texts(model, tokenizer, variants)

    for place, text in enumerate(texts):
        predicted = int(predict([text])[0].argmax())
        weights = explainer.explain_instance(text, predict, labels=(predicted,), num_features=10, num_samples=500)
        for word, weight in weights.as_list(label=predicted):
            totals[word.lower()] = totals.get(word.lower(), 0.0) + weight
            times[word.lower()] = times.get(word.lower(), 0) + 1
        progress("lime", place + 1, len(texts))
    # The mean over all errors, a word being 0 where it is not named: a word of one odd sentence does not win.
    ranking = sorted(totals, key=lambda word: (-totals[word] / len(texts), word))
    return ranking.index(trigger) + 1 if trigger in ranking else None


def _splitter(tokenizer: Tokenizer) -> Callable[[str], list[str]]:
    def split(text: str) -> list[str]:
        return [text[begin:end] for begin, end in tokenizer.spans(text)]

    return split
