"""The text patterns in the report: what sways the prediction, and what goes with errors."""

from __future__ import annotations

from typing import Any

from seer.mining import pattern_records
from seer.report.markup import Column, clipped, counted_words, decimal, empty, path_links, percent, section, table
from seer.report.subject import Subject
from seer.slices import FALSE_SHARE

TOP, PHRASES, CHANGES = 15, 5, 2
PLANNED = 40
"""Buggy patterns counted in the sentences with a note: the first by rank that raise the share of errors."""

_RANKED = 100


def buggy_records(subject: Subject) -> list[dict[str, Any]]:
    """The first ``PLANNED`` patterns whose sentences are wrong more often than all."""
    ranked = pattern_records(subject.study, "buggy", subject.split, top=_RANKED)
    return [record for record in ranked if record["lift"] > 1][:PLANNED]


def pattern_name(record: dict[str, Any]) -> str:
    """A buggy pattern as plain text."""
    path = " → ".join(f"S{state}" for state in record["states"])
    return " · ".join(part for part in (path, "" if record["word"] is None else f"“{record['word']}”") if part)


def patterns_section(subject: Subject, buggy: list[dict[str, Any]]) -> str:
    """Buggy, influential, and the words that turn the prediction."""
    study, split = subject.study, subject.split
    influential = pattern_records(study, "influential", split, top=TOP)
    flips = pattern_records(study, "flips", split, top=TOP)
    unlabelled = "" if subject.accuracy.labelled else f" No {subject.noun} here has a label."
    body = (
        f"<h3>Patterns that go with errors</h3><p class='note'>{_buggy_lead(subject, buggy)}</p>"
        + (_buggy(buggy[:TOP]) if buggy else empty(f"No pattern goes with errors.{unlabelled}"))
        + f"<h3>Patterns that sway the prediction</h3><p class='note'>Three states in a row, in {subject.noun}s read "
        f"rightly, over which the prediction changes, by the number of {subject.noun}s. “a → … → a” changes between "
        "the first step and the last, and comes back.</p>"
        + (_influential(subject, influential) if influential else empty(f"There is none.{unlabelled}"))
        + "<h3>Words that turn the prediction</h3><p class='note'>Each time the prediction changed at the word; the "
        "gain is that of the new class’s probability, on average.</p>"
        + (_flips(subject, flips) if flips else empty("No word changes a prediction."))
    )
    return section("patterns", "Patterns", body, f"The {TOP} first of each kind in {subject.split_name}.")


def _buggy_lead(subject: Subject, records: list[dict[str, Any]]) -> str:
    """What the table of buggy patterns says, and what it does not."""
    sure = sum(record["q"] is not None and record["q"] <= FALSE_SHARE for record in records)
    told = (
        f"Of those with q ≤ {FALSE_SHARE} (bold) about {FALSE_SHARE:.0%} at most are chance; the others may all be."
        if sure
        else f"None has q ≤ {FALSE_SHARE}: all of them may be chance."
    )
    return (
        f"States in a row, words, and words read into a state, whose {subject.noun}s are wrong more often than all, "
        f"the surest first. q is the false discovery rate among all patterns of a kind. {told} “Where to look first” "
        "tests states and transitions together, so its q of the same state differs: the same test in another family."
    )


def _buggy(records: list[dict[str, Any]]) -> str:
    columns = (
        Column("Pattern"),
        Column("Wrong", "number"),
        Column("Right", "number"),
        Column("Failure rate", "number"),
        Column("Lift", "number"),
        Column("q", "number"),
        Column("Phrases", "wide"),
    )
    rows = []
    for record in records:
        word = "" if record["word"] is None else f" “{clipped(record['word'], 40)}”"
        phrases = " · ".join(
            f'{clipped(phrase["text"])} <span class="times">×{phrase["count"]:,}, {phrase["failed"]:,} wrong</span>'
            for phrase in record["phrases"][:PHRASES]
        )
        sure = record["q"] is not None and record["q"] <= FALSE_SHARE
        rows.append(
            [
                path_links(record["states"]) + word,
                f"{record['failed']:,}",
                f"{record['correct']:,}",
                percent(record["rate"]),
                decimal(record["lift"]),
                f"<b>{decimal(record['q'], 3)}</b>" if sure else decimal(record["q"], 3),
                phrases,
            ]
        )
    return table(columns, rows, "stack")


def _influential(subject: Subject, records: list[dict[str, Any]]) -> str:
    columns = (
        Column("Pattern"),
        Column(f"{subject.noun.capitalize()}s", "number"),
        Column("Times", "number"),
        Column("Changes"),
        Column("Phrases", "wide"),
    )
    rows = [
        [
            path_links(record["states"]),
            f"{record['support']:,}",
            f"{record['occurrences']:,}",
            _changes(subject, record["changes"]),
            counted_words(((phrase["text"], phrase["count"]) for phrase in record["phrases"][:PHRASES]), joint=" · "),
        ]
        for record in records
    ]
    return table(columns, rows, "stack")


def _flips(subject: Subject, records: list[dict[str, Any]]) -> str:
    columns = (Column("Word"), Column("Times", "number"), Column("Mean gain", "number"), Column("Changes", "wide"))
    rows = [
        [
            clipped(record["word"], 40),
            f"{record['count']:,}",
            decimal(record["change"]),
            _changes(subject, record["changes"]),
        ]
        for record in records
    ]
    return table(columns, rows, "stack")


def _changes(subject: Subject, changes: list[dict[str, Any]]) -> str:
    items = []
    for change in changes[:CHANGES]:
        between = "→" if change["from"] != change["to"] else "→ … →"
        items.append(
            f'<span class="change">{subject.chip(change["from"])} {between} {subject.chip(change["to"])} '
            f'<span class="times">×{change["count"]:,}</span></span>'
        )
    rest = sum(change["count"] for change in changes[CHANGES:])
    return " ".join(items) + (f' <span class="note">and {rest:,} other times</span>' if rest else "")
