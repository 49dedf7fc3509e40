import itertools
from copy import deepcopy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.relevance.lrp import lrp
from seer.study import Study
from tests.conftest import make_model
from tests.relevance import plain
from tests.relevance.oracles import VARIANTS, bilstm
from tests.relevance.small import KINDS, batch_of, dense, drawn, model_of, padded

LENGTHS = (7, 1, 12, 2, 12)


@pytest.mark.parametrize("bias_factor", [0, 1])
@pytest.mark.parametrize("variant", VARIANTS)
def test_oracle(variant: str, bias_factor: int) -> None:
    """Every target, in float64."""
    model, batch, right = bilstm(variant)
    for target in range(model.architecture.classes):
        expected = right[f"lrp_b{bias_factor}"][:, target]
        found = lrp(model, batch, target, bias_factor=bias_factor)
        np.testing.assert_allclose(dense(found, expected), expected, rtol=0, atol=(3e-14, 7e-13)[bias_factor])
        np.testing.assert_allclose(found.rest, right[f"rest_b{bias_factor}"][:, target], rtol=0, atol=7e-13)
        np.testing.assert_allclose(found.logit, right["logits"][:, target], rtol=0, atol=6e-14)
        if bias_factor:
            assert np.abs(found.gap).max() < 1e-10
    np.testing.assert_array_equal(found.prediction, right["logits"].argmax(1))


@pytest.mark.parametrize("bias_factor", [0, 1])
@pytest.mark.parametrize("variant", VARIANTS)
def test_oracle_in_single_precision(variant: str, bias_factor: int) -> None:
    """Rounding the trained weights alone moves relevance by 3e-6 and, with the biases, 1.2e-4."""
    model, batch, right = bilstm(variant)
    model.float()
    limit = (1e-5, 3e-4 if variant == "sst" else 1e-4)[bias_factor]
    for target in range(model.architecture.classes):
        expected = right[f"lrp_b{bias_factor}"][:, target]
        found = lrp(model, batch, target, bias_factor=bias_factor)
        assert found.relevance.dtype == found.logit.dtype == np.float32
        np.testing.assert_allclose(dense(found, expected), expected, rtol=0, atol=limit)


@pytest.mark.parametrize("bias_factor", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_plain_one(kind: tuple[str, bool, int], bias_factor: float) -> None:
    model, batch = model_of(*kind), batch_of(drawn(LENGTHS))
    reference = plain.PlainClassifier(model)
    for target in (None, 0, 1, 2):
        found = lrp(model, batch, target, eps=0.01, bias_factor=bias_factor)
        for place, words in enumerate(plain.sentences(batch)):
            expected, logit, rest = plain.lrp(reference, words, target, 0.01, bias_factor)
            np.testing.assert_allclose(found.of(place), expected, rtol=1e-9, atol=1e-11)
            np.testing.assert_allclose([found.logit[place], found.rest[place]], [logit, rest], rtol=1e-9, atol=1e-11)
    classes = torch.tensor([2, 0, 1, 1, 0])
    found = lrp(model, batch, classes, eps=0.01, bias_factor=bias_factor)
    np.testing.assert_array_equal(found.target, classes)
    for place, target in enumerate(classes.tolist()):
        np.testing.assert_array_equal(
            found.of(place), lrp(model, batch, target, eps=0.01, bias_factor=bias_factor).of(place)
        )


@pytest.mark.parametrize("cell", ["gru", "lstm", "rnn"])
def test_one_word_by_hand(cell: str) -> None:
    """The states before are zero: relevance goes from the logit by the candidate to the word, and on to the biases."""
    eps, word, target = 0.05, 7, 1
    model = model_of(cell)
    weights = {name: value.numpy() for name, value in model.state_dict().items()}
    d = model.architecture.hidden
    x, w = weights["embedding.weight"][word], weights["rnn.weight_ih_l0"]
    b_x, b_h = weights["rnn.bias_ih_l0"], weights["rnn.bias_hh_l0"]

    def gate(block: int) -> np.ndarray:
        return 1 / (1 + np.exp(-(w @ x + b_x + b_h)[block * d : (block + 1) * d]))

    def stab(z: np.ndarray) -> np.ndarray:
        return z + eps * np.sign(z)

    rows = slice(None) if cell == "rnn" else slice(2 * d, 3 * d)
    pre = (w @ x)[rows] + b_x[rows] + (gate(0) if cell == "gru" else 1) * b_h[rows]
    memory = {"gru": lambda: 1 - gate(1), "lstm": lambda: gate(0), "rnn": lambda: 1.0}[cell]() * np.tanh(pre)
    state = gate(3) * np.tanh(memory) if cell == "lstm" else memory
    logit = weights["head.weight"][target] @ state + weights["head.bias"][target]
    of_memory = state * weights["head.weight"][target] * logit / stab(logit)
    of_candidate = of_memory if cell == "rnn" else memory * of_memory / stab(memory)
    expected = np.sum(of_candidate / stab(pre) * (w @ x)[rows])
    found = lrp(model, batch_of([[word]]), target, eps=eps)
    np.testing.assert_allclose([found.of(0)[0], found.logit[0]], [expected, logit], rtol=1e-12)
    assert found.rest[0] == 0


@given(
    kind=st.sampled_from(KINDS),
    lengths=st.lists(st.integers(1, 15), min_size=1, max_size=20),
    eps=st.floats(1e-3, 1),
    seed=st.integers(0, 99),
)
@settings(max_examples=40)
def test_nothing_is_lost_at_bias_factor_one(
    kind: tuple[str, bool, int], lengths: list[int], eps: float, seed: int
) -> None:
    found = lrp(model_of(*kind, seed=seed), batch_of(drawn(lengths, seed)), eps=eps, bias_factor=1)
    scale = max(1, np.abs(found.relevance).max(), np.abs(found.rest).max())
    assert np.abs(found.gap).max() < 1e-10 * scale


@pytest.mark.parametrize("kind", KINDS)
def test_without_biases_and_eps_nothing_is_lost(kind: tuple[str, bool, int]) -> None:
    model = model_of(*kind)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "bias" in name:
                value.zero_()
    found = lrp(model, batch_of(drawn(LENGTHS)), eps=0)
    assert np.abs(found.gap).max() < 1e-10 * max(1, np.abs(found.relevance).max())
    assert not found.rest.any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("bias_factor", [0.0, 1.0])
@pytest.mark.parametrize("cell", ["gru", "lstm", "rnn"])
def test_sums_of_zero_pass_nothing_on(cell: str, bias_factor: float, dtype: torch.dtype) -> None:
    """No candidate, so no memory: every sum but the output is zero, or too near zero to divide by."""
    model = model_of(cell, True, 2).to(dtype)
    for tiny in (0.0, torch.finfo(dtype).tiny):
        with torch.no_grad():
            for name, value in model.rnn.named_parameters():
                value.fill_(0.0 if "bias" in name else tiny)
        for eps in (0.0, 1e-300):
            found = lrp(model, batch_of(drawn(LENGTHS)), eps=eps, bias_factor=bias_factor)
            assert np.abs(found.relevance).max() < 1e-30
            assert np.isfinite(found.rest).all()
    assert np.isfinite(lrp(model, batch_of(drawn(LENGTHS)), bias_factor=bias_factor).relevance).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_and_padding_change_nothing(kind: tuple[str, bool, int], dtype: torch.dtype) -> None:
    model, limit = model_of(*kind).to(dtype), 1e-6 if dtype == torch.float32 else 1e-12
    sentences = drawn([9, 200, *[5] * 30])
    together = lrp(model, batch_of(sentences), 1, eps=0.01)
    for place in (0, 2):
        alone = batch_of([sentences[place]])
        for batch in (alone, padded(alone, 256), batch_of([sentences[place], sentences[1]])):
            np.testing.assert_allclose(lrp(model, batch, 1, eps=0.01).of(0), together.of(place), rtol=limit, atol=limit)


@pytest.mark.parametrize("kind", KINDS)
def test_a_repeated_word_is_told_apart_by_place(kind: tuple[str, bool, int]) -> None:
    found = lrp(model_of(*kind), batch_of([[5, 5, 5, 1, 5]]))
    assert len(np.unique(found.relevance)) == 5


@pytest.mark.parametrize("kind", KINDS)
def test_two_thousand_words(kind: tuple[str, bool, int]) -> None:
    model, batch = model_of(*kind).float(), batch_of(drawn([2000, 3]))
    for bias_factor in (0.0, 1.0):
        found = lrp(model, batch, eps=0.01, bias_factor=bias_factor)
        assert np.isfinite(found.relevance).all()
        if bias_factor:
            np.testing.assert_allclose(found.gap, 0, atol=1e-3 * max(1, np.abs(found.relevance).max()))


def test_overflow_is_told() -> None:
    """A steady state that triples its relevance every step: w·x = −3.03 against u·h = 4.5."""
    model = make_model(cell="rnn", embedding=1, hidden=1)
    with torch.no_grad():
        for value in model.rnn.parameters():
            value.zero_()
        model.rnn.weight_hh_l0.fill_(5)
        model.rnn.weight_ih_l0.fill_(1)
        model.embedding.weight[2:4] = torch.tensor([[3.0], [-3.028]])
    assert np.isfinite(lrp(model, batch_of([[2] + [3] * 50])).relevance).all()
    with pytest.raises(SettingError, match=r"overflowed with eps 0\.001 in a text of 201 words; .*--eps 0\.1"):
        lrp(model, batch_of([[2] + [3] * 200, [2, 3]]))
    assert np.isfinite(lrp(model.double(), batch_of([[2] + [3] * 200])).relevance).all()


def test_the_model_is_left_as_it_was() -> None:
    model: RNNClassifier = model_of("lstm", True, 2).train()
    model.head.eval()
    model.rnn.weight_hh_l0.requires_grad_(False)
    before, batch = deepcopy(model.state_dict()), batch_of(drawn(LENGTHS))
    first, second = (lrp(model, batch, bias_factor=1) for _ in range(2))
    np.testing.assert_array_equal(first.relevance, second.relevance)
    np.testing.assert_array_equal(first.relevance, lrp(model.eval(), batch, bias_factor=1).relevance)
    model.train()
    model.head.eval()
    lrp(model, batch)
    assert (model.training, model.rnn.training, model.head.training) == (True, True, False)
    assert all(value.grad is None for value in model.parameters())
    assert [name for name, value in model.named_parameters() if not value.requires_grad] == ["rnn.weight_hh_l0"]
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"eps": -1e-9}, "eps must be a number from 0 up to 1,000,000, got -1e-09"),
        ({"eps": float("nan")}, "got nan"),
        ({"eps": 1e7}, "from 0 up to 1,000,000, got 10000000"),
        ({"eps": float("inf")}, "got inf"),
        ({"bias_factor": 1.1}, "bias factor must lie from 0 to 1, got 1.1"),
        ({"bias_factor": float("nan")}, "got nan"),
        ({"target": 3}, "target class must lie from 0 to 2"),
        ({"target": torch.tensor([0, 1])}, "one target class for each of 1 sentences"),
    ],
)
def test_wrong_settings_are_told(wrong: dict, told: str) -> None:
    with pytest.raises(SettingError, match=told):
        lrp(model_of(), batch_of([[3, 4]]), **wrong)


def test_the_demo_study_conserves(demo: Study) -> None:
    """On real sentences, a word repeated and unknown words among them."""
    model = deepcopy(demo.model).double()
    offsets, ids = demo.tokenizer.encode(
        ["a good good good film", "dull", "zzqx", "not zzqx at all", *demo.corpus.texts(np.arange(60))]
    )
    sentences = [ids[begin:end] for begin, end in itertools.pairwise(offsets) if end > begin]
    batch: Batch = batch_of(sentences)
    for target in (None, 0, 1):
        found = lrp(model, batch, target, bias_factor=1)
        assert np.abs(found.gap).max() < 1e-10
        with torch.no_grad():
            np.testing.assert_allclose(found.logit, model(batch)[np.arange(len(found)), found.target], atol=1e-12)
    words = lrp(demo.model, batch, 1)
    assert words.relevance.dtype == np.float32
    np.testing.assert_allclose(words.relevance, lrp(model, batch, 1).relevance, atol=1e-3)
