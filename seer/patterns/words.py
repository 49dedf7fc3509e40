"""The words behind states and transitions, and the sentences that hold them.

Source: DeepSeer (Wang et al., CHI 2023); distinctiveness after Monroe, Colaresi and Quinn, "Fightin' Words" (Political
Analysis, 2008). All counts are of occurrences.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from seer.errors import DataError, SettingError
from seer.patterns.windows import count_by_group, renumber
from seer.traces import START, FloatArray, IntArray, Traces

PRIOR_WORDS = 500.0
"""Total of the Dirichlet prior: how many words of the overall mixture each side is given before counting."""

ORDERS = ("count", "distinctive")

_NEGATION = "no not never nor neither none nobody nothing nowhere noone cannot cant couldnt hasnt without except"
_CONTRAST = (
    "against although but despite else even however instead nevertheless otherwise rather still though whereas yet"
)
_DEGREE = (
    "all almost always enough ever few indeed least less many more most mostly much often only perhaps quite seem "
    "seemed seeming seems so sometimes too very well"
)
_CONTENT = (
    "again bottom cry describe detail empty fill fire front full interest last mill move please serious show sincere "
    "system thick thin top"
)
KEPT_WORDS = frozenset(" ".join((_NEGATION, _CONTRAST, _DEGREE, _CONTENT)).split())
"""Words that are no stop words here, whatever scikit-learn's list says: they turn, weigh or carry an opinion."""

CLITICS = frozenset(("s", "d", "m", "ll", "re", "ve", "'s", "'d", "'m", "'ll", "'re", "'ve"))
"""Pieces that a tokenizer leaves of *it's*, *I'd*, *we'll* …; *n't* and its *t* stay."""


@dataclass(frozen=True)
class WordCount:
    """A word of a state: its vocabulary id, its count, and its distinctiveness (z-score)."""

    word: int
    count: int
    score: float


@dataclass(frozen=True)
class Phrase:
    """The two words around a change of state, as vocabulary ids, and how often; ``before`` is None at the start."""

    before: int | None
    after: int
    count: int


def state_words(traces: Traces, vocabulary: int, states: int) -> sparse.csr_array:
    """How often each word is read *into* each state, (K+1, V) int64; row 0, the start, is empty.

    Args:
        traces: N steps.
        vocabulary: number of words V.
        states: number of states K.

    Raises:
        DataError: a word or a state lies outside.
    """
    if traces.steps and (traces.token.max() >= vocabulary or traces.state.max() > states):
        raise DataError(
            f"The traces hold word {traces.token.max()} and state {traces.state.max()}; expected words below "
            f"{vocabulary} and states up to {states}. Analyse the study again."
        )
    ones = np.ones(traces.steps, dtype=np.int64)
    return sparse.coo_array((ones, (traces.state, traces.token)), shape=(states + 1, vocabulary)).tocsr()


def distinctiveness(counts: sparse.csr_array, state: int, prior_words: float = PRIOR_WORDS) -> FloatArray:
    r"""Log-odds z-score of each word for one state against all others, with an informative Dirichlet prior, (V,).

    With y the counts in the state, y' in all others, n and n' their totals, and the prior a_w = prior_words times the
    word's share overall (Monroe et al. 2008, log-odds ratio with an informative Dirichlet prior)::

        delta_w = log((y_w + a_w) / (n + a - y_w - a_w)) - log((y'_w + a_w) / (n' + a - y'_w - a_w))
        z_w     = delta_w / sqrt(1 / (y_w + a_w) + 1 / (y'_w + a_w))

    A word that never occurs scores 0.

    Args:
        counts: (K+1, V) from ``state_words``.
        state: the state.
        prior_words: total a of the prior, in words.
    """
    overall = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    score = np.zeros(len(overall))
    seen = np.flatnonzero(overall)
    if len(seen) < 2:  # the odds of the only word are infinite everywhere
        return score
    here = counts[[state]].toarray().ravel()[seen].astype(np.float64)
    total = overall[seen]
    prior = prior_words * total / total.sum()
    inside, outside = here + prior, total - here + prior
    delta = np.log(inside / (inside.sum() - inside)) - np.log(outside / (outside.sum() - outside))
    score[seen] = delta / np.sqrt(1 / inside + 1 / outside)
    return score


def top_words(
    counts: sparse.csr_array, state: int, by: str = "count", top: int = 10, exclude: AbstractSet[int] = frozenset()
) -> list[WordCount]:
    """The words most often read into a state, or the most distinctive of them (score above 0).

    Ties go by the other figure, then by id.

    Args:
        counts: (K+1, V) from ``state_words``.
        state: the state.
        by: ``"count"`` or ``"distinctive"``.
        top: how many at most.
        exclude: word ids to leave out, as from ``stop_word_ids``; they still count in the scores.

    Raises:
        SettingError: ``by`` is neither.
    """
    if by not in ORDERS:
        raise SettingError(f"Words are ordered by {' or '.join(ORDERS)}; got {by!r}.")
    here = counts[[state]].toarray().ravel()
    score = distinctiveness(counts, state)
    kept = here > 0
    kept[[word for word in exclude if word < len(kept)]] = False
    if by == "distinctive":
        kept &= score > 0
    words = np.flatnonzero(kept)
    keys = (here[words], score[words])
    first, second = keys if by == "count" else keys[::-1]
    order = words[np.lexsort((words, -second, -first))][:top]
    return [WordCount(int(word), int(here[word]), float(score[word])) for word in order]


def transition_phrases(traces: Traces, source: int, target: int, top: int | None = 10) -> list[Phrase]:
    """The word before and the word at each step from ``source`` to ``target``, most frequent first.

    From the start there is no word before. Ties go by the ids of the words. All phrases come when ``top`` is None.
    """
    steps = _steps_between(traces, source, target)
    after = traces.token[steps].astype(np.int64)
    before = np.full(len(steps), -1) if source == START else traces.token[steps - 1].astype(np.int64)
    width = int(after.max(initial=0)) + 1
    pairs, counts = np.unique(before * width + after, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:top]
    return [
        Phrase(None if source == START else int(pair // width), int(pair % width), int(count))
        for pair, count in zip(pairs[order], counts[order], strict=True)
    ]


def phrases_by_transition(traces: Traces, top: int | None = 10) -> dict[tuple[int, int], list[Phrase]]:
    """The phrases of ``transition_phrases`` for every step to another state, by (source, target), in one pass.

    The transitions come in ascending order; each has its ``top`` phrases, or all when None.
    """
    steps = np.flatnonzero(traces.source != traces.state)
    source, token = np.asarray(traces.source)[steps].astype(np.int64), np.asarray(traces.token)
    before = np.where(source == START, -1, token[steps - 1])
    size = int(traces.state.max(initial=0)) + 1
    number, count = renumber(source * size + traces.state[steps], size * size, 1)
    pairs = np.empty(count, dtype=np.int64)
    pairs[number] = source * size + traces.state[steps]
    groups = count_by_group(number, count, [before + 1, token[steps]], top=top)  # the start's -1 becomes 0
    return {
        (pair // size, pair % size): [
            Phrase(None if pair // size == START else phrase.words[0] - 1, phrase.words[1], phrase.occurrences)
            for phrase in phrases
        ]
        for pair, phrases in zip(pairs.tolist(), groups, strict=True)
    }


def sentences_through(traces: Traces, state: int) -> IntArray:
    """Positions of the sentences that pass the state, ascending; for the start, all that have a token."""
    steps = traces.first if state == START else traces.state == state
    return np.unique(traces.sentence[steps])


def sentences_with_transition(traces: Traces, source: int, target: int) -> IntArray:
    """Positions of the sentences with a step from ``source`` to ``target``, ascending."""
    return np.unique(traces.sentence[_steps_between(traces, source, target)])


def stop_word_ids(words: Sequence[str]) -> frozenset[int]:
    """The ids of stop words and of tokens made of punctuation only.

    The list is scikit-learn's English one without ``KEPT_WORDS`` (negation, contrast, degree, and content words).

    Args:
        words: id -> word.
    """
    stops = (ENGLISH_STOP_WORDS | CLITICS) - KEPT_WORDS
    plain = (word.casefold().replace("\u2019", "'") for word in words)
    return frozenset(index for index, word in enumerate(plain) if word in stops or _is_punctuation(word))


def _steps_between(traces: Traces, source: int, target: int) -> IntArray:
    return np.flatnonzero((traces.source == source) & (traces.state == target))


def _is_punctuation(word: str) -> bool:
    """Whether no character is a letter, a digit or a picture: emoji speak, dashes and currency signs do not."""
    return all(unicodedata.category(character) not in _SPEAKING for character in word)


_SPEAKING = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "So"))
