import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seer.relevance.random import random_relevance
from tests.relevance.small import batch_of, drawn, model_of, padded

SENTENCES = st.lists(st.lists(st.integers(1, 49), min_size=1, max_size=6), min_size=1, max_size=5)


@given(SENTENCES, st.integers(-5, 2**70), st.integers(0, 9))
def test_a_sentence_gets_its_numbers_in_any_batch(sentences: list[list[int]], seed: int, more: int) -> None:
    model = model_of()
    together = random_relevance(model, padded(batch_of(sentences), more), seed=seed)
    for place, words in enumerate(sentences):
        alone = random_relevance(model, batch_of([words]), 1, seed=seed)
        assert alone.relevance.tolist() == together.of(place).tolist()


def test_seed_sentence_and_place_each_make_other_numbers() -> None:
    model, batch = model_of(), batch_of([[7, 7, 7], [7, 7, 8], [7, 8, 7]])
    first, second = (random_relevance(model, batch, seed=seed).relevance for seed in (0, 1))
    assert len({*first.tolist(), *second.tolist()}) == 18


def test_both_precisions_give_the_same_numbers() -> None:
    model, batch = model_of(), batch_of(drawn([30, 4]))
    double = random_relevance(model, batch, seed=3).relevance
    single = random_relevance(model.float(), batch, seed=3).relevance
    assert single.dtype == np.float32
    assert single.tolist() == double.tolist()


def test_numbers_are_uniform_and_follow_neither_word_nor_place() -> None:
    model, sentences = model_of(), drawn([20] * 500)
    found = random_relevance(model, batch_of(sentences))
    numbers = found.relevance
    assert -1 <= numbers.min() < -0.99 < 0.99 < numbers.max() < 1
    shares = np.histogram(numbers, 10, (-1, 1))[0] / len(numbers)
    assert np.abs(shares - 0.1).max() < 0.02
    place = np.tile(np.arange(20), 500)
    for other in (
        found.token,
        place,
        np.roll(numbers, 1),
        random_relevance(model, batch_of(sentences), seed=1).relevance,
    ):
        assert abs(np.corrcoef(numbers, other)[0, 1]) < 0.04
