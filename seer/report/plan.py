"""The notes in the report: how far the work is, what is wrong, and what is to be done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seer.charts.captions import counted
from seer.notes import ACTIONS, Action, Change, action_counts, cause_counts, cause_patterns, checked_of, standing
from seer.report.markup import Column, bar, clipped, counted_words, figure, percent, section, table, text
from seer.report.patterns import pattern_name
from seer.report.subject import Subject

SHOWN = 100
"""Sentences listed under one action."""
LETTERS = 300
"""Characters of a sentence in the plan."""


def notes_section(subject: Subject, buggy: list[dict[str, Any]]) -> str:
    """Progress, causes by confusion, frequent patterns, and the plan by action; empty without a note."""
    notes, corpus = subject.notes, subject.study.corpus
    if not notes:
        return ""
    position = {row_id: at for at, row_id in enumerate(corpus.ids.tolist())}
    confusions = {row_id: subject.confusion(position[row_id]) for row_id in notes if row_id in position}
    checked = checked_of(notes, [str(corpus.ids[row]) for row in subject.errors])
    told = standing(notes, position, corpus.fingerprint).sentence()
    share = checked.checked / checked.total if checked.total else None
    parts = [
        '<dl class="figures">',
        figure("Notes", f"{len(notes):,}", "in all splits"),
        figure("Errors checked", f"{checked.checked:,}", f"of {checked.total:,} · {percent(share)}", bar(share)),
        *(figure(action.capitalize(), f"{count:,}", "planned") for action, count in action_counts(notes).items()),
        "</dl>",
        f'<p class="warn">{text(told)}</p>' if told else "",
        _causes(cause_counts(notes, confusions)),
        _patterns(subject, buggy),
        "<h3>Plan</h3>",
    ]
    for action in (*ACTIONS, None):
        chosen = {key: change for key, change in notes.items() if change.note and change.note.action == action}
        if chosen:
            parts.append(_action(subject, action, chosen, confusions, position))
    lead = f"What people found in the {subject.noun}s, whatever their split, and what they mean to do about it."
    return section("notes", "Notes and plan", "".join(parts), lead)


def _causes(counts: Mapping[str, Mapping[str, int]]) -> str:
    if not counts:
        return ""
    names = list(next(iter(counts.values())))
    columns = (Column("Cause"), *(Column(name, "number") for name in names), Column("All", "number"))
    rows = [
        [text(cause), *(f"{count:,}" if count else "–" for count in row.values()), f"<b>{sum(row.values()):,}</b>"]
        for cause, row in counts.items()
    ]
    return f'<h3>Causes by confusion</h3><div class="scroll" tabindex="0">{table(columns, rows)}</div>'


def _patterns(subject: Subject, buggy: list[dict[str, Any]]) -> str:
    ids, held = subject.study.corpus.ids, dict[str, list[str]]()
    for record in buggy:
        for row in subject.holding(record["states"], record["word"]).tolist():
            held.setdefault(str(ids[row]), []).append(pattern_name(record))
    found = cause_patterns(subject.notes, held)
    if not found:
        return ""
    rows = [[text(cause), counted_words(patterns)] for cause, patterns in found.items()]
    columns = (Column("Cause"), Column(f"Patterns with {subject.noun}s", "wide"))
    return f"<h3>Most frequent patterns</h3>{table(columns, rows, 'stack')}"


def _action(
    subject: Subject,
    action: Action | None,
    chosen: Mapping[str, Change],
    confusions: Mapping[str, str],
    position: Mapping[str, int],
) -> str:
    labels = any(change.note and change.note.label for change in chosen.values())
    columns = (
        Column(subject.noun.capitalize(), "wide"),
        Column("Confusion"),
        *((Column("New label"),) if labels else ()),
        Column("Cause"),
        Column("Note", "wide"),
        Column("Status"),
    )
    rows = []
    for row_id, change in list(chosen.items())[:SHOWN]:
        note = change.note
        if note is None:
            continue
        whole = subject.study.corpus.text(position[row_id]) if row_id in position else "(no longer in the data)"
        rows.append(
            [
                f"{clipped(whole, LETTERS)} <code>{clipped(row_id)}</code>",
                clipped(confusions.get(row_id, "–")),
                *([clipped(note.label or "–")] if labels else []),
                text(note.cause or "–"),
                f'<div class="written" dir="auto">{text(note.text)}</div>' if note.text else "–",
                f'{text(note.status)}<br><span class="note">{clipped(change.author)}</span>',
            ]
        )
    more = len(chosen) - SHOWN
    rest = (
        f'<p class="note">{counted(more, f"more {subject.noun}")}: the plan and the notes hold all.</p>'
        if more > 0
        else ""
    )
    title = action.capitalize() if action else "Not decided"
    return f"<h4>{title} ({len(chosen):,})</h4>{table(columns, rows, 'stack plan')}{rest}"
