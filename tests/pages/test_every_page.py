"""Every page on studies that are not the demo: five classes, odd names, odd rows, almost nothing."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.corpus import load_corpus
from seer.models.training import TrainingSettings
from tests.conftest import make_corpus

PAGES = ("overview", "states", "transitions", "triage", "trace", "relevance", "pairs", "plan")
CLASSES = ("R&D's", "<b>neg</b>", "a $5$ *class*", ":red[x]", "plain")


def rows_of(classes: int, count: int) -> list[tuple[str, int, str]]:
    random = np.random.default_rng(0)
    rows = []
    for place in range(count):
        label = place % classes
        words = [f"word{label}", *(f"filler{number}" for number in random.integers(0, 20, 6))]
        random.shuffle(words)
        split = ("train", "train", "validation", "test")[place // classes % 4]
        rows.append((" ".join(words) + " <img src=x onerror=alert(1)>", label, split))
    return rows


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    quick = {"architecture": {"embedding": 6, "hidden": 8}, "training": TrainingSettings(epochs=2)}
    odd = [("", 0, "test"), ("!!! ...", 1, "test"), ("zzqx vvkw", 2, "test"), ("word1 unlabelled", -1, "test")]
    five = make_corpus(rows_of(5, 120) + odd, CLASSES)
    train_study(five, folder / "five", analysis=AnalysisSettings(states=7, components=4), **quick)
    few = [("good", 1, "train"), ("bad", 0, "train")] * 4
    train_study(make_corpus(few), folder / "few", **quick)
    unlabelled = [*few, ("good or bad", -1, "test"), ("bad", -1, "test")]
    train_study(make_corpus(unlabelled), folder / "unlabelled", **quick)
    return folder


def open_page(root: Path, page: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(root / "app.py"), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    if page != "overview":
        app.switch_page(f"pages/{page}.py").run()
    return app


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", ["five", "few", "unlabelled"])
def test_opens(studies: Path, root: Path, monkeypatch: pytest.MonkeyPatch, page: str, name: str) -> None:
    monkeypatch.setenv("SEER_STUDIES", str(studies))
    app = open_page(root, page, study=name)
    assert not app.exception
    assert not app.error
    assert app.title[0].value


@pytest.mark.parametrize("page", PAGES)
def test_a_selection_of_odd_names_and_rows(
    studies: Path, root: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.setenv("SEER_STUDIES", str(studies))
    for row in ("r120", "r121", "r122", "r123"):
        app = open_page(root, page, study="five", row=row, true="<b>neg</b>", state="2", edge="0-2", split="all")
        assert not app.exception
        assert not app.error


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_long_articles_of_five_topics(tmp_path_factory, root: Path, monkeypatch, page: str) -> None:
    folder = tmp_path_factory.getbasetemp() / "long"
    if not (folder / "bbc").exists():
        study = train_study(load_corpus("bbc_news"), folder / "bbc")
        assert study.accuracy("test").value > 0.5
    monkeypatch.setenv("SEER_STUDIES", str(folder))
    app = open_page(root, page, study="bbc")
    assert not app.exception
    assert not app.error
