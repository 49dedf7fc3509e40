"""Relevance from the gradient of the logit with respect to the word vectors: defined for every model here.

Sensitivity and gradient×input as in Arras et al., BlackboxNLP 2019, section 2; integrated gradients as in
Sundararajan, Taly, Yan, ICML 2017, section 3.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from seer.errors import SettingError
from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.relevance.record import Target, WordRelevance, evaluating, targets
from seer.relevance.slopes import logit_slopes

MOST_NODES = 1000

_BUDGET = 8192  # padded words differentiated at once: what the way back must remember stays near 25 MB


def sensitivity(model: RNNClassifier, batch: Batch, target: Target = None) -> WordRelevance:
    """How steep the logit is at each word: the squared L2 norm of dS/dx, which has no sign.

    Raises:
        SettingError: a target that the model does not have.
    """
    logits, chosen, gradient = logit_slopes(model, model.embed(batch), batch.lengths, target)
    return WordRelevance.from_batch(batch, gradient.square().sum(-1), logits, chosen)


def gradient_input(model: RNNClassifier, batch: Batch, target: Target = None) -> WordRelevance:
    """The gradient times the word vector, Σ x·dS/dx: by how much the logit would move at first if the vector grew.

    Raises:
        SettingError: a target that the model does not have.
    """
    vectors = model.embed(batch).detach()
    logits, chosen, gradient = logit_slopes(model, vectors, batch.lengths, target)
    return WordRelevance.from_batch(batch, (vectors * gradient).sum(-1), logits, chosen)


def integrated_gradients(
    model: RNNClassifier, batch: Batch, target: Target = None, *, nodes: int = 50
) -> WordRelevance:
    """The gradient gathered on the straight way from zero vectors to the words', times the word vector.

    The integral is taken by Gauss–Legendre quadrature. ``rest`` is the logit of as many zero vectors, so that the gap
    is what the quadrature misses.

    Args:
        model: the classifier.
        batch: sentences.
        target: which logit.
        nodes: points on the way; each costs a gradient.

    Raises:
        SettingError: nodes out of range, or a target that the model does not have.
    """
    if not 1 <= nodes <= MOST_NODES:
        raise SettingError(f"Integrated gradients needs 1 to {MOST_NODES:,} nodes, got {nodes:,}.")
    with evaluating(model), torch.no_grad():
        vectors = model.embed(batch)
        logits = model.logits(vectors, batch.lengths)
        chosen = targets(target, logits)
        baseline = model.logits(torch.zeros_like(vectors), batch.lengths)
        gathered = torch.zeros_like(vectors)
        at_once = max(1, _BUDGET // batch.ids.numel())
        points, shares = _quadrature(nodes, vectors)
        for some, share in zip(torch.split(points, at_once), torch.split(shares, at_once), strict=True):
            on_the_way = (some[:, None, None, None] * vectors).flatten(0, 1)
            count = len(some)
            gradient = logit_slopes(model, on_the_way, batch.lengths.repeat(count), chosen.repeat(count))[2]
            gathered += torch.einsum("k,kbte->bte", share, gradient.reshape(count, *vectors.shape))
    rest = baseline.gather(1, chosen[:, None])[:, 0]
    return WordRelevance.from_batch(batch, (vectors * gathered).sum(-1), logits, chosen, rest)


def _quadrature(nodes: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """Gauss–Legendre points (nodes,) and weights (nodes,) on [0, 1]."""
    points, weights = np.polynomial.legendre.leggauss(nodes)
    return torch.from_numpy((points + 1) / 2).to(like.dtype), torch.from_numpy(weights / 2).to(like.dtype)
