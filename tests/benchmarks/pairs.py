"""Attention, gates and their saliency of SICK's test pairs: ``python -m tests.benchmarks.pairs [FOLDER]``.

FOLDER holds ``SICK.txt``. Three ways read the 4,927 pairs with the ESIM of the demo, in one process on one thread:
``saliencies`` in batches; a plain forward pass of the same batches, without a gradient; and ``pair_saliency`` one pair
at a time, over every tenth pair, which must give the same numbers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from seer.corpus import load_corpus
from seer.models.batches import PairBatch, make_pairs
from seer.models.esim import ESIM
from seer.pairs import PairSaliency, pair_saliency, saliencies
from seer.study import Study
from seer.traces import IntArray
from tests.benchmarks.patterns import cpu, peak_memory

SICK = Path(__file__).resolve().parents[3] / "shared" / "datasets" / "sick"
TURNS = 5
STRIDE = 10
SAME = 1e-4
"""Float32, in a net whose logits and gradients are of the size of 1 to 10."""


def forward(model: ESIM, batches: list[PairBatch]) -> None:
    """Logits of all pairs."""
    with torch.inference_mode():
        for batch in batches:
            model(batch)


def everything(model: ESIM, encoded: tuple[IntArray, IntArray, IntArray]) -> int:
    """All attention, gates and saliencies with their norms, each batch forgotten once read; how many pairs."""
    return sum(len(normed(read)) for _, read in saliencies(model, *encoded))


def normed(read: PairSaliency) -> PairSaliency:
    """The same, once its norms over units are computed too."""
    for name in ("attention_saliency", "gate_signal", "gate_saliency", "word_saliency"):
        getattr(read, name)
    return read


def one_by_one(model: ESIM, alone: list[PairBatch]) -> list[PairSaliency]:
    """The same, each pair a batch of its own."""
    return [normed(pair_saliency(model, batch)) for batch in alone]


def same(model: ESIM, encoded: tuple[IntArray, IntArray, IntArray], alone: list[PairSaliency]) -> float:
    """Assert that batches give what pairs alone give; returns the largest difference."""
    worst = 0.0
    for rows, read in saliencies(model, *encoded):
        for place in np.flatnonzero(rows % STRIDE == 0):
            other = alone[rows[place] // STRIDE]
            steps = slice(other.scores.shape[1])
            for mine, right in (
                (read.logits[place], other.logits[0]),
                (read.scores[place, steps, steps], other.scores[0]),
                (read.attention[place, steps, steps], other.attention[0]),
                (read.gates[:, :, place, :, :, steps], other.gates[:, :, 0]),
                (read.gate_gradient[:, :, place, :, :, steps], other.gate_gradient[:, :, 0]),
                (read.word_gradient[:, place, steps], other.word_gradient[:, 0]),
            ):
                worst = max(worst, float(np.abs(mine - right).max()))
    assert worst < SAME, worst
    return worst


def main() -> None:
    """Measure in turns and print medians."""
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SICK
    if not (folder / "SICK.txt").is_file():
        raise SystemExit(f"SICK.txt is not in {folder}; name its folder.")
    study, corpus = Study.open("demo-pairs"), load_corpus("sick", data=folder)
    model, rows = study.pair_model, corpus.rows("test")
    offsets, ids, first = encoded = study.tokenizer.encode_pairs(corpus.texts(rows))
    batches = [make_pairs(*encoded, part) for part, _ in saliencies(model, *encoded)]
    alone = [make_pairs(offsets, ids, first, np.array([row])) for row in range(0, len(rows), STRIDE)]
    ways: dict[str, Callable[[], object]] = {
        "plain forward": lambda: forward(model, batches),
        "everything": lambda: everything(model, encoded),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, way in ways.items():
            times[name].append(cpu(way)[0])
    single, found = cpu(lambda: one_by_one(model, alone))
    plain, whole = (float(np.median(times[name])) for name in ways)
    single *= len(rows) / len(alone)
    print(f"{len(rows):,} pairs, {len(ids):,} words, {len(batches)} batches; CPU s, median of {TURNS} turns")
    print(
        f"plain forward {plain:.2f}; attention, gates and all saliencies {whole:.2f}: {whole / plain:.1f} times as much"
    )
    print(f"one by one {single:.1f} (from every {STRIDE}th pair): {single / whole:.1f} times as much as in batches")
    print(f"largest difference {same(model, encoded, found):.0e}; peak {peak_memory():.2f} GB")


if __name__ == "__main__":
    main()
