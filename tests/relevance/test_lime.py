import importlib

import numpy as np
import pytest
import torch

from seer.errors import SettingError
from seer.models.classifier import RNNClassifier
from seer.relevance.lime import lime
from tests.relevance.small import batch_of, drawn, model_of, padded, vectors_of


def by_the_library(model: RNNClassifier, words: list[int], target: int, samples: int, seed: int) -> tuple:
    """The intercept and the weights of the library's own text explainer, on texts it cuts and joins itself."""
    explainer = importlib.import_module("lime.lime_text").LimeTextExplainer(
        bow=False, mask_string="", feature_selection="none", random_state=seed
    )

    def classify(texts: list[str]) -> np.ndarray:
        kept = [[int(word[1:]) for word in text.split()] for text in texts]
        with torch.no_grad():
            return np.stack([(model(batch_of([k]))[0] if k else model.head.bias).numpy() for k in kept])

    text = " ".join(f"w{word}" for word in words)
    found = explainer.explain_instance(text, classify, labels=(target,), num_features=len(words), num_samples=samples)
    weights = dict(found.as_map()[target])
    return found.intercept[target], [weights[place] for place in range(len(words))]


@pytest.mark.parametrize(("cell", "two_way"), [("gru", False), ("lstm", True), ("rnn", False)])
def test_it_is_the_librarys_explanation(cell: str, two_way: bool) -> None:
    """Words said twice have two weights; a one-word text has one."""
    model, sentences = model_of(cell, two_way), [[4, 9, 4, 1, 30, 9, 9], [12], [3, 2]]
    found = lime(model, batch_of(sentences), 1, samples=60, seed=5)
    for place, words in enumerate(sentences):
        intercept, weights = by_the_library(model, words, 1, 60, 5)
        np.testing.assert_allclose(found.of(place), weights, atol=1e-10)
        np.testing.assert_allclose(found.rest[place], intercept, atol=1e-10)


def test_it_finds_the_weights_of_a_model_that_only_adds_up() -> None:
    """A plain RNN that hands its state on as it is adds small inputs up: tanh(a + b) ≈ a + b."""
    model = model_of("rnn")
    with torch.no_grad():
        model.embedding.weight.mul_(1e-3)
        model.rnn.weight_hh_l0.copy_(torch.eye(8))
        model.rnn.bias_ih_l0.zero_()
        model.rnn.bias_hh_l0.zero_()
        words = [2, 3, 4, 5, 6, 7]
        right = (vectors_of(model, words) @ model.rnn.weight_ih_l0.T @ model.head.weight[0]).numpy()
    found = lime(model, batch_of([words]), 0, samples=3000)
    np.testing.assert_allclose(found.relevance, right, rtol=0.1, atol=np.abs(right).max() / 50)
    np.testing.assert_allclose(found.rest, float(model.head.bias[0].detach()), atol=1e-3)


def test_a_sentence_gets_its_numbers_in_any_batch() -> None:
    model, sentences = model_of("lstm"), drawn([7, 2, 11])
    together = lime(model, padded(batch_of(sentences), 5), 2, samples=50)
    for place, words in enumerate(sentences):
        alone = lime(model, batch_of([words]), 2, samples=50)
        np.testing.assert_allclose(alone.relevance, together.of(place), atol=1e-12)
        np.testing.assert_allclose(alone.rest, together.rest[place], atol=1e-12)


def test_the_seed_chooses_the_copies() -> None:
    model, batch = model_of(), batch_of(drawn([9]))
    first, again, other = (lime(model, batch, samples=40, seed=seed).relevance for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)


def test_a_missing_library_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SettingError, match="pip install lime"):
        lime(model_of(), batch_of([[3]]))


@pytest.mark.parametrize("settings", [{"samples": 1}, {"samples": 100_001}, {"seed": -1}, {"seed": 2**32}])
def test_settings_out_of_range_are_said(settings: dict[str, int]) -> None:
    with pytest.raises(SettingError, match=r"LIME .* got"):
        lime(model_of(), batch_of([[3]]), **settings)


@pytest.mark.parametrize("samples", [2.5, "9", True])
def test_samples_that_are_no_whole_number_are_said(samples: object) -> None:
    with pytest.raises(SettingError, match=r"LIME needs 2 to 100,000 samples, got .*; give a whole number"):
        lime(model_of(), batch_of([[3]]), samples=samples)  # type: ignore[arg-type]
