"""``seer check``, and the options that it shares with every command that reads data."""

import csv
import inspect
import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from seer.cli import app
from seer.cli.data import DataOptions, reads_data
from seer.corpus import check_data, load_corpus
from seer.errors import DataError, SeerError, SettingError
from seer.study import Study

ROWS = [f"a text {place};{'xy'[place % 2]}" for place in range(20)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    lines = ["words;kind", *ROWS, "=1+1;;x;y", "a text 0;y", "bare;"]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def check(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["check", *map(str, arguments)])


def test_it_prints_what_check_data_gives(data: Path, tmp_path: Path) -> None:
    ran = check(data, "--text", "words", "--label", "kind", "--json")
    assert ran.exit_code == 0, ran.output
    found = check_data(data, text="words", label="kind")
    assert json.loads(ran.stdout) == json.loads(json.dumps(found.record()))
    assert found.record()["rows"] == 22
    assert found.record()["files"][0]["delimiter"] == ";"


def test_the_tables_name_guesses_classes_and_rows_left_out(data: Path) -> None:
    ran = check(data, "--text", "words", "--label", "kind")
    shown = " ".join(ran.stdout.split())
    parts = ["data.csv", "';'", "4 fields, but", "Without a label: 1", "Rows by class and split"]
    for part in (*parts, "Texts with more than one label: 2 rows", "a text 0"):
        assert part in shown, part
    assert "left out of data.csv (line 22: 4 fields, but the header has 2)" in " ".join(ran.stderr.split())


def test_a_fault_is_said_after_what_is_known_and_ends_with_1(data: Path) -> None:
    ran = check(data, "--label", "sort", "--json")
    assert ran.exit_code == 1
    assert isinstance(ran.exception, DataError)
    record = json.loads(ran.stdout)
    assert record["fault"] == str(ran.exception)
    assert record["files"][0]["columns"] == ["words", "kind"]
    assert "words" in check(data, "--label", "sort").stdout


def test_rows_left_out_are_written_for_a_spreadsheet(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert check(data, "--text", "words", "--label", "kind", "--rejected", out).exit_code == 0
    with out.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["line"], row["what"], row["content"]) for row in rows] == [
        ("22", "left out", "'=1+1;;x;y"),
        ("24", "no label", "bare"),
    ]
    ran = check(data, "--text", "words", "--label", "kind", "--rejected", tmp_path / "no" / "out.csv")
    assert isinstance(ran.exception, SeerError)
    assert "cannot be written" in str(ran.exception)


@pytest.mark.parametrize(
    ("content", "options", "asked"),
    [
        ("good film,1\nbad film,0\n", ["--no-header", "--text", "column 1", "--label", "column 2"], {"header": False}),
        ("3,4\n5,6\n", ["--header", "--text", "3", "--label", "4"], {"header": True}),
        ("text,label\né,x\n", ["--encoding", "latin-1"], {"encoding": "latin-1"}),
        ("text,label\na,x\n", ["--no-label"], {"labelled": False}),
        ("text\tlabel\na,b\tx\n", ["--delimiter", "tab"], {"delimiter": "\t"}),
        ("premise,hypothesis,label\na,b,x\n", ["--task", "pairs"], {"pairs": True}),
        (
            "a,b,label\nx,y,z\n",
            ["--text", "a", "--second", "b", "--limit", "1", "--seed", "3"],
            {"limit": 1, "seed": 3},
        ),
    ],
)
def test_each_option_is_that_of_load_corpus(
    tmp_path: Path, content: str, options: list[str], asked: dict[str, object]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content, encoding="latin-1" if "latin-1" in options else "utf-8")
    named = {
        name: options[options.index(f"--{name}") + 1] for name in ("text", "label", "second") if f"--{name}" in options
    }
    ran = check(path, *options, "--json")
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["fingerprint"] == load_corpus(path, **named, **asked).fingerprint


def test_every_option_of_loading_a_person_needs_is_there() -> None:
    keywords = set(DataOptions("x").named())
    assert keywords <= set(inspect.signature(load_corpus).parameters)
    assert set(inspect.signature(load_corpus).parameters) - keywords == {"name", "split", "like"}


def test_a_command_can_leave_options_out_and_change_them() -> None:
    taken: list[DataOptions] = []

    @reads_data(without={"test", "seed"})
    def command(first: str, data: DataOptions, last: int = 1) -> None:
        taken.append(data)

    names = list(inspect.signature(command).parameters)
    assert names[:2] == ["first", "data"]
    assert names[-1] == "last"
    assert not {"test", "seed"} & set(names)
    given = dict.fromkeys(names) | {"first": "a", "data": "b.csv", "text": "words"}
    command(**given)
    assert (taken[0].data, taken[0].text, taken[0].seed) == ("b.csv", "words", 0)


def test_the_data_themselves_are_never_written_over(data: Path) -> None:
    before = data.read_bytes()
    ran = check(data, "--rejected", data.parent / ".." / data.parent.name / data.name)
    assert isinstance(ran.exception, SettingError)
    assert "one of the files that are checked" in str(ran.exception)
    assert data.read_bytes() == before


def test_of_many_columns_those_that_are_read_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [*(f"c{place}" for place in range(98)), "text", "label"]
    rows = [[*("x" * 98), f"word {row}", "ab"[row % 2]] for row in range(9)]
    path.write_text("\n".join(",".join(row) for row in [names, *rows]), encoding="utf-8")
    ran = check(path)
    assert ran.exit_code == 0
    shown = " ".join(ran.stdout.split())
    assert "8 of 100 columns" in shown
    assert "c5" in shown
    assert "c6" not in shown
    assert "│ word 0 │ a │" in shown


def test_what_was_never_counted_is_a_dash(tmp_path: Path) -> None:
    path = tmp_path / "refused.csv"
    path.write_text("one,two\na,b\nc,d\n", encoding="utf-8")
    ran = check(path, "--header")
    assert isinstance(ran.exception, DataError)
    cells = [cell.strip() for cell in ran.stdout.split("refused.csv │")[1].splitlines()[0].split("│")]
    assert cells[-4:-1] == ["–", "–", "–"]


def test_what_the_data_are_called_is_in_no_hash(data: Path, tmp_path: Path) -> None:
    few = ["--text", "words", "--label", "kind", "--epochs", 1, "--hidden", 4, "--embedding", 4, "--states", 2]
    plain, called = tmp_path / "plain", tmp_path / "called"
    for more in (["--out", plain], ["--out", called, "--called", "my films", "--without-sentences"]):
        ran = CliRunner().invoke(app, [str(word) for word in ("train", data, *few, *more)])
        assert ran.exit_code == 0, ran.output
    study = Study.open(called)
    assert study.hash == Study.open(plain).hash
    assert study.summary()["dataset"] == study.corpus.name == "my films"  # read again from where it came
    assert json.loads(check(data, *few[:4], "--called", "my films", "--json").stdout)["name"] == "my films"
