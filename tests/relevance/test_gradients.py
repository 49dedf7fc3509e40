import numpy as np
import pytest
import torch

from seer.errors import SettingError
from seer.models.classifier import RNNClassifier
from seer.relevance import gradients
from seer.relevance.gradients import gradient_input, integrated_gradients, sensitivity
from seer.relevance.record import WordRelevance
from seer.relevance.slopes import logit_slopes
from tests.relevance.oracles import arrays, bilstm, decomposition
from tests.relevance.small import KINDS, batch_of, dense, drawn, logit, model_of, slope, vectors_of

TOLERANCES = {torch.float64: 1e-12, torch.float32: 1e-5}


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("variant", ["bi", "bibias", "uni", "sst"])
def test_oracle_of_sensitivity_and_gradient_input(variant: str, dtype: torch.dtype) -> None:
    model, batch, right = bilstm(variant)
    model.to(dtype)
    for target in range(model.architecture.classes):
        for name, method in (("SA", sensitivity), ("GI", gradient_input)):
            expected = right[name][:, target]
            found = method(model, batch, target)
            assert found.relevance.dtype == (np.float64 if dtype == torch.float64 else np.float32)
            np.testing.assert_allclose(dense(found, expected), expected, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype])
            np.testing.assert_allclose(found.logit, right["logits"][:, target], atol=TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("variant", ["bi", "sst"])
def test_oracle_of_integrated_gradients(variant: str, dtype: torch.dtype) -> None:
    model, batch, right = bilstm(variant)
    model.to(dtype)
    rows, classes = np.arange(len(batch.lengths)), model.architecture.classes
    for shift in range(classes if variant == "bi" else 1):
        target = (rows + shift) % classes
        expected = right["ig_gl50_own"][rows, target]
        found = integrated_gradients(model, batch, torch.from_numpy(target))
        np.testing.assert_allclose(dense(found, expected), expected, atol=TOLERANCES[dtype])


@pytest.mark.parametrize("prefix", ["A", "C"])
def test_captum_says_the_same(prefix: str) -> None:
    """Another library, on two models; it rounds to float32 inside."""
    model, batch, _ = bilstm("bi") if prefix == "A" else decomposition()
    captum = arrays("captum")
    for target in range(model.architecture.classes):
        for name, found in {
            "ixg": gradient_input(model, batch, target),
            "saliency_signed_l2sq": sensitivity(model, batch, target),
            "ig50": integrated_gradients(model, batch, target),
            "ig200": integrated_gradients(model, batch, target, nodes=200),
        }.items():
            expected = captum[f"{prefix}_{name}"][:, target]
            np.testing.assert_allclose(dense(found, expected), expected, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_what_differences_of_the_logit_say(kind: tuple[str, bool, int]) -> None:
    model, sentences = model_of(*kind), drawn([5, 1, 3])
    batch = batch_of(sentences)
    for target in range(3):
        steep, signed = sensitivity(model, batch, target), gradient_input(model, batch, target)
        for place, words in enumerate(sentences):
            vectors = vectors_of(model, words)
            expected = slope(model, vectors, target)
            np.testing.assert_allclose(steep.of(place), expected.square().sum(1), atol=1e-8)
            np.testing.assert_allclose(signed.of(place), (expected * vectors).sum(1), atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_integrated_gradients_are_the_mean_slope_on_the_way(kind: tuple[str, bool, int]) -> None:
    """Against the midpoint rule with many steps and differences instead of gradients; and nothing gets lost."""
    model, words = model_of(*kind), drawn([4])[0]
    vectors, steps = vectors_of(model, words), 200
    slopes = torch.stack([slope(model, (step + 0.5) / steps * vectors, 1) for step in range(steps)])
    found = integrated_gradients(model, batch_of([words]), 1)
    np.testing.assert_allclose(found.relevance, (slopes.mean(0) * vectors).sum(1), atol=1e-5)
    np.testing.assert_allclose(found.rest, logit(model, torch.zeros_like(vectors), 1), atol=1e-12)
    np.testing.assert_allclose(found.gap, 0, atol=1e-10)


def test_fewer_nodes_leave_a_gap_that_more_close() -> None:
    model = model_of("lstm")
    with torch.no_grad():
        model.embedding.weight.mul_(5)
    batch = batch_of(drawn([12, 7]))
    gaps = [np.abs(integrated_gradients(model, batch, 0, nodes=nodes).gap).max() for nodes in (1, 4, 16, 64)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 1e-3 > 1e-9 > gaps[-1]


def test_one_word_of_a_plain_rnn_in_closed_form() -> None:
    """S = V·tanh(W·x + b) + c, dS/dx = Wᵀ(V·(1 − h²))."""
    model, word = model_of("rnn"), 7
    rnn, x = model.rnn, vectors_of(model, [word])[0]
    with torch.no_grad():
        bias = rnn.bias_ih_l0 + rnn.bias_hh_l0
        h = torch.tanh(rnn.weight_ih_l0 @ x + bias)
        slopes = rnn.weight_ih_l0.T @ (model.head.weight[2] * (1 - h**2))
        whole = model.head.weight[2] @ (h - torch.tanh(bias))
    batch = batch_of([[word]])
    np.testing.assert_allclose(sensitivity(model, batch, 2).relevance, float(slopes @ slopes), rtol=1e-12)
    np.testing.assert_allclose(gradient_input(model, batch, 2).relevance, float(slopes @ x), rtol=1e-12)
    np.testing.assert_allclose(integrated_gradients(model, batch, 2).relevance, float(whole), rtol=1e-10)


def test_a_repeated_word_has_a_relevance_at_each_place_and_these_add_up() -> None:
    """Their sum is the slope of the logit as the word's row of the embedding grows."""
    model, words = model_of("lstm", True), [9, 4, 9, 9, 4]
    found = gradient_input(model, batch_of([words]), 0)
    assert len(set(found.relevance.tolist())) == 5
    step, moved = 1e-6, []
    for sign in (1, -1):
        vectors = vectors_of(model, words)
        vectors[np.array(words) == 9] *= 1 + sign * step
        moved.append(logit(model, vectors, 0))
    assert found.relevance[[0, 2, 3]].sum() == pytest.approx((moved[0] - moved[1]) / (2 * step), rel=1e-6)


def test_the_way_is_gone_in_bounded_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many nodes and words, no run holds more words than the budget, or one batch; the numbers stay."""
    model, batch = model_of("gru"), batch_of(drawn([9, 4, 6]))
    expected = integrated_gradients(model, batch, 0)
    sizes: list[int] = []

    def counted(model: RNNClassifier, vectors: torch.Tensor, *rest: object) -> tuple[torch.Tensor, ...]:
        sizes.append(vectors.shape[0] * vectors.shape[1])
        return logit_slopes(model, vectors, *rest)

    monkeypatch.setattr(gradients, "logit_slopes", counted)
    for budget, most in ((100, 81), (1, 27)):
        sizes.clear()
        monkeypatch.setattr(gradients, "_BUDGET", budget)
        found = integrated_gradients(model, batch, 0)
        assert max(sizes) == most
        assert sum(sizes) == 50 * 27
        np.testing.assert_allclose(found.relevance, expected.relevance, atol=1e-14)


def test_a_caller_without_gradients_gets_them_all_the_same() -> None:
    model, batch = model_of(), batch_of(drawn([5]))
    for method in (sensitivity, gradient_input, integrated_gradients):
        expected = method(model, batch)
        with torch.no_grad():
            assert np.array_equal(method(model, batch).relevance, expected.relevance)


def strong() -> RNNClassifier:
    """An LSTM whose word vectors are so long that 50 nodes leave a gap in most sentences."""
    model = model_of("lstm")
    with torch.no_grad():
        model.embedding.weight.mul_(2000)
    return model


def test_nodes_are_doubled_for_the_sentences_that_need_it() -> None:
    """By default each sentence has the numbers of the fewest nodes, 50, 100, … 800, that leave a hundredth at most."""
    model, sentences = strong(), [*drawn([30, 3, 17, 9, 40]), [1]]
    found = integrated_gradients(model, batch_of(sentences), 0)
    for place, words in enumerate(sentences):
        for nodes in (50, 100, 200, 400, 800):
            exact = integrated_gradients(model, batch_of([words]), 0, nodes=nodes)
            if abs(exact.gap[0]) <= 0.01 * abs(exact.logit[0] - exact.rest[0]) + 1e-4:
                break
        assert found.chosen["nodes"][place] == nodes
        np.testing.assert_allclose(found.of(place), exact.relevance, atol=1e-9)
        assert exact.chosen["nodes"].tolist() == [nodes]
    assert len(set(found.chosen["nodes"].tolist())) > 1


def test_the_nodes_chosen_stay_with_their_sentences() -> None:
    model = strong()
    parts = [integrated_gradients(model, batch_of(drawn(lengths)), 0) for lengths in ([30, 3], [17])]
    joined = WordRelevance.join(parts)
    nodes = [*parts[0].chosen["nodes"], *parts[1].chosen["nodes"]]
    assert joined.chosen["nodes"].tolist() == nodes
    assert joined.select(np.array([2, 0])).chosen["nodes"].tolist() == [nodes[2], nodes[0]]


@pytest.mark.parametrize("nodes", [2.5, "9", True, float("nan")])
def test_nodes_that_are_no_whole_number_are_said(nodes: object) -> None:
    with pytest.raises(SettingError, match=r"1 to 1,000 nodes, got .*; give a whole number"):
        integrated_gradients(model_of(), batch_of([[3]]), nodes=nodes)  # type: ignore[arg-type]


@pytest.mark.parametrize("nodes", [0, -3, 1001])
def test_nodes_out_of_range_are_said(nodes: int) -> None:
    with pytest.raises(SettingError, match=r"1 to 1,000 nodes, got"):
        integrated_gradients(model_of(), batch_of([[3]]), nodes=nodes)
