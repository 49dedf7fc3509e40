"""The wrong sentences in the report, each with its trace, those read most surely first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from seer.charts.captions import counted
from seer.charts.leading import sentence_colours
from seer.charts.palette import many
from seer.charts.sentence import legend_html, sentence_html
from seer.notes import Change
from seer.report.markup import chip, clipped, empty, section, text
from seer.report.subject import Subject
from seer.text import readable
from seer.traces import SentenceTrace

WORDS = 120
"""Words drawn of one sentence."""
CHARACTERS = 2_500
"""Characters of one sentence that are drawn at most."""


def errors_section(subject: Subject, most: int) -> str:
    """The first ``most`` errors with their traces, states under the words."""
    rows, labelled = subject.errors, subject.accuracy.labelled
    shown = rows[:most]
    if not labelled:
        return section("errors", "Errors", empty(f"No {subject.noun} here has a label, so none is known to be wrong."))
    if not len(rows):
        return section(
            "errors", "Errors", empty(f"Every one of the {labelled:,} labelled {subject.noun}s is read rightly.")
        )
    lead = (
        f"{len(shown):,} of {counted(len(rows), f'wrong {subject.noun}')} of {subject.split_name}, those first that "
        "the network is surest of. Each word is tinted by what was predicted up to it; the state stands under it."
    )
    classes = subject.study.classes
    # Of many classes each sentence has colours of its own, which its verdict tells.
    used = [] if many(classes) else np.unique(subject.study.traces.select(shown).predicted).tolist()
    legend = readable(legend_html(classes, only={classes[at] for at in used}, states=True))
    return section("errors", "Errors", legend + "".join(_error(subject, int(row)) for row in shown), lead)


def drawn_text(trace: SentenceTrace, colours: Mapping[str, str] | None = None, *, states: bool = True) -> str:
    """The trace as HTML of bounded size, whatever the text: long words and blanks count as well."""
    fitting = int(np.searchsorted(trace.span[:WORDS, 1], CHARACTERS, side="right"))
    if not fitting:
        return f'<div class="seer-text" dir="auto">{text(trace.text[:CHARACTERS])}{_rest(trace.text)}</div>'
    end, rest = int(trace.span[fitting - 1, 1]), ""
    if fitting == len(trace) and len(trace.text) - end > CHARACTERS:
        trace, rest = replace(trace, text=trace.text[: end + CHARACTERS]), _rest(trace.text, end + CHARACTERS)
    return readable(sentence_html(trace, states=states, most=fitting, colours=colours)).replace("\0", "\ufffd") + rest


def note_html(change: Change | None) -> str:
    """A note in a line or two, nothing where there is none."""
    note = change.note if change else None
    if change is None or note is None:
        return ""
    facts = [part for part in (note.cause, note.action, note.label and f"new label {note.label}") if part]
    said = f'<div class="written" dir="auto">{text(note.text)}</div>' if note.text else ""
    return (
        f'<div class="remark"><b>{text(" · ".join(facts) or "note")}</b> '
        f'<span class="note">{text(note.status)}, {clipped(change.author)}</span>{said}</div>'
    )


def _error(subject: Subject, row: int) -> str:
    study = subject.study
    row_id, trace = str(study.corpus.ids[row]), study.sentence(row)
    true, read = study.classes[int(study.corpus.labels[row])], study.classes[int(study.traces.prediction[row])]
    sure = float(study.traces.confidence[row])
    colours = sentence_colours(trace, asked=[int(study.corpus.labels[row])])
    return (
        f'<article class="error"><p class="verdict"><b class="bad">✕</b> read as {chip(study.classes, read, colours)} '
        f"<b>{sure:.2f}</b>, is {chip(study.classes, true, colours)} <code>{clipped(row_id)}</code></p>"
        f"{drawn_text(trace, colours)}{note_html(subject.notes.get(row_id))}</article>"
    )


def _rest(whole: str, shown: int = CHARACTERS) -> str:
    left = len(whole) - shown
    return f'<span class="seer-cut"> … {counted(left, "character")} more</span>' if left > 0 else ""
