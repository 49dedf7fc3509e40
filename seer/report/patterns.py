"""The text patterns in the report: what sways the prediction, and what goes with errors."""

from __future__ import annotations

from typing import Any

from seer.mining import pattern_records
from seer.report.markup import Column, chip, clipped, counted_words, decimal, empty, path_links, percent, section, table
from seer.report.subject import Subject
from seer.slices import FALSE_SHARE

TOP, PHRASES, CHANGES = 15, 5, 2


def buggy_records(subject: Subject) -> list[dict[str, Any]]:
    """The first patterns that go with errors, as the report shows them."""
    return pattern_records(subject.study, "buggy", subject.split, top=TOP)


def pattern_name(record: dict[str, Any]) -> str:
    """A buggy pattern as plain text."""
    path = " → ".join(f"S{state}" for state in record["states"])
    return " ".join(part for part in (path, "" if record["word"] is None else f"“{record['word']}”") if part)


def patterns_section(subject: Subject, buggy: list[dict[str, Any]]) -> str:
    """Buggy, influential, and the words that turn the prediction."""
    study, split = subject.study, subject.split
    influential = pattern_records(study, "influential", split, top=TOP)
    flips = pattern_records(study, "flips", split, top=TOP)
    unlabelled = "" if subject.accuracy.labelled else " No sentence here has a label."
    body = (
        "<h3>Patterns that go with errors</h3><p class='note'>States in a row, words, and words read into a state, "
        "that stand more often in wrong sentences than chance allows. q is the false discovery rate: at most a tenth "
        f"of the patterns with q ≤ {FALSE_SHARE} are chance; the others may be.</p>"
        + (_buggy(buggy) if buggy else empty(f"No pattern goes with errors.{unlabelled}"))
        + "<h3>Patterns that sway the prediction</h3><p class='note'>Three states in a row, in sentences read rightly, "
        "over which the prediction changes, by the number of sentences.</p>"
        + (_influential(subject, influential) if influential else empty(f"There is none.{unlabelled}"))
        + "<h3>Words that turn the prediction</h3><p class='note'>Each time the prediction changed at the word; the "
        "gain is that of the new class’s probability, on average.</p>"
        + (_flips(subject, flips) if flips else empty("No word changes a prediction."))
    )
    return section("patterns", "Patterns", body, f"The {TOP} first of each kind in {subject.split_name}.")


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
        Column("Sentences", "number"),
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
    classes = subject.study.classes
    items = [
        f'<span class="change">{chip(classes, change["from"])} → {chip(classes, change["to"])} '
        f'<span class="times">×{change["count"]:,}</span></span>'
        for change in changes[:CHANGES]
    ]
    rest = len(changes) - len(items)
    return " ".join(items) + (f' <span class="note">and {rest:,} more</span>' if rest else "")
