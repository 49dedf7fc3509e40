"""Words and phrases are counted exactly; distinctiveness has the values of its formula."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from seer.errors import DataError, SettingError
from seer.patterns.words import (
    Phrase,
    WordCount,
    distinctiveness,
    phrases_by_transition,
    sentences_through,
    sentences_with_transition,
    state_words,
    stop_word_ids,
    top_words,
    transition_phrases,
)
from seer.traces import Traces

STATES, WORDS = 4, 6
CORPUS = st.lists(st.lists(st.tuples(st.integers(1, STATES), st.integers(0, WORDS - 1)), max_size=6), max_size=10)


def make_traces(corpus):
    steps = [step for sentence in corpus for step in sentence]
    state = np.array([step[0] for step in steps], dtype=np.int16)
    token = np.array([step[1] for step in steps], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, corpus)])
    return Traces(offsets, token, state, np.zeros(len(steps), np.int16), np.ones((len(steps), 1), np.float32))


@given(CORPUS)
def test_state_words_equal_the_reference(corpus):
    counts = state_words(make_traces(corpus), WORDS, STATES)
    expected = Counter(step for sentence in corpus for step in sentence)
    assert counts.shape == (STATES + 1, WORDS)
    assert counts.dtype == np.int64
    table = counts.toarray()
    assert all(table[state, word] == expected[state, word] for state in range(STATES + 1) for word in range(WORDS))


@given(CORPUS, st.integers(0, STATES), st.integers(1, STATES))
def test_phrases_and_sentences_equal_the_reference(corpus, source, target):
    traces = make_traces(corpus)
    phrases, through, changing = Counter(), [], []
    for position, sentence in enumerate(corpus):
        before = [(0, None), *sentence]
        pairs = [
            (one[1], two[1])
            for one, two in zip(before, sentence, strict=False)
            if one[0] == source and two[0] == target
        ]
        phrases.update(pairs)
        if pairs:
            changing.append(position)
        if source in [state for state, _ in before] and sentence:
            through.append(position)
    found = transition_phrases(traces, source, target, top=None)
    assert {(phrase.before, phrase.after): phrase.count for phrase in found} == phrases
    assert [phrase.count for phrase in found] == sorted(phrases.values(), reverse=True)
    assert transition_phrases(traces, source, target, top=2) == found[:2]
    assert sentences_with_transition(traces, source, target).tolist() == changing
    assert sentences_through(traces, source).tolist() == through


def test_phrases_by_hand():
    traces = make_traces([[(1, 5), (2, 3)], [(1, 5), (2, 3), (1, 4), (2, 3)], []])
    assert transition_phrases(traces, 1, 2) == [Phrase(5, 3, 2), Phrase(4, 3, 1)]
    assert transition_phrases(traces, 0, 1) == [Phrase(None, 5, 2)]
    assert transition_phrases(traces, 2, 2) == []


def test_distinctiveness_by_the_formula():
    counts = sparse.csr_array(np.array([[0, 0, 0, 0], [8, 2, 0, 0], [2, 4, 4, 0]]))
    score = distinctiveness(counts, 1, prior_words=40)
    for word, (inside, outside) in enumerate([(8, 2), (2, 4), (0, 4)]):
        prior = 40 * (inside + outside) / 20
        odds_in = (inside + prior) / (10 + 40 - inside - prior)
        odds_out = (outside + prior) / (10 + 40 - outside - prior)
        expected = math.log(odds_in / odds_out) / math.sqrt(1 / (inside + prior) + 1 / (outside + prior))
        assert score[word] == pytest.approx(expected)
    assert score[3] == 0
    np.testing.assert_allclose(distinctiveness(counts, 2, prior_words=40), -score, atol=1e-12)


@given(CORPUS, st.integers(1, STATES))
def test_distinctiveness_is_always_finite(corpus, state):
    counts = state_words(make_traces(corpus), WORDS, STATES)
    assert np.isfinite(distinctiveness(counts, state)).all()


def test_top_words_by_count_and_by_distinctiveness():
    table = np.array([[0, 0, 0, 0, 0], [90, 30, 9, 9, 0], [900, 0, 3, 9, 5]])
    counts = sparse.csr_array(table)
    assert [(word.word, word.count) for word in top_words(counts, 1)] == [(0, 90), (1, 30), (2, 9), (3, 9)]
    distinctive = top_words(counts, 1, by="distinctive")
    assert [word.word for word in distinctive] == [1, 2, 3]
    score = distinctiveness(counts, 1)
    assert distinctive[0] == WordCount(1, 30, float(score[1]))
    assert [word.word for word in top_words(counts, 1, top=1, exclude=frozenset({0, 99}))] == [1]
    assert top_words(counts, 0) == []
    with pytest.raises(SettingError, match="count or distinctive"):
        top_words(counts, 1, by="tf-idf")


@pytest.mark.hard_inputs(30)
def test_a_word_seen_three_times_has_count_three():
    counts = state_words(make_traces([[(1, 2), (1, 2), (1, 2)]]), WORDS, STATES)
    assert [(word.word, word.count) for word in top_words(counts, 1)] == [(2, 3)]


def test_words_outside_the_vocabulary_are_refused():
    with pytest.raises(DataError, match="words below 5"):
        state_words(make_traces([[(1, 5)]]), 5, STATES)
    with pytest.raises(DataError, match="states up to 3"):
        state_words(make_traces([[(4, 5)]]), 6, 3)


def test_no_words_at_all():
    traces = make_traces([[], []])
    assert state_words(traces, WORDS, STATES).nnz == 0
    assert transition_phrases(traces, 0, 1) == []
    assert sentences_through(traces, 1).tolist() == sentences_through(traces, 0).tolist() == []


def test_stop_words_spare_what_turns_or_weighs():
    stop = ["the", "of", "It", "was", "...", "--", ",", "$", "\u2019s", "'ll", "s", "\u201c"]
    keep = (
        "not no never nor nothing cannot without but however although though yet except very too more most less least"
    )
    kept = [
        *keep.split(),
        "only",
        "n't",
        "t",
        "good",
        "sincere",
        "empty",
        "2",
        "[UNK]",
        "\U0001f642",
        "caf\u00e9",
        "שלום",
    ]
    assert stop_word_ids([*stop, *kept]) == frozenset(range(len(stop)))


@given(CORPUS)
def test_phrases_of_all_transitions_are_those_of_each(corpus):
    traces = make_traces(corpus)
    expected = {
        (source, target): transition_phrases(traces, source, target, top=3)
        for source in range(STATES + 1)
        for target in range(1, STATES + 1)
        if source != target
    }
    found = phrases_by_transition(traces, top=3)
    assert found == {pair: phrases for pair, phrases in expected.items() if phrases}
    assert list(found) == sorted(found)
