"""The estimate of a training's time: made of its own first steps, and over long before the training would be."""

import json

import pytest
from typer.testing import CliRunner

from seer.cli import app
from seer.errors import DataError, SettingError
from seer.estimate import estimate_training
from seer.models.training import TrainingSettings
from tests.conftest import make_corpus, opinions


def test_it_is_extrapolated_from_steps_and_grows_with_the_epochs() -> None:
    corpus, sizes = opinions(400), {"embedding": 8, "hidden": 8}
    long = estimate_training(corpus, architecture=sizes, training=TrainingSettings(epochs=100_000), budget=0.2)
    short = estimate_training(corpus, architecture=sizes, training=TrainingSettings(epochs=3), budget=0.2)
    assert long.seconds > 1000 * long.pass_seconds > 0
    assert long.seconds == long.pass_seconds * 100_000 + long.other
    assert short.least == short.seconds
    assert long.least < long.seconds


def test_a_single_step_suffices_and_faults_are_those_of_the_training() -> None:
    few = make_corpus([("good", 1, "train"), ("bad", 0, "train")] * 2)
    assert estimate_training(few).seconds > 0
    with pytest.raises(DataError, match="two classes"):
        estimate_training(make_corpus([("good", 1, "train")] * 4))
    with pytest.raises(SettingError, match="hidden"):
        estimate_training(few, architecture={"hidden": 0})


def test_the_command_line_says_it_and_writes_nothing(tmp_path) -> None:
    corpus, data = opinions(200), tmp_path / "data.csv"
    rows = [f"{text},{corpus.classes[label]}" for text, label in zip(corpus.texts(), corpus.labels, strict=True)]
    data.write_text("\n".join(["text,label", *rows]), encoding="utf-8")
    argv = ["train", str(data), "--out", str(tmp_path / "study"), "--epochs", "3", "--hidden", "8", "--estimate"]
    told = CliRunner().invoke(app, argv)
    assert told.exit_code == 0, told.output
    assert "for up to 3 epochs, extrapolated from a second of this training" in " ".join(told.output.split())
    found = json.loads(CliRunner().invoke(app, [*argv, "--json"]).stdout)
    assert 0 < found["least_seconds"] <= found["seconds"]
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]
