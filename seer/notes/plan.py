"""The plan as Markdown, in which all that people and data wrote shows as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from seer.notes.record import ACTIONS, Action, Change, Note
from seer.notes.summary import NO_CAUSE, Checked, Current, action_counts, cause_counts, cause_patterns

SHOWN = 300
"""Characters of a sentence in the plan."""
_NAMED = 3
"""Causes and confusions named in a line of the summary."""

# What begins markup inside a line in CommonMark and its common relatives (tables, math, emoji, mentions, attributes).
_MARKUP = re.compile(r"[\\`*_{}\[\]<>~$&:^=#@!]|(?<=[wW]{3})\.")
_LINE_ENDS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def plan_markdown(
    title: str,
    notes: Current,
    *,
    texts: Mapping[str, str],
    confusions: Mapping[str, str],
    patterns: Mapping[str, Sequence[str]] | None = None,
    progress: Checked | None = None,
    scope: Mapping[str, str] | None = None,
) -> str:
    """What is wrong and what to do, for people who were not there.

    Args:
        title: name of the study.
        notes: ``Notes.current()``, or a part of it.
        texts: row id → sentence; a row that is gone is named without.
        confusions: row id → what was taken for what.
        patterns: row id → the patterns its sentence holds.
        progress: how many rows are checked.
        scope: what the plan is about, such as the split, the filter and the date: name → value.
    """
    about = _scope(notes, scope or {})
    lines = [
        f"# Plan for {literal(title)}",
        "",
        *([*about, ""] if about else []),
        f"{_sentences_of(len(notes))} with a note.",
    ]
    if progress:
        lines[-1] += f" {progress.checked:,} of {progress.total:,} checked."
    lines += _summary(notes, confusions, progress)
    lines += _causes(notes, confusions)
    if frequent := cause_patterns(notes, patterns or {}):
        rows = [[literal(cause), "; ".join(_counted(found))] for cause, found in frequent.items()]
        lines += ["", "## Most frequent patterns", "", *_table(["cause", "patterns (sentences)"], rows)]
    counts = action_counts(notes)
    for action in (*ACTIONS, None):
        chosen = {row_id: change for row_id, change in notes.items() if change.note and change.note.action == action}
        if chosen:
            heading = f"{action.capitalize()} ({counts[action]:,})" if action else f"Not decided ({len(chosen):,})"
            lines += ["", f"## {heading}", "", *_sentences(action, chosen, texts, confusions)]
    return "\n".join(lines) + "\n"


def literal(text: str) -> str:
    """The text so that Markdown shows it as it is, in one line; a line end shows as ``↵``."""
    line = _UNSEEN.sub("\ufffd", _LINE_ENDS.sub(" ↵ ", text)).replace("\t", " ").strip()
    return _MARKUP.sub(r"\\\g<0>", line).replace("|", "&#124;")  # an escaped | still splits a table in some readers


def _scope(notes: Current, scope: Mapping[str, str]) -> list[str]:
    """What the plan is about; by the notes themselves where they know: which study, and until when."""
    studies = sorted({change.study for change in notes.values() if change.study})
    known = {} if not notes else {"last note": max(change.time for change in notes.values())[:10]}
    if studies:
        known["notes written on study"] = ", ".join(studies)
    return [f"- {literal(name)}: {literal(value)}" for name, value in {**scope, **known}.items()]


def _summary(notes: Current, confusions: Mapping[str, str], progress: Checked | None) -> list[str]:
    """The actions in a line each, those of most sentences first, and what is left to look at."""
    groups: dict[Action | None, dict[str, Change]] = {}
    for row_id, change in notes.items():
        if change.note:
            groups.setdefault(change.note.action, {})[row_id] = change
    decided = sorted((action for action in groups if action), key=lambda action: (-len(groups[action]), action))
    lines = []
    for action in (*decided, *([None] if None in groups else [])):
        chosen = groups[action]
        causes = Counter(change.note.cause or NO_CAUSE for change in chosen.values() if change.note)
        labels = Counter(change.note.label for change in chosen.values() if change.note and change.note.label)
        places = Counter(confusions[row_id] for row_id in chosen if row_id in confusions)
        parts = [f"as {literal(str(name))} {count:,}" for name, count in _ranked(labels)]
        parts += [f"{literal(name)} {count:,}" for name, count in _ranked(causes)[:_NAMED]]
        parts += [f"in {literal(name)} {count:,}" for name, count in _ranked(places)[:_NAMED]]
        lines.append(f"- {(action or 'not decided').capitalize()}: {_sentences_of(len(chosen))} ({', '.join(parts)})")
    if progress and progress.total > progress.checked:
        lines.append(f"- Look at the {progress.total - progress.checked:,} that are not checked yet.")
    return ["", "## What to do", "", *lines] if notes else []


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _sentences_of(count: int) -> str:
    return f"{count:,} sentence{'' if count == 1 else 's'}"


def _causes(notes: Current, confusions: Mapping[str, str]) -> list[str]:
    counts = cause_counts(notes, confusions)
    if not counts:
        return []
    columns = list(next(iter(counts.values())))
    rows = [[literal(cause), *map(str, row.values()), str(sum(row.values()))] for cause, row in counts.items()]
    return ["", "## Causes by confusion", "", *_table(["cause", *map(literal, columns), "all"], rows)]


def _sentences(
    action: Action | None, chosen: Mapping[str, Change], texts: Mapping[str, str], confusions: Mapping[str, str]
) -> list[str]:
    relabelled = action == "relabel" or any(change.note and change.note.label for change in chosen.values())
    head = ["row", "sentence", "confusion", *(["new label"] if relabelled else []), "cause", "note", "status", "by"]
    rows = []
    for row_id, change in chosen.items():
        note = change.note or Note()
        text = texts.get(row_id)
        shown = "(no longer in the data)" if text is None else literal(_cut(text))
        cells = [literal(row_id), shown, literal(confusions.get(row_id, ""))]
        cells += [literal(note.label or "")] if relabelled else []
        rows.append([*cells, note.cause or "", literal(note.text), note.status, literal(change.author)])
    return _table(head, rows)


def _counted(found: Iterable[tuple[str, int]]) -> list[str]:
    return [f"{literal(pattern)} ({count:,})" for pattern, count in found]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN].rstrip()} … ({len(text):,} characters)"
