"""Tables of forty classes, and of pairs, fit a terminal of 80 columns with each name in one piece."""

import json

import pytest
from typer.testing import CliRunner

from seer.charts.names import short_names
from seer.cli import app
from seer.study import Study
from tests.many import CLASSES


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch):
    def run(*arguments: str, columns: int = 80) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        result = CliRunner().invoke(app, list(arguments))
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def cells(output: str, column: str) -> list[str]:
    """The cells below a header."""
    lines = [line.strip("│┃ ").replace("┃", "│").split("│") for line in output.splitlines() if line[:1] in "│┃"]
    rows = [[cell.strip() for cell in line] for line in lines]
    return [row[rows[0].index(column)] for row in rows[1:]]


def test_a_trace_shows_the_two_likeliest(printed, forty_study: Study) -> None:
    read = forty_study.trace("please help with word3 <b> word4")
    output = printed("trace", str(forty_study.folder), read.text)
    assert max(map(len, output.splitlines())) <= 80
    assert cells(output, "word") == list(read.words)
    assert len(cells(output, "next")) == len(read)
    assert [float(cell) for cell in cells(output, "p")] == pytest.approx(read.probability.max(axis=1), abs=6e-4)
    assert "of 40 classes" in output
    tokens = json.loads(printed("trace", str(forty_study.folder), read.text, "--json"))["tokens"]
    assert list(tokens[0]["probabilities"]) == list(CLASSES)


def test_a_state_stands_in_a_line(printed, forty_study: Study) -> None:
    output = printed("machine", str(forty_study.folder)).split("transitions")[0]
    states = cells(output, "majority")[: forty_study.states]
    assert len(states) == forty_study.states
    assert set(states) <= set(short_names(CLASSES, 20))


def test_show_names_a_dozen_classes(printed, forty_study: Study) -> None:
    output = " ".join(printed("show", str(forty_study.folder)).replace("│", " ").split())
    assert "and 28 more" in output
    assert CLASSES[-1] not in output
    assert json.loads(printed("show", str(forty_study.folder), "--json"))["classes"] == list(CLASSES)


def test_three_classes_of_pairs_have_a_column_each(printed) -> None:
    output = printed("trace", "demo-pairs", "A man is sleeping.\nNobody sleeps")
    assert all(len(cells(output, name)) == 7 for name in ("CONTRADICTION", "ENTAILMENT", "NEUTRAL"))
    wide = printed("trace", "demo-pairs", "A man is sleeping.\nNobody sleeps", columns=120)
    assert len(cells(wide, "predicted")) == 7
