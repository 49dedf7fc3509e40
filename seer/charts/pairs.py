"""Altair charts of a sentence pair: attention or its saliency as a heat map, and gates as curves over the words.

Colours are one hue as strong as the value over the page's own colour, so that a light and a dark page both show them.
Words stand where their numbers are: repeated words are kept apart, and a word is data, never part of an expression.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from seer.charts.palette import DIVERGING, NO_VALUE
from seer.traces import FloatArray

CELL, PREMISE_WORD, HYPOTHESIS_WORD, CURVE_WORD = "cell", "premise_word", "hypothesis_word", "curve_word"
"""Names of the selections: a pair of words, a word at an axis, a word on a curve."""

STRONG = "#8A63D2"
"""How strong something is, whatever its sign."""
AGAINST, FOR = DIVERGING[1], DIVERGING[5]
"""The blue and the orange of the diverging scale that a light and a dark page both show."""

GATE_COLOURS = {"input": "#0B6BCB", "forget": "#B0860B", "output": "#8A63D2"}
_GATE_DASHES = {"input": [1, 0], "forget": [7, 3], "output": [2, 2]}

_INK = "currentColor"
"""The page's own text colour: what is drawn in it can be read on a light and on a dark page."""
_MARKED = 0.3
"""Share of the strongest value from which on a cell bears its sign."""
_DARK_INK = 0.55
"""Share of the strongest value from which on a cell is itself so strong that black reads best on it."""
_LETTERS = 14
_LETTER, _SLANT, _EDGE = 6.6, 0.77, 14
"""Pixels of a letter, the sine of the slanting words, pixels round the words."""
_ANGLE = -50
_BETWEEN = 1.18
"""Distance of two rows of curves, each 1 high."""


@dataclass(frozen=True)
class Grid:
    """P words down, Q words across, and a value for each pair of them.

    Attributes:
        words: the P words of the premise and the Q of the hypothesis.
        value: (P, Q).
        limit: the absolute value that takes the strongest colour.
        signed: draw the sign of the value; without it only its size.
        others: named (P, Q) figures for the tooltip.
        taken: the pair whose attention is taken out.
        deleted: the words that are deleted, of each sentence.
    """

    words: tuple[Sequence[str], Sequence[str]]
    value: FloatArray
    limit: float
    signed: bool
    others: dict[str, FloatArray]
    taken: tuple[int, int] | None = None
    deleted: tuple[Collection[int], Collection[int]] = ((), ())


def heat_map(grid: Grid, row: int = 26) -> alt.LayerChart:
    """A cell for each pair of words, the premise from top to bottom, the hypothesis from left to right.

    A click on a cell selects ``CELL`` with the fields ``premise`` and ``hypothesis``, one on a word ``PREMISE_WORD`` or
    ``HYPOTHESIS_WORD`` with the field ``place``; all count from 0.

    Args:
        grid: what is drawn.
        row: pixels of a row.
    """
    down, across = grid.words
    y = alt.Y("premise:O", scale=alt.Scale(domain=list(range(len(down)))), axis=_room("left", down))
    x = alt.X("hypothesis:O", scale=alt.Scale(domain=list(range(len(across)))), axis=_room("top", across))
    figures = [alt.Tooltip(f"figure{place}:Q", title=name, format=".4~g") for place, name in enumerate(grid.others)]
    base = alt.Chart(_cells(grid)).encode(x=x, y=y)
    cells = (
        base.mark_rect(cursor="pointer", cornerRadius=2)
        .encode(
            color=alt.Color("colour:N", scale=None),
            fillOpacity=alt.FillOpacity("strength:Q", scale=None),
            stroke=alt.condition("datum.taken", alt.value(_INK), alt.value(NO_VALUE)),
            strokeWidth=alt.condition("datum.taken", alt.value(3), alt.value(0.5)),
            strokeOpacity=alt.condition("datum.taken", alt.value(1), alt.value(0.35)),
            tooltip=[
                alt.Tooltip("premise_word:N", title="premise"),
                alt.Tooltip("hypothesis_word:N", title="hypothesis"),
                *figures,
            ],
        )
        .add_params(alt.selection_point(name=CELL, fields=["premise", "hypothesis"], empty=False))
    )
    signs = base.mark_text(fontSize=13, fontWeight=700).encode(text="mark:N", color=alt.Color("ink:N", scale=None))
    layers = [
        cells,
        signs.transform_filter("datum.mark != ''"),
        _words(down, grid.deleted[0], PREMISE_WORD, left=True).encode(y=y),
        _words(across, grid.deleted[1], HYPOTHESIS_WORD, left=False).encode(x=x),
    ]
    return alt.LayerChart(layer=layers, height=max(1, len(down)) * row + _depth(across))


def _cells(grid: Grid) -> pd.DataFrame:
    down, across = (np.array(list(words), dtype=object) for words in grid.words)
    value = np.asarray(grid.value, dtype=np.float64)
    premise, hypothesis = (places.ravel() for places in np.indices(value.shape))
    strength = np.clip(np.abs(value) / grid.limit, 0, 1).ravel() if grid.limit else np.zeros(value.size)
    negative = (value < 0).ravel()
    taken = np.zeros(value.shape, dtype=bool)
    if grid.taken is not None:
        taken[grid.taken] = True
    signs = np.where(negative, "−", "+") if grid.signed else np.full(value.size, "")
    return pd.DataFrame(
        {
            "premise": premise,
            "hypothesis": hypothesis,
            "premise_word": down[premise],
            "hypothesis_word": across[hypothesis],
            "strength": strength,
            "colour": np.where(negative, AGAINST, FOR) if grid.signed else np.full(value.size, STRONG),
            "mark": np.where(taken.ravel(), "✕", np.where(strength >= _MARKED, signs, "")),
            "ink": np.where(strength >= _DARK_INK, "#000000", _INK),
            "taken": taken.ravel(),
            **{f"figure{place}": np.ravel(figure) for place, figure in enumerate(grid.others.values())},
        }
    )


def _words(words: Sequence[str], deleted: Collection[int], name: str, *, left: bool) -> alt.Chart:
    """The words at an axis as marks, since an axis' own labels cannot be clicked."""
    data = pd.DataFrame(
        {
            "premise" if left else "hypothesis": range(len(words)),
            "place": range(len(words)),
            "word": list(words),
            "label": [f"✕ {cut(word)}" if place in deleted else cut(word) for place, word in enumerate(words)],
            "gone": [place in deleted for place in range(len(words))],
            "click": ["take it back" if place in deleted else "delete it" for place in range(len(words))],
        }
    )
    chart = alt.Chart(data)
    drawn = (
        chart.mark_text(align="right", baseline="middle", fontSize=12, cursor="pointer", fill=_INK).encode(
            x=alt.value(-6)
        )
        if left
        else chart.mark_text(
            align="left", baseline="middle", fontSize=12, angle=360 + _ANGLE, cursor="pointer", fill=_INK
        ).encode(y=alt.value(-7))
    )
    selected: alt.Chart = drawn.encode(
        text="label:N",
        opacity=alt.condition("datum.gone", alt.value(0.6), alt.value(1)),
        tooltip=[alt.Tooltip("word:N"), alt.Tooltip("click:N")],
    ).add_params(alt.selection_point(name=name, fields=["place"], empty=False))
    return selected


def _room(side: str, words: Sequence[str]) -> alt.Axis:
    """An axis that keeps the room of the words."""
    longest = max((len(cut(word)) for word in words), default=0) + 2
    size = longest * _LETTER + _EDGE if side == "left" else _depth(words)
    return alt.Axis(
        orient=side,
        title=None,
        labels=False,
        ticks=False,
        domain=False,
        grid=False,
        minExtent=size,
        maxExtent=size,
    )


def _depth(words: Sequence[str]) -> float:
    """Pixels that slanting words take above the cells."""
    return (max((len(cut(word)) for word in words), default=0) + 2) * _LETTER * _SLANT + _EDGE


def cut(word: str, most: int = _LETTERS) -> str:
    """A word as it stands at an axis: long ones are cut."""
    return word if len(word) <= most else word[: most - 1] + "…"


@dataclass(frozen=True)
class Curves:
    """Gates over the words of a pair.

    Attributes:
        words: of the premise and of the hypothesis.
        lanes: name of each row of curves, from the top.
        values: gate → of each lane (P + Q,) its figures, the premise's first.
        measure: what the figures are.
        chosen: the words that are deleted, of each sentence.
    """

    words: tuple[Sequence[str], Sequence[str]]
    lanes: Sequence[str]
    values: dict[str, Sequence[FloatArray]]
    measure: str
    chosen: tuple[Collection[int], Collection[int]] = ((), ())


def gate_curves(curves: Curves, lane: int = 84) -> alt.LayerChart:
    """A row of curves for each lane, a curve for each gate, each drawn from its least to its largest value.

    A click on a point selects ``CURVE_WORD`` with the fields ``side`` (0 premise, 1 hypothesis) and ``place``.

    Args:
        curves: what is drawn.
        lane: pixels of a row.
    """
    premise, hypothesis = curves.words
    places = [*range(len(premise)), *range(len(premise) + 1, len(premise) + 1 + len(hypothesis))]
    names = [*map(cut, premise), "", *map(cut, hypothesis)]
    last, top = max(1, len(names)), len(curves.lanes) * _BETWEEN
    x = alt.X(
        "at:Q",
        title=None,
        scale=alt.Scale(domain=[-0.6, last - 0.4], nice=False),
        axis=alt.Axis(
            values=places,
            labelExpr="words[datum.value]",
            labelAngle=_ANGLE,
            labelAlign="right",
            labelBaseline="middle",
            labelOverlap=len(names) > 60,
            labelFlush=False,
            labelLimit=110,
            grid=False,
        ),
    )
    y = alt.Y(
        "height:Q",
        title=None,
        scale=alt.Scale(domain=[-0.12, top], nice=False),
        axis=alt.Axis(
            values=[_BETWEEN * (len(curves.lanes) - 1 - place) + 0.5 for place in range(len(curves.lanes))],
            labelExpr=f"lanes[round({len(curves.lanes) - 1} - (datum.value - 0.5) / {_BETWEEN})]",
            ticks=False,
            domain=False,
            grid=False,
            labelFlush=False,
            labelLimit=150,
        ),
    )
    gates = list(curves.values)
    scale = alt.Scale(domain=gates, range=[GATE_COLOURS[gate] for gate in gates])
    legend = alt.Legend(orient="top", title=None, columns=4, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2.5)
    base = alt.Chart(_points(curves, places)).encode(x=x, y=y, color=alt.Color("gate:N", scale=scale, legend=legend))
    lines = base.mark_line(strokeWidth=2, strokeJoin="round").encode(
        detail=["lane:N", "sentence:N"],
        strokeDash=alt.StrokeDash(
            "gate:N", scale=alt.Scale(domain=gates, range=[_GATE_DASHES[gate] for gate in gates]), legend=legend
        ),
    )
    dots = (
        base.mark_circle(size=46, opacity=1, cursor="pointer")
        .encode(
            tooltip=[
                alt.Tooltip("word:N"),
                alt.Tooltip("sentence:N", title="of the"),
                alt.Tooltip("lane:N", title="LSTM"),
                alt.Tooltip("gate:N"),
                alt.Tooltip("value:Q", title=curves.measure, format=".4~g"),
            ]
        )
        .add_params(alt.selection_point(name=CURVE_WORD, fields=["side", "place"], empty=False))
    )
    grounds = pd.DataFrame({"height": [_BETWEEN * place - 0.09 for place in range(len(curves.lanes))]})
    floors = alt.Chart(grounds).mark_rule(color=NO_VALUE, opacity=0.35).encode(y=y)
    rules = _uprights(curves, x)
    chart = alt.LayerChart(layer=[floors, *rules, lines, dots], height=lane * len(curves.lanes) + 110)
    named: alt.LayerChart = chart.add_params(
        alt.param(name="words", value=names), alt.param(name="lanes", value=list(curves.lanes))
    )
    return named


def _points(curves: Curves, places: Sequence[int]) -> pd.DataFrame:
    premise, hypothesis = curves.words
    words = np.array([*premise, *hypothesis], dtype=object)
    side = np.repeat([0, 1], [len(premise), len(hypothesis)])
    parts = []
    for gate, lanes in curves.values.items():
        for number, values in enumerate(lanes):
            ground = _BETWEEN * (len(curves.lanes) - 1 - number)
            parts.append(
                pd.DataFrame(
                    {
                        "at": places,
                        "height": ground + spread(np.asarray(values, dtype=np.float64)),
                        "value": np.asarray(values, dtype=np.float64),
                        "gate": gate,
                        "lane": curves.lanes[number],
                        "word": words,
                        "side": side,
                        "place": np.where(side == 0, np.arange(len(words)), np.arange(len(words)) - len(premise)),
                        "sentence": np.where(side == 0, "premise", "hypothesis"),
                    }
                )
            )
    columns = ["at", "height", "value", "gate", "lane", "word", "side", "place", "sentence"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def spread(values: FloatArray) -> FloatArray:
    """The values from 0 at the least to 1 at the largest; all .5 where they are the same."""
    extent = np.ptp(values) if len(values) else 0.0
    return (values - values.min()) / extent if extent else np.full(len(values), 0.5)


def _uprights(curves: Curves, x: alt.X) -> list[alt.Chart]:
    """A line between the sentences, and one at each deleted word."""
    premise, hypothesis = curves.words
    between = pd.DataFrame({"at": [len(premise)] if premise and hypothesis else []})
    gone = [*curves.chosen[0], *(len(premise) + 1 + place for place in curves.chosen[1])]
    return [
        alt.Chart(between).mark_rule(color=NO_VALUE, strokeWidth=1.5).encode(x=x),
        alt.Chart(pd.DataFrame({"at": gone})).mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=NO_VALUE).encode(x=x),
    ]
