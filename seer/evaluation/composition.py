"""Negation and intensity: how a model reads a modifier and the polar word after it, as in *not bad*.

For the command line and the page::

    composition(study, *, method="lrp", split=None, positive=None, negative=None, most=2000, progress=silent,
                **settings) -> Composition

Source: Arras et al., "Evaluating Recurrent Neural Network Explanations" (BlackboxNLP 2019), semantic composition.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from seer.errors import SettingError
from seer.evaluation.means import Mean, grouped_means
from seer.evaluation.polar import COMPOSITIONS, NEGATIVE, PLAIN, POSITIVE, Occurrences, WordKinds, word_kinds
from seer.picks import sampled
from seer.progress import Progress, part_of, silent
from seer.rates import number
from seer.relevance.methods import attribute_rows, checked_settings, find_method
from seer.study import Study
from seer.traces import NO_CLASS, FloatArray, IntArray

PHRASES = 50
"""Most bigrams that are told one by one, and most polar words of a class that are named."""

EXAMPLES = 6
"""Most examples of a composition; up to half of them are sentences that the model got wrong."""

AROUND = 8
"""Words of an excerpt on either side of the pair."""

_MEANS = ("modifier_positive", "word_positive", "modifier_negative", "word_negative")


@dataclass(frozen=True)
class Reading:
    """How a group of occurrences is read; relevance for the positive and for the negative class's logit.

    Attributes:
        composition: one of ``COMPOSITIONS``.
        phrase: the bigram, such as ``not bad``; ``None`` for all of the composition.
        count: occurrences.
        sentences: sentences that hold one.
        modifier_positive: of the modifier for the positive class; NaN for a plain word, which has none.
        word_positive: of the polar word for the positive class.
        modifier_negative: of the modifier for the negative class.
        word_negative: of the polar word for the negative class.
    """

    composition: str
    phrase: str | None
    count: int
    sentences: int
    modifier_positive: Mean
    word_positive: Mean
    modifier_negative: Mean
    word_negative: Mean

    def record(self) -> dict[str, Any]:
        """JSON-able and flat: each mean stands beside its ``…_error`` and ``…_median``."""
        record: dict[str, Any] = {key: getattr(self, key) for key in ("composition", "phrase", "count", "sentences")}
        for key in _MEANS:
            mean = getattr(self, key)
            record |= {key: number(mean.value), f"{key}_error": number(mean.error)}
            record[f"{key}_median"] = number(mean.median)
        return record


@dataclass(frozen=True)
class Example:
    """One occurrence in its sentence.

    Attributes:
        composition: one of ``COMPOSITIONS``, a modified one.
        row: position of the sentence in the corpus.
        id: of that row.
        text: of that row.
        place: which word of the sentence the modifier is, from 0; the polar word follows.
        phrase: the bigram.
        excerpt: the text around it: ``AROUND`` words on either side, and … where more follow.
        label: class name, ``None`` without a label.
        prediction: class name.
        modifier_positive: relevance of the modifier for the positive class.
        word_positive: relevance of the polar word for the positive class.
        modifier_negative: relevance of the modifier for the negative class.
        word_negative: relevance of the polar word for the negative class.
    """

    composition: str
    row: int
    id: str
    text: str
    place: int
    phrase: str
    excerpt: str
    label: str | None
    prediction: str
    modifier_positive: float
    word_positive: float
    modifier_negative: float
    word_negative: float

    @property
    def wrong(self) -> bool:
        """Whether the sentence has a label and the prediction is another class."""
        return self.label is not None and self.label != self.prediction

    def record(self) -> dict[str, Any]:
        """JSON-able fields."""
        return asdict(self) | {"wrong": self.wrong}


@dataclass(frozen=True)
class Composition:
    """How modifiers and polar words are read together.

    Attributes:
        method: key of ``METHODS``.
        settings: of the method, those that were given.
        split: where the sentences come from.
        positive: name of the class that counts as positive.
        negative: name of the class that counts as negative.
        sentences: how many were explained.
        positive_words: polar words tied to the positive class, the surest first.
        negative_words: polar words tied to the negative class, the surest first.
        readings: one for each of ``COMPOSITIONS``, in this order.
        phrases: the most frequent bigrams, most frequent first.
        examples: a few of each modified composition: wrong sentences first, then right ones, those first in which the
            modifier speaks most for one of the two classes against the other.
        strain: the largest |relevance| of a word for either class, and |logit| of its sentence.
    """

    method: str
    settings: dict[str, Any]
    split: str
    positive: str
    negative: str
    sentences: int
    positive_words: tuple[str, ...]
    negative_words: tuple[str, ...]
    readings: tuple[Reading, ...]
    phrases: tuple[Reading, ...]
    examples: tuple[Example, ...]
    strain: tuple[float, float] = (0.0, 0.0)

    def record(self) -> dict[str, Any]:
        """JSON-able fields; ``readings``, ``phrases`` and ``examples`` are lists of records."""
        plain = ("method", "settings", "split", "positive", "negative", "sentences")
        return (
            {key: getattr(self, key) for key in plain}
            | {key: list(getattr(self, key)) for key in ("positive_words", "negative_words")}
            | {key: [part.record() for part in getattr(self, key)] for key in ("readings", "phrases", "examples")}
        )


def composition(
    study: Study,
    *,
    method: str = "lrp",
    split: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
    most: int = 2000,
    progress: Progress = silent,
    **settings: Any,
) -> Composition:
    """Explain sentences that hold a modifier before a polar word, for both classes, and gather what each word gets.

    Which words are polar, ``polar.word_kinds`` says. A modifier counts when the polar word follows at once. When fewer
    sentences than ``most`` hold such a bigram, others with a polar word fill up, for the plain readings.

    Args:
        study: a classifier of sentences, with labelled training sentences.
        method: key of ``seer.relevance.methods.METHODS``.
        split: which sentences to explain; by default the one to look at first: test, else validation.
        positive: class name; the study's last class when not given.
        negative: class name; the study's first class when not given.
        most: explain at most this many sentences, a seeded sample.
        progress: told how far it is.
        settings: of the method.

    Raises:
        SettingError: no such class, method or setting, twice the same class, the method is not defined for the model,
            ``most`` below 1.
        DataError: no such split, or no labelled training sentence of one of the classes.
        ModelError: the study is one of sentence pairs.
    """
    model, traces = study.classifier, study.traces
    find_method(method, model.architecture)
    checked_settings(method, settings)
    sides = _sides(study, positive, negative)
    if most < 1:
        raise SettingError(f"At least one sentence must be explained; got most = {most}.")
    split = study.usual_split if split is None else split
    kinds = word_kinds(study, *sides)
    rows = _chosen(study, split, kinds, most)
    parts = []
    for place, side in enumerate(sides):
        told = part_of(progress, place, len(sides))
        parts.append(attribute_rows(model, traces.offsets, traces.token, rows, method, side, progress=told, **settings))
    offsets, token = parts[0].offsets, parts[0].token
    found = kinds.occurrences(offsets, token)
    values = np.stack([part.relevance[found.word - back] for part in parts for back in (1, 0)], 1).astype(np.float64)
    values[np.ix_(found.kind == PLAIN, (0, 2))] = np.nan
    first, second = (kinds.surest(side, PHRASES) for side in (POSITIVE, NEGATIVE))
    return Composition(
        method=method,
        settings=settings,
        split=split,
        positive=study.classes[sides[0]],
        negative=study.classes[sides[1]],
        sentences=len(rows),
        positive_words=tuple(study.words[word] for word in first),
        negative_words=tuple(study.words[word] for word in second),
        readings=_readings(found, values),
        phrases=_phrases(study.words, found, values, token),
        examples=_examples(study, found, values, rows, offsets, token),
        strain=max(part.strain for part in parts),
    )


def _sides(study: Study, positive: str | None, negative: str | None) -> tuple[int, int]:
    """The positive and the negative class."""
    names = (positive or study.classes[-1], negative or study.classes[0])
    for name in names:
        if name not in study.classes:
            raise SettingError(f"The class must be one of {', '.join(study.classes)}; got {name!r}.")
    if names[0] == names[1]:
        raise SettingError(f"The positive and the negative class must differ; both are {names[0]!r}.")
    return study.classes.index(names[0]), study.classes.index(names[1])


def _chosen(study: Study, split: str, kinds: WordKinds, most: int) -> IntArray:
    """At most so many rows of the split, ascending: those with a bigram come before those with a polar word alone."""
    traces = study.traces
    found = kinds.occurrences(traces.offsets, np.asarray(traces.token))
    rank = np.zeros(traces.sentences, dtype=np.int64)
    rank[found.sentence] = 1
    rank[found.sentence[found.kind != PLAIN]] = 2
    rows = study.rows(split)
    bigrams = sampled(rows[rank[rows] == 2], most)
    return np.sort(np.concatenate([bigrams, sampled(rows[rank[rows] == 1], most - len(bigrams))]))


def _readings(found: Occurrences, values: FloatArray) -> tuple[Reading, ...]:
    groups = len(COMPOSITIONS)
    counts, sentences, means = grouped_means(found.composition, groups, found.sentence, values)
    return tuple(Reading(COMPOSITIONS[g], None, counts[g], sentences[g], *means[g]) for g in range(groups))


def _phrases(words: tuple[str, ...], found: Occurrences, values: FloatArray, token: IntArray) -> tuple[Reading, ...]:
    modified = np.flatnonzero(found.kind)
    word = found.word[modified]
    pairs = token[word - 1].astype(np.int64) * len(words) + token[word]
    pair, first, group = np.unique(pairs, return_index=True, return_inverse=True)
    counts, sentences, means = grouped_means(group, len(pair), found.sentence[modified], values[modified])
    name = found.composition[modified[first]]
    return tuple(
        Reading(COMPOSITIONS[name[g]], _phrase(words, token, word[first[g]]), counts[g], sentences[g], *means[g])
        for g in np.argsort(-np.asarray(counts), kind="stable")[:PHRASES]
    )


def _phrase(words: tuple[str, ...], token: IntArray, word: int) -> str:
    return f"{words[token[word - 1]]} {words[token[word]]}"


def _examples(
    study: Study, found: Occurrences, values: FloatArray, rows: IntArray, offsets: IntArray, token: IntArray
) -> tuple[Example, ...]:
    row = rows[found.sentence]
    labels, prediction = study.corpus.labels[row], study.traces.prediction[row]
    place = found.word - 1 - offsets[found.sentence]
    return tuple(
        Example(
            COMPOSITIONS[found.composition[one]],
            int(row[one]),
            str(study.corpus.ids[row[one]]),
            study.corpus.text(row[one]),
            int(place[one]),
            _phrase(study.words, token, found.word[one]),
            _excerpt(study, study.corpus.text(row[one]), int(place[one])),
            None if labels[one] == NO_CLASS else study.classes[labels[one]],
            study.classes[prediction[one]],
            *values[one].tolist(),
        )
        for one in _telling(found, values, (labels != NO_CLASS) & (labels != prediction))
    )


def _excerpt(study: Study, text: str, place: int) -> str:
    """The text around the words ``place`` and ``place + 1``."""
    spans = study.tokenizer.spans(text)
    first, last = max(0, place - AROUND), min(len(spans) - 1, place + 1 + AROUND)
    part = text[spans[first, 0] if first else 0 : spans[last, 1] if last < len(spans) - 1 else len(text)]
    return f"{'… ' if first else ''}{part}{' …' if last < len(spans) - 1 else ''}"


def _telling(found: Occurrences, values: FloatArray, wrong: IntArray) -> list[int]:
    """The occurrences to show: of each sentence and composition the one in which the modifier tells the most."""
    tilt = np.abs(values[:, 0] - values[:, 2])
    chosen: list[int] = []
    for composed in range(len(COMPOSITIONS)):
        here = np.flatnonzero((found.composition == composed) & (found.kind != PLAIN))
        here = here[np.argsort(-tilt[here], kind="stable")]
        here = here[np.sort(np.unique(found.sentence[here], return_index=True)[1])]
        missed = here[wrong[here]][: EXAMPLES // 2]
        chosen += [*missed.tolist(), *here[~wrong[here]][: EXAMPLES - len(missed)].tolist()]
    return chosen
