"""A sentence as HTML: its text exactly as written, each word tinted in place.

Everything of the text is escaped; the rest is numbers and names of this module. A word's tint is its class's colour, as
strong as the prediction is sure; a change of class is marked by a bar and an arrow, an unknown word by a dotted line, a
marked word by a frame, so that nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Collection
from html import escape

import numpy as np

from seer.charts.palette import class_colours
from seer.traces import SentenceTrace

STRONGEST = 0.6
"""Opacity of the tint at probability 1: the text stays readable on a light and on a dark page."""

STYLE = """<style>
.seer-text { line-height: 1.9; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.seer-text.states { line-height: 3.1; }
.seer-text .w { border-radius: .25rem; padding: .08rem .12rem; }
.seer-text .unknown { text-decoration: underline dotted 2px; text-underline-offset: .2em; }
.seer-text .flip { border-inline-start: 3px solid currentColor; padding-inline-start: .2rem; }
.seer-text .marked { outline: 2px solid currentColor; outline-offset: 1px; }
.seer-text .changed { font-weight: 700; text-decoration: underline wavy 1.5px; text-underline-offset: .25em; }
.seer-text ruby { ruby-position: under; ruby-align: center; }
.seer-text rt { font-size: .68em; opacity: .8; font-variant-numeric: tabular-nums; user-select: none; }
.seer-text.short { display: -webkit-box; -webkit-line-clamp: 4; -webkit-box-orient: vertical; overflow: hidden; }
</style>"""
"""Put once on a page that shows ``sentence_html``."""


def sentence_html(
    trace: SentenceTrace,
    *,
    states: bool = False,
    marked: Collection[int] = (),
    changed: Collection[int] = (),
    most: int = 1500,
) -> str:
    """The sentence with its words tinted by the intermediate prediction.

    Args:
        trace: the sentence, read.
        states: write the state under each word.
        marked: steps whose word gets a frame.
        changed: steps whose word differs from another copy's.
        most: words drawn at most; what follows is said, not drawn.
    """
    colours = list(class_colours(trace.classes).values())
    flips = set(trace.flips.tolist())
    parts, at = [], 0
    for step in range(min(len(trace), most)):
        begin, end = (int(place) for place in trace.span[step])
        kinds = [
            name
            for name, holds in (
                ("unknown", not trace.known[step]),
                ("flip", step in flips),
                ("marked", step in marked),
                ("changed", step in changed),
            )
            if holds
        ]
        word = escape(trace.text[begin:end])
        if states:
            word = f"<ruby>{word}<rt>S{int(trace.state[step])}</rt></ruby>"
        parts.append(escape(trace.text[at:begin]))
        parts.append(
            f'<span class="{" ".join(["w", *kinds])}" style="background:{_tint(trace, step, colours)}" '
            f'title="{escape(_title(trace, step))}">{word}</span>'
        )
        at = end
    if len(trace) > most:
        parts.append(f" … <em>{len(trace) - most:,} more words</em>")
    else:
        parts.append(escape(trace.text[at:]))
    return f'<div class="seer-text{" states" if states else ""}" dir="auto">{"".join(parts)}</div>'


def legend_html(classes: Collection[str]) -> str:
    """What the tints and marks mean, in one line."""
    swatches = "".join(
        f'<span style="background:{_rgba(colour, STRONGEST)};border-radius:.25rem;padding:0 .4rem;margin-right:.5rem">'
        f"{escape(name)}</span>"
        for name, colour in class_colours(tuple(classes)).items()
    )
    return (
        f'<div style="font-size:.85rem;line-height:2">{swatches}'
        '<span class="seer-text" style="line-height:2">stronger = surer · '
        '<span class="w flip">the prediction changes here</span> · <span class="w unknown">word not in the vocabulary'
        "</span></span></div>"
    )


def _tint(trace: SentenceTrace, step: int, colours: list[str]) -> str:
    """The winning class's colour, clear at chance and strongest at probability 1."""
    predicted = int(trace.predicted[step])
    chance = 1 / len(trace.classes)
    sure = (float(trace.probability[step, predicted]) - chance) / (1 - chance)
    return _rgba(colours[predicted], 0.06 + (STRONGEST - 0.06) * float(np.clip(sure, 0, 1)))


def _title(trace: SentenceTrace, step: int) -> str:
    predicted = int(trace.predicted[step])
    known = "" if trace.known[step] else ", not in the vocabulary"
    return (
        f"word {step + 1}{known} · S{int(trace.state[step])} · "
        f"{trace.classes[predicted]} {float(trace.probability[step, predicted]):.2f}"
    )


def _rgba(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:.2f})"
