import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.relevance.slopes import logit_slopes
from tests.relevance.small import KINDS, batch_of, drawn, model_of, padded

WORDS = st.lists(st.integers(1, 49), min_size=1, max_size=7)


def by_autograd(model: RNNClassifier, batch: Batch, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits and gradient as PyTorch has them."""
    vectors = model.embed(batch).detach().requires_grad_()
    logits = model.logits(vectors, batch.lengths)
    return logits, torch.autograd.grad(logits.gather(1, target[:, None]).sum(), vectors)[0]


def assert_same(model: RNNClassifier, batch: Batch, target: torch.Tensor, tolerance: float) -> None:
    logits, chosen, gradient = logit_slopes(model, model.embed(batch), batch.lengths, target)
    expected = by_autograd(model, batch, target)
    assert torch.equal(chosen, target)
    torch.testing.assert_close(logits, expected[0], rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(gradient, expected[1], rtol=tolerance, atol=tolerance)
    assert not gradient[~batch.mask].any()


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-13), (torch.float32, 2e-6)])
@pytest.mark.parametrize("kind", KINDS)
def test_they_are_those_of_autograd(kind: tuple[str, bool, int], dtype: torch.dtype, tolerance: float) -> None:
    model = model_of(*kind).to(dtype)
    assert_same(model, padded(batch_of(drawn([6, 1, 11, 6])), 2), torch.tensor([2, 0, 1, 1]), tolerance)


@given(st.sampled_from(KINDS), st.lists(WORDS, min_size=1, max_size=4), st.integers(0, 2), st.integers(0, 3))
def test_whatever_the_sentences(
    kind: tuple[str, bool, int], sentences: list[list[int]], target: int, more: int
) -> None:
    batch = padded(batch_of(sentences), more)
    assert_same(model_of(*kind), batch, torch.full((len(sentences),), target), 1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_gates_that_are_wide_open_or_shut(kind: tuple[str, bool, int]) -> None:
    """Weights so large that every gate saturates: no overflow, and the same slopes."""
    model = model_of(*kind)
    with torch.no_grad():
        for weight in model.rnn.parameters():
            weight.mul_(200)
    batch = batch_of(drawn([5, 3]))
    with np.errstate(all="raise", under="ignore"):
        assert_same(model, batch, torch.tensor([0, 1]), 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_given_is_only_read(kind: tuple[str, bool, int]) -> None:
    model, batch = model_of(*kind), batch_of(drawn([4]))
    vectors = model.embed(batch).detach()
    before = vectors.clone(), {name: weight.clone() for name, weight in model.state_dict().items()}
    logit_slopes(model, vectors, batch.lengths, None)
    assert torch.equal(vectors, before[0])
    assert all(torch.equal(weight, before[1][name]) for name, weight in model.state_dict().items())


def test_two_thousand_words() -> None:
    for cell in ("gru", "lstm", "rnn"):
        assert_same(model_of(cell, True), batch_of(drawn([2000, 3])), torch.tensor([0, 2]), 1e-12)


def test_a_target_that_is_not_there_is_said() -> None:
    model, batch = model_of(), batch_of(drawn([4]))
    with pytest.raises(SettingError, match="from 0 to 2"):
        logit_slopes(model, model.embed(batch), batch.lengths, 3)
