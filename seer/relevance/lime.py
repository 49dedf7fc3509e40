"""LIME (Ribeiro, Singh, Guestrin, KDD 2016, section 3): a linear model of the logit near one sentence.

The linear model is the library's: ``lime.lime_base.LimeBase``. Copies of the sentence are drawn and weighed as its
``LimeTextExplainer`` does it. Three choices are ours: each *place* is a feature, so that a word said twice has two
weights; a word that is left out is taken out, not replaced; and the logit is explained, not the probability, so that
the weights stand on the same scale as those of the other methods.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.models.modes import evaluating
from seer.models.recorded import OwnModule
from seer.relevance.occlusion import logits_of_kept
from seer.relevance.record import Target, WordRelevance, of_sentences, targets, whole_number

KERNEL_WIDTH = 25.0
"""The library's: a copy at cosine distance d weighs exp(−(100·d / 25)² / 2)."""

MOST_SAMPLES = 100_000

Floats = npt.NDArray[np.float64]


@of_sentences
@torch.no_grad()
def lime(
    model: RNNClassifier | OwnModule, batch: Batch, target: Target = None, *, samples: int = 500, seed: int = 0
) -> WordRelevance:
    """The weight of each word in a ridge regression of the logit on which words are there.

    ``rest`` is the intercept: the linear model's logit for no word at all. The gap is how far the linear model is from
    the logit of the sentence itself. A short text is drawn toward 0 by the ridge, one word most of all.

    Args:
        model: the classifier.
        batch: sentences.
        target: which logit.
        samples: copies of each sentence, itself included.
        seed: of the copies; a sentence gets the same ones alone and in any batch.

    Raises:
        SettingError: the library is not installed, a setting is out of range, or the model lacks the target.
    """
    samples = whole_number(samples, 2, MOST_SAMPLES, "LIME", "samples")
    if not 0 <= seed < 2**32:
        raise SettingError(f"The seed of LIME must lie from 0 to {2**32 - 1:,}, got {seed:,}.")
    library = _library()
    with evaluating(model):
        logits = model(batch)
        chosen = targets(target, logits)
        relevance = torch.zeros(batch.ids.shape, dtype=logits.dtype)
        rest = torch.zeros(len(logits), dtype=logits.dtype)
        for row, length in enumerate(batch.lengths.tolist()):  # the library fits one sentence at a time
            keep = _copies(length, samples, seed)
            of_row = torch.full((samples,), row)
            around = logits_of_kept(model, batch.ids[:, :length], of_row, torch.from_numpy(keep))
            labels = around[:, chosen[row], None].double().numpy()
            intercept, weights = _fit(library, keep, labels)
            relevance[row, :length] = torch.from_numpy(weights)
            rest[row] = intercept
    return WordRelevance.from_batch(batch, relevance, logits, chosen, rest)


def _library() -> Any:
    """``lime.lime_base``, read when it is first needed.

    Raises:
        SettingError: it is not installed.
    """
    if importlib.util.find_spec("lime") is None:
        raise SettingError("LIME needs a package that is not installed: pip install lime")
    return importlib.import_module("lime.lime_base")


def _copies(length: int, samples: int, seed: int) -> npt.NDArray[np.bool_]:
    """(samples, length) which words each copy keeps; the first keeps all.

    The same draws as the library's ``LimeTextExplainer`` with that seed: 1 to all words are left out.
    """
    random = np.random.RandomState(seed)
    keep = np.ones((samples, length), dtype=bool)
    for copy, count in enumerate(random.randint(1, length + 1, samples - 1), start=1):
        keep[copy, random.choice(length, count, replace=False)] = False
    return keep


def _fit(library: Any, keep: npt.NDArray[np.bool_], labels: Floats) -> tuple[float, Floats]:
    """The intercept and the weight (length,) of each word, from the logits (samples, 1) of the copies."""
    length = keep.shape[1]
    distances = 100 * (1 - np.sqrt(keep.sum(1) / length))  # cosine distance of a 0/1 vector from the vector of ones
    base = library.LimeBase(_closeness)
    intercept, pairs, *_ = base.explain_instance_with_data(
        keep.astype(np.float64), labels, distances, 0, length, feature_selection="none"
    )
    weights = np.zeros(length)
    for word, weight in pairs:
        weights[word] = weight
    return float(intercept), weights


def _closeness(distances: Floats) -> Floats:
    closeness: Floats = np.sqrt(np.exp(-((distances / KERNEL_WIDTH) ** 2)))
    return closeness
