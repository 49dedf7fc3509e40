"""What the model makes of a sentence without some words, and of a span of words taken together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from seer.models.batches import Batch
from seer.models.classifier import RNNClassifier
from seer.models.modes import evaluating
from seer.relevance.decomposition import DEFINED, TITLE, decompose_spans
from seer.relevance.occlusion import logits_of_kept
from seer.relevance.record import why_not
from seer.traces import FloatArray, IntArray


@torch.no_grad()
def drop_in_order(model: RNNClassifier, ids: IntArray, order: IntArray) -> FloatArray:
    """Take the words of one sentence out one by one, and read what is left each time.

    Args:
        model: the classifier.
        ids: (T,) word ids.
        order: (K,) places of the words that go, the first one first.

    Returns:
        (K+1, C) class probabilities; row k is read without the first k words. Without any word the model has read
        nothing: zero states.
    """
    keep = torch.ones(len(order) + 1, len(ids), dtype=torch.bool)
    for gone, place in enumerate(order.tolist(), start=1):
        keep[gone:, place] = False
    with evaluating(model):
        logits = logits_of_kept(model, _batch(ids).ids, torch.zeros(len(keep), dtype=torch.int64), keep)
    probability: FloatArray = torch.softmax(logits, dim=-1).numpy()
    return probability


@dataclass(frozen=True)
class SpanEffect:
    """What a span of words gives to the logits of C classes: ``span + rest = logits``.

    Attributes:
        decomposed: by contextual decomposition; else by occlusion, the fall of the logits when the span's word vectors
            are set to zero.
        span: (C,) from the span.
        rest: (C,) from everything else, the head's bias included.
    """

    decomposed: bool
    span: FloatArray
    rest: FloatArray

    @property
    def logits(self) -> FloatArray:
        """(C,) of the whole sentence."""
        return self.span + self.rest


@torch.no_grad()
def span_effect(model: RNNClassifier, ids: IntArray, first: int, last: int, *, inclusive: bool = True) -> SpanEffect:
    """What a span gives to each class, by contextual decomposition where it is defined, by occlusion elsewhere.

    Args:
        model: the classifier.
        ids: (T,) word ids of one sentence.
        first: first word of the span.
        last: last word of the span, which belongs to it.
        inclusive: the bias rule of the decomposition.

    Raises:
        SettingError: the span does not lie in the sentence.
    """
    batch = _batch(ids)
    if why_not(model.architecture, TITLE, **DEFINED) is None:
        found = decompose_spans(model, batch, np.array([[0, first, last]]), inclusive=inclusive)
        return SpanEffect(True, found.relevant[0], found.irrelevant[0] + found.bias)
    with evaluating(model):
        whole = model.embed(batch)
        without = whole.clone()
        without[:, first : last + 1] = 0
        logits, rest = (model.logits(vectors, batch.lengths)[0].numpy() for vectors in (whole, without))
    return SpanEffect(False, logits - rest, rest)


def _batch(ids: IntArray) -> Batch:
    read = torch.from_numpy(np.asarray(ids, dtype=np.int64))[None]
    return Batch(read, torch.tensor([read.shape[1]]))
