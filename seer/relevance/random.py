"""Random numbers in the place of relevance: the control that every method must beat."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.models.modes import evaluating
from seer.models.recorded import OwnModule
from seer.relevance.record import Target, WordRelevance, of_sentences, targets

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@of_sentences
@torch.no_grad()
def random_relevance(
    model: RNNClassifier | OwnModule, batch: Batch, target: Target = None, *, seed: int = 0
) -> WordRelevance:
    """A number for each word, uniform in [−1, 1), which means nothing.

    It follows from the seed, the sentence's words and the word's place in it, so that a sentence gets the same numbers
    alone and in any batch, whatever the target.

    Raises:
        SettingError: a target that the model does not have.
    """
    with evaluating(model):
        logits = model(batch)
    numbers = torch.from_numpy(_numbers(batch, seed)).to(logits.dtype)
    return WordRelevance.from_batch(batch, numbers, logits, targets(target, logits))


def _numbers(batch: Batch, seed: int) -> npt.NDArray[np.float64]:
    """(B, T) uniform in [−1, 1)."""
    places = np.arange(batch.ids.shape[1], dtype=np.uint64) * _GOLDEN
    words = _mixed(batch.ids.numpy().astype(np.uint64) + _mixed(places))
    sentence = np.where(batch.mask.numpy(), words, np.uint64(0)).sum(1, keepdims=True, dtype=np.uint64)
    start = _mixed(np.array([[int(seed) % 2**64]], dtype=np.uint64) + _GOLDEN)
    bits = _mixed(_mixed(sentence ^ start) + places)
    # The upper 24 bits, which a float32 holds exactly: both precisions give the same number.
    return (bits >> np.uint64(40)).astype(np.float64) * 2.0**-23 - 1


def _mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Scatter 64-bit numbers (the finish of SplitMix64: Steele, Lea, Flood, OOPSLA 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
