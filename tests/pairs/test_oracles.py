"""Everything that ``pair_saliency`` gives, beside values computed independently."""

import numpy as np
import pytest
import torch

from seer.pairs import PairSaliency, pair_saliency
from tests.pairs.oracles import Arrays, esim

CLOSE = 1e-10


@pytest.fixture(scope="module")
def both() -> tuple[PairSaliency, Arrays]:
    model, batch, right = esim()
    return pair_saliency(model, batch), right


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("logits", "logits"),
        ("target", "y"),
        ("scores", "e"),
        ("over_hypothesis", "alpha"),
        ("over_premise", "beta"),
        ("attention", "dS_de"),
        ("gates", "gates"),
        ("gate_gradient", "dS_dgates"),
        ("gate_signal", "signal_norm"),
        ("gate_saliency", "saliency_norm"),
        ("word_gradient", "word_saliency"),
    ],
)
def test_equals_the_oracle_and_is_zero_at_padding(both: tuple[PairSaliency, Arrays], ours: str, theirs: str) -> None:
    found, right = getattr(both[0], ours), both[1][theirs]
    assert found.shape == right.shape
    assert np.abs(found - right).max() < CLOSE
    assert (found[right == 0] == 0).all() or ours == "target"


def test_what_follows_from_them_equals_the_oracle(both: tuple[PairSaliency, Arrays]) -> None:
    found, right = both
    assert np.abs(found.attention_saliency - np.abs(right["dS_de"])).max() < CLOSE
    assert np.abs(found.word_saliency - np.linalg.norm(right["word_saliency"], axis=-1)).max() < CLOSE
    assert (found.prediction == right["y"]).all()
    assert found.lengths.tolist() == [right["len_premise"].tolist(), right["len_hypothesis"].tolist()]


def test_the_probability_as_score_equals_the_oracle() -> None:
    model, batch, right = esim()
    found = pair_saliency(model, batch, score="probability")
    assert np.abs(found.attention - right["dprob_de"]).max() < CLOSE


def test_a_removed_pair_of_words_equals_the_oracle() -> None:
    model, batch, right = esim()
    places = torch.from_numpy(right["kill1_pair"])

    def remove(scores: torch.Tensor) -> torch.Tensor:
        scores = scores.clone()
        scores[torch.arange(len(scores)), places[:, 0], places[:, 1]] = -1e4
        return scores

    with torch.inference_mode():
        logits = model.read(model.embed(batch), batch, on_scores=remove).logits
    assert np.abs(logits.numpy() - right["kill1_logits"]).max() < CLOSE
