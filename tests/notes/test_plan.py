"""What the notes say together, and the plan in which all that people wrote shows as text."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.notes import (
    NO_CAUSE,
    Checked,
    Note,
    Notes,
    action_counts,
    cause_counts,
    cause_patterns,
    checked_of,
    plan_markdown,
    standing,
)
from seer.notes.plan import literal
from tests.notes.shared import ROUGH


@pytest.fixture
def worked(notes: Notes) -> Notes:
    notes.put("t1", Note("negation", "a | b\n`c` <b>", "relabel", "<i>pos</i>", "checked"), "Ana")
    notes.put("t2", Note("negation", action="augment"), "*Ben*")
    notes.put("t3", Note("irony", status="checked"), "Ben")
    notes.put("t4", Note(text="why?"), "Ben")
    notes.put("gone", Note("negation", action="augment"), "Ben")
    return notes


CONFUSIONS = {"t1": "neg → pos", "t2": "neg → pos", "t3": "pos → neg", "t4": "neg → pos", "t9": "pos → neg"}
PATTERNS = {"t1": ["S1 S2", "not|bad"], "t2": ["S1 S2"], "t3": ["S4"]}


def test_summary(worked: Notes) -> None:
    found = worked.current()
    assert checked_of(found, ["t1", "t2", "t9", "t9"]) == Checked(1, 2, 3)
    assert cause_counts(found, CONFUSIONS) == {
        "negation": {"neg → pos": 2, "pos → neg": 0},
        "irony": {"neg → pos": 0, "pos → neg": 1},
        NO_CAUSE: {"neg → pos": 1, "pos → neg": 0},
    }
    assert action_counts(found) == {"relabel": 1, "augment": 2}
    assert cause_patterns(found, PATTERNS, 1) == {"negation": [("S1 S2", 2)], "irony": [("S4", 1)]}
    fits = standing(found, ["t1", "t2", "t3", "t4", "t9"], "c" * 64)
    assert (fits.noted, fits.present, fits.elsewhere) == (5, 4, 0)
    assert fits.sentence() == "4 of 5 notes belong to a sentence that is still there."
    assert "4 of them were written on another version" in str(standing(found, CONFUSIONS, "d").sentence())
    assert standing(found, found, "c" * 64).sentence() is None
    assert standing(found, ["t1"], "d").sentence() == (
        "1 of 5 notes belongs to a sentence that is still there; 1 of them was written on another version of the data: "
        "compare the text first."
    )
    assert standing({"t1": found["t1"]}, ["t1"], "d").sentence() == (
        "1 note was written on another version of the data: compare the text first."
    )
    unknown = {row_id: replace(change, corpus="") for row_id, change in found.items()}
    assert standing(unknown, unknown, "d").sentence() is None  # nobody says that it is another version
    assert cause_counts({}, {}) == action_counts({}) == cause_patterns({}, {}) == {}


def test_the_plan_shows_markup_as_text(worked: Notes) -> None:
    texts = {"t1": f"not bad {ROUGH}", "t2": "x" * 1000, "t3": "", "t4": "![a](http://x) www.x.org"}
    plan = plan_markdown(
        "<demo>\n# x",
        worked.current(),
        texts=texts,
        confusions=CONFUSIONS,
        patterns=PATTERNS,
        progress=Checked(2, 4, 10),
        scope={"split": "te*st", "filter": "wrong"},
    )
    lines = plan.splitlines()
    assert lines[0] == r"# Plan for \<demo\> ↵ \# x"
    assert lines[2:4] == [r"- split: te\*st", "- filter: wrong"]
    assert "5 sentences with a note. 2 of 10 checked." in lines
    assert "| negation | 2 | 0 | 2 |" in lines
    assert r"| negation | S1 S2 (2); not&#124;bad (1) |" in lines
    assert "- Augment: 2 sentences (negation 2, in neg → pos 1)" in lines
    assert r"- Relabel: 1 sentence (as \<i\>pos\</i\> 1, negation 1, in neg → pos 1)" in lines
    assert "- Look at the 8 that are not checked yet." in lines
    assert f"- last note: {max(change.time for change in worked.current().values())[:10]}" in lines
    headings = [line for line in lines if line.startswith("## ")]
    assert headings == [
        "## What to do",
        "## Causes by confusion",
        "## Most frequent patterns",
        "## Relabel (1)",
        "## Augment (2)",
        "## Not decided (2)",
    ]
    assert r"| a &#124; b ↵ \`c\` \<b\> | checked | Ana |" in plan
    assert r"\<i\>pos\</i\>" in plan
    assert "(1,000 characters)" in plan
    assert "| gone | (no longer in the data) |" in plan
    tables = [line.count("|") for line in lines if line.startswith("| t")]
    assert set(tables) == {8, 9}  # with a new label, and without
    assert re.search(r"(?<!\\)[<>`*\[\]]", plan) is None
    assert plan_markdown("empty", {}, texts={}, confusions={}) == "# Plan for empty\n\n0 sentences with a note.\n"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])))
def test_escaping_only_adds(text: str) -> None:
    shown = literal(text)
    assert "|" not in shown
    assert (
        re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown.replace("&#124;", "|")).replace("\ufffd", "")
        == re.sub("[\ufffd\ufdd0-\ufdef\ufffe\uffff]", "", text).strip()
    )
