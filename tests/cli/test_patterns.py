"""``seer patterns`` and ``seer evaluate planted``: an option works or is refused in a sentence, and a table is read."""

import json
import re
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from seer.cli import app
from seer.errors import DataError, SeerError, SettingError
from seer.mining import KINDS


def run(*arguments: str, columns: int = 80) -> Result:
    return CliRunner().invoke(app, arguments, env={"COLUMNS": str(columns), "TERM": "dumb"})


@pytest.mark.parametrize("kind", KINDS)
def test_no_number_breaks_in_a_narrow_table(kind: str) -> None:
    records = json.loads(run("patterns", "demo", "--kind", kind, "--top", "4", "--json").stdout)
    shown = run("patterns", "demo", "--kind", kind, "--top", "4").stdout
    assert max(map(len, shown.splitlines())) <= 80
    lines = [line for line in shown.splitlines() if line.startswith("│")]
    for name in ("lift", "p", "q", "count", "score", "change", "support", "occurrences"):
        for record in records:
            if name in record:
                value = record[name]
                text = str(value) if isinstance(value, int) else f"{value:.1e}" if value < 0.0005 else f"{value:.3f}"
                assert any(re.search(rf"(^|\W){re.escape(text)}(\W|$)", line) for line in lines), (name, text)


def test_the_table_tells_what_its_phrases_are_ordered_by() -> None:
    wanted = ("patterns", "demo", "--confusion", "neg:pos", "--top", "3")
    phrases = [record["phrases"][:3] for record in json.loads(run(*wanted, "--json").stdout)]
    shown = run(*wanted, columns=300).stdout
    for found in phrases:
        assert [phrase["failed"] for phrase in found] == sorted((phrase["failed"] for phrase in found), reverse=True)
        assert "; ".join(f"{p['text']} ({p['count']}, {p['failed']} wrong)" for p in found) in shown


def test_words_are_listed_for_each_state_and_say_so() -> None:
    done = run("patterns", "demo", "--kind", "words", "--top", "1", columns=300)
    assert "20 words of the test split, at most 1 a state" in " ".join(done.stdout.split())
    assert "of words, how many a state" in " ".join(run("patterns", "--help", columns=300).stdout.split())


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        (("--kind", "words", "--confusion", "neg:pos"), SettingError, "Only buggy patterns know a confusion"),
        (("--kind", "influential", "--confusion", "neg:pos"), SettingError, "Only buggy patterns know a confusion"),
        (("--kind", "influential", "--preset", "paper"), SettingError, "Only buggy patterns know a preset"),
        (("--kind", "words", "--preset", "foo"), SettingError, "one of default, paper; got 'foo'"),
        (("--preset", "foo"), SettingError, "one of default, paper; got 'foo'"),
        (("--confusion", "neg:neg"), SettingError, "takes one class for another; got 'neg' twice"),
        (("--confusion", "neg"), SettingError, "true:predicted of neg, pos; got 'neg'"),
        (("--confusion", "x" * 5000), SettingError, "5,002 characters"),
        (("--split", ""), DataError, "has no split ''"),
        (("--split", "nowhere"), DataError, "has no split 'nowhere'"),
        (("--top", "0"), SettingError, "At least one pattern"),
    ],
)
def test_what_means_nothing_is_refused(arguments: tuple[str, ...], kind: type[SeerError], said: str) -> None:
    done = run("patterns", "demo", *arguments)
    assert isinstance(done.exception, kind)
    assert said in str(done.exception)
    assert len(str(done.exception)) < 300
    assert done.stdout == ""


def test_all_names_all_splits() -> None:
    assert "of all splits" in run("patterns", "demo", "--kind", "phrases", "--split", "all", "--top", "1").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--lime-errors", "-1"), "LIME explains 0 errors or more; got -1"),
        (("--seed", "-1"), "The seed must lie between 0 and"),
        (("--seed", "99999999999999999999"), "The seed must lie between 0 and"),
        (("--where", "middle"), "at the end or at random; got 'middle'"),
    ],
)
def test_a_planted_bug_is_not_trained_with_settings_that_mean_nothing(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    data = tmp_path / "data.csv"
    data.write_text("text,label\n" + "good film,pos\nbad film,neg\n" * 30, encoding="utf-8")
    done = run("evaluate", "planted", "--data", str(data), *arguments)
    assert isinstance(done.exception, SettingError | DataError)
    assert said in str(done.exception)
