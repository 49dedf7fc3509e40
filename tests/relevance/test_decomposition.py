import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.relevance import decomposition
from seer.relevance.decomposition import contextual_decomposition, decompose_spans
from tests.conftest import make_model
from tests.relevance import oracles


def lstm(seed: int = 0, **changes: object) -> RNNClassifier:
    """A float64 LSTM with weights large enough for the parts to meet."""
    model = make_model(seed, cell="lstm", **changes).double()
    with torch.no_grad():
        for weight in model.rnn.parameters():
            weight.mul_(2.5)
    return model


def batch_of(*sentences: list[int], width: int = 0) -> Batch:
    longest = max(width, *map(len, sentences))
    ids = [sentence + [0] * (longest - len(sentence)) for sentence in sentences]
    return Batch(torch.tensor(ids), torch.tensor([len(sentence) for sentence in sentences]))


def all_spans(batch: Batch) -> np.ndarray:
    return np.array(
        [
            (sentence, start, stop)
            for sentence, length in enumerate(batch.lengths.tolist())
            for start in range(length)
            for stop in range(start, length)
        ]
    )


SENTENCES = batch_of([5, 9, 5, 1, 20], [7], [3, 4], [8, 2, 30, 31, 40, 8, 9, 11, 49])


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def shared(activation, beta: float, gamma: float, bias: float) -> tuple[float, float, float]:
    """The parts of beta, gamma and bias in an activation: the mean over the orders, the bias first (Murdoch et al.)."""
    whole, alone = activation(beta + gamma + bias), activation(bias)
    with_beta, with_gamma = activation(beta + bias), activation(gamma + bias)
    return (with_beta - alone + whole - with_gamma) / 2, (with_gamma - alone + whole - with_beta) / 2, alone


def one_direction(weights, vectors, start: int, stop: int, inclusive: bool) -> tuple[np.ndarray, np.ndarray]:
    """Both parts of an LSTM's last state, number by number, every product written out."""
    (w_i, w_f, w_g, w_o), (u_i, u_f, u_g, u_o), (b_i, b_f, b_g, b_o) = (np.split(w, 4) for w in weights)
    hidden, inner = len(b_i), ((w_i, u_i), (w_f, u_f), (w_g, u_g))
    relevant, irrelevant, cell_rel, cell_irr = (np.zeros(hidden) for _ in range(4))
    for t, x in enumerate(vectors):
        inside = start <= t <= stop
        rel = [u @ relevant + (w @ x if inside else 0) for w, u in inner]
        irr = [u @ irrelevant + (0 if inside else w @ x) for w, u in inner]
        whole_o = w_o @ x + u_o @ (relevant + irrelevant) + b_o
        counted = start <= t <= stop if inclusive else start <= t < stop
        for j in range(hidden):
            i = shared(sigmoid, rel[0][j], irr[0][j], b_i[j])
            f = shared(sigmoid, rel[1][j], irr[1][j], b_f[j])
            g = shared(math.tanh, rel[2][j], irr[2][j], b_g[j])
            new_rel = i[0] * g[0] + i[0] * g[2] + i[2] * g[0] + (f[0] + f[2]) * cell_rel[j]
            new_irr = i[1] * g[0] + i[1] * g[1] + i[1] * g[2] + i[0] * g[1] + i[2] * g[1]
            new_irr += f[0] * cell_irr[j] + f[1] * cell_irr[j] + f[2] * cell_irr[j] + f[1] * cell_rel[j]
            cell_rel[j] = new_rel + (i[2] * g[2] if counted else 0)
            cell_irr[j] = new_irr + (0 if counted else i[2] * g[2])
        out = [sigmoid(value) for value in whole_o]
        for j in range(hidden):
            both, rel_only, irr_only = (math.tanh(v) for v in (cell_rel[j] + cell_irr[j], cell_rel[j], cell_irr[j]))
            relevant[j] = out[j] * (rel_only + both - irr_only) / 2
            irrelevant[j] = out[j] * (irr_only + both - rel_only) / 2
    return relevant, irrelevant


def plain(model: RNNClassifier, ids: list[int], start: int, stop: int, inclusive: bool) -> tuple[np.ndarray, ...]:
    """The reference: (C,) relevant and irrelevant part of the logits, one sentence and one span at a time."""
    state = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    vectors = state["embedding.weight"][ids]

    def side(suffix: str, words: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        both = state[f"rnn.bias_ih_l0{suffix}"] + state[f"rnn.bias_hh_l0{suffix}"]
        weights = (state[f"rnn.weight_ih_l0{suffix}"], state[f"rnn.weight_hh_l0{suffix}"], both)
        return one_direction(weights, words, first, last, inclusive)

    sides = [side("", vectors, start, stop)]
    if model.architecture.bidirectional:
        end = len(ids) - 1
        sides.append(side("_reverse", vectors[::-1], end - stop, end - start))
    return tuple(state["head.weight"] @ np.concatenate(parts) for parts in zip(*sides, strict=True))


@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_it_equals_the_oracle_on_every_span(inclusive: bool, precision: str) -> None:
    model, batch, right = oracles.decomposition()
    model.to(getattr(torch, precision))
    found = decompose_spans(model, batch, right["spans"], inclusive=inclusive)
    close = 1e-12 if precision == "float64" else 2e-6
    suffix = "_incl" if inclusive else ""
    assert len(found) == 274
    assert found.relevant.dtype == precision
    assert np.abs(found.relevant - right[f"rel{suffix}"]).max() < close
    assert np.abs(found.irrelevant - right[f"irrel{suffix}"]).max() < close
    assert np.abs(found.logits - right["logits"][right["spans"][:, 0]]).max() < close


@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_it_equals_the_plain_reference(bidirectional: bool, inclusive: bool) -> None:
    model = lstm(bidirectional=bidirectional)
    spans = all_spans(SENTENCES)
    found = decompose_spans(model, SENTENCES, spans, inclusive=inclusive)
    for place, (sentence, start, stop) in enumerate(spans):
        ids = SENTENCES.ids[sentence, : SENTENCES.lengths[sentence]].tolist()
        relevant, irrelevant = plain(model, ids, start, stop, inclusive)
        np.testing.assert_allclose(found.relevant[place], relevant, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.irrelevant[place], irrelevant, rtol=0, atol=1e-12)


@given(
    st.lists(st.lists(st.integers(1, 49), min_size=1, max_size=7), min_size=1, max_size=4),
    st.integers(0, 1000),
    st.booleans(),
    st.booleans(),
)
def test_the_parts_add_up_and_a_word_is_its_span(sentences, seed: int, bidirectional: bool, inclusive: bool) -> None:
    model, batch = lstm(seed, hidden=4, bidirectional=bidirectional), batch_of(*sentences)
    spans = all_spans(batch)
    found = decompose_spans(model, batch, spans, inclusive=inclusive)
    logits = model(batch).detach().numpy()
    bias = model.head.bias.detach().numpy()
    np.testing.assert_allclose(found.relevant + found.irrelevant + bias, logits[spans[:, 0]], rtol=0, atol=1e-12)
    words = contextual_decomposition(model, batch, inclusive=inclusive)
    np.testing.assert_allclose(words.relevance, found.score[spans[:, 1] == spans[:, 2]], rtol=0, atol=1e-13)
    np.testing.assert_array_equal(words.target, logits.argmax(1))
    np.testing.assert_array_equal(found.prediction, logits.argmax(1)[spans[:, 0]])
    np.testing.assert_array_equal(words.token, np.concatenate(sentences))


@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_whole_sentence_leaves_nothing_by_the_inclusive_rule_alone(bidirectional: bool) -> None:
    model = lstm(bidirectional=bidirectional)
    lengths = SENTENCES.lengths.numpy()
    whole = np.stack([np.arange(len(lengths)), np.zeros_like(lengths), lengths - 1], 1)
    assert np.abs(decompose_spans(model, SENTENCES, whole).irrelevant).max() < 1e-13
    assert np.abs(decompose_spans(model, SENTENCES, whole, inclusive=False).irrelevant).max(1).min() > 1e-4


def test_the_strict_rule_is_mirrored_from_right_to_left() -> None:
    """A two-way model whose directions have the same weights reads a palindrome the same both ways."""
    model, batch = lstm(bidirectional=True), batch_of([5, 9, 12, 9, 5])
    with torch.no_grad():
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(model.rnn, f"{name}_l0_reverse").copy_(getattr(model.rnn, f"{name}_l0"))
        model.head.weight[:, 8:] = model.head.weight[:, :8]
    spans = all_spans(batch)
    mirrored = np.stack([spans[:, 0], 4 - spans[:, 2], 4 - spans[:, 1]], 1)
    for inclusive in (True, False):
        ours, theirs = (decompose_spans(model, batch, chosen, inclusive=inclusive) for chosen in (spans, mirrored))
        np.testing.assert_allclose(ours.relevant, theirs.relevant, rtol=0, atol=1e-13)


def test_nothing_comes_from_a_word_the_model_cannot_see() -> None:
    """Without input weights a word gives only its bias, and nothing by the strict rule."""
    model = lstm()
    with torch.no_grad():
        model.rnn.weight_ih_l0.zero_()
    assert np.abs(contextual_decomposition(model, SENTENCES, inclusive=False).relevance).max() == 0
    assert np.abs(contextual_decomposition(model, SENTENCES).relevance).min() > 0


def test_rest_is_the_bias_and_the_gap_is_what_words_give_together() -> None:
    model = lstm()
    words = contextual_decomposition(model, SENTENCES, 1)
    np.testing.assert_array_equal(words.target, 1)
    np.testing.assert_array_equal(words.rest, model.head.bias[1].item())
    assert abs(words.gap[1]) < 1e-13  # one word
    assert np.abs(words.gap[[0, 2, 3]]).min() > 1e-4  # it is not additive
    single = contextual_decomposition(model, SENTENCES, torch.tensor([2, 0, 1, 1]))
    np.testing.assert_array_equal(single.target, [2, 0, 1, 1])
    np.testing.assert_array_equal(single.of(3), words.of(3))


def test_a_word_that_comes_twice_is_two_words() -> None:
    model = lstm()
    ours = contextual_decomposition(model, batch_of([6, 6, 6]), 0).relevance
    assert len(ours) == 3
    assert len(np.unique(ours)) == 3  # the same word at another place


@pytest.mark.parametrize(("precision", "close"), [("float64", 1e-12), ("float32", 1e-6)])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_padding_and_company_change_nothing(bidirectional: bool, precision: str, close: float) -> None:
    model = lstm(bidirectional=bidirectional).to(getattr(torch, precision))
    together = contextual_decomposition(model, SENTENCES, 0)
    spans = all_spans(SENTENCES)
    parts = decompose_spans(model, SENTENCES, spans)
    assert together.relevance.dtype == together.rest.dtype == parts.relevant.dtype == precision
    for sentence, length in enumerate(SENTENCES.lengths.tolist()):
        ids = SENTENCES.ids[sentence, :length].tolist()
        alone = batch_of(ids, width=length + 40)
        found = contextual_decomposition(model, alone, 0)
        np.testing.assert_allclose(found.relevance, together.of(sentence), rtol=0, atol=close)
        mine = spans[spans[:, 0] == sentence]
        few = decompose_spans(model, alone, mine * [0, 1, 1]).relevant
        np.testing.assert_allclose(few, parts.relevant[spans[:, 0] == sentence], rtol=0, atol=close)


def test_groups_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model, spans = lstm(bidirectional=True), all_spans(SENTENCES)[::-1]
    whole = decompose_spans(model, SENTENCES, spans)
    monkeypatch.setattr(decomposition, "_ROW_FLOATS", 100)
    np.testing.assert_allclose(decompose_spans(model, SENTENCES, spans).relevant, whole.relevant, rtol=0, atol=1e-13)


def test_it_leaves_the_model_alone_and_repeats() -> None:
    model = lstm(dropout=0.5)
    model.train()
    model.head.eval()
    model.embedding.weight.requires_grad_(False)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    first, second = (contextual_decomposition(model, SENTENCES) for _ in range(2))
    np.testing.assert_array_equal(first.relevance, second.relevance)
    np.testing.assert_array_equal(first.logit, second.logit)
    assert model.training
    assert model.dropout.training
    assert not model.head.training
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert all(weight.grad is None for weight in model.parameters())
    assert [name for name, weight in model.named_parameters() if not weight.requires_grad] == ["embedding.weight"]
    np.testing.assert_array_equal(first.relevance, contextual_decomposition(model.eval(), SENTENCES).relevance)


def test_two_thousand_words() -> None:
    model = lstm(hidden=4).float()
    batch = Batch(torch.randint(2, 50, (1, 2000), generator=torch.Generator().manual_seed(0)), torch.tensor([2000]))
    words = contextual_decomposition(model, batch)
    assert words.relevance.shape == (2000,)
    assert np.isfinite(words.relevance).all()
    parts = decompose_spans(model, batch, np.array([[0, 0, 1999], [0, 1990, 1999]]))
    assert np.abs(parts.irrelevant[0]).max() < 1e-5


def test_no_spans_are_no_rows() -> None:
    found = decompose_spans(lstm(bidirectional=True), SENTENCES, np.zeros((0, 3), dtype=np.int64))
    assert found.relevant.shape == found.irrelevant.shape == (0, 3)
    assert found.score.shape == (0,)


@pytest.mark.parametrize(
    "span", [(0, 0, 5), (4, 0, 0), (-1, 0, 0), (0, -1, 2), (0, 3, 2), (1, 0, 1), (2, 2, 2)], ids=str
)
def test_a_span_outside_its_sentence_is_said(span: tuple[int, int, int]) -> None:
    with pytest.raises(SettingError, match="must name one of 4 sentences"):
        decompose_spans(lstm(), SENTENCES, np.array([(0, 0, 0), span]))


def test_what_it_is_not_defined_for_is_said() -> None:
    with pytest.raises(SettingError, match=r"shape \(3,\)"):
        decompose_spans(lstm(), SENTENCES, np.array([0, 0, 1]))
    with pytest.raises(SettingError, match="Contextual decomposition is defined for LSTM; this model is a GRU"):
        contextual_decomposition(make_model(), SENTENCES)
    with pytest.raises(SettingError, match="one layer; this model has 2"):
        decompose_spans(lstm(layers=2), SENTENCES, np.array([[0, 0, 0]]))
    with pytest.raises(SettingError, match="from 0 to 2"):
        contextual_decomposition(lstm(), SENTENCES, 3)
