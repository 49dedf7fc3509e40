"""Gates of a sentence pair's LSTMs as curves over the words (Altair)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from seer.charts.pairs import ANGLE, INK, PADDING, SENTENCES, cut, depth, pick, word_code
from seer.charts.palette import NO_VALUE
from seer.traces import FloatArray

COLOURS = {"input": "#0B6BCB", "forget": "#B0860B", "output": "#8A63D2"}
"""Of the gates; no class has one of them."""
_DASHES = {"input": [1, 0], "forget": [7, 3], "output": [2, 2]}
_NAMED = 34
"""Most words that all stand at the axis, and have large points."""
_BETWEEN = 1.18
"""Distance of two rows of curves, each 1 high."""


@dataclass(frozen=True)
class Curves:
    """Gates over the words of a pair.

    Attributes:
        words: of the premise and of the hypothesis.
        lanes: name of each row of curves, from the top.
        values: gate → of each lane (P + Q,) its figures, the premise's first.
        measure: what the figures are.
        deleted: the words that are deleted, of each sentence.
        first: of each sentence, the place of its first word here; ``deleted`` counts from 0 all the same.
    """

    words: tuple[Sequence[str], Sequence[str]]
    lanes: Sequence[str]
    values: dict[str, Sequence[FloatArray]]
    measure: str
    deleted: tuple[Collection[int], Collection[int]] = ((), ())
    first: tuple[int, int] = (0, 0)


def gate_curves(curves: Curves, lane: int = 84) -> alt.LayerChart:
    """A row of curves for each lane, a curve for each gate, each drawn from its least to its largest value.

    A click on a point selects ``PICK`` with its word.

    Args:
        curves: what is drawn.
        lane: pixels of a row.
    """
    premise, hypothesis = curves.words
    places = [*range(len(premise)), *range(len(premise) + 1, len(premise) + 1 + len(hypothesis))]
    names = [*map(cut, premise), "", *map(cut, hypothesis)]
    last, top = max(1, len(names)), len(curves.lanes) * _BETWEEN + 0.12
    x = alt.X(
        "at:Q",
        title=None,
        scale=alt.Scale(domain=[-0.6, last - 0.4], nice=False),
        axis=alt.Axis(
            values=places,
            labelExpr="words[datum.value]",
            labelAngle=ANGLE,
            labelAlign="right",
            labelBaseline="middle",
            labelOverlap=len(names) > _NAMED,
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
    scale = alt.Scale(domain=gates, range=[COLOURS[gate] for gate in gates])
    legend = alt.Legend(orient="top", title=None, columns=4, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2.5)
    base = alt.Chart(_points(curves, places)).encode(x=x, y=y, color=alt.Color("gate:N", scale=scale, legend=legend))
    lines = base.mark_line(strokeWidth=2, strokeJoin="round").encode(
        detail=["lane:N", "sentence:N"],
        strokeDash=alt.StrokeDash(
            "gate:N", scale=alt.Scale(domain=gates, range=[_DASHES[gate] for gate in gates]), legend=legend
        ),
    )
    dots = (
        base.mark_circle(size=46 if len(names) <= _NAMED else 16, opacity=1, cursor="pointer")
        .encode(
            tooltip=[
                alt.Tooltip("word:N"),
                alt.Tooltip("sentence:N", title="of the"),
                alt.Tooltip("lane:N", title="LSTM"),
                alt.Tooltip("gate:N"),
                alt.Tooltip("value:Q", title=curves.measure, format=".4~g"),
            ]
        )
        .add_params(pick())
    )
    grounds = pd.DataFrame({"height": [_BETWEEN * place - 0.09 for place in range(len(curves.lanes))]})
    floors = alt.Chart(grounds).mark_rule(color=NO_VALUE, opacity=0.35).encode(y=y)
    layers = [floors, *_uprights(curves, x), lines, dots, _sides(curves, x)]
    height = lane * len(curves.lanes) + 40 + depth(names)
    chart = alt.LayerChart(layer=layers, height=height, padding=PADDING)
    named: alt.LayerChart = chart.add_params(
        alt.param(name="words", value=names), alt.param(name="lanes", value=list(curves.lanes))
    )
    return named


def _points(curves: Curves, places: Sequence[int]) -> pd.DataFrame:
    premise, hypothesis = curves.words
    words = np.array([*premise, *hypothesis], dtype=object)
    side = np.repeat([0, 1], [len(premise), len(hypothesis)])
    take = [
        word_code(side, place + curves.first[side])
        for side, words in enumerate(curves.words)
        for place in range(len(words))
    ]
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
                        "take": take,
                        "sentence": np.array(SENTENCES, dtype=object)[side],
                    }
                )
            )
    columns = ["at", "height", "value", "gate", "lane", "word", "take", "sentence"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def spread(values: FloatArray) -> FloatArray:
    """The values from 0 at the least to 1 at the largest; all .5 where they are the same."""
    extent = np.ptp(values) if len(values) else 0.0
    return (values - values.min()) / extent if extent else np.full(len(values), 0.5)


def _sides(curves: Curves, x: alt.X) -> alt.Chart:
    """Which words are whose, above the curves."""
    starts = (0, len(curves.words[0]) + 1)
    data = pd.DataFrame(
        [
            {"at": start - 0.4, "name": name}
            for start, name, words in zip(starts, SENTENCES, curves.words, strict=True)
            if words
        ],
        columns=["at", "name"],
    )
    text = alt.Chart(data).mark_text(align="left", baseline="top", fontSize=11, fill=INK, opacity=0.75)
    encoded: alt.Chart = text.encode(x=x, y=alt.value(-2), text="name:N")
    return encoded


def _uprights(curves: Curves, x: alt.X) -> list[alt.Chart]:
    """A line between the sentences, and one at each deleted word."""
    premise, hypothesis = curves.words
    between = pd.DataFrame({"at": [len(premise)] if premise and hypothesis else []})
    gone = [
        begin + place - first
        for begin, words, first, deleted in zip(
            (0, len(premise) + 1), curves.words, curves.first, curves.deleted, strict=True
        )
        for place in deleted
        if 0 <= place - first < len(words)
    ]
    return [
        alt.Chart(between).mark_rule(color=NO_VALUE, strokeWidth=1.5).encode(x=x),
        alt.Chart(pd.DataFrame({"at": gone})).mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=NO_VALUE).encode(x=x),
    ]
