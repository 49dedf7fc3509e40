"""Relevance from the gradient of the logit with respect to the word vectors: defined for every model here.

Sensitivity and gradient×input as in Arras et al., BlackboxNLP 2019, section 2; integrated gradients as in
Sundararajan, Taly, Yan, ICML 2017, section 3.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.models.modes import evaluating
from seer.relevance.record import Target, WordRelevance, of_sentences, targets, whole_number
from seer.relevance.slopes import logit_slopes

MOST_NODES = 1000

FIRST_NODES, LAST_NODES = 50, 800
"""Where the automatic choice begins and where it ends; it doubles in between."""

REFINED_WORDS = 100_000
"""Nodes times words from which on the automatic choice ends sooner: a text of 2,000 words would take half a minute."""

CLOSE = 0.01
"""Share of the difference of the logits that the automatic choice lets the quadrature miss."""

_FLOOR = 1e-4  # a gap that rounding alone leaves

_BUDGET = 8192  # padded words differentiated at once: what the way back must remember stays near 25 MB


@of_sentences
def sensitivity(model: RNNClassifier, batch: Batch, target: Target = None) -> WordRelevance:
    """How steep the logit is at each word: the squared L2 norm of dS/dx, which has no sign.

    Raises:
        SettingError: a target that the model does not have.
    """
    logits, chosen, gradient = logit_slopes(model, model.embed(batch), batch.lengths, target)
    return WordRelevance.from_batch(batch, gradient.square().sum(-1), logits, chosen)


@of_sentences
def gradient_input(model: RNNClassifier, batch: Batch, target: Target = None) -> WordRelevance:
    """The gradient times the word vector, Σ x·dS/dx: by how much the logit would move at first if the vector grew.

    Raises:
        SettingError: a target that the model does not have.
    """
    vectors = model.embed(batch).detach()
    logits, chosen, gradient = logit_slopes(model, vectors, batch.lengths, target)
    return WordRelevance.from_batch(batch, (vectors * gradient).sum(-1), logits, chosen)


@of_sentences
def integrated_gradients(
    model: RNNClassifier, batch: Batch, target: Target = None, *, nodes: int | None = None
) -> WordRelevance:
    """The gradient gathered on the straight way from zero vectors to the words', times the word vector.

    The integral is taken by Gauss–Legendre quadrature. ``rest`` is the logit of as many zero vectors, so that the gap
    is what the quadrature misses.

    Args:
        model: the classifier.
        batch: sentences.
        target: which logit.
        nodes: points on the way; each costs a gradient. By default as many as each sentence needs: first 50, then twice
            as many, up to 800, for those whose gap is above a hundredth of the difference of the logits; a text of more
            than 125 words stops sooner, at 100,000 words in all.

    Returns:
        ``chosen["nodes"]`` tells the nodes of each sentence.

    Raises:
        SettingError: nodes out of range, or a target that the model does not have.
    """
    count = FIRST_NODES if nodes is None else whole_number(nodes, 1, MOST_NODES, "Integrated gradients", "nodes")
    with evaluating(model), torch.no_grad():
        vectors = model.embed(batch)
        logits = model.logits(vectors, batch.lengths)
        chosen = targets(target, logits)
        baseline = model.logits(torch.zeros_like(vectors), batch.lengths)
    rest = baseline.gather(1, chosen[:, None])[:, 0]
    whole = logits.gather(1, chosen[:, None])[:, 0] - rest
    relevance, used = torch.zeros(batch.ids.shape, dtype=logits.dtype), torch.zeros_like(chosen)
    left = torch.arange(len(chosen))
    while len(left):
        lengths = batch.lengths[left]
        some = vectors[left, : int(lengths.max())]
        shares = (some * _gathered(model, some, lengths, chosen[left], count)).sum(-1)
        relevance[left, : shares.shape[1]], used[left] = shares, count
        missed = (whole[left] - shares.sum(1)).abs()
        count *= 2
        wanting = (missed > CLOSE * whole[left].abs() + _FLOOR) & (count * lengths <= REFINED_WORDS)
        left = left[wanting] if nodes is None and count <= LAST_NODES else left[:0]
    return WordRelevance.from_batch(batch, relevance, logits, chosen, rest, {"nodes": used.numpy()})


def _gathered(model: RNNClassifier, vectors: Tensor, lengths: Tensor, chosen: Tensor, nodes: int) -> Tensor:
    """(B, T, E) the mean gradient on the way from zero to the vectors (B, T, E), by quadrature."""
    gathered = torch.zeros_like(vectors)
    at_once = max(1, _BUDGET // (vectors.shape[0] * vectors.shape[1]))
    points, shares = _quadrature(nodes, vectors)
    for some, share in zip(torch.split(points, at_once), torch.split(shares, at_once), strict=True):
        on_the_way = (some[:, None, None, None] * vectors).flatten(0, 1)
        count = len(some)
        gradient = logit_slopes(model, on_the_way, lengths.repeat(count), chosen.repeat(count))[2]
        gathered += torch.einsum("k,kbte->bte", share, gradient.reshape(count, *vectors.shape))
    return gathered


def _quadrature(nodes: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """Gauss–Legendre points (nodes,) and weights (nodes,) on [0, 1]."""
    points, weights = np.polynomial.legendre.leggauss(nodes)
    return torch.from_numpy((points + 1) / 2).to(like.dtype), torch.from_numpy(weights / 2).to(like.dtype)
