"""Pieces of the report's HTML. What a person or the data wrote passes ``text`` or ``clipped``; the rest is ours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from seer.charts.captions import state_name
from seer.charts.sentence import chip_html
from seer.text import readable


class Column(NamedTuple):
    """Head of a column; ``kind`` is ``number``, ``wide`` or nothing."""

    name: str
    kind: str = ""


def text(value: object) -> str:
    """Any value as escaped text that can be stored as UTF-8."""
    return escape(readable(str(value)).replace("\0", "\ufffd"))


def clipped(value: str, most: int = 80) -> str:
    """Escaped text of bounded length, kept apart from its surroundings whichever way it is written."""
    return f"<bdi>{text(value if len(value) <= most else value[: most - 1] + '…')}</bdi>"


def percent(share: float | None, digits: int = 0) -> str:
    """A share as per cent, a dash where there is none; what would round to nothing is ``<1%``."""
    if share is None or math.isnan(share):
        return "–"
    least = 10.0 ** -(digits + 2)
    return f"&lt;{least:.{digits}%}" if 0 < share < least / 2 else f"{share:.{digits}%}"


def decimal(value: float | None, digits: int = 2) -> str:
    """A number, a dash where there is none; what would round to nothing is written with its power of ten."""
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.0e}" if 0 < abs(value) < 0.5 * 10.0**-digits else f"{value:.{digits}f}"


def interval(low: float | None, high: float | None, digits: int = 0) -> str:
    """The ends of an interval, nothing where there is none."""
    if low is None or high is None or math.isnan(low):
        return ""
    return f"{low:.{digits}%} – {high:.{digits}%}"


def bar(share: float | None, low: float | None = None, high: float | None = None, kind: str = "") -> str:
    """A small bar of a share of 1, with its interval as a whisker."""
    if share is None or math.isnan(share):
        return ""
    whisker = ""
    if low is not None and high is not None and not math.isnan(low):
        whisker = f'<rect class="whisker" x="{100 * low:.1f}" y="3.5" width="{100 * (high - low):.1f}" height="1"/>'
    return (
        f'<svg class="bar {kind}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="track" width="100" height="8"/><rect class="fill" width="{100 * min(share, 1):.1f}" height="8"/>'
        f"{whisker}</svg>"
    )


def chip(classes: Sequence[str], name: str, colours: Mapping[str, str]) -> str:
    """A class name on its colour."""
    return readable(chip_html(classes, name, colours))


def state_link(state: int) -> str:
    """A state's name, which leads to its card beside the graph."""
    return f'<a class="s" href="#state-{state}">{state_name(state)}</a>'


def path_links(states: Iterable[int]) -> str:
    """States in a row."""
    return ' <span class="to">→</span> '.join(map(state_link, states))


def counted_words(pairs: Iterable[tuple[str, int]], most: int = 80, joint: str = ", ") -> str:
    """Words or phrases with how often each occurs."""
    return joint.join(f'{clipped(word, most)} <span class="times">×{count:,}</span>' for word, count in pairs)


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table of cells that are markup already; on a phone each row becomes a card with its heads at the left."""
    head = "".join(f'<th scope="col" class="{column.kind}">{text(column.name)}</th>' for column in columns)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="{column.kind}" data-head="{text(column.name)}"><div>{cell}</div></td>'
            for column, cell in zip(columns, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def figure(name: str, value: str, note: str, extra: str = "") -> str:
    """A number in a box; all but the name is markup."""
    return f"<div><dt>{text(name)}</dt><dd>{value}</dd><dd class='note'>{note}</dd>{extra}</div>"


def section(name: str, title: str, body: str, lead: str = "") -> str:
    """A part of the report with its heading; ``lead`` and ``body`` are markup."""
    said = f'<p class="lead">{lead}</p>' if lead else ""
    return f'<section id="{name}" aria-labelledby="{name}-head"><h2 id="{name}-head">{title}</h2>{said}{body}</section>'


def empty(sentence: str) -> str:
    """What stands where there is nothing to show."""
    return f'<p class="empty">{sentence}</p>'
