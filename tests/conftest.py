"""Small corpora, models and studies that many tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import settings

from seer.analysis import AnalysisSettings
from seer.build import model_study, train_study
from seer.corpus import Corpus
from seer.jobs import jobs, stop
from seer.models.classifier import Architecture, RNNClassifier
from seer.models.training import TrainingSettings
from seer.study import Study
from seer.text import Tokenizer
from tests.many import CLASSES, forty_rows

# No test asserts a time; a change is judged by the same examples wherever it is checked.
settings.register_profile("seer", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("seer")

GOOD = ("good", "great", "fine", "lovely", "superb")
BAD = ("bad", "poor", "awful", "dull", "weak")
FILLER = ("the", "film", "is", "a", "story", "with", "some", "parts", "and", "more")


def make_corpus(rows: Sequence[tuple[str, int, str]], classes: tuple[str, ...] = ("neg", "pos")) -> Corpus:
    """A corpus of (text, label, split) rows with the ids r0, r1, …"""
    texts, labels, splits = zip(*rows, strict=True)
    table = pa.table(
        {
            "id": pa.array([f"r{place}" for place in range(len(rows))]),
            "text": pa.array(texts),
            "label": pa.array(labels, pa.int32()),
            "split": pa.array(splits),
        }
    )
    return Corpus("small", table, classes, {"kind": "test"}, ())


def opinions(count: int = 240, seed: int = 0) -> Corpus:
    """Sentences whose class is the sign of their polar words, a tenth of the labels turned over."""
    random = np.random.default_rng(seed)
    rows = []
    for place in range(count):
        label = int(random.integers(2))
        words = [*random.choice(FILLER, random.integers(3, 9)), *random.choice((BAD, GOOD)[label], 2)]
        random.shuffle(words)
        shown = label if random.random() > 0.1 else 1 - label
        rows.append((" ".join(words), shown, ("train", "train", "validation", "test")[place % 4]))
    return make_corpus(rows)


def make_model(seed: int = 0, **changes: object) -> RNNClassifier:
    """An untrained classifier in eval mode."""
    settings = {"vocabulary": 50, "classes": 3, "embedding": 6, "hidden": 8} | changes
    torch.manual_seed(seed)
    return RNNClassifier(Architecture(**settings)).eval()  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of ``opinions`` that trains in a second; treat it as read-only."""
    return train_study(
        opinions(),
        tmp_path_factory.mktemp("studies") / "small",
        architecture={"embedding": 8, "hidden": 12, "dropout": 0.1},
        training=TrainingSettings(epochs=15, batch=16, learning_rate=1e-2),
        analysis=AnalysisSettings(states=6, components=4),
    )


@pytest.fixture(scope="session")
def forty_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of forty classes, alone in its folder, of an untrained model; treat it as read-only."""
    corpus = make_corpus(forty_rows(), CLASSES)
    tokenizer = Tokenizer.train(corpus.texts(), min_count=1)
    model = make_model(1, vocabulary=tokenizer.size, classes=len(CLASSES), embedding=16, hidden=24)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(6 if weight.ndim > 1 else 0)
    folder, analysis = tmp_path_factory.mktemp("many") / "forty", AnalysisSettings(states=15, components=8)
    return model_study(model, tokenizer, corpus, folder, origin={}, seed=0, analysis=analysis)


@pytest.fixture(scope="session")
def demo() -> Study:
    """The study that comes with the program; treat it as read-only."""
    return Study.open("demo")


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture
def studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of studies of one test; jobs in it end with the test."""
    folder = tmp_path / "studies"
    monkeypatch.setenv("SEER_STUDIES", str(folder))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    yield folder
    monkeypatch.delenv("SEER_READ_ONLY", raising=False)
    for job in reversed(jobs()):
        if not job.over:
            stop(job.id)
