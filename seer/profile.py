"""Model × sentences → hidden states and intermediate predictions, streamed batch by batch.

Hidden states are handed out and forgotten: any corpus needs the memory of one batch, and of what its reader keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from seer.models import TextModel
from seer.models.batches import Batch, PairBatch, by_length, one_thread, pad_rows
from seer.progress import Progress, silent

IntArray = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Profiled:
    """The steps of one batch, flat: M steps in sentence order.

    Attributes:
        steps: (M,) where each step stands among all N steps of the corpus.
        states: (M, H) float32 hidden states of the top layer.
        probability: (M, C) float32 intermediate predictions.
    """

    steps: IntArray
    states: npt.NDArray[np.float32]
    probability: npt.NDArray[np.float32]


def profile(
    model: TextModel,
    offsets: IntArray,
    ids: IntArray,
    sentences: IntArray | None = None,
    first: IntArray | None = None,
    progress: Progress = silent,
) -> Iterator[Profiled]:
    """Run the model over sentences in batches of similar length.

    Args:
        model: in eval mode.
        offsets: (n+1,) where each sentence begins in ``ids``.
        ids: (N,) word ids.
        sentences: positions to run, all by default; sentences without a word are passed over.
        first: (n,) words of each premise, for a model of pairs.
        progress: told how many steps are done.
    """
    lengths = np.diff(offsets)
    if sentences is not None:
        chosen = np.zeros_like(lengths)
        chosen[sentences] = lengths[sentences]
        lengths = chosen
    total, done = int(lengths.sum()), 0
    for rows in by_length(lengths):
        yield _run(model, pad_rows(offsets, ids, rows, first), offsets[rows])
        done += int(lengths[rows].sum())
        progress("profile", done, total)


def _run(model: TextModel, batch: Batch | PairBatch, begin: IntArray) -> Profiled:
    with torch.inference_mode(), one_thread():
        states = model.hidden_states(batch)
        probability = model.predict_steps(batch, states)
    real = batch.mask
    steps = (torch.from_numpy(begin)[:, None] + torch.arange(real.shape[1]))[real]
    return Profiled(steps.numpy(), states[real].numpy(), probability[real].numpy())


def sample_sentences(lengths: IntArray, tokens: int, seed: int) -> IntArray:
    """Draw whole sentences at random until the next would pass ``tokens`` words.

    Returns:
        Sorted positions; at least one sentence with a word when there is one.
    """
    order = np.random.default_rng(seed).permutation(len(lengths))
    order = order[lengths[order] > 0]
    within = np.cumsum(lengths[order]) <= tokens
    return np.sort(order[within] if within.any() else order[:1])
