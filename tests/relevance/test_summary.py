"""Agreement of methods, and words over many sentences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from seer.relevance.record import WordRelevance
from seer.relevance.summary import rank_agreement, rank_words


def test_agreement_is_spearmans():
    random = np.random.default_rng(0)
    values = [random.normal(size=30), random.normal(size=30).round(1), random.integers(0, 4, 30).astype(float)]
    found = rank_agreement(values, [True] * 3)
    for one in range(3):
        for other in range(3):
            assert found[one, other] == pytest.approx(spearmanr(values[one], values[other]).statistic)


def test_a_method_without_a_sign_is_compared_by_strength():
    signed, strength = np.array([-3.0, 2.0, -1.0, 0.5]), np.array([9.0, 4.0, 1.0, 0.25])
    found = rank_agreement([signed, strength, -signed], [True, False, True])
    assert found[0, 1] == found[1, 2] == pytest.approx(1)
    assert found[0, 2] == pytest.approx(-1)


@pytest.mark.parametrize("values", [np.array([1.0]), np.array([2.0, 2.0, 2.0]), np.zeros(0)])
def test_without_an_order_there_is_no_agreement(values):
    assert np.isnan(rank_agreement([values, values], [True, True])).all()


def relevance_of(sentences):
    """Relevance of sentences given as (word, value) pairs."""
    lengths = [len(sentence) for sentence in sentences]
    pairs = [pair for sentence in sentences for pair in sentence]
    none = np.zeros(len(lengths))
    return WordRelevance(
        np.concatenate([[0], np.cumsum(lengths)]).astype(int),
        np.array([word for word, _ in pairs], dtype=int),
        np.array([value for _, value in pairs], dtype=float),
        none.astype(int),
        none.astype(int),
        none,
        none,
    )


@given(st.lists(st.lists(st.tuples(st.integers(2, 6), st.floats(-5, 5)), max_size=6), max_size=6))
def test_words_are_gathered_like_the_slow_way(sentences):
    ranking = rank_words(relevance_of(sentences))
    values = {}
    for word, value in (pair for sentence in sentences for pair in sentence):
        values.setdefault(word, []).append(value)
    assert ranking.word.tolist() == sorted(values)
    for place, word in enumerate(ranking.word.tolist()):
        assert ranking.count[place] == len(values[word])
        assert ranking.total[place] == pytest.approx(sum(values[word]))
        assert ranking.mean[place] == pytest.approx(np.mean(values[word]))
        assert ranking.median[place] == pytest.approx(np.median(values[word]))


def test_ranking_leaves_out_rare_and_excluded_words_and_shows_both_ends():
    ranking = rank_words(
        relevance_of([[(2, 1.0), (3, 5.0), (3, 1.0)], [(4, -2.0), (4, -4.0), (5, 0.0), (5, 0.0), (6, 9.0)]])
    )
    assert ranking.ordered("sum").word.tolist() == [6, 3, 2, 5, 4]
    assert ranking.ordered("mean", least=2).word.tolist() == [3, 5, 4]
    kept = ranking.ordered("sum", exclude=frozenset({3}))
    assert kept.word.tolist() == [6, 2, 5, 4]
    assert kept.ends("sum", 1).word.tolist() == [6, 4]
    assert kept.ends("sum", 9).word.tolist() == [6, 2, 4]
