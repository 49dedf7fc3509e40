"""Taking words out, and spans as a whole."""

import numpy as np
import pytest
import torch

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.relevance.effects import drop_in_order, span_effect
from tests.relevance.small import KINDS, logit, model_of, vectors_of

WORDS = np.array([7, 3, 3, 1, 20, 9])


def logits_of(model, words):
    with torch.no_grad():
        return model(Batch(torch.tensor([list(words)]), torch.tensor([len(words)])))[0].numpy()


@pytest.mark.parametrize(("cell", "two_way", "layers"), KINDS)
def test_dropping_reads_what_is_left(cell, two_way, layers):
    model, order = model_of(cell, two_way, layers), np.array([4, 0, 2])
    found = drop_in_order(model, WORDS, order)
    left = [WORDS, WORDS[[0, 1, 2, 3, 5]], WORDS[[1, 2, 3, 5]], WORDS[[1, 3, 5]]]
    expected = [torch.softmax(torch.tensor(logits_of(model, words)), 0).numpy() for words in left]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(found.sum(1), 1)


def test_dropping_all_leaves_a_net_that_has_read_nothing():
    model = model_of()
    found = drop_in_order(model, WORDS[:1], np.array([0]))
    np.testing.assert_allclose(found[1], torch.softmax(model.head.bias.detach(), 0).numpy(), atol=1e-12)
    assert drop_in_order(model, WORDS, np.zeros(0, dtype=int)).shape == (1, 3)


@pytest.mark.parametrize(("cell", "two_way", "layers"), KINDS)
def test_a_span_and_the_rest_are_the_logits(cell, two_way, layers):
    model = model_of(cell, two_way, layers)
    effect = span_effect(model, WORDS, 1, 3)
    assert effect.decomposed == (cell == "lstm" and layers == 1)
    np.testing.assert_allclose(effect.logits, logits_of(model, WORDS), atol=1e-12)


def test_an_occluded_span_has_zero_vectors():
    model = model_of("gru", True)
    vectors = vectors_of(model, WORDS)
    vectors[1:4] = 0
    effect = span_effect(model, WORDS, 1, 3)
    np.testing.assert_allclose(effect.rest, [logit(model, vectors, target) for target in range(3)], atol=1e-12)


def test_a_whole_decomposed_sentence_leaves_only_the_heads_bias():
    model = model_of("lstm", True)
    effect = span_effect(model, WORDS, 0, len(WORDS) - 1)
    np.testing.assert_allclose(effect.rest, model.head.bias.detach().numpy(), atol=1e-12)
    strict = span_effect(model, WORDS, 0, len(WORDS) - 1, inclusive=False)
    assert not np.allclose(strict.rest, effect.rest)
    with pytest.raises(SettingError):
        span_effect(model, WORDS, 2, 6)


def test_the_model_keeps_its_mode_and_drops_nothing_out():
    model = model_of().train()
    first, second = (drop_in_order(model, WORDS, np.array([1])) for _ in range(2))
    assert (first == second).all()
    assert (span_effect(model, WORDS, 0, 1).span == span_effect(model, WORDS, 0, 1).span).all()
    assert model.training
