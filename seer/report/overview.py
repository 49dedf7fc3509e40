"""The figures of the report, what is taken for what, and where to look first."""

from __future__ import annotations

import numpy as np

from seer.charts.captions import state_name
from seer.confusions import most_confused
from seer.report.markup import (
    Column,
    bar,
    clipped,
    counted_words,
    decimal,
    empty,
    figure,
    interval,
    percent,
    section,
    table,
    text,
)
from seer.report.subject import Subject
from seer.slices import (
    FALSE_SHARE,
    Place,
    class_reports,
    confusion_matrix,
    judged_confidence,
    where_to_look,
)
from seer.traces import IntArray

FEW = 12
"""Most classes that are named in the confusion matrix; more are numbered."""
MOST_CLASSES = 60
"""Most classes of which the confusion matrix is drawn."""
FREQUENT = 15
"""Confusions listed where the matrix is too large to be read at a glance."""
BINS = 20
UNLABELLED = "No {} here has a label, so nothing can be right or wrong. Choose a split with labels."


def overview(subject: Subject) -> str:
    """Figures with intervals, splits, confusion matrix, classes, confidence."""
    parts = [f'<dl class="figures">{_figures(subject)}</dl>', _splits(subject)]
    if not subject.accuracy.labelled:
        return section("overview", "Overview", "".join([*parts, empty(UNLABELLED.format(subject.noun))]))
    classes = subject.study.classes
    matrix = confusion_matrix(subject.study, subject.rows)
    few, drawn = len(classes) <= FEW, _matrix(matrix, classes) if len(classes) <= MOST_CLASSES else ""
    left = f"<h3>Right and wrong</h3>{drawn}" if few else f"<h3>Confused most often</h3>{_frequent(subject, matrix)}"
    sure = f"<h3>How sure it is</h3>{_confidence(subject)}"
    parts.append(f'<div class="pair"><div>{left}</div><div>{sure}</div></div>')
    if drawn and not few:
        parts.append(f"<h3>Right and wrong</h3>{drawn}")
    parts.append(f"<h3>By class</h3>{_classes(subject, matrix)}")
    return section("overview", "Overview", "".join(parts))


def look_first(subject: Subject) -> str:
    """States and transitions through which surely more sentences go wrong."""
    places = where_to_look(subject.study, subject.split)
    lead = (
        f"States and transitions through which more {subject.noun}s go wrong than chance allows, the surest first "
        f"(Fisher’s exact test). Of those named about {FALSE_SHARE:.0%} at most are chance (q ≤ {FALSE_SHARE}). States "
        "and transitions are tested together here, apart from the patterns below: the q of the same state differs "
        "there."
    )
    if places:
        body = f'<ol class="places">{"".join(_place(subject, place) for place in places)}</ol>'
    elif subject.accuracy.labelled:
        body = empty(f"No state and no transition has more errors than chance allows (q ≤ {FALSE_SHARE}).")
    else:
        body = empty(f"No {subject.noun} here has a label, so errors cannot gather anywhere.")
    return section("look", "Where to look first", body, lead)


def place_key(place: Place) -> str:
    """Id of a place's card beside the graph."""
    return f"state-{place.state}" if place.transition is None else "edge-{}-{}".format(*place.transition)


def _place(subject: Subject, place: Place) -> str:
    pair = place.transition
    name = state_name(place.state or 0) if pair is None else f"{state_name(pair[0])} → {state_name(pair[1])}"
    words = subject.typical_words(place.state or 0) if pair is None else subject.transition_words(*pair)
    return (
        f'<li><a class="s" href="#{place_key(place)}">{name}</a> <b class="bad">✕ {percent(place.rate)}</b> of '
        f"{place.labelled:,} {subject.noun}s wrong <span class='note'>({interval(place.low, place.high)}), "
        f"{place.lift:.1f}× the whole, q {decimal(place.q, 3)}</span>"
        f"{bar(place.rate, place.low, place.high, 'wrong')}<div class='said'>{counted_words(words) or '–'}</div></li>"
    )


def _figures(subject: Subject) -> str:
    study, accuracy, quality = subject.study, subject.accuracy, subject.study.quality
    words = int(study.traces.lengths[subject.rows].sum())
    judged = f"95 %: {interval(accuracy.low, accuracy.high, 1)}" if accuracy.labelled else "none to judge"
    one = f"one class always: {percent(quality.majority_step)}"
    return "".join(
        (
            figure(f"{study.noun.capitalize()}s", f"{len(subject.rows):,}", f"{words:,} words"),
            figure(
                "Accuracy",
                percent(accuracy.value, 1),
                judged,
                bar(accuracy.value, accuracy.low, accuracy.high),
            ),
            figure("Errors", f"{accuracy.errors:,}", f"of {accuracy.labelled:,} labelled"),
            figure("States", f"{study.states:,}", f"stability {decimal(quality.stability)}"),
            figure("Fidelity", percent(quality.fidelity_step, 1), one, bar(quality.fidelity_step)),
        )
    )


def _splits(subject: Subject) -> str:
    study, rows = subject.study, []
    for split in study.corpus.splits:
        found = study.accuracy(split)
        rows.append(
            [
                clipped(split),
                f"{len(study.rows(split)):,}",
                percent(found.value, 1) + bar(found.value, found.low, found.high),
                interval(found.low, found.high, 1) or "no label",
                f"{found.errors:,}",
            ]
        )
    columns = (
        Column("Split"),
        Column(f"{study.noun.capitalize()}s", "number"),
        Column("Accuracy", "number"),
        Column("95 % interval", "number"),
        Column("Errors", "number"),
    )
    return f"<h3>Accuracy by split</h3>{table(columns, rows, 'stack')}"


def _matrix(matrix: IntArray, classes: tuple[str, ...]) -> str:
    """True classes in rows, what they were read as in columns; many classes go by their numbers."""
    size, few = len(classes), len(classes) <= FEW
    named = [
        clipped(name, 24) if few else f'<abbr title="{text(name)}">{number}</abbr>'
        for number, name in enumerate(classes, start=1)
    ]
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    body = "".join(
        f'<tr><th scope="row">{named[true]}</th>'
        + "".join(_cell(int(matrix[true, at]), float(shares[true, at]), true == at) for at in range(size))
        + "</tr>"
        for true in range(size)
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in named)
    numbers = "" if few else " Numbers as in the table by class."
    return (
        f'<p class="note">Rows are the true classes, columns what they were read as; ✕ marks errors.{numbers}</p>'
        '<div class="scroll" tabindex="0" role="group" aria-label="Confusion matrix">'
        f'<table class="matrix{"" if few else " many"}"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(count: int, share: float, right: bool) -> str:
    if not count:
        return "<td></td>"
    sign = "" if right else "✕ "
    return f'<td class="{"right" if right else "wrong"}" style="--share:{100 * share:.0f}%">{sign}{count:,}</td>'


def _frequent(subject: Subject, matrix: IntArray) -> str:
    classes, found = subject.study.classes, most_confused(matrix)
    items = "".join(
        f"<li>{subject.chip(classes[pair.true])} read as {subject.chip(classes[pair.predicted])} "
        f'<span class="times">×{pair.count:,}, {percent(pair.share)} of it</span></li>'
        for pair in found[:FREQUENT]
    )
    rest = len(found) - FREQUENT
    more = f'<p class="note">{rest:,} more pairs of classes are confused less often.</p>' if rest > 0 else ""
    return f'<ol class="plain">{items}</ol>{more}' if items else empty("No class is taken for another.")


def _classes(subject: Subject, matrix: IntArray) -> str:
    classes = subject.study.classes
    columns = (
        *(() if len(classes) <= FEW else (Column("No.", "number"),)),
        Column("Class"),
        *(
            Column(name, "number")
            for name in (f"{subject.noun.capitalize()}s", "Read as it", "Precision", "Recall", "F1")
        ),
    )
    rows = []
    for at, report in enumerate(class_reports(matrix, classes), start=1):
        figures = [f"{decimal(value)}{bar(value)}" for value in (report.precision, report.recall, report.f1)]
        number = [] if len(classes) <= FEW else [str(at)]
        rows.append([*number, subject.chip(report.name), f"{report.support:,}", f"{report.predicted:,}", *figures])
    return table(columns, rows, "stack")


def _confidence(subject: Subject) -> str:
    """Right predictions above the line, wrong ones below, by the probability of the predicted class."""
    confidence, right = judged_confidence(subject.study, subject.rows)
    at = np.minimum((confidence.astype(np.float64) * BINS).astype(int), BINS - 1)
    above, below = np.bincount(at[right], minlength=BINS), np.bincount(at[~right], minlength=BINS)
    first = int(at.min())
    tallest = max(int(above.max()), int(below.max()), 1)
    up = 100 * int(above.max()) / tallest
    width = 400 / (BINS - first)
    bars = []
    for place in range(first, BINS):
        x, between = (place - first) * width, f"{place / BINS:.2f}–{(place + 1) / BINS:.2f}"
        for kind, count in (("right", int(above[place])), ("wrong", int(below[place]))):
            high = 100 * count / tallest
            if count:
                bars.append(
                    f'<rect class="{kind}" x="{x + 1:.1f}" y="{up - high if kind == "right" else up:.1f}" '
                    f'width="{width - 2:.1f}" height="{high:.1f}"><title>{between}: {count:,} {kind}</title></rect>'
                )
    deep = up + 100 * int(below.max()) / tallest
    told = f"{int(right.sum()):,} right and {int((~right).sum()):,} wrong predictions by confidence"
    return (
        '<p class="note">Right predictions stand above the line, wrong ones hang below: those at the right are wrong '
        "and sure of it.</p>"
        f'<svg class="histogram" viewBox="0 0 400 {deep + 2:.0f}" role="img" aria-label="{told}">{"".join(bars)}'
        f'<line x1="0" x2="400" y1="{up:.1f}" y2="{up:.1f}"/></svg>'
        f'<p class="axis"><span>{first / BINS:.2f}</span><span>probability of the predicted class</span>'
        "<span>1.00</span></p>"
    )
