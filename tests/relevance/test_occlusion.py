import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seer.models.classifier import RNNClassifier
from seer.relevance import occlusion as module
from seer.relevance.gradients import integrated_gradients
from seer.relevance.occlusion import logits_of_kept, occlusion, removal
from tests.relevance.oracles import arrays, bilstm, decomposition
from tests.relevance.small import KINDS, batch_of, dense, drawn, logit, model_of, vectors_of

WORDS = st.lists(st.integers(1, 49), min_size=1, max_size=6)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-13), (torch.float32, 5e-6)])
@pytest.mark.parametrize("variant", ["bi", "sst"])
def test_oracle_of_occlusion(variant: str, dtype: torch.dtype, tolerance: float) -> None:
    model, batch, right = bilstm(variant)
    model.to(dtype)
    for target in range(model.architecture.classes):
        expected = right["occ"][:, target]
        np.testing.assert_allclose(dense(occlusion(model, batch, target), expected), expected, atol=tolerance)


@pytest.mark.parametrize("prefix", ["A", "C"])
def test_captum_says_the_same(prefix: str) -> None:
    model, batch, _ = bilstm("bi") if prefix == "A" else decomposition()
    captum = arrays("captum")[f"{prefix}_occ"]
    for target in range(model.architecture.classes):
        found = dense(occlusion(model, batch, target), captum[:, target])
        np.testing.assert_allclose(found, captum[:, target], atol=1e-6)


def slowly(model: RNNClassifier, words: list[int], target: int, remove: bool) -> list[float]:
    """One run of the model for each word, on the sentence alone."""
    vectors, falls = vectors_of(model, words), []
    for place in range(len(words)):
        zeroed = vectors.clone()
        zeroed[place] = 0
        left = torch.cat([vectors[:place], vectors[place + 1 :]]) if remove else zeroed
        without = logit(model, left, target) if len(left) else float(model.head.bias[target].detach())
        falls.append(logit(model, vectors, target) - without)
    return falls


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", [occlusion, removal])
def test_it_is_what_one_run_for_each_word_says(method, kind: tuple[str, bool, int]) -> None:
    model, sentences = model_of(*kind), [*drawn([6, 1, 4]), [8, 8, 8]]
    for target in range(3):
        found = method(model, batch_of(sentences), target)
        for place, words in enumerate(sentences):
            expected = slowly(model, words, target, method is removal)
            np.testing.assert_allclose(found.of(place), expected, atol=1e-12)
        assert not found.rest.any()


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(1, 30), st.booleans())
def test_whatever_the_sentences_and_the_budget(sentences: list[list[int]], budget: int, remove: bool) -> None:
    model, method = model_of("lstm", True), removal if remove else occlusion
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BUDGET", budget)
        found = method(model, batch_of(sentences), 1)
    assert found.token.tolist() == [word for words in sentences for word in words]
    for place, words in enumerate(sentences):
        np.testing.assert_allclose(found.of(place), slowly(model, words, 1, remove), atol=1e-12)


def test_copies_run_in_bounded_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = model_of(), batch_of(drawn([40, 3, 25]))
    sizes, logits = [], RNNClassifier.logits

    def counted(self: RNNClassifier, vectors: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        sizes.append(vectors.shape[0] * vectors.shape[1])
        return logits(self, vectors, lengths)

    monkeypatch.setattr(RNNClassifier, "logits", counted)
    monkeypatch.setattr(module, "_BUDGET", 100)
    for method in (occlusion, removal):
        sizes.clear()
        method(model, batch)
        assert max(sizes[1:]) <= 100  # the first run is of the batch itself
        assert len(sizes) > 10


def test_one_word_alone_in_closed_form() -> None:
    """Zeroing leaves tanh(b); taking the word out leaves a net that has read nothing."""
    model, word = model_of("rnn"), 1
    rnn, x = model.rnn, vectors_of(model, [word])[0]
    with torch.no_grad():
        bias = rnn.bias_ih_l0 + rnn.bias_hh_l0
        h = torch.tanh(rnn.weight_ih_l0 @ x + bias)
        zeroed, removed = (float(model.head.weight[0] @ left) for left in (h - torch.tanh(bias), h))
    batch = batch_of([[word]])
    assert occlusion(model, batch, 0).relevance == pytest.approx(zeroed, rel=1e-12)
    assert removal(model, batch, 0).relevance == pytest.approx(removed, rel=1e-12)
    assert integrated_gradients(model, batch, 0).relevance == pytest.approx(zeroed, rel=1e-10)


def test_a_word_whose_vector_is_zero_has_no_occlusion_but_a_removal() -> None:
    model = model_of()
    with torch.no_grad():
        model.embedding.weight[5] = 0
    batch = batch_of([[3, 5, 9]])
    assert occlusion(model, batch).relevance[1] == 0
    assert removal(model, batch).relevance[1] != 0


def test_copies_keep_their_words_in_order_and_may_keep_none() -> None:
    model, words = model_of("gru", True, 2), drawn([5])[0]
    keep = torch.tensor([[1, 1, 1, 1, 1], [0, 1, 0, 1, 1], [0, 0, 0, 0, 0], [0, 0, 1, 0, 0]], dtype=torch.bool)
    with torch.no_grad():
        found = logits_of_kept(model, batch_of([words]).ids, torch.zeros(4, dtype=torch.int64), keep)
        for copy, places in enumerate(keep):
            kept = [word for word, stays in zip(words, places, strict=True) if stays]
            expected = model(batch_of([kept]))[0] if kept else model.head.bias
            torch.testing.assert_close(found[copy], expected, atol=1e-12, rtol=0)
    assert found[2].tolist() == model.head.bias.tolist()
