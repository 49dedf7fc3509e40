"""What is taken out of sentence pairs to see what a prediction hangs on: a pair of words, or a word."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from seer.models.batches import Batch, PairBatch
from seer.text import PAD_ID

REMOVED = -1e4
"""What the attention score of a removed pair of words is set to, before both softmaxes."""


@dataclass(frozen=True)
class Removal:
    """Takes one pair of words out of the attention scores (B, T, T) of each row; for ``ESIM.read``'s ``on_scores``.

    Attributes:
        premise: (B,) which word of the premise.
        hypothesis: (B,) which word of the hypothesis.
    """

    premise: Tensor
    hypothesis: Tensor

    def __call__(self, scores: Tensor) -> Tensor:
        """The scores with the removed ones at ``REMOVED``."""
        scores = scores.clone()
        scores[torch.arange(len(scores)), self.premise, self.hypothesis] = REMOVED
        return scores


def without_word(batch: PairBatch, side: Tensor, place: Tensor) -> PairBatch:
    """The pairs with one word deleted from each.

    Args:
        batch: B pairs.
        side: (B,) 0 to delete from the premise, 1 from the hypothesis.
        place: (B,) which word.
    """
    sides = []
    for number, sentence in enumerate(batch.sides):
        here = (side == number)[:, None]
        columns = torch.arange(sentence.ids.shape[1])
        shifted = torch.nn.functional.pad(sentence.ids[:, 1:], (0, 1), value=PAD_ID)
        ids = torch.where(here & (columns >= place[:, None]), shifted, sentence.ids)
        sides.append(Batch(ids, sentence.lengths - here[:, 0].long()))
    return PairBatch(*sides)
