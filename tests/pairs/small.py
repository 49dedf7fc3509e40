"""Small ESIMs and batches of pairs with random words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from seer.models.batches import PairBatch, make_pairs
from seer.models.esim import ESIM, PairArchitecture

WORDS = 30

Pair = tuple[list[int], list[int]]


def make_esim(seed: int = 0, **changes: object) -> ESIM:
    """An untrained float64 ESIM in eval mode."""
    settings = {"vocabulary": WORDS, "classes": 3, "embedding": 6, "hidden": 5} | changes
    torch.manual_seed(seed)
    return ESIM(PairArchitecture(**settings)).double().eval()  # type: ignore[arg-type]


def some_pairs(sizes: Sequence[tuple[int, int]], seed: int = 0) -> list[Pair]:
    """Pairs of random word ids with so many words in the premise and the hypothesis."""
    random = np.random.default_rng(seed)
    return [(random.integers(1, WORDS, p).tolist(), random.integers(1, WORDS, q).tolist()) for p, q in sizes]


def ragged(pairs: Sequence[Pair]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of word ids as a corpus has them: offsets, ids, and the words of each premise."""
    rows = [premise + hypothesis for premise, hypothesis in pairs]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    ids = np.array([word for row in rows for word in row], dtype=np.int32)
    return offsets, ids, np.array([len(premise) for premise, _ in pairs])


def batch_of(pairs: Sequence[Pair]) -> PairBatch:
    """Pairs of word ids as one padded batch."""
    return make_pairs(*ragged(pairs), np.arange(len(pairs)))
