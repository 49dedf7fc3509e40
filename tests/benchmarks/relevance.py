"""Word relevance beside the plain way, in one process on one thread: ``python -m tests.benchmarks.relevance``.

A two-way LSTM of 60 units on vectors of 60, 64 sentences of 20 words, float32: the batch of ``seer`` beside one
sentence, one direction, one step at a time in numpy, with the same relevance, which is asserted. Then one sentence of
the demo study by every method that does not run the model hundreds of times.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from seer.models.batches import Batch, make_batch
from seer.models.classifier import Architecture, RNNClassifier
from seer.relevance.gradients import gradient_input
from seer.relevance.lrp import lrp
from seer.relevance.methods import METHODS
from seer.relevance.record import WordRelevance
from seer.study import Study
from tests.benchmarks.patterns import cpu
from tests.relevance import plain

TURNS = 9
AT_LEAST = 0.2
SENTENCES, WORDS, SIZE, VOCABULARY, CLASSES = 64, 20, 60, 10_000, 5


def plain_lrp(model: plain.PlainClassifier, sentences: list[list[int]], bias_factor: float) -> np.ndarray:
    """The relevance of all words, sentence by sentence."""
    return np.concatenate([plain.lrp(model, words, None, bias_factor=bias_factor)[0] for words in sentences])


def plain_gradient_input(model: plain.PlainClassifier, sentences: list[list[int]]) -> np.ndarray:
    """The same for gradient × input."""
    return np.concatenate([plain.gradient_input(model, words, None) for words in sentences])


def compare() -> None:
    """Both ways in turn."""
    torch.manual_seed(0)
    model = RNNClassifier(Architecture(VOCABULARY, CLASSES, "lstm", SIZE, SIZE, 1, True)).eval()
    batch = Batch(torch.randint(2, VOCABULARY, (SENTENCES, WORDS)), torch.full((SENTENCES,), WORDS))
    arrays, sentences = plain.PlainClassifier(model), plain.sentences(batch)
    print(f"{SENTENCES} sentences of {WORDS} words; sentences a CPU second, median of {TURNS} turns")
    ways: dict[str, tuple[Callable[[], WordRelevance], Callable[[], np.ndarray]]] = {
        "LRP": (lambda: lrp(model, batch), lambda: plain_lrp(arrays, sentences, 0)),
        "LRP, bias factor 1": (lambda: lrp(model, batch, bias_factor=1), lambda: plain_lrp(arrays, sentences, 1)),
        "gradient × input": (lambda: gradient_input(model, batch), lambda: plain_gradient_input(arrays, sentences)),
    }
    for name, (fast, slow) in ways.items():
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(TURNS):
            for way, spent in zip((fast, slow), times, strict=True):
                spent.append(cpu(way, AT_LEAST)[0])
        np.testing.assert_allclose(fast().relevance, slow(), rtol=0, atol=1e-4)
        one, other = (SENTENCES / float(np.median(spent)) for spent in times)
        ratios = np.divide(times[1], times[0])
        print(
            f"{name:>20}: {one:8,.0f}  plain {other:5,.0f}  {one / other:5.1f} times as many "
            f"({ratios.min():.1f} to {ratios.max():.1f} by turn), same output",
            flush=True,
        )


def one_sentence(study: Study) -> None:
    """What a page waits for."""
    lengths = np.diff(study.traces.offsets)
    row = int(np.flatnonzero(lengths == WORDS)[0])
    batch = make_batch(study.traces.offsets, study.traces.token, np.array([row]))
    print(f"\none sentence of {WORDS} words of the demo study, CPU ms")
    total = 0.0
    for method in METHODS.values():
        if not method.slow and method.why_not(study.model.architecture) is None:
            spent = cpu(lambda method=method: method.attribute(study.model, batch), AT_LEAST)[0]
            total += spent
            print(f"{method.title:>25}: {1000 * spent:7.2f}", flush=True)
    print(f"{'all of these':>25}: {1000 * total:7.2f}")


def main() -> None:
    """Run both parts."""
    torch.set_num_threads(1)
    with threadpool_limits(1):
        compare()
        one_sentence(Study.open("demo"))


if __name__ == "__main__":
    main()
