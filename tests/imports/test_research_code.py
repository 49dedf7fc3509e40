"""A model of research code becomes a study with exactly the accuracy that it has in plain PyTorch."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from seer.cli import app
from seer.study import Study
from tests.imports.research import PIECES, Research, csv_of, plain_ids, reviews, saved, trained

KINDS = {
    "gru": {},
    "gru mean": {"read_out": "mean"},
    "gru max": {"read_out": "max"},
    "gru padded": {"read_out": "padded"},
    "two-way lstm": {"cell": "lstm", "two_way": True, "layers": 2, "outputs": 2, "head": ()},
    "two-way lstm padded": {"cell": "lstm", "two_way": True, "read_out": "padded"},
    "two-way gru mean": {"two_way": True, "read_out": "mean", "outputs": 2},
    "rnn": {"cell": "rnn", "head": (6, 5)},
    "rnn with relu": {"cell": "rnn", "relu": True, "layers": 2},
}


@pytest.mark.hard_inputs(21)
@pytest.mark.parametrize("kind", KINDS)
def test_research_style_checkpoint_has_exactly_its_accuracy(kind: str, tmp_path: Path) -> None:
    changes = KINDS[kind]
    length = 10 if changes.get("read_out") == "padded" else None
    torch.manual_seed(0)
    model = Research(len(PIECES), **changes)
    texts, labels = reviews(120, seed=1)
    trained(model, plain_ids(texts, length), labels)
    texts, labels = reviews(150, seed=2)
    expected = model.probabilities(plain_ids(texts, length))
    accuracy = float((expected.argmax(1) == labels).mean())
    assert 0.55 < accuracy < 1

    weights = saved(model, tmp_path / "best.pth.tar")
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    data = csv_of(texts, labels, tmp_path / "reviews.csv")
    asked = ["import", weights, "--tokenizer", tmp_path / "vocab.txt", "--data", data, "--out", tmp_path / "study"]
    asked += ["--states", 5, "--components", 4]
    if "read_out" in changes:
        asked += ["--read-out", changes["read_out"]]
    if length:
        asked += ["--length", length]
    if changes.get("relu"):
        asked += ["--cell", "rnn_relu"]
    ran = CliRunner().invoke(app, [str(part) for part in asked], catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    assert f"{accuracy:.4f}" in ran.stdout

    study = Study.open(tmp_path / "study")
    assert study.accuracy("test").value == accuracy
    np.testing.assert_allclose(study.traces.final_probability, expected, atol=1e-6)
    for row in (0, 7):  # after each word: what plain PyTorch says to the text up to there
        ids = plain_ids([texts[row]])[0]
        after = model.probabilities([ids[: end + 1] for end in range(len(ids))])
        np.testing.assert_allclose(study.sentence(row).probability, after, atol=1e-6)


def test_check_shows_all_and_writes_nothing(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Research(len(PIECES), outputs=2).eval()
    texts, labels = reviews(60)
    weights = saved(model, tmp_path / "w.pt")
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES), encoding="utf-8")
    data = csv_of(texts, labels, tmp_path / "d.csv")
    asked = ["import", str(weights), "--tokenizer", str(tmp_path / "vocab.txt"), "--data", str(data), "--check"]
    before = sorted(tmp_path.iterdir())
    ran = CliRunner().invoke(app, [*asked, "--json"], catch_exceptions=False)
    found = json.loads(ran.stdout)
    assert sorted(tmp_path.iterdir()) == before
    assert found["model"] == "GRU 12, one-way, 1 layer, head 8 relu"
    assert {each["name"] for each in found["tensors"]} == {f"module.{name}" for name in model.state_dict()}
    assert found["tensors"][0] == {"name": "module.embedding.weight", "shape": [len(PIECES), 10], "use": "word vectors"}
    share = float((model.probabilities(plain_ids(texts)).argmax(1) == labels).mean())
    assert found["accuracy"][0]["value"] == share
    assert found["classes"] == ["neg", "pos"]
    # The other way round, the accuracy is the other share; at or below the largest class it warns.
    turned = json.loads(CliRunner().invoke(app, [*asked, "--json", "--classes", "pos,neg"]).stdout)
    assert turned["accuracy"][0]["value"] == pytest.approx(1 - share)
    assert any(each["warnings"] for each in (found, turned))
