"""Analysis of the training reviews beside the plain way, in one process: ``python -m tests.benchmarks.analysis``.

Both sides profile the demo's GRU over the 6,824 training sentences, find states, trace, and count the machine. The
plain way pads every batch of 10 sentences to 256 words, fits PCA 20 and a mixture of 39 on all words, and counts in
Python loops.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import numpy as np
import torch
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from seer.analysis import FIT_TOKENS, AnalysisSettings, hidden_sample, read_traces
from seer.machine import StateMachine
from seer.models.classifier import RNNClassifier
from seer.profile import ModelReader
from seer.study import Study

PAD_TO, PLAIN_BATCH = 256, 10


def fast(model: RNNClassifier, offsets: np.ndarray, ids: np.ndarray, labels: np.ndarray) -> tuple[StateMachine, dict]:
    """The project's own way: sample and fit, then assign; the quality (stability and so on) is not part of it."""
    clock = Clock()
    reader = ModelReader(model, offsets, ids)
    sample = hidden_sample(reader, np.arange(len(labels)), FIT_TOKENS, 0)
    clock("profile a sample")
    abstraction = AnalysisSettings().unfitted().fit(sample.states)
    clock("states")
    traces = read_traces(reader, abstraction)
    clock("profile all and trace")
    machine = StateMachine.count(traces, labels, abstraction.states_, ("neg", "pos"))
    clock("machine")
    return machine, clock.seconds


def plain(model: RNNClassifier, offsets: np.ndarray, ids: np.ndarray, labels: np.ndarray) -> tuple[dict, dict]:
    """The plain way."""
    clock = Clock()
    hidden, predicted = [], []
    with torch.inference_mode():
        for begin in range(0, len(labels), PLAIN_BATCH):
            rows = range(begin, min(begin + PLAIN_BATCH, len(labels)))
            padded = torch.zeros(len(rows), PAD_TO, dtype=torch.int64)
            lengths = []
            for place, row in enumerate(rows):
                words = ids[offsets[row] : offsets[row + 1]][:PAD_TO]
                padded[place, : len(words)] = torch.from_numpy(words.astype(np.int64))
                lengths.append(len(words))
            output, _ = model.rnn(model.embedding(padded))
            classes = model.head(output).argmax(-1)
            for place, length in enumerate(lengths):
                hidden.append(output[place, :length].numpy())
                predicted.append(classes[place, :length].tolist())
    clock("profile")
    together = np.concatenate(hidden).astype(np.float64)
    pca = PCA(20).fit(together)
    mixture = GaussianMixture(39, covariance_type="diag", random_state=0).fit(pca.transform(together))
    clock("states")
    traces = [(mixture.predict(pca.transform(states)) + 1).tolist() if len(states) else [] for states in hidden]
    clock("trace")
    transitions: Counter = Counter()
    visits: Counter = Counter()
    class_counts: Counter = Counter()
    sentences: Counter = Counter()
    errors: Counter = Counter()
    for trace, classes, label in zip(traces, predicted, labels, strict=True):
        before = 0
        for state, cls in zip(trace, classes, strict=True):
            transitions[before, state] += 1
            visits[state] += 1
            class_counts[state, cls] += 1
            before = state
        for state in set(trace):
            sentences[state] += 1
            errors[state] += classes[-1] != label
    clock("machine")
    return {"transitions": transitions, "visits": visits}, clock.seconds


class Clock:
    """CPU seconds between calls, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.process_time()

    def __call__(self, name: str) -> None:
        now = time.process_time()
        self.seconds[name], self._last = now - self._last, now


def main() -> None:
    """Run both, three times in turn, and print the medians and the ratio."""
    torch.set_num_threads(1)
    study = Study.open("demo")
    rows = study.rows("train")
    offsets, ids = study.tokenizer.encode(study.corpus.texts(rows))
    labels = study.corpus.labels[rows]
    print(f"{len(rows):,} sentences, {len(ids):,} words")
    arguments = (study.model, offsets, ids, labels)
    totals: dict[str, list[float]] = {"fast": [], "plain": []}
    for turn in range(3):
        for name, way in (("fast", fast), ("plain", plain)):
            totals[name].append(_report(turn, name, way, arguments))
    medians = {name: float(np.median(values)) for name, values in totals.items()}
    print(f"median CPU s: fast {medians['fast']:.2f}, plain {medians['plain']:.2f}: "
          f"{medians['plain'] / medians['fast']:.1f} times less")  # fmt: skip


def _report(turn: int, name: str, way: Callable, arguments: tuple) -> float:
    _, seconds = way(*arguments)
    parts = ", ".join(f"{part} {value:.2f}" for part, value in seconds.items())
    print(f"run {turn + 1} {name:>5}: {sum(seconds.values()):6.2f} CPU s ({parts})", flush=True)
    return sum(seconds.values())


if __name__ == "__main__":
    main()
