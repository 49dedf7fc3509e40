import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from seer.cli import evaluate, main
from seer.evaluation.arithmetic import arithmetic
from seer.study import Study
from tests.evaluation.test_arithmetic import TINY


class Done(NamedTuple):
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """The command line in this process: importing torch anew for each command would take seconds."""

    def run(*arguments: str, ok: bool = True) -> Done:
        monkeypatch.setattr(sys, "argv", ["seer", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        done = Done(*capsys.readouterr())
        assert (ended.value.code == 0) == ok, done.stderr
        return done

    return run


def test_as_a_module_it_ends_with_code_1_and_one_line(root: Path) -> None:
    command = [sys.executable, "-m", "seer", "show", "nowhere"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("Error: There is no study in nowhere")


def test_train_show_machine_trace_analyse(run, tmp_path: Path) -> None:
    """The whole way with a file, each step with the keys that scripts rely on."""
    data, folder = tmp_path / "opinions.csv", str(tmp_path / "study")
    rows = [
        f'"{text} number {place}",{label}'
        for place in range(60)
        for text, label in (("good film", "pos"), ("bad film", "neg"))
    ]
    data.write_text("text,label\n" + "\n".join(rows), encoding="utf-8")
    settings = ["--cell", "lstm", "--hidden", "8", "--embedding", "6", "--epochs", "2", "--states", "4"]
    trained = json.loads(run("train", str(data), "--out", folder, *settings, "--json").stdout)
    assert trained["classes"] == ["neg", "pos"]
    assert trained == json.loads(run("show", folder, "--json").stdout)
    machine = json.loads(run("machine", folder, "--split", "test", "--json").stdout)
    assert {"id", "visits", "class_counts", "sentences", "errors", "error_rate", "lift"} <= set(machine["states"][0])
    assert set(machine["transitions"][0]) == {"source", "target", "count", "probability"}
    assert sum(row["count"] for row in machine["transitions"] if row["source"] == 0) == 12
    read = json.loads(run("trace", folder, "a GOOD film zzqx", "--json").stdout)
    assert set(read) == {"tokens", "prediction", "probabilities"}
    assert set(read["tokens"][0]) == {"text", "start", "end", "known", "state", "predicted", "probabilities"}
    assert [token["text"] for token in read["tokens"]] == ["a", "GOOD", "film", "zzqx"]
    assert [token["known"] for token in read["tokens"]] == [False, True, True, False]
    assert read["prediction"] == max(read["probabilities"], key=read["probabilities"].get)
    analysed = json.loads(
        run("analyse", folder, "--method", "gmm", "--states", "3", "--components", "2", "--json").stdout
    )
    assert (analysed["method"], analysed["accuracy"]) == ("gmm", trained["accuracy"])
    assert Study.open(folder).hash == analysed["hash"] != trained["hash"]


def test_tables_for_people(run) -> None:
    assert "rotten_tomatoes" in run("datasets").stdout
    assert "fidelity_step" in run("show", "demo").stdout
    assert "Prediction: " in run("trace", "demo", "a [b]bold[/b] film").stdout
    assert "no word to read" in run("trace", "demo", "  ").stdout
    assert json.loads(run("trace", "demo", "", "--json").stdout) == {
        "tokens": [],
        "prediction": None,
        "probabilities": None,
    }


def test_explain(run) -> None:
    one = json.loads(run("explain", "demo", "not a BAD film zzqx", "--json").stdout)
    assert list(one) == ["text", "method", "target", "prediction", "logit", "gap", "rest", "settings", "tokens"]
    assert (one["method"], one["settings"]) == ("lrp", {"eps": 0.001, "bias_factor": 0.0})
    assert [token["text"] for token in one["tokens"]] == ["not", "a", "BAD", "film", "zzqx"]
    assert [token["known"] for token in one["tokens"]] == [True, True, True, True, False]
    given = ("--method", "occlusion,lrp", "--method", "random", "--target", "pos", "--eps", "1e-6", "--json")
    several = json.loads(run("explain", "demo", "not a bad film", *given).stdout)
    assert [record["method"] for record in several] == ["occlusion", "lrp", "random"]
    assert [record["target"] for record in several] == ["pos"] * 3
    assert several[1]["settings"]["eps"] == 1e-6
    everything = run("explain", "demo", "a [b]bad[/b] film", "--method", "all")
    assert "Word removal" in everything.stdout
    assert "Contextual decomposition is defined for LSTM; this model is a GRU." in everything.stderr
    assert "sum of words" in everything.stdout


def test_evaluate_arithmetic(run, monkeypatch) -> None:
    asked = []

    def quick(**given):
        asked.append(given)
        return arithmetic(("addition",), models=given["models"], seed=given["seed"], plan=TINY)

    monkeypatch.setattr(evaluate, "measure_arithmetic", quick)
    found = json.loads(run("evaluate", "arithmetic", "--models", "1", "--seed", "1", "--json").stdout)
    assert set(found) == {"seed", "sequences", "tasks"}
    assert {"task", "models", "tries", "error", "memory", "scores"} == set(found["tasks"][0])
    assert {"method", "settings", "correlation_a", "correlation_b"} < set(found["tasks"][0]["scores"][0])
    shown = run("evaluate", "arithmetic", "--models", "1", "--seed", "1").stdout
    assert "Addition: 1 nets of" in shown
    assert "LRP (eps 1e-06)" in shown
    assert (asked[0]["models"], asked[0]["seed"]) == (1, 1)


def test_evaluate_studies(run) -> None:
    some = ("--most", "60", "--method", "lrp,sensitivity")
    deleted = json.loads(run("evaluate", "deletion", "demo", *some, "--deletions", "2", "--json").stdout)
    assert deleted["sentences"] == 60
    assert {curve["method"] for curve in deleted["curves"]} == {"lrp", "sensitivity", "random"}
    assert {len(curve["accuracy"]) for curve in deleted["curves"]} == {3}
    shown = run("evaluate", "deletion", "demo", *some, "--split", "validation").stdout
    assert "validation split" in shown.replace("\n", " ")
    vectors = json.loads(run("evaluate", "vectors", "demo", *some, "--json").stdout)
    assert [kind["kind"] for kind in vectors["maps"]] == ["sum", "mean", "lrp", "sensitivity"]
    assert "Chance" in run("evaluate", "vectors", "demo", "--most", "60").stdout
    composed = json.loads(run("evaluate", "composition", "demo", "--most", "60", "--json").stdout)
    assert {"readings", "phrases", "examples"} < set(composed)
    shown = run("evaluate", "composition", "demo", "--most", "60", "--method", "gradient_input").stdout
    assert "negated positive" in shown
    assert "Examples" in shown
    assert "Median relevance" in shown


def test_evaluations_take_an_eps(run) -> None:
    for name, more in (("deletion", ("--most", "60")), ("vectors", ("--most", "60")), ("composition", ())):
        given = ("evaluate", name, "demo", *more, "--method", "lrp")
        found = json.loads(run(*given, "--eps", "0.1", "--json").stdout)["settings"]
        assert found == ({"eps": 0.1} if name == "composition" else {"lrp": {"eps": 0.1}})
    unstable = run("evaluate", "composition", "demo")
    assert "LRP is unstable here" in unstable.stderr
    assert "--eps 0.1" in unstable.stderr
    assert "LRP: eps 0.1" in run("evaluate", "composition", "demo", "--eps", "0.1").stdout.replace("\n", " ")


def test_explain_tells_settings_and_gaps_as_they_are(run) -> None:
    shown = run("explain", "demo", "a bad film", "--method", "lrp,occlusion", "--eps", "0.00001").stdout
    assert "eps 1e-05" in shown
    occluded = next(line for line in shown.splitlines() if "Occlusion" in line and "word" not in line)
    assert "–" in occluded
    found = json.loads(run("explain", "demo", "a bad film", "--method", "occlusion", "--json").stdout)
    assert isinstance(found["gap"], float)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "nowhere"], "no study"),
        (["train", "no such set!", "--out", "x"], "no data set"),
        (["analyse", "demo", "--states", "0"], "number of states"),
        (["machine", "demo", "--split", "dev"], "no split 'dev'"),
        (["train", "rotten_tomatoes", "--out", "tests"], "other files"),
        (["train", "rotten_tomatoes", "--out", "x", "--cell", "cnn"], "cell must be one of"),
        (["explain", "demo", " "], "no word to read"),
        (["explain", "demo", "good", "--target", "odd"], "must be one of neg, pos; got 'odd'"),
        (["explain", "demo", "good", "--method", "magic"], "method must be one of lrp"),
        (["explain", "demo", "good", "--method", "cd"], "defined for LSTM"),
        (["explain", "demo", "good", "--eps", "-1"], "eps must be"),
        (["explain", "demo", "good", "--method", "occlusion", "--eps", "1"], "belongs to none of the methods"),
        (["evaluate", "arithmetic", "--models", "0"], "one net or more"),
        (["evaluate", "deletion", "demo", "--split", "dev"], "no split 'dev'"),
        (["evaluate", "deletion", "demo", "--method", "magic"], "method must be one of lrp"),
        (["evaluate", "vectors", "demo", "--seed", "-1"], "seed must lie between 0 and 4294967294; got -1"),
        (["evaluate", "deletion", "demo", "--seed", "-1"], "seed must lie between 0 and 4294967294; got -1"),
        (["evaluate", "arithmetic", "--seed", "4294967296"], "seed must lie between 0 and 4294967294"),
        (["evaluate", "deletion", "demo", "--method", "occlusion", "--eps", "1"], "Settings were given for lrp"),
        (["evaluate", "composition", "demo", "--method", "occlusion", "--eps", "1"], "Occlusion has no settings"),
        (["evaluate", "vectors", "demo", "--neighbours", "0"], "one neighbour or more"),
        (["evaluate", "composition", "demo", "--positive", "odd"], "must be one of neg, pos"),
    ],
)
def test_mistakes_are_one_sentence_on_stderr(run, root: Path, monkeypatch, arguments: list[str], said: str) -> None:
    monkeypatch.chdir(root)
    done = run(*arguments, ok=False)
    assert said in done.stderr.replace("\n", " ")
    assert done.stdout == ""
    assert not (root / "x").exists()
