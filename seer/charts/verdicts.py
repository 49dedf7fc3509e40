"""Predictions of sentence pairs as HTML: a bar a class, and where it moves when something is taken out."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from seer.charts.pairs import AGAINST, FOR, STRONG
from seer.charts.palette import class_colours
from seer.charts.sentence import chip_html
from seer.traces import FloatArray

STYLE = """<style>
.seer-bars { container-type: inline-size; display: grid; gap: .3rem; font-size: .86rem;
  font-variant-numeric: tabular-nums; }
.seer-bars .row { display: grid; grid-template-columns: minmax(4.5rem, 8.2rem) 1fr 6.2rem; gap: .1rem .6rem;
  align-items: center; }
.seer-bars .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.seer-bars .track { position: relative; height: .95rem; border-radius: .25rem; overflow: hidden;
  background: color-mix(in srgb, currentColor 9%, transparent); }
.seer-bars .bar { position: absolute; inset: 0 auto 0 0; border-radius: .25rem; }
.seer-bars .after .bar { opacity: .35; }
.seer-bars .now { position: absolute; top: 28%; bottom: 28%; left: 0; border-radius: .15rem; }
.seer-bars .best { font-weight: 650; }
.seer-bars .number { white-space: nowrap; }
@container (max-width: 330px) {
  .seer-bars .row { grid-template-columns: 1fr auto; }
  .seer-bars .track { grid-row: 2; grid-column: 1 / 3; height: .6rem; }
}
.seer-moved { font-size: .95rem; line-height: 1.8; overflow-wrap: anywhere; }
.seer-moved > span { display: inline-block; margin-inline-end: .6rem; }
.seer-help { font-size: .875rem; line-height: 1.45; color: color-mix(in srgb, currentColor 68%, transparent);
  min-height: 2.9em; margin-bottom: .35rem; }
.seer-help.low { min-height: 0; }
.seer-strength { display: flex; flex-wrap: wrap; gap: .1rem 1rem; align-items: center; font-size: .82rem;
  line-height: 1.6; min-height: 1.6rem; }
.seer-strength > span { display: inline-flex; align-items: center; gap: .4rem; }
.seer-strength .bar { width: 5rem; height: .75rem; border-radius: .2rem;
  outline: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
</style>"""
"""Put once on a page that shows what this module draws."""


def bars_html(classes: Sequence[str], probability: FloatArray, after: FloatArray | None = None) -> str:
    """A bar for each class; with ``after``, what it becomes as a bar within it and both numbers.

    Args:
        classes: C names in their stored order.
        probability: (C,).
        after: (C,) the same with something taken out.
    """
    digits = 2 if after is None else 3  # a small move is a move
    best = int(np.argmax(probability if after is None else after))
    rows = []
    for place, (name, colour) in enumerate(class_colours(tuple(classes)).items()):
        number, now = f"{float(probability[place]):.{digits}f}", ""
        if after is not None:
            number += f" → {float(after[place]):.{digits}f}"
            now = f'<span class="now" style="width:{100 * float(after[place]):.1f}%;background:{colour}"></span>'
        rows.append(
            f'<div class="row{" after" if after is not None else ""}{" best" if place == best else ""}">'
            f'<span class="name" title="{escape(name)}">{escape(name)}</span><span class="track">'
            f'<span class="bar" style="width:{100 * float(probability[place]):.1f}%;background:{colour}"></span>{now}'
            f'</span><span class="number">{number}</span></div>'
        )
    return f'<div class="seer-bars">{"".join(rows)}</div>'


def moved_html(
    classes: Sequence[str], probability: FloatArray, after: FloatArray | None = None, true: str | None = None
) -> str:
    """The predicted class in a line, what it becomes when something is taken out, and whether it is right.

    Args:
        classes: C names in their stored order.
        probability: (C,).
        after: (C,) the same with something taken out.
        true: name of the true class, where it is known.
    """
    first = int(np.argmax(probability))
    digits = 2 if after is None else 3
    parts = [f"{chip_html(classes, classes[first])} <b>{float(probability[first]):.{digits}f}</b>"]
    if after is not None:
        then = int(np.argmax(after))
        number = f"<b>{float(after[then]):.{digits}f}</b>"
        parts.append(f"→ {chip_html(classes, classes[then])} {number}" if then != first else f"→ {number}")
        parts.append("<b>changed</b>" if then != first else "the same class")
    if true is not None:
        parts.append("✓ right" if classes[first] == true else f"✕ wrong, it is {chip_html(classes, true)}")
    return f'<div class="seer-moved">{"".join(f"<span>{part}</span>" for part in parts)}</div>'


def help_html(text: str, *, low: bool = False) -> str:
    """A line of help above a picture; two lines high at least, so that pictures side by side begin alike.

    Args:
        text: plain text.
        low: only as high as it is.
    """
    return f'<div class="seer-help{" low" if low else ""}">{escape(text)}</div>'


def strength_html(limit: float, signed: bool, both: bool, *remarks: str) -> str:
    """What the colours of a heat map stand for, in a line.

    Args:
        limit: the absolute value that takes the strongest colour.
        signed: the colours tell the sign.
        both: negative values occur.
        remarks: what else is to be said, plain text.
    """
    number = f"{limit:.3g}"
    if signed:
        low = (
            f"linear-gradient(90deg,{AGAINST},transparent,{FOR})"
            if both
            else f"linear-gradient(90deg,transparent,{FOR})"
        )
        ends = f"−{number}" if both else "0", f"+{number}"
    else:
        low, ends = f"linear-gradient(90deg,transparent,{STRONG})", ("0", number)
    told = "".join(f"<span>{escape(remark)}</span>" for remark in remarks)
    bar = f'<span class="bar" style="background:{low}"></span>'
    return f'<div class="seer-strength"><span>{ends[0]} {bar} {ends[1]}</span>{told}</div>'
