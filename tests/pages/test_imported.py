"""Every page on models that were trained elsewhere: other heads and read-outs, pieces of words, marks, a cut."""

from pathlib import Path

import pytest
import torch

from seer.analysis import AnalysisSettings
from seer.corpus import load_corpus
from seer.imports.infer import Choices
from seer.imports.reading import Reading
from seer.imports.study import import_study
from tests.imports.research import PIECES, Research, csv_of, reviews, saved
from tests.pages.test_every_page import PAGES, open_page

KINDS = {
    "mean": ({"read_out": "mean"}, {"length": 6}),
    "padded": ({"cell": "lstm", "two_way": True, "read_out": "padded", "outputs": 2}, {"special": True}),
    "relu": ({"cell": "rnn", "relu": True, "read_out": "max", "head": ()}, {"length": 9, "cut": "left"}),
}


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    (folder / "files").mkdir()
    vocabulary = folder / "files" / "vocab.txt"
    vocabulary.write_text("\n".join(PIECES), encoding="utf-8")
    corpus = load_corpus(csv_of(*reviews(60), folder / "files" / "d.csv"), split="test")
    for name, (changes, reading) in KINDS.items():
        torch.manual_seed(0)
        weights = saved(Research(len(PIECES), **changes), folder / "files" / f"{name}.pt")
        padded = changes["read_out"] == "padded"
        choices = Choices(
            cell="rnn_relu" if "relu" in changes else None,
            read_out=changes["read_out"],
            length=10 if padded else None,
        )
        few = AnalysisSettings(states=5, components=4)
        import_study(
            weights, vocabulary, corpus, folder / name, choices=choices, reading=Reading(**reading), analysis=few
        )
    return folder


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", KINDS)
def test_every_page_opens(studies: Path, root: Path, monkeypatch: pytest.MonkeyPatch, page: str, name: str) -> None:
    monkeypatch.setenv("SEER_STUDIES", str(studies))
    app = open_page(root, page, study=name, text="The film was not good, and it is a dull play with acting in it.")
    assert not app.exception
    assert not app.error


@pytest.mark.hard_inputs(19)
def test_a_cut_is_shown(studies: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_STUDIES", str(studies))
    app = open_page(root, "trace", study="mean", text=" ".join(["film"] * 9_989 + ["good"] + ["film"] * 10))
    said = " ".join(str(part.value) for part in (*app.caption, *app.info, *app.markdown))
    assert "6 of 10,000 words used" in said
