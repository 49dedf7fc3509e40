"""Slices of a study: the sentences that pass a filter, how often the model is wrong there, and where to look first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import hypergeom

from seer.errors import SettingError
from seer.machine import StateMachine
from seer.patterns.search import find_places
from seer.patterns.significance import benjamini_hochberg
from seer.rates import Accuracy, wilson_interval
from seer.study import Study
from seer.traces import NO_CLASS, START, FloatArray, IntArray, Traces

Mask = npt.NDArray[np.bool_]

SAME_ERRORS = 0.7
"""Two places are one thing to look at when their wrong sentences overlap more than this (Jaccard)."""

FALSE_SHARE = 0.1
"""Of the places where errors seem to gather, the share that may do so by chance (false discovery rate)."""


@dataclass(frozen=True)
class Filter:
    """What a sentence must be to belong to a slice; ``None`` asks nothing.

    Attributes:
        split: name of a split.
        state: the sentence passes this state.
        transition: the sentence has a step from the first to the second state; the first may be the start.
        pattern: the sentence has these states in a row.
        words: it has these words in a row, by vocabulary id; with a pattern, the last is read at the pattern's end.
        collapse: in ``pattern`` a state that repeats counts as one.
        true: class index of the label.
        predicted: class index of the prediction.
        outcome: whether the prediction is the label; both leave out sentences without either.
        query: the text contains this, upper or lower case.
        regex: read ``query`` as a regular expression (RE2 syntax, which answers in linear time).
        confidence: (lowest, highest) probability of the predicted class.
        length: (fewest, most) words.
    """

    split: str | None = None
    state: int | None = None
    transition: tuple[int, int] | None = None
    pattern: tuple[int, ...] | None = None
    words: tuple[int, ...] | None = None
    collapse: bool = False
    true: int | None = None
    predicted: int | None = None
    outcome: Literal["right", "wrong"] | None = None
    query: str | None = None
    regex: bool = False
    confidence: tuple[float, float] | None = None
    length: tuple[int, int] | None = None


def matching_rows(study: Study, wanted: Filter) -> IntArray:
    """Positions of the corpus rows that pass the filter, in table order.

    Raises:
        DataError: no such split.
        SettingError: ``query`` is not a regular expression.
    """
    traces, labels = study.traces, study.corpus.labels
    keep = np.zeros(traces.sentences, dtype=bool)
    keep[study.rows(wanted.split)] = True
    if wanted.state is not None:
        keep &= _with_step(traces, np.asarray(traces.state) == wanted.state)
    if wanted.transition is not None:
        source, target = wanted.transition
        keep &= _with_step(traces, (traces.source == source) & (traces.state == target))
    if wanted.pattern or wanted.words:
        holding = np.zeros(traces.sentences, dtype=bool)
        holding[find_places(traces, wanted.pattern, wanted.words, wanted.collapse).sentence] = True
        keep &= holding
    if wanted.true is not None:
        keep &= labels == wanted.true
    if wanted.predicted is not None:
        keep &= traces.prediction == wanted.predicted
    if wanted.outcome is not None:
        judged = (labels != NO_CLASS) & (traces.prediction != NO_CLASS)
        keep &= judged & ((traces.prediction == labels) == (wanted.outcome == "right"))
    if wanted.confidence is not None:
        low, high = wanted.confidence
        # A bound typed with two digits means what is shown with two digits.
        shown = np.round(traces.confidence.astype(np.float64), 4)
        keep &= (shown >= low) & (shown <= high)
    if wanted.length is not None:
        keep &= (traces.lengths >= wanted.length[0]) & (traces.lengths <= wanted.length[1])
    if wanted.query:
        keep &= _text_matches(study.corpus.table["text"], wanted.query, wanted.regex)
    return np.flatnonzero(keep)


def slice_accuracy(study: Study, rows: IntArray) -> Accuracy:
    """Right predictions among the labelled rows with a word, with the Wilson interval."""
    labels, prediction = study.corpus.labels[rows], study.traces.prediction[rows]
    judged = (labels != NO_CLASS) & (prediction != NO_CLASS)
    return Accuracy.of(int((labels == prediction)[judged].sum()), int(judged.sum()))


def judged_confidence(study: Study, rows: IntArray) -> tuple[FloatArray, Mask]:
    """Confidence of the labelled rows with a word, (m,), and whether each is right, (m,)."""
    labels, prediction = study.corpus.labels[rows], study.traces.prediction[rows]
    judged = (labels != NO_CLASS) & (prediction != NO_CLASS)
    return study.traces.confidence[rows][judged], (labels == prediction)[judged]


def confusion_matrix(study: Study, rows: IntArray) -> IntArray:
    """(C, C) counts of labelled rows with a word, by true class (row) and predicted class (column)."""
    labels, prediction = study.corpus.labels[rows].astype(np.int64), study.traces.prediction[rows]
    judged = (labels != NO_CLASS) & (prediction != NO_CLASS)
    size = len(study.classes)
    pairs = labels[judged] * size + prediction[judged]
    return np.bincount(pairs, minlength=size * size).reshape(size, size)


@dataclass(frozen=True)
class ClassReport:
    """One class: ``support`` true sentences, precision and recall with ``None`` where nothing was predicted or true."""

    name: str
    support: int
    predicted: int
    right: int
    precision: float | None
    recall: float | None
    f1: float | None


def class_reports(matrix: IntArray, classes: Sequence[str]) -> list[ClassReport]:
    """Per-class figures of a confusion matrix (C, C)."""
    reports = []
    for index, name in enumerate(classes):
        support, predicted, right = int(matrix[index].sum()), int(matrix[:, index].sum()), int(matrix[index, index])
        precision = right / predicted if predicted else None
        recall = right / support if support else None
        f1 = 2 * right / (support + predicted) if support + predicted else None
        reports.append(ClassReport(name, support, predicted, right, precision, recall, f1))
    return reports


@dataclass(frozen=True)
class Place:
    """A state or a transition where errors gather.

    Attributes:
        state: the state, ``None`` for a transition.
        transition: the transition, ``None`` for a state.
        errors: wrong sentences that pass it.
        labelled: labelled sentences that pass it.
        rate: ``errors / labelled``, between ``low`` and ``high`` (Wilson, 95 %).
        lift: the rate over the error rate of the whole split.
        p: one-sided Fisher exact p that the place has no more errors than the split.
        q: the same, corrected for all places compared (Benjamini and Hochberg).
    """

    state: int | None
    transition: tuple[int, int] | None
    errors: int
    labelled: int
    rate: float
    low: float
    high: float
    lift: float
    p: float
    q: float


def where_to_look(
    study: Study, split: str | None, count: int = 5, minimum: int = 20, most_q: float = FALSE_SHARE
) -> list[Place]:
    """The states and transitions whose errors surely exceed the split's rate; none when chance explains them all.

    Every state and transition with enough labelled sentences is compared; those with q above ``most_q`` are left out,
    the others ranked by Fisher's p, then lift. A place with nearly the same wrong sentences as one ranked before is
    left out too.

    Args:
        study: the study.
        split: name of a split, all sentences without one.
        count: how many at most.
        minimum: labelled sentences that a place needs.
        most_q: largest q of a place; 1 names the most suspicious ones even where chance may explain them.
    """
    machine, traces = study.machine(split), study.split_traces(split)
    labels = study.corpus.labels[study.rows(split)]
    judged = (labels != NO_CLASS) & (traces.lengths > 0)
    wrong = judged & (traces.prediction != labels)
    if not wrong.any():
        return []
    places = _candidates(machine, traces, judged, wrong, minimum, most_q)
    chosen: list[tuple[Place, set[int]]] = []
    for place in sorted(places, key=lambda place: (place.p, -place.lift)):
        if len(chosen) == count:
            break
        passing = set(np.flatnonzero(_passing(traces, place) & wrong).tolist())
        if all(len(passing & other) <= SAME_ERRORS * len(passing | other) for _, other in chosen):
            chosen.append((place, passing))
    return [place for place, _ in chosen]


def _candidates(
    machine: StateMachine, traces: Traces, judged: Mask, wrong: Mask, minimum: int, most_q: float
) -> list[Place]:
    """All places compared that have more errors than the whole with q at most ``most_q``."""
    size = machine.states + 1
    step = traces.source.astype(np.int64) * size + traces.state
    sentence, pair = np.divmod(np.unique(traces.sentence * size * size + step), size * size)
    # A state is found through the transitions into it, so both kinds come from one list of (sentence, what it passes).
    state_sentence, state = np.divmod(np.unique(sentence * size + pair % size), size)
    edge_key = np.arange(size * size)
    # Staying, and how a sentence starts, are told by the state.
    change = (edge_key // size != edge_key % size) & (edge_key // size != START)
    counts = []
    for owner, passed, length in ((state_sentence, state, size), (sentence, pair, size * size)):
        counts.append([np.bincount(passed[of[owner]], minlength=length) for of in (judged, wrong)])
    labelled, errors = np.concatenate(counts, axis=1)
    keys = np.flatnonzero((labelled >= minimum) & np.concatenate([np.ones(size, dtype=bool), change]))
    labelled, errors = labelled[keys], errors[keys]
    p = hypergeom.sf(errors - 1, int(judged.sum()), int(wrong.sum()), labelled)
    q, rates, intervals = benjamini_hochberg(p), errors / labelled, wilson_interval(errors, labelled)
    return [
        Place(
            int(keys[at]) if keys[at] < size else None,
            (int(keys[at] - size) // size, int(keys[at] - size) % size) if keys[at] >= size else None,
            int(errors[at]),
            int(labelled[at]),
            float(rates[at]),
            float(intervals[at, 0]),
            float(intervals[at, 1]),
            float(rates[at] / machine.base_error_rate),
            float(p[at]),
            float(q[at]),
        )
        for at in np.flatnonzero((rates > machine.base_error_rate) & (q <= most_q))
    ]


def _passing(traces: Traces, place: Place) -> Mask:
    at = np.asarray(traces.state) == (place.state if place.transition is None else place.transition[1])
    if place.transition is not None:
        at = at & (traces.source == place.transition[0])
    return _with_step(traces, at)


def _with_step(traces: Traces, steps: Mask) -> Mask:
    """(n,) whether a sentence has one of the steps (N,)."""
    found = np.zeros(traces.sentences, dtype=bool)
    found[traces.sentence[steps]] = True
    return found


def query_fault(query: str | None, regex: bool) -> str | None:
    """A sentence on why the query cannot be used, ``None`` when it can."""
    try:
        _text_matches(pa.chunked_array([[""]], pa.string()), query or "", regex)
    except SettingError as error:
        return str(error)
    return None


def _text_matches(texts: pa.ChunkedArray, query: str, regex: bool) -> Mask:
    find = pc.match_substring_regex if regex else pc.match_substring
    try:
        return np.asarray(find(texts, query, ignore_case=True).to_numpy())
    except pa.ArrowInvalid as error:
        reason = str(error).split(": ", 1)[-1]
        raise SettingError(f"{query!r} is not a regular expression that can be used here: {reason}.") from error
