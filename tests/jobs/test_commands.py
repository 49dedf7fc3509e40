"""What a person chose reaches the command line as it was chosen, whatever it looks like."""

import shlex
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from seer.cli.data import DataOptions, reads_data
from seer.jobs.commands import classify_command, data_command, import_command, options_of
from seer.jobs.record import command_line

ODD = ["--out=/x", "-x", "$(rm -rf ~)", "a b", "'", '"', "naïve 测试", "--", "a=b", "`x`", "\t"]


def read_back(argv: tuple[str, ...]) -> dict[str, object]:
    """The keywords that a command which reads data takes from a command line."""
    found: list[DataOptions] = []
    app = typer.Typer()

    @app.command()
    @reads_data()
    def train(data: DataOptions, out: Annotated[Path, typer.Option()]) -> None:
        found.append(data)

    outcome = CliRunner().invoke(app, list(argv[1:]))
    assert outcome.exit_code == 0, outcome.output
    return {"name": found[0].data, **{key: value for key, value in found[0].named().items() if value}}


@pytest.mark.parametrize("odd", ODD)
def test_odd_values_stay_values(odd: str) -> None:
    given = {"text": odd, "label": odd, "second": odd, "config": odd}
    argv = data_command("train", odd, Path("/out"), given)
    read = read_back(argv)
    assert {key: read[key] for key in given} == given
    assert read["name"] == odd
    assert shlex.split(command_line(argv)) == ["python", "-m", "seer", *argv]


def test_each_keyword_has_its_option() -> None:
    given = {
        "delimiter": ";",
        "encoding": "latin-1",
        "header": False,
        "pairs": True,
        "labelled": False,
        "limit": 5,
        "seed": 3,
        "revision": "main",
    }
    read = read_back(data_command("train", "x.csv", Path("/out"), given))
    # What is false is left out above.
    assert read == {"name": "x.csv"} | {key: value for key, value in given.items() if value}
    argv = data_command("train", "x.csv", Path("/out"), given)
    assert "--no-header" in argv
    assert "--no-label" in argv
    assert options_of(
        {"bidirectional": True, "sweep": False, "learning_rate": 0.01, "sigmoid": False, "cell": None}
    ) == [
        "--bidirectional",
        "--learning-rate=0.01",
        "--softmax",
    ]


def test_the_other_commands() -> None:
    assert classify_command(Path("/s/a"), "x.csv", {"split": "new"}) == (
        "classify",
        "--split=new",
        "--",
        "/s/a",
        "x.csv",
    )
    assert import_command("import", "w.pt", "x.csv", Path("/s/b"), {"tokenizer": "v.txt"}) == (
        "import",
        "--out=/s/b",
        "--data=x.csv",
        "--tokenizer=v.txt",
        "--",
        "w.pt",
    )
