"""ESIM: its numbers beside plain loops, what padding and empty sides do to them, and what it says about itself."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seer.errors import ModelError, SettingError
from seer.models import build_model
from seer.models.batches import Batch, PairBatch
from seer.models.checkpoint import load_model, read_architecture, save_weights
from seer.models.esim import ESIM, PairArchitecture, masked_softmax
from seer.models.prefixes import prefix_stride
from seer.models.training import Sentences, TrainingSettings, train
from seer.pairs import pair_saliency
from tests.pairs.plain import read
from tests.pairs.small import batch_of, make_esim, some_pairs

SIZES = [(4, 6), (1, 3), (7, 2), (5, 0), (0, 3), (0, 0)]

models = pytest.mark.parametrize("same_word", [False, True], ids=["published", "same-word"])


def padded(batch: PairBatch, more: int) -> PairBatch:
    """The same pairs with so many words of padding more on each side."""
    sides = (Batch(torch.nn.functional.pad(side.ids, (0, more)), side.lengths) for side in batch.sides)
    return PairBatch(*sides)


@models
def test_logits_are_those_of_plain_loops(same_word: bool) -> None:
    model, pairs = make_esim(same_word=same_word), some_pairs(SIZES)
    expected = np.stack([read(model, *pair).logits for pair in pairs])
    with torch.inference_mode():
        assert np.allclose(model(batch_of(pairs)).numpy(), expected, rtol=0, atol=1e-13)


@models
def test_the_unrolled_net_is_the_same_net(same_word: bool) -> None:
    """What saliency is computed on gives what the fast kernels give, values and gradients of the word vectors."""
    model, batch = make_esim(same_word=same_word), batch_of(some_pairs(SIZES))
    found = pair_saliency(model, batch)
    vectors = model.embed(batch).detach().requires_grad_()
    fast = model.read(vectors, batch)
    for mine, other in (
        (found.logits, fast.logits),
        (found.scores, fast.scores),
        (found.over_hypothesis, fast.over_hypothesis),
        (found.over_premise, fast.over_premise),
    ):
        assert np.allclose(mine, other.detach().numpy(), rtol=0, atol=1e-13)
    (gradient,) = torch.autograd.grad(fast.logits.amax(1).sum(), vectors)
    assert np.allclose(found.word_gradient, gradient.view(found.word_gradient.shape).numpy(), rtol=0, atol=1e-13)


def test_states_are_those_of_packed_sequences() -> None:
    """PyTorch's own module on packed sequences is the reference for the encoder."""
    model, batch = make_esim(), batch_of(some_pairs([(4, 6), (1, 3), (7, 2)]))
    vectors, lengths = model.embed(batch), batch.lengths
    packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    expected = pad_packed_sequence(model.encoder(packed)[0], batch_first=True)[0]
    assert torch.allclose(model.encode(vectors, lengths), expected, rtol=0, atol=1e-13)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=5), st.integers(0, 99), st.booleans()
)
@settings(max_examples=30)
def test_a_pair_alone_is_the_pair_in_a_padded_batch(sizes: list[tuple[int, int]], seed: int, same_word: bool) -> None:
    model, pairs = make_esim(seed, same_word=same_word), some_pairs(sizes, seed)
    with torch.inference_mode():
        together = model.probabilities(padded(batch_of(pairs), 9))
        for row, pair in enumerate(pairs):
            assert torch.allclose(model.probabilities(batch_of([pair]))[0], together[row], rtol=0, atol=1e-12)
        assert torch.isfinite(together).all()


@models
def test_steps_are_the_predictions_for_what_has_been_read(same_word: bool) -> None:
    model, pairs = make_esim(same_word=same_word), some_pairs([pair for pair in SIZES if sum(pair)])
    batch = batch_of(pairs)
    with torch.inference_mode():
        steps = model.predict_steps(batch)
        assert steps.shape[:2] == batch.mask.shape
        for row, (premise, hypothesis) in enumerate(pairs):
            for end in range(1, len(premise) + len(hypothesis) + 1):
                begun = premise[:end], hypothesis[: max(0, end - len(premise))]
                expected = model.probabilities(batch_of([begun]))[0]
                assert torch.allclose(steps[row, end - 1], expected, rtol=0, atol=1e-12)
        assert torch.allclose(
            steps[torch.arange(len(pairs)), batch.mask.sum(1) - 1], model.probabilities(batch), rtol=0, atol=1e-12
        )


def test_long_pairs_keep_a_stride_and_the_last_word() -> None:
    model, batch = make_esim(), batch_of(some_pairs([(60, 41)]))
    with torch.inference_mode():
        steps = model.predict_steps(batch)[0]
        assert torch.allclose(steps[-1], model.probabilities(batch)[0], rtol=0, atol=1e-12)
    stride = prefix_stride(101)
    assert stride > 1
    assert torch.equal(steps[:-1], steps[torch.arange(100) // stride * stride])


def test_hidden_states_are_the_inference_states_of_the_premise_and_then_of_the_hypothesis() -> None:
    model, batch = make_esim(), batch_of(some_pairs([(4, 6), (1, 3), (5, 0), (0, 3)]))
    with torch.inference_mode():
        states, rows = model.read(model.embed(batch), batch).states, model.hidden_states(batch)
    for row, (p, q) in enumerate(zip(batch.premise.lengths.tolist(), batch.hypothesis.lengths.tolist(), strict=True)):
        assert torch.equal(rows[row, :p], states[row, :p])
        assert torch.equal(rows[row, p : p + q], states[4 + row, :q])
        assert not rows[row, p + q :].any()


def test_the_flag_is_on_known_words_of_both_sentences_alone() -> None:
    """Unknown words are not the same word, and padding is no word."""
    model = make_esim(same_word=True)
    batch = batch_of([([5, 1, 7, 5], [1, 5]), ([3], [])])
    plain = model.embedding(batch.ids)
    flagged = ((model.embed(batch) - plain).abs() > 1e-12).any(-1)
    assert flagged.tolist() == [
        [True, False, False, True],
        [False, False, False, False],
        [False, True, False, False],
        [False, False, False, False],
    ]
    assert torch.equal(make_esim().embed(batch), make_esim().embedding(batch.ids))


def test_softmax_is_over_real_places_and_never_nan() -> None:
    scores = torch.tensor([[5.0, -1e30, 3.0], [1.0, 2.0, 3.0]])
    found = masked_softmax(scores, torch.tensor([[True, True, False], [False, False, False]]), 1)
    assert found[0].tolist() == [1.0, 0.0, 0.0]
    assert found[1].tolist() == pytest.approx([1 / 3] * 3)


def test_dropout_acts_in_training_only() -> None:
    model, batch = make_esim(dropout=0.5), batch_of(some_pairs(SIZES))
    assert torch.equal(model(batch), model(batch))
    model.train()
    assert not torch.equal(model(batch), model(batch))


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden": 0},
        {"embedding": 0},
        {"vocabulary": 0},
        {"classes": 1},
        {"dropout": 1.0},
        {"dropout": -0.1},
        {"hidden": 9000},
    ],
)
def test_architecture_checks_itself(changes: dict[str, float]) -> None:
    with pytest.raises(SettingError):
        PairArchitecture(**({"vocabulary": 10, "classes": 2} | changes))


def test_it_describes_itself() -> None:
    assert PairArchitecture(10, 3).describe() == "ESIM 50"
    assert PairArchitecture(10, 3, hidden=128, same_word=True).describe() == "ESIM 128, with same-word flag"


@models
def test_a_checkpoint_comes_back_whole(tmp_path: Path, same_word: bool) -> None:
    model, path = make_esim(same_word=same_word).float(), tmp_path / "model.safetensors"
    save_weights(model, path)
    again = load_model(path, read_architecture(model.architecture.as_dict()))
    assert isinstance(again, ESIM)
    assert not again.training
    assert again.architecture == model.architecture
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in model.state_dict().items())
    other = read_architecture(model.architecture.as_dict() | {"same_word": not same_word})
    with pytest.raises(ModelError, match="same_word"):
        load_model(path, other)
    with pytest.raises(ModelError, match="cell"):
        read_architecture(model.architecture.as_dict() | {"cell": "gru"})


def test_training_learns_reads_empty_sides_and_leaves_the_random_state_alone() -> None:
    """The hypothesis's first word tells the class; some pairs have an empty side."""
    random = np.random.default_rng(0)
    pairs = [([int(random.integers(4, 9))] * int(random.integers(0, 4)), [2 + number % 2, 9]) for number in range(80)]
    pairs += [([5, 6], []), ([], [])]
    rows = [premise + hypothesis for premise, hypothesis in pairs]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    sentences = Sentences(
        offsets,
        np.array([word for row in rows for word in row]),
        np.array([*(number % 2 for number in range(80)), 0, 1], dtype=np.int32),
        np.array([len(premise) for premise, _ in pairs]),
    )
    state = torch.get_rng_state()
    settings = TrainingSettings(epochs=8, batch=8, learning_rate=1e-2)
    model, history = train(PairArchitecture(10, 2, 8, 6, 0.1), sentences, sentences, settings)
    again, _ = train(PairArchitecture(10, 2, 8, 6, 0.1), sentences, sentences, settings)
    assert not model.training
    assert max(record["validation_accuracy"] for record in history) > 0.9
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    assert not model.embedding.weight[0].any()


def test_one_seed_is_one_net() -> None:
    torch.manual_seed(3)
    first = build_model(PairArchitecture(10, 3))
    torch.manual_seed(3)
    second = build_model(PairArchitecture(10, 3))
    assert isinstance(first, ESIM)
    assert all(torch.equal(value, second.state_dict()[name]) for name, value in first.state_dict().items())
