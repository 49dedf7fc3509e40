"""Do attention, its saliency and that of the gates tell what a pair classifier's prediction hangs on?

Two tests on held-out pairs (Ghaeini, Fern, Tadepalli, EMNLP 2018, look at single examples; these count over many):

- *removing aligned pairs*: the attention score of each pair of words is taken out before both softmaxes, one at a
  time, and the change of the predicted class's logit is ranked beside saliency, attention and chance;
- *deleting words*: the word that a measure puts first is deleted from its sentence, and flips are counted.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from scipy.stats import rankdata

from seer.errors import DataError, SettingError
from seer.evaluation.seeds import checked_seed
from seer.models.batches import Batch, PairBatch, make_pairs, one_thread
from seer.models.esim import ESIM
from seer.models.removal import Removal, without_word
from seer.pairs import GATES, PairSaliency, pair_saliency
from seer.progress import Progress, silent
from seer.rates import number
from seer.study import Study
from seer.traces import FloatArray, IntArray

_CELLS = 200_000  # attention scores at a time
_PAIRS = 128  # pairs at a time
_RANDOM = 5  # random words deleted from each pair
_INFERENCE = 1
_GATE_PLACES = [GATES.index(name) for name in ("input", "forget", "output")]
_TABLES = ("correlation", "flips")

MOST_WORDS = 64
"""Pairs with a longer sentence are left out: 300 words a side would take half an hour."""


@dataclass(frozen=True)
class Alignments:
    """How well each measure tells what a prediction hangs on.

    Attributes:
        split: whose pairs.
        pairs: how many.
        left_out: how many pairs of the split were not drawn from, for a side without a word or above ``MOST_WORDS``.
        removed: how many pairs of words were removed in all.
        correlation: mean over sentence pairs of the rank correlation between a measure and the size of the effect of
            removing each pair of words: saliency, attention (mean of both softmaxes), score (unnormalised), random.
        signed: the same between the signed saliency and the signed effect.
        flips: share of predictions that change when the word a measure puts first is deleted: gate saliency and gate
            signal (input, forget and output gates of the inference LSTM, both directions), word-vector saliency,
            attention (the most attended word), random (mean of several words).
        ratio: flips by gate saliency over flips by random.
    """

    split: str
    pairs: int
    left_out: int
    removed: int
    correlation: dict[str, float]
    signed: float
    flips: dict[str, float]
    ratio: float

    def record(self) -> dict[str, Any]:
        """JSON-able fields; ``None`` where a figure cannot be told."""
        figures = {name: {key: number(value) for key, value in getattr(self, name).items()} for name in _TABLES}
        return asdict(self) | figures | {"signed": number(self.signed), "ratio": number(self.ratio)}


def alignments(
    study: Study, *, split: str | None = None, pairs: int = 500, seed: int = 0, progress: Progress = silent
) -> Alignments:
    """Measure what saliency and attention are worth on a study of sentence pairs.

    Args:
        study: of sentence pairs.
        split: whose pairs; the one to look at first by default.
        pairs: how many, drawn with the seed; all when there are fewer.
        seed: of the sample and of everything random.
        progress: told how far it is.

    Raises:
        ModelError: the study reads single sentences.
        SettingError: fewer than one pair.
        DataError: no such split, or no pair of it can be used.
    """
    model = study.pair_model
    if pairs < 1:
        raise SettingError(f"At least one pair is needed; got {pairs}.")
    split = split or study.usual_split
    offsets, ids, first = study.tokenizer.encode_pairs(study.corpus.texts(study.rows(split)))
    lengths = np.stack([first, np.diff(offsets) - first])
    usable = np.flatnonzero((lengths.min(0) > 0) & (lengths.max(0) <= MOST_WORDS))
    if not len(usable):
        raise DataError(
            f"No pair of {split} has a word on both sides, and {MOST_WORDS} at most on each; choose another split."
        )
    random = np.random.default_rng(checked_seed(seed))
    rows = np.sort(random.choice(usable, min(pairs, len(usable)), replace=False))
    found: dict[str, list[FloatArray]] = {name: [] for name in ("saliency", "attention", "score", "random", "signed")}
    flipped: dict[str, list[FloatArray]] = {}
    removed = 0
    with one_thread():
        for begin in range(0, len(rows), _PAIRS):
            batch = make_pairs(offsets, ids, first, rows[begin : begin + _PAIRS])
            read = pair_saliency(model, batch)
            effect, real = removal_effects(model, batch, read)
            removed += int(real.sum())
            for name, values in _correlations(read, effect, real, random).items():
                found[name].append(values)
            for name, values in _flips(model, batch, read, random).items():
                flipped.setdefault(name, []).append(values)
            progress("alignments", min(begin + _PAIRS, len(rows)), len(rows))
    means = {name: float(np.nanmean(np.concatenate(values))) for name, values in found.items()}
    flips = {name: float(np.concatenate(values).mean()) for name, values in flipped.items()}
    return Alignments(
        split=split,
        pairs=len(rows),
        left_out=len(first) - len(usable),
        removed=removed,
        correlation={name: value for name, value in means.items() if name != "signed"},
        signed=means["signed"],
        flips=flips,
        ratio=flips["gate saliency"] / flips["random"] if flips["random"] else float("nan"),
    )


def removal_effects(model: ESIM, batch: PairBatch, read: PairSaliency) -> tuple[FloatArray, np.ndarray]:
    """How much the predicted class's logit falls without each pair of words (B, T, T), and which are real (B, T, T).

    The encoding LSTM is run once for each sentence pair, all that follows once for each pair of words.
    """
    steps = batch.ids.shape[1]
    real = _real(read.lengths, steps)
    row, premise, hypothesis = (torch.from_numpy(places) for places in np.nonzero(real))
    effect = np.zeros(real.shape)
    logit = torch.from_numpy(read.logits).gather(1, torch.from_numpy(read.target)[:, None])[:, 0]
    size = max(1, _CELLS // steps**2)
    with torch.inference_mode():
        encoded = model.encode(model.embed(batch), batch.lengths).chunk(2)
        for begin in range(0, len(row), size):
            part = slice(begin, begin + size)
            chosen = row[part]
            scores_of = Removal(premise[part], hypothesis[part])
            repeated = PairBatch(*(Batch(side.ids[chosen], side.lengths[chosen]) for side in batch.sides))
            logits = model.decide(torch.cat([side[chosen] for side in encoded]), repeated, on_scores=scores_of).logits
            target = torch.from_numpy(read.target)[chosen]
            fall = logit[chosen] - logits.gather(1, target[:, None])[:, 0]
            effect[chosen, premise[part], hypothesis[part]] = fall.numpy()
    return effect, real


def _real(lengths: IntArray, steps: int) -> np.ndarray:
    """(B, T, T) true at pairs of real words."""
    within = np.arange(steps) < lengths[..., None]
    real: np.ndarray = within[0][:, :, None] & within[1][:, None, :]
    return real


def _correlations(
    read: PairSaliency, effect: FloatArray, real: np.ndarray, random: np.random.Generator
) -> dict[str, FloatArray]:
    """(B,) rank correlation of each measure with the effect, NaN where one of the two is constant."""
    measures = {
        "saliency": (read.attention_saliency, np.abs(effect)),
        "attention": ((read.over_hypothesis + read.over_premise) / 2, np.abs(effect)),
        "score": (read.scores, np.abs(effect)),
        "random": (random.random(effect.shape), np.abs(effect)),
        "signed": (read.attention, effect),
    }
    return {
        name: np.array([spearman(one[row][real[row]], other[row][real[row]]) for row in range(len(read))])
        for name, (one, other) in measures.items()
    }


def spearman(one: FloatArray, other: FloatArray) -> float:
    """Rank correlation of two (n,) arrays, ties by their mean rank; NaN when one is constant or n is below 2."""
    if len(one) < 2:
        return float("nan")
    first, second = rankdata(one) - (len(one) + 1) / 2, rankdata(other) - (len(one) + 1) / 2
    size = np.sqrt((first**2).sum() * (second**2).sum())
    return float((first * second).sum() / size) if size else float("nan")


def _flips(model: ESIM, batch: PairBatch, read: PairSaliency, random: np.random.Generator) -> dict[str, FloatArray]:
    """(B,) whether deleting the word that each measure puts first changes the prediction; for random a share."""
    gates = {
        name: values[_INFERENCE][..., _GATE_PLACES, :].sum((2, 3))
        for name, values in (("gate saliency", read.gate_saliency), ("gate signal", read.gate_signal))
    }
    attended = np.stack([read.over_premise.sum(2), read.over_hypothesis.sum(1)])
    words = gates | {"word-vector saliency": read.word_saliency, "attention": attended}
    real = np.arange(batch.ids.shape[1]) < read.lengths[..., None]
    out = {
        name: _deleted(model, batch, read, np.where(real, values, -np.inf)).astype(float)
        for name, values in words.items()
    }
    draws = [np.where(real, random.random(real.shape), -np.inf) for _ in range(_RANDOM)]
    out["random"] = np.mean([_deleted(model, batch, read, draw) for draw in draws], axis=0)
    return out


def _deleted(model: ESIM, batch: PairBatch, read: PairSaliency, measure: FloatArray) -> np.ndarray:
    """(B,) whether the prediction changes without the word that a measure (2, B, T) puts first."""
    steps = measure.shape[2]
    best = measure.transpose(1, 0, 2).reshape(len(read), -1).argmax(1)
    logits = model.probabilities(without_word(batch, torch.from_numpy(best // steps), torch.from_numpy(best % steps)))
    changed: np.ndarray = logits.argmax(1).numpy() != read.prediction
    return changed
