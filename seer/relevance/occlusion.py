"""Relevance from copies of a sentence with one word occluded (Li, Monroe, Jurafsky 2016; Arras et al. 2019, section 2).

The relevance of a word is the fall of the logit: s(sentence) − s(sentence without the word). Every word costs a run of
the model on a copy; copies run side by side, a bounded number of words at a time.
"""

from __future__ import annotations

import torch
from torch import Tensor

from seer.models.batches import Batch, by_length
from seer.models.classifier import RNNClassifier
from seer.models.modes import evaluating
from seer.models.recorded import OwnModule
from seer.relevance.record import Target, WordRelevance, of_sentences, targets

_BUDGET = 65_536  # padded words run at once


@of_sentences
@torch.no_grad()
def occlusion(model: RNNClassifier, batch: Batch, target: Target = None) -> WordRelevance:
    """How much the logit falls when the word's vector is set to zero; the sentence keeps its length.

    Raises:
        SettingError: a target that the model does not have.
    """
    sentence, place = batch.mask.nonzero(as_tuple=True)
    with evaluating(model):
        vectors = model.embed(batch)
        logits = model.logits(vectors, batch.lengths)
        without = torch.empty(len(sentence), logits.shape[1], dtype=logits.dtype)
        for group in by_length(batch.lengths[sentence].numpy(), _BUDGET):
            some = torch.from_numpy(group)
            lengths = batch.lengths[sentence[some]]
            copies = vectors[sentence[some], : int(lengths.max())]
            copies[torch.arange(len(some)), place[some]] = 0
            without[some] = model.logits(copies, lengths)
    return _fall(batch, logits, without, target)


@of_sentences
@torch.no_grad()
def removal(model: RNNClassifier | OwnModule, batch: Batch, target: Target = None) -> WordRelevance:
    """How much the logit falls when the word is taken out, and the words after it move up.

    What is left of a one-word text is read as ``logits_of_kept`` says.

    Raises:
        SettingError: a target that the model does not have.
    """
    sentence, place = batch.mask.nonzero(as_tuple=True)
    keep = batch.mask[sentence]
    keep[torch.arange(len(sentence)), place] = False
    with evaluating(model):
        logits = model(batch)
        without = logits_of_kept(model, batch.ids, sentence, keep)
    return _fall(batch, logits, without, target)


def logits_of_kept(model: RNNClassifier | OwnModule, ids: Tensor, sentence: Tensor, keep: Tensor) -> Tensor:
    """(n, C) logits of n copies of sentences in which only some words are left, in their order.

    A copy without a word gets the model's ``logits_of_nothing``.

    Args:
        model: the classifier, in eval mode.
        ids: (B, T) words of B sentences.
        sentence: (n,) of which sentence each copy is.
        keep: (n, T) the words that stay; false at padding.
    """
    kept = keep.sum(1)
    logits = model.logits_of_nothing().detach().expand(len(keep), -1).clone()
    for group in by_length(kept.numpy(), _BUDGET):
        some = torch.from_numpy(group)
        lengths = kept[some]
        # A stable sort of "is left out" brings the words that stay to the front, in their order.
        source = (~keep[some]).to(torch.uint8).argsort(dim=1, stable=True)[:, : int(lengths.max())]
        logits[some] = model(Batch(ids[sentence[some, None], source], lengths))
    return logits


def _fall(batch: Batch, logits: Tensor, without: Tensor, target: Target) -> WordRelevance:
    """From the logits (B, C) of the sentences and those (N, C) without each of their N words."""
    chosen = targets(target, logits)
    relevance = torch.zeros(batch.ids.shape, dtype=logits.dtype)
    sentence = batch.mask.nonzero(as_tuple=True)[0]
    relevance[batch.mask] = (logits[sentence] - without).gather(1, chosen[sentence, None])[:, 0]
    return WordRelevance.from_batch(batch, relevance, logits, chosen)
