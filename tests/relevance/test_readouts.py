"""Heads of several layers and every read-out: what adds up, adds up; what is not defined, says so."""

from itertools import product

import numpy as np
import pytest
import torch

from seer.models.classifier import CELLS, Architecture, RNNClassifier
from seer.models.readout import ACTIVATIONS, READ_OUTS
from seer.relevance.gradients import integrated_gradients, sensitivity
from seer.relevance.lrp import lrp
from seer.relevance.methods import METHODS
from seer.relevance.occlusion import logits_of_kept
from seer.relevance.slopes import logit_slopes
from tests.conftest import make_model
from tests.relevance.small import batch_of, drawn, logit, slope, vectors_of

BATCH = batch_of(drawn([7, 3, 1, 12]))

ALL = [
    (cell, two_way, read_out, head)
    for cell, two_way, read_out, head in product(CELLS, (False, True), READ_OUTS, ((), (5,), (7, 4)))
    if two_way or not read_out.endswith("_step")
]


def model_with(cell: str, two_way: bool, read_out: str, head: tuple[int, ...], **more: object) -> RNNClassifier:
    """In float64, with padding that is not zero."""
    length = 10 if read_out.startswith("padded") else None
    made = {"cell": cell, "bidirectional": two_way, "read_out": read_out, "head": head, "length": length} | more
    model = make_model(3, **made).double()
    with torch.no_grad():
        model.embedding.weight[0] = torch.linspace(-1, 1, 6)
    return model.eval()


@pytest.mark.parametrize(("cell", "two_way", "read_out", "head"), ALL)
def test_lrp_gives_the_whole_logit_with_a_bias_factor_of_one(cell, two_way, read_out, head) -> None:
    for layers, activation in ((1, "tanh"), (2, "relu")):
        model = model_with(cell, two_way, read_out, head, layers=layers, activation=activation)
        for target in (None, 2):
            found = lrp(model, BATCH, target, bias_factor=1.0)
            np.testing.assert_allclose(found.gap, 0, atol=1e-9)
            np.testing.assert_allclose(found.logit, model(BATCH).detach().numpy()[np.arange(4), found.target])


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation_passes_relevance_through(activation: str) -> None:
    model = model_with("gru", False, "mean", (6,), activation=activation)
    np.testing.assert_allclose(lrp(model, BATCH, bias_factor=1.0).gap, 0, atol=1e-9)


def test_lrp_of_a_mean_and_a_maximum_by_hand() -> None:
    """One word's relevance is its share of the mean, or all of it where it wins."""
    for read_out in ("mean", "max"):
        model = model_with("rnn", False, read_out, ())
        words = drawn([4])[0]
        with torch.no_grad():
            model.rnn.weight_hh_l0.zero_()  # each state is of its word alone
            model.rnn.bias_ih_l0.zero_()
            model.rnn.bias_hh_l0.zero_()
            states = torch.tanh(vectors_of(model, words) @ model.rnn.weight_ih_l0.T)
            weights = model.head.weight[1]
            if read_out == "mean":
                expected = (states / 4) @ weights
            else:
                values, winner = states.max(0)
                expected = torch.zeros(4, dtype=torch.float64).index_add(0, winner, values * weights)
        found = lrp(model, batch_of([words]), 1, eps=1e-12)
        np.testing.assert_allclose(found.relevance, expected.numpy(), atol=1e-8)


@pytest.mark.parametrize(("cell", "two_way", "read_out", "head"), ALL)
def test_gradients_and_integrated_gradients_follow_the_model(cell, two_way, read_out, head) -> None:
    model = model_with(cell, two_way, read_out, head, activation="tanh")
    words = drawn([5], seed=2)[0]
    vectors = vectors_of(model, words)
    logits, _, gradient = logit_slopes(model, vectors[None], torch.tensor([5]), 1)
    assert float(logits[0, 1]) == pytest.approx(logit(model, vectors, 1), abs=1e-12)
    np.testing.assert_allclose(gradient[0].numpy(), slope(model, vectors, 1).numpy(), atol=1e-6)
    # A net with kinks (ReLU, maximum) needs more nodes than a smooth one for the same gap.
    gap = integrated_gradients(model, BATCH, nodes=400).gap
    np.testing.assert_allclose(gap, 0, atol=5e-3 if cell == "rnn_relu" or read_out == "max" else 1e-9)


@pytest.mark.parametrize("read_out", ["padded", "padded_step"])
def test_padding_is_no_word(read_out: str) -> None:
    """Only words get relevance; a text longer than the padding has none beyond it; without a word padding is read."""
    model = model_with("gru", True, read_out, (5,))
    batch = batch_of(drawn([12, 4]))
    for method in ("lrp", "gradient_input", "integrated_gradients", "occlusion", "removal", "sensitivity"):
        found = METHODS[method].attribute(model, batch)
        assert not found.of(0)[10:].any() or method == "removal"  # a word taken out brings the next one in
        assert found.of(1).all()
    nothing = logits_of_kept(model, batch.ids, torch.tensor([0]), torch.zeros(1, 12, dtype=torch.bool))
    pads = batch_of([[0] * 10])
    np.testing.assert_allclose(nothing[0].detach().numpy(), model(pads)[0].detach().numpy(), atol=1e-12)


def test_methods_say_where_they_are_not_defined() -> None:
    padded = Architecture(50, 3, read_out="padded", length=9)
    deep = Architecture(50, 3, cell="lstm", head=(4,))
    assert METHODS["cd"].why_not(deep) == (
        "Contextual decomposition is defined for a linear head; this model's has 2 layers."
    )
    mean = Architecture(50, 3, cell="lstm", read_out="mean")
    assert METHODS["cd"].why_not(mean) == (
        "Contextual decomposition is defined for heads that read the state after the last real word; this model's "
        "reads the mean state of all real words."
    )
    assert METHODS["cd"].why_not(Architecture(50, 3, "rnn_relu")) == (
        "Contextual decomposition is defined for LSTM; this model is a RNN with ReLU."
    )
    others = [name for name in METHODS if name != "cd"]
    assert all(METHODS[name].why_not(each) is None for name in others for each in (padded, deep, mean))


def test_weights_keep_their_gradients_and_modes() -> None:
    model = model_with("gru", False, "mean", (5,)).train()
    sensitivity(model, BATCH)
    with torch.inference_mode():
        sensitivity(model, BATCH)
    assert all(parameter.grad is None for parameter in model.parameters())
    assert model.training
