"""Attention and gate saliency beside plain numpy and finite differences; what it must leave alone."""

import copy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seer.errors import SettingError
from seer.models.esim import ESIM
from seer.pairs import GATES, PairSaliency, pair_saliency, saliencies
from tests.pairs.plain import read
from tests.pairs.small import Pair, batch_of, make_esim, ragged, some_pairs

SIZES = [(4, 6), (1, 3), (7, 2), (5, 5)]
STEP = 1e-6

models = pytest.mark.parametrize("same_word", [False, True], ids=["published", "same-word"])


def row(found: PairSaliency, number: int) -> dict[str, np.ndarray]:
    """What is said of one pair, without its padding."""
    p, q = found.lengths[:, number]
    sides = {}
    for sentence, length in enumerate((p, q)):
        for name in ("gates", "gate_gradient"):
            sides[f"{name} {sentence}"] = getattr(found, name)[:, sentence, number, :, :, :length]
        sides[f"word {sentence}"] = found.word_gradient[sentence, number, :length]
    cells = {
        name: getattr(found, name)[number, :p, :q]
        for name in ("scores", "over_hypothesis", "over_premise", "attention")
    }
    return sides | cells | {"logits": found.logits[number], "target": found.target[number]}


@models
def test_values_are_those_of_a_plain_net(same_word: bool) -> None:
    model, pairs = make_esim(same_word=same_word), some_pairs(SIZES)
    found = pair_saliency(model, batch_of(pairs))
    for number, pair in enumerate(pairs):
        mine, right = row(found, number), read(model, *pair)
        for name in ("scores", "over_hypothesis", "over_premise", "logits"):
            assert np.allclose(mine[name], getattr(right, name), rtol=0, atol=1e-13)
        for sentence in range(2):
            for layer in range(2):
                assert np.allclose(mine[f"gates {sentence}"][layer], right.gates[layer][sentence], rtol=0, atol=1e-13)


@models
@pytest.mark.parametrize("score", ["logit", "probability"])
def test_attention_saliency_is_the_finite_difference(same_word: bool, score: str) -> None:
    model, pairs = make_esim(same_word=same_word), some_pairs(SIZES)
    found = pair_saliency(model, batch_of(pairs), score=score)
    for number, pair in enumerate(pairs):
        attention = row(found, number)["attention"]
        for place in np.ndindex(attention.shape):
            ends = [scored(model, pair, found, number, score, score_nudge=(place, step)) for step in (STEP, -STEP)]
            assert attention[place] == pytest.approx((ends[0] - ends[1]) / (2 * STEP), abs=1e-9)


@models
def test_gate_saliency_is_the_finite_difference_with_all_that_follows(same_word: bool) -> None:
    """Every gate, word, direction, sentence and layer, each at one unit."""
    model, pairs = make_esim(same_word=same_word), some_pairs([(4, 3)])
    found = pair_saliency(model, batch_of(pairs))
    random = np.random.default_rng(0)
    for layer, sentence, direction, gate in np.ndindex(2, 2, 2, len(GATES)):
        for word in range(len(pairs[0][sentence])):
            unit = int(random.integers(5))
            place = (layer, sentence, direction, gate, word, unit)
            ends = [scored(model, pairs[0], found, 0, "logit", gate_nudge=(place, step)) for step in (STEP, -STEP)]
            gradient = found.gate_gradient[layer, sentence, 0, direction, gate, word, unit]
            assert gradient == pytest.approx((ends[0] - ends[1]) / (2 * STEP), abs=1e-9)


def scored(
    model: ESIM,
    pair: Pair,
    found: PairSaliency,
    number: int,
    score: str,
    gate_nudge: tuple[tuple[int, ...], float] | None = None,
    score_nudge: tuple[tuple[int, ...], float] | None = None,
) -> float:
    """The score that was differentiated, of the plain net with something nudged."""
    logits = read(model, *pair, gate=gate_nudge, score=score_nudge).logits
    values = logits if score == "logit" else np.exp(logits) / np.exp(logits).sum()
    return float(values[found.target[number]])


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=5), st.integers(0, 99), st.booleans()
)
@settings(max_examples=30)
def test_any_batch_is_its_pairs_alone(sizes: list[tuple[int, int]], seed: int, same_word: bool) -> None:
    """Alone as in the batch; the scores' gradients sum to 0; padding is exactly 0."""
    model, pairs = make_esim(seed, same_word=same_word), some_pairs(sizes, seed)
    found = pair_saliency(model, batch_of(pairs))
    assert np.abs(found.attention.sum((1, 2))).max() < 1e-12
    for number, pair in enumerate(pairs):
        alone, beside = row(pair_saliency(model, batch_of([pair])), 0), row(found, number)
        for name, value in alone.items():
            assert np.allclose(value, beside[name], rtol=0, atol=1e-12), name
    real = np.arange(found.scores.shape[1]) < found.lengths[..., None]
    cells = real[0][:, :, None] & real[1][:, None, :]
    for name in ("scores", "over_hypothesis", "over_premise", "attention"):
        assert not getattr(found, name)[~cells].any()
        assert np.isfinite(getattr(found, name)).all()
    for name in ("gates", "gate_gradient"):
        by_word = np.moveaxis(getattr(found, name), 5, 3)  # (layer, sentence, pair, word, …)
        assert not by_word[:, ~real].any()
        assert np.isfinite(by_word).all()
    assert not found.word_gradient[~real].any()


def test_a_wider_batch_changes_nothing() -> None:
    """Padded to 200 words a side."""
    model, pairs = make_esim(), some_pairs([(5, 4), (200, 200)])
    alone, beside = (row(pair_saliency(model, batch_of(part)), 0) for part in (pairs[:1], pairs))
    assert all(np.allclose(alone[name], beside[name], rtol=0, atol=1e-12) for name in alone)


@pytest.mark.parametrize("asked", [None, [9, 2, 4, 0]])
def test_a_whole_corpus_is_read_pair_by_pair_once(monkeypatch: pytest.MonkeyPatch, asked: list[int] | None) -> None:
    """In batches, the longest first; pairs without a word are passed over."""
    monkeypatch.setattr("seer.pairs._WORDS", 12)
    random = np.random.default_rng(0)
    pairs = some_pairs([(0, 0), *map(tuple, random.integers(0, 7, (20, 2)).tolist())])
    model = make_esim()
    chosen = None if asked is None else np.array(asked)
    found = {
        int(number): row(part, place)
        for rows, part in saliencies(model, *ragged(pairs), chosen, score="probability")
        for place, number in enumerate(rows)
    }
    with_words = {number for number, pair in enumerate(pairs) if any(pair)}
    assert set(found) == with_words & set(asked or range(len(pairs)))
    for number, mine in found.items():
        alone = row(pair_saliency(model, batch_of([pairs[number]]), score="probability"), 0)
        assert all(np.allclose(mine[name], alone[name], rtol=0, atol=1e-12) for name in alone)


def test_float32_is_close_to_float64() -> None:
    model, batch = make_esim(), batch_of(some_pairs(SIZES))
    fine = pair_saliency(model, batch)
    rough = pair_saliency(copy.deepcopy(model).float(), batch)
    for name in ("logits", "attention", "gates", "gate_gradient", "word_gradient"):
        assert getattr(rough, name).dtype == np.float32
        assert np.allclose(getattr(rough, name), getattr(fine, name), atol=1e-5)


def test_a_target_can_be_chosen_for_all_and_for_each() -> None:
    model, batch = make_esim(), batch_of(some_pairs(SIZES))
    predicted, own = pair_saliency(model, batch), [2, 0, 1, 1]
    assert (predicted.target == predicted.prediction).all()
    by_class = [pair_saliency(model, batch, number) for number in range(3)]
    each = pair_saliency(model, batch, torch.tensor(own))
    assert each.target.tolist() == own
    for number, target in enumerate(own):
        assert np.allclose(each.attention[number], by_class[target].attention[number], atol=1e-14)
    total = sum(found.attention for found in (pair_saliency(model, batch, k, score="probability") for k in range(3)))
    assert np.abs(total).max() < 1e-14  # probabilities sum to 1


@pytest.mark.parametrize(
    ("target", "score", "message"), [(3, "logit", "0 to 2"), (-1, "logit", "0 to 2"), (0, "odds", "logit, p")]
)
def test_what_it_cannot_score_is_said(target: int, score: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        pair_saliency(make_esim(), batch_of(some_pairs(SIZES)), target, score=score)


@pytest.mark.parametrize("training", [True, False])
def test_mode_weights_gradients_and_random_state_are_left_alone(training: bool) -> None:
    model, batch = make_esim(dropout=0.5, same_word=True), batch_of(some_pairs(SIZES))
    model.train(training)
    model.head.weight.grad = torch.ones_like(model.head.weight)
    before, state = copy.deepcopy(model.state_dict()), torch.get_rng_state()
    with torch.no_grad():
        first = pair_saliency(model, batch)
    second = pair_saliency(model, batch)
    assert model.training is training
    assert all(part.training is training for part in model.modules())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert [name for name, weight in model.named_parameters() if weight.grad is not None] == ["head.weight"]
    assert bool((model.head.weight.grad == 1).all())
    assert torch.equal(torch.get_rng_state(), state)
    assert np.array_equal(first.gate_gradient, second.gate_gradient)


def test_mode_is_put_back_after_an_error() -> None:
    model = make_esim().train()
    with pytest.raises(SettingError):
        pair_saliency(model, batch_of(some_pairs(SIZES)), 9)
    assert model.training
