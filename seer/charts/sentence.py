"""A sentence as HTML: its text exactly as written, each word tinted in place.

Everything of the text is escaped; the rest is numbers and names of this module. A word's tint is its class's colour, as
strong as the prediction is sure; a change of class is marked by a bar and, where states are shown, the new class above
it, an unknown word by a dotted line, a marked word by a frame, so that nothing is told by colour alone. The states and
the new classes are written by the style sheet, out of attributes: what is copied from the page, or left when the tags
are taken out, is the text and nothing else, and right-to-left text keeps its order (``<ruby>`` isolates each word).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from html import escape

import numpy as np

from seer.charts.captions import OTHERS, counted, state_name
from seer.charts.leading import sentence_colours
from seer.charts.names import short_names
from seer.charts.palette import OTHER, class_colours, many
from seer.charts.scale import Line, exact, level, written
from seer.traces import SentenceTrace

STRONGEST = 0.6
"""Opacity of the tint at probability 1: the text stays readable on a light and on a dark page."""
FAINTEST = 0.06

_TOLD = 48
"""Letters of a class in the legend."""

_ABOVE = 14
"""Letters of a class above a flip."""

LONG_WORD = 24
"""Letters from which on a word may be broken over two lines."""

_TURNING = frozenset(("R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI"))
"""Kinds of signs (Unicode's bidirectional classes) with which a text may run in two directions."""

STYLE = """<style>
.seer-text { line-height: 1.9; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.seer-text.states { line-height: 1.6; padding: 0 .3rem .4rem; overflow-x: clip; }
.seer-text .w { position: relative; border-radius: .25rem; padding: .1rem .12rem; white-space: pre; }
.seer-text.states .w { line-height: 3.25; }
.seer-text .w.long { white-space: inherit; }
.seer-text .ltr { direction: ltr; }
.seer-text .rtl { direction: rtl; }
.seer-text .ltr::after { content: "\\200E"; }
.seer-text .rtl::after { content: "\\200F"; }
.seer-text .unknown { text-decoration: underline dotted 2px; text-underline-offset: .2em; }
.seer-text .flip { border-inline-start: 3px solid currentColor;
  border-start-start-radius: 0; border-end-start-radius: 0; }
.seer-text .marked { outline: 2px solid currentColor; outline-offset: 1px; }
.seer-text .changed { font-weight: 700; text-decoration: underline wavy 1.5px; text-underline-offset: .2em; }
.seer-text .changed.unknown { text-decoration: underline wavy 1.5px, underline dotted 2px; }
.seer-text i::before, .seer-text i::after { position: absolute; white-space: nowrap; font-size: .7rem;
  font-style: normal; font-weight: 400; line-height: 1.2; font-variant-numeric: tabular-nums; user-select: none;
  pointer-events: none; }
.seer-text i::before { content: attr(data-state); top: calc(100% + 1px); left: 50%; transform: translateX(-50%);
  opacity: .78; }
.seer-text .moved i::before { font-weight: 700; opacity: 1; border-bottom: 2px solid currentColor; }
.seer-text .flip i::after { content: attr(data-to); bottom: 100%; inset-inline-start: -3px; font-weight: 600;
  max-width: var(--room, 9em); overflow: hidden; text-overflow: ellipsis; unicode-bidi: isolate; }
.seer-text.scored .w { line-height: 4.6; }
.seer-text.scored { padding-bottom: 1.1rem; }
.seer-text i.r { position: absolute; top: calc(100% + 1.15rem); left: 50%; transform: translateX(-50%);
  border-radius: .2rem; padding: 0 .25rem; font-size: .7rem; line-height: 1.3; }
.seer-text i.r::before { content: attr(data-r); position: static; transform: none; opacity: 1; font-size: inherit;
  direction: ltr; unicode-bidi: isolate; }
.seer-text .moved i.r::before { font-weight: 400; border: 0; }
.seer-text i.r::after { content: none; }
.seer-text .side { display: inline-block; min-width: 5.6em; margin-inline-end: .4rem; font-size: .76rem;
  font-weight: 600; opacity: .75; user-select: none; }
.seer-text .side::before { content: attr(data-side); }
.seer-text.short { display: -webkit-box; -webkit-line-clamp: 4; -webkit-box-orient: vertical; overflow: hidden;
  padding-inline: .3rem; }
.seer-cut { opacity: .7; font-style: italic; font-size: .85rem; }
.seer-legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; align-items: center; font-size: .82rem;
  line-height: 1.9; }
.seer-legend > span { display: inline-flex; align-items: center; gap: .4rem; }
.seer-legend .seer-text { line-height: 1.5; }
.seer-legend .bar { width: 2.4rem; height: .8rem; border-radius: .25rem; }
.seer-chip { border-radius: .3rem; padding: .05rem .4rem; font-weight: 600; unicode-bidi: isolate;
  overflow-wrap: anywhere; }
.seer-verdict { font-size: 1.05rem; line-height: 1.7; overflow-wrap: anywhere; }
.seer-verdict .sign { font-weight: 700; margin-inline-end: .15rem; }
.seer-facts.seer-facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
  gap: .75rem; margin: 0 !important; padding: 0 !important; }
.seer-facts > div { border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: .5rem;
  padding: .6rem .85rem; overflow-wrap: anywhere; min-width: 0; }
.seer-facts dt { font-size: .82rem; font-weight: 400; opacity: .8; }
.seer-facts dd { padding: 0; margin: .1rem 0 0 !important; font-size: 1.05rem; font-weight: 600; }
.seer-facts dd small { display: block; font-size: .82rem; font-weight: 400; opacity: .85; }
</style>"""
"""Put once on a page that shows ``sentence_html`` or its companions."""


def sentence_html(
    trace: SentenceTrace,
    *,
    states: bool = False,
    marked: Collection[int] = (),
    changed: Collection[int] = (),
    moved: Collection[int] = (),
    relevance: Line | None = None,
    first: int = 0,
    most: int = 1500,
    colours: Mapping[str, str] | None = None,
) -> str:
    """The sentence with its words tinted by the intermediate prediction.

    Args:
        trace: the sentence, read.
        states: write the state under each word, and the new class above a word that changes it.
        marked: steps whose word gets a frame.
        changed: steps whose word differs from another copy's.
        moved: steps whose state differs from another copy's.
        relevance: write each word's relevance under its state, tinted; wants ``seer.charts.relevance.STYLE`` too.
        first: step to begin at; the text before it is said, not drawn.
        most: words drawn at most; what follows is said, not drawn.
        colours: of the classes; those of this picture alone by default.
    """
    tints = list((colours or sentence_colours(trace)).values())
    last = min(len(trace), first + most)
    kinds = {"marked": set(marked), "changed": set(changed), "moved": set(moved), "flip": set(trace.flips.tolist())}
    rooms, short = _rooms(trace) if states else {}, short_names(trace.classes, _ABOVE)
    turned, direction = _has_right_to_left(trace.text), ""
    parts, at = [], 0
    if 0 < first < len(trace):
        parts, at = [_cut(first, "before")], int(trace.span[first, 0])
    for step in range(first, last):
        begin, end = (int(place) for place in trace.span[step])
        names = ["w", *(name for name, steps in kinds.items() if step in steps)]
        if not trace.known[step]:
            names.append("unknown")
        if turned:
            direction = _direction(trace.text[begin:end], direction)
            names.append(direction)
        style = f"background:{_tint(trace, step, tints)}"
        if end - begin > LONG_WORD:
            names.append("long")
        below = ""
        if states:
            name = state_name(int(trace.state[step]))
            above = ""
            number = "" if relevance is None else _number(relevance, step)
            style += _widened(end - begin, max(len(name), len(number)))
            if "flip" in names:
                change = _change(short[int(trace.predicted[step])], rooms[step])
                above = f' data-to="{escape(change)}"'
                style += f";--room:{rooms[step]:.1f}em"
            below = f'<i data-state="{name}"{above}></i>'
            if relevance is not None:
                tint = level(float(relevance.relevance[step]), relevance.strongest)
                below += f'<i class="r {tint}" data-r="{number}"></i>'
        parts.append(escape(trace.text[at:begin]))
        if states and trace.second is not None and step in (0, trace.second):
            parts.append(
                f'<span class="side" data-side="{"hypothesis" if step == trace.second else "premise"}"></span>'
            )
        title = escape(_title(trace, step, "flip" in names, relevance))
        parts.append(
            f'<span class="{" ".join(filter(None, names))}" style="{style}" title="{title}">'
            f"{escape(trace.text[begin:end])}{below}</span>"
        )
        at = end
    parts.append(_cut(len(trace) - last, "after") if last < len(trace) else escape(trace.text[at:]))
    kind = " states" * states + " scored seer-scale" * (states and relevance is not None)
    return f'<div class="seer-text{kind}" dir="auto">{"".join(parts)}</div>'


def legend_html(
    classes: Collection[str],
    *,
    only: Collection[str] | None = None,
    states: bool = False,
    marked: str | None = None,
    compared: bool = False,
    colours: Mapping[str, str] | None = None,
) -> str:
    """What the tints and marks mean, in one line.

    Args:
        classes: class names in their stored order.
        only: those of them to be told of, all by default.
        states: tell of the states under the words too.
        marked: what a frame means, when there are frames.
        compared: tell of the marks of an edited copy too.
        colours: of the classes, of many those that have one and are told of; the rest is told of as one.
    """
    names = tuple(classes)
    colours = colours or class_colours(names)
    told = [name for name in names if only is None or name in only]
    own = [name for name in told if not many(names) or colours[name] != OTHER]
    short = dict(zip(names, short_names(names, _TOLD), strict=True))
    items = [_shade(colours[name], short[name]) for name in own]
    if len(own) < len(told):
        items.append(_shade(OTHER, OTHERS))
    items.append("<span>stronger = surer</span>")
    items.append(_sample("flip", "the prediction changes here"))
    items.append(_sample("unknown", "not in the vocabulary"))
    if states:
        items.append("<span><b>S7</b> state after the word</span>")
    if marked:
        items.append(_sample("marked", escape(marked)))
    if compared:
        items.append(_sample("changed", "differs in the other"))
        items.append("<span><b><u>S7</u></b> another state than in the other</span>")
    return f'<div class="seer-legend">{"".join(items)}</div>'


def chip_html(classes: Collection[str], name: str, colours: Mapping[str, str] | None = None) -> str:
    """A class name on its colour."""
    colour = (colours or class_colours(tuple(classes)))[name]
    return f'<span class="seer-chip" style="background:{_rgba(colour, 0.35)}">{escape(name)}</span>'


def _shade(colour: str, name: str) -> str:
    ends = f"{_rgba(colour, FAINTEST)},{_rgba(colour, STRONGEST)}"
    bar = f'<span class="bar" style="background:linear-gradient(90deg,{ends})"></span>'
    return f"<span>{bar}<bdi>{escape(name)}</bdi></span>"


def _sample(kind: str, words: str) -> str:
    return f'<span><span class="seer-text"><span class="w {kind}">word</span></span>{words}</span>'


def _cut(words: int, where: str) -> str:
    said = f"{counted(words, 'word')} before … " if where == "before" else f" … {counted(words, 'word')} more"
    return f'<span class="seer-cut">{said}</span>'


def _has_right_to_left(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(sign) in _TURNING for sign in text)


def _direction(word: str, before: str) -> str:
    """A class for the side at which the word begins. It never moves a word, only its marks.

    What a browser places beside the text counts as a neutral sign in it: at the border of two directions it would leave
    its word. So a strong mark without width follows it.
    """
    kinds = (unicodedata.bidirectional(sign) for sign in word)
    kind = next((kind for kind in kinds if kind in ("L", "R", "AL")), "")
    if not kind:
        return before if before == "ltr" and word.isdigit() else ""
    return "ltr" if kind == "L" else "rtl"


def _rooms(trace: SentenceTrace) -> dict[int, float]:
    """Room above each flip up to the next one, in em of the small print: a letter takes some .75 of it."""
    flips = trace.flips
    if not len(flips):
        return {}
    starts = trace.span[flips, 0]
    gaps = np.append(np.diff(starts), 16)[: len(flips)]
    return {int(step): float(np.clip(0.75 * gap - 0.4, 1, 11)) for step, gap in zip(flips, gaps, strict=True)}


def _change(name: str, room: float) -> str:
    """What stands above a flip: the new class, or a mark alone where not even three letters of it have room."""
    return f"→ {name}" if room >= 1.3 + 0.6 * min(len(name), 4) else "⇄"


def _widened(letters: int, signs: int) -> str:
    """Room for the state under a short word: a letter is about .5 em wide, a sign of the state .4."""
    lack = (0.42 * signs + 0.3 - 0.5 * letters) / 2
    return f";padding-inline:{lack:.2f}em" if lack > 0.12 else ""


def _tint(trace: SentenceTrace, step: int, colours: list[str]) -> str:
    """The winning class's colour, clear at chance and strongest at probability 1."""
    predicted = int(trace.predicted[step])
    chance = 1 / len(trace.classes)
    sure = (float(trace.probability[step, predicted]) - chance) / (1 - chance) if chance < 1 else 1.0
    return _rgba(colours[predicted], FAINTEST + (STRONGEST - FAINTEST) * float(np.clip(sure, 0, 1)))


def _number(relevance: Line, step: int) -> str:
    return written(float(relevance.relevance[step]), relevance.strongest, relevance.signed)


def _title(trace: SentenceTrace, step: int, flip: bool, relevance: Line | None) -> str:
    predicted = int(trace.predicted[step])
    known = "" if trace.known[step] else ", not in the vocabulary"
    change = "changes to " if flip else ""
    score = "" if relevance is None else f" · {relevance.name} {exact(float(relevance.relevance[step]))}"
    return (
        f"word {step + 1}{known} · {state_name(int(trace.state[step]))} · "
        f"{change}{trace.classes[predicted]} {float(trace.probability[step, predicted]):.2f}{score}"
    )


def _rgba(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:.2f})"
