"""Model × sentences → hidden states and intermediate predictions, streamed batch by batch.

Hidden states are handed out and forgotten: any corpus needs the memory of one batch, and of what its reader keeps. They
come from a model, or from where something else stored them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch

from seer.models import TextModel
from seer.models.batches import Batch, PairBatch, by_length, one_thread, pad_rows
from seer.progress import Progress, silent

IntArray = npt.NDArray[np.integer]
FloatArray = npt.NDArray[np.floating]

_CHUNK = 1 << 22  # numbers of stored states handed out at once


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


class StepReader(Protocol):
    """Where the hidden states and predictions of n sentences, N words in all, come from."""

    @property
    def offsets(self) -> IntArray:
        """(n+1,) where each sentence begins in ``ids``."""

    @property
    def ids(self) -> IntArray:
        """(N,) word ids."""

    @property
    def classes(self) -> int:
        """Number of classes."""

    def steps(self, sentences: IntArray | None = None, progress: Progress = silent) -> Iterator[Profiled]:
        """The steps of the sentences at the given positions, of all by default."""


@dataclass(frozen=True)
class ModelReader:
    """Runs a model over sentences.

    Attributes:
        model: in eval mode.
        offsets: (n+1,) where each sentence begins in ``ids``.
        ids: (N,) word ids.
        first: (n,) words of each premise, for a model of pairs.
    """

    model: TextModel
    offsets: IntArray
    ids: IntArray
    first: IntArray | None = None

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.model.classes

    def steps(self, sentences: IntArray | None = None, progress: Progress = silent) -> Iterator[Profiled]:
        """The steps of the sentences at the given positions, of all by default."""
        return profile(self.model, self.offsets, self.ids, sentences, self.first, progress)


@dataclass(frozen=True)
class StoredReader:
    """Hands out states and predictions that are there already.

    Attributes:
        offsets: (n+1,) where each sentence begins in ``ids``.
        ids: (N,) word ids.
        states: (N, H) hidden states, perhaps mapped from a file.
        probability: (N, C) predictions.
    """

    offsets: IntArray
    ids: IntArray
    states: FloatArray
    probability: FloatArray

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.probability.shape[1])

    def steps(self, sentences: IntArray | None = None, progress: Progress = silent) -> Iterator[Profiled]:
        """The steps of the sentences at the given positions, of all by default."""
        wanted = np.full(len(self.offsets) - 1, sentences is None)
        if sentences is not None:
            wanted[sentences] = True
        steps = np.flatnonzero(np.repeat(wanted, np.diff(self.offsets)))
        size = max(1, _CHUNK // self.states.shape[1])
        for begin in range(0, len(steps), size):
            part = steps[begin : begin + size]
            yield Profiled(
                part,
                np.asarray(self.states[part], dtype=np.float32),
                np.asarray(self.probability[part], dtype=np.float32),
            )
            progress("profile", begin + len(part), len(steps))


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
