"""Small models of each kind and batches to explain, and the slow ways to do it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from seer.models.batches import Batch, make_batch
from seer.models.classifier import RNNClassifier
from seer.relevance.record import WordRelevance
from tests.conftest import make_model

KINDS = [(cell, two_way, layers) for cell in ("gru", "lstm", "rnn") for two_way in (False, True) for layers in (1, 3)]


def model_of(cell: str = "gru", two_way: bool = False, layers: int = 1, seed: int = 0) -> RNNClassifier:
    """A float64 classifier of 50 words and 3 classes, dropout 0.5, in eval mode; its vectors are not small."""
    return make_model(seed, cell=cell, bidirectional=two_way, layers=layers, dropout=0.5).double().eval()


def batch_of(sentences: Sequence[Sequence[int]]) -> Batch:
    """Sentences given as word ids, padded."""
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in sentences])])
    return make_batch(offsets, np.concatenate([np.asarray(words) for words in sentences]), np.arange(len(sentences)))


def drawn(lengths: Sequence[int], seed: int = 0) -> list[list[int]]:
    """Sentences of random words, the unknown one among them."""
    random = np.random.default_rng(seed)
    return [random.integers(1, 50, length).tolist() for length in lengths]


def padded(batch: Batch, more: int) -> Batch:
    return Batch(torch.nn.functional.pad(batch.ids, (0, more)), batch.lengths)


def logit(model: RNNClassifier, vectors: Tensor, target: int) -> float:
    """One logit of one sentence given as word vectors (T, E)."""
    with torch.no_grad():
        return float(model.logits(vectors[None], torch.tensor([len(vectors)]))[0, target])


def vectors_of(model: RNNClassifier, words: Sequence[int]) -> Tensor:
    return model.embedding.weight.detach()[list(words)]


def slope(model: RNNClassifier, vectors: Tensor, target: int, step: float = 1e-5) -> Tensor:
    """(T, E) the gradient of one logit by central differences, without autograd."""
    moves = step * torch.eye(vectors.numel(), dtype=vectors.dtype).reshape(-1, *vectors.shape)
    lengths = torch.full((len(moves),), len(vectors))
    with torch.no_grad():
        up, down = (model.logits(vectors + sign * moves, lengths)[:, target] for sign in (1, -1))
    return ((up - down) / (2 * step)).reshape(vectors.shape)


def dense(found: WordRelevance, like: np.ndarray) -> np.ndarray:
    """(n, T) with NaN at padding, in the shape of an array (n, T)."""
    out = np.full(like.shape, np.nan)
    for sentence in range(len(found)):
        out[sentence, : found.lengths[sentence]] = found.of(sentence)
    return out
