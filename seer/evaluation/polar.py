"""Polar words and the modifiers before them, found from the labels of the training sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from seer.errors import DataError
from seer.patterns.words import KEPT_WORDS, distinctiveness
from seer.rates import Z95
from seer.study import Study
from seer.traces import NO_CLASS, FloatArray, IntArray

NEGATIONS = frozenset(
    ("not", "n't", "no", "never", "without", "hardly", "barely", "scarcely", "neither", "nor", "cannot", "nothing")
)
_STRONG = "very really too so quite truly extremely incredibly absolutely totally completely utterly highly deeply most"
AMPLIFIERS = frozenset((*_STRONG.split(), "especially", "particularly"))

PLAIN, NEGATED, AMPLIFIED = range(3)
UNPOLAR, POSITIVE, NEGATIVE = range(3)

COMPOSITIONS = (
    "plain positive",
    "negated positive",
    "amplified positive",
    "plain negative",
    "negated negative",
    "amplified negative",
)
"""What can happen to a polar word: nothing, a negation before it, an amplifier before it."""


@dataclass(frozen=True)
class Occurrences:
    """M polar words in sentences that are laid end to end.

    Attributes:
        word: (M,) place of the polar word among all words.
        sentence: (M,) its sentence.
        kind: (M,) ``PLAIN``, ``NEGATED`` or ``AMPLIFIED``: what the word before it in its sentence is.
        composition: (M,) place in ``COMPOSITIONS``.
    """

    word: IntArray
    sentence: IntArray
    kind: IntArray
    composition: IntArray


@dataclass(frozen=True)
class WordKinds:
    """What each of V words is.

    Attributes:
        modifier: (V,) ``NEGATED`` or ``AMPLIFIED`` for a modifier, else ``PLAIN``.
        polarity: (V,) ``POSITIVE``, ``NEGATIVE`` or ``UNPOLAR``.
        score: (V,) z-score of the log-odds for the positive against the negative class.
    """

    modifier: IntArray
    polarity: IntArray
    score: FloatArray

    def occurrences(self, offsets: IntArray, token: IntArray) -> Occurrences:
        """The polar words of n sentences.

        Args:
            offsets: (n+1,) where each sentence begins.
            token: (N,) word ids.
        """
        word = np.flatnonzero(self.polarity[token])
        sentence = np.searchsorted(offsets, word, side="right") - 1
        kind = np.where(word > offsets[sentence], self.modifier[token[word - 1]], PLAIN)
        return Occurrences(word, sentence, kind, (self.polarity[token[word]] - POSITIVE) * 3 + kind)

    def surest(self, polarity: int, most: int) -> IntArray:
        """At most so many ids of ``POSITIVE`` or ``NEGATIVE`` words, the surest first."""
        order = np.argsort(-np.abs(self.score), kind="stable")
        surest: IntArray = order[self.polarity[order] == polarity][:most]
        return surest


def word_kinds(study: Study, positive: int, negative: int) -> WordKinds:
    """Tell the polar words and the modifiers of a study's vocabulary.

    A word is polar when its log-odds between the labelled training sentences of the two classes, with an informative
    Dirichlet prior (Monroe et al. 2008, ``distinctiveness``), differ from 0 with 95 % confidence. The rule needs no
    lexicon and no order of the classes, so it serves any two classes of any data set; sentences of a third class have
    no say. Stop words, words of contrast and degree, and modifiers are never polar.

    Args:
        study: its training split, or all its sentences when it has none, tells which words are polar.
        positive: a class.
        negative: another class.

    Raises:
        DataError: no labelled training sentence of one of the classes.
    """
    plain = [word.casefold().replace("\u2019", "'") for word in study.tokenizer.words]
    modifier = np.array([(word in NEGATIONS) * NEGATED + (word in AMPLIFIERS) * AMPLIFIED for word in plain])
    score = _log_odds(study, positive, negative)
    polarity = np.where(score > Z95, POSITIVE, np.where(score < -Z95, NEGATIVE, UNPOLAR))
    polarity[(modifier != PLAIN) | np.isin(plain, list(KEPT_WORDS))] = UNPOLAR
    polarity[list(study.stop_words)] = UNPOLAR
    return WordKinds(modifier, polarity, score)


def _log_odds(study: Study, positive: int, negative: int) -> FloatArray:
    traces, labels = study.traces, np.full(study.traces.sentences, NO_CLASS)
    rows = study.rows("train" if "train" in study.corpus.splits else None)
    labels[rows] = study.corpus.labels[rows]
    counts = []
    for side in (positive, negative):
        token = traces.token[np.repeat(labels == side, traces.lengths)]
        if not len(token):
            raise DataError(
                "Polar words are found in labelled training sentences of both classes; none is labelled "
                f"{study.classes[side]!r}. Choose another class."
            )
        counts.append(np.bincount(token, minlength=study.tokenizer.size))
    return distinctiveness(sparse.csr_array(np.stack(counts)), 0)
