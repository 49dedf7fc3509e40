"""``seer pairs`` and ``seer evaluate alignments``: what scripts rely on, tables, and mistakes in a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from seer.cli import app
from seer.errors import DataError, ModelError, SettingError

PAIR = ("A dog is running behind a bicycle", "A dog is running in front of a [b]bicycle[/b]")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "100", "TERM": "dumb"})


def test_pairs_as_json() -> None:
    record = json.loads(run("pairs", "demo-pairs", *PAIR, "--json").stdout)
    assert list(record)[:2] == ["prediction", "probabilities"]
    assert {"premise", "hypothesis", "attention", "attention_saliency", "signed", "gates", "gate_saliency"} <= set(
        record
    )
    shape = len(record["premise"]), len(record["hypothesis"])
    assert np.shape(record["attention"]) == np.shape(record["signed"]) == shape
    assert record["prediction"] == max(record["probabilities"], key=record["probabilities"].get)
    assert len(record["gates"]["inference"]["premise"]["backward"]["forget"]) == shape[0]
    other = json.loads(
        run("pairs", "demo-pairs", *PAIR, "--target", "ENTAILMENT", "--score", "probability", "--json").stdout
    )
    assert (other["target"], other["score"]) == ("ENTAILMENT", "probability")
    assert other["attention"] == record["attention"]
    assert other["signed"] != record["signed"]
    assert json.loads(run("pairs", "demo-pairs", "", "", "--json").stdout)["attention"] == []


def test_pairs_as_tables() -> None:
    shown = run("pairs", "demo-pairs", *PAIR).stdout
    assert "Prediction: NEUTRAL" in shown
    assert "[" in shown
    assert "behind" in shown
    assert "gate saliency" in shown
    assert "norms of i, f, o over both directions of the inference LSTM, summed" in " ".join(shown.split())
    assert "words are not in the vocabulary" in shown
    assert "Neither sentence has a word" in run("pairs", "demo-pairs", " ", "").stdout


def test_trace_says_which_sentence_a_word_stands_in() -> None:
    done = run("trace", "demo-pairs", "\n".join(PAIR))
    assert "hypothesis" in done.stdout
    assert "premise" in done.stdout
    assert "line break" not in done.stderr
    alone = run("trace", "demo-pairs", PAIR[0])
    assert "The hypothesis has no word" in alone.stderr
    assert r"$'premise\nhypothesis'" in alone.stderr
    assert "hypothesis" not in alone.stdout
    json.loads(run("trace", "demo-pairs", PAIR[0], "--json").stdout)
    single = run("trace", "demo", "a good film")
    assert "premise" not in single.stdout
    assert single.stderr == ""


def test_alignments() -> None:
    found = json.loads(run("evaluate", "alignments", "demo-pairs", "--pairs", "6", "--json").stdout)
    assert (found["split"], found["pairs"]) == ("test", 6)
    assert set(found["correlation"]) == {"saliency", "attention", "score", "random"}
    assert found["correlation"]["saliency"] > found["correlation"]["random"]
    assert set(found["flips"]) >= {"gate saliency", "attention", "random"}
    shown = run("evaluate", "alignments", "demo-pairs", "--pairs", "6").stdout
    assert "signed saliency" in shown
    assert "gate saliency" in shown


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (("pairs", "demo", "a", "b"), ModelError, "reads single sentences"),
        (("pairs", "demo-pairs", "a", "b", "--target", "odd"), SettingError, "got 'odd'"),
        (("pairs", "demo-pairs", "a", "b", "--score", "odd"), SettingError, "logit, probability"),
        (("evaluate", "alignments", "demo"), ModelError, "reads single sentences"),
        (("evaluate", "alignments", "demo-pairs", "--pairs", "0"), SettingError, "At least one pair"),
        (("evaluate", "alignments", "demo-pairs", "--split", "dev"), DataError, "no split 'dev'"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], error: type[Exception], said: str) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, error)
    assert said in str(done.exception)
    assert done.stdout == ""
