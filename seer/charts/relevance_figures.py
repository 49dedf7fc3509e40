"""Altair charts of word relevance: the most relevant words, what deleting words does, and maps of sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from seer.charts.captions import OTHERS
from seer.charts.curve import line_colour, probability_axis
from seer.charts.leading import class_lines, likely_classes
from seer.charts.names import legend_columns
from seer.charts.palette import DIVERGING, NO_VALUE, OKABE_ITO, OTHER, class_colours, many, vega_classes
from seer.charts.scale import largest, written
from seer.traces import FloatArray, IntArray

AGAINST, FOR = DIVERGING[1], DIVERGING[5]
"""The scale's blue and orange that a light and a dark page both show."""

WORD = "word"
"""Name of the ranked chart's selection."""

CONTROL = "random"
"""The method that is drawn as a control."""

_DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 2], [12, 4], [1, 3], [6, 2, 1, 2])


def ranked_chart(
    words: Sequence[str], values: FloatArray, counts: IntArray, chosen: str | None = None, title: str = "relevance"
) -> alt.LayerChart:
    """The most relevant words as bars, the strongest for the class on top, with how often each was read.

    A click selects ``WORD`` with the field ``word``.

    Args:
        words: in the order in which they are drawn.
        values: (W,) relevance of each, signed.
        counts: (W,) how often each was read.
        chosen: the word that stands out.
        title: of the axis.
    """
    data = pd.DataFrame({"word": list(words), "relevance": values, "count": counts})
    size = largest(values)
    data["label"] = [f"{written(float(v), size)} ×{count:,}" for v, count in zip(values, counts, strict=True)]
    data["faint"] = [chosen in words and word != chosen for word in words]
    limit = 1.45 * size or 1.0
    click = alt.selection_point(name=WORD, fields=["word"], empty=False)
    base = alt.Chart(data).encode(
        y=alt.Y(
            "word:N",
            sort=None,
            scale=alt.Scale(domain=list(words)),
            title=None,
            axis=alt.Axis(labelLimit=120, labelOverlap=False, labelFlush=False, ticks=False),
        ),
        x=alt.X(
            "relevance:Q",
            title=title,
            scale=alt.Scale(domain=[-limit if (np.asarray(values) < 0).any() else 0, limit], nice=False),
            axis=alt.Axis(tickCount=5, labelFlush=False, format=alt.Undefined if size < 10_000 else ".0e"),
        ),
        tooltip=[
            alt.Tooltip("word:N"),
            alt.Tooltip("relevance:Q", format="+.4~g"),
            alt.Tooltip("count:Q", title="times read", format=","),
        ],
    )
    bars = (
        base.mark_bar(cursor="pointer", cornerRadiusEnd=2, height={"band": 0.72})
        .encode(
            color=alt.condition("datum.relevance < 0", alt.value(AGAINST), alt.value(FOR)),
            opacity=alt.condition("datum.faint", alt.value(0.4), alt.value(1)),
        )
        .add_params(click)
    )
    right = base.mark_text(align="left", dx=5, fontSize=11, color=NO_VALUE).transform_filter("datum.relevance >= 0")
    left = base.mark_text(align="right", dx=-5, fontSize=11, color=NO_VALUE).transform_filter("datum.relevance < 0")
    return alt.LayerChart(
        layer=[bars, right.encode(text="label:N"), left.encode(text="label:N")], height=max(60, 22 * len(words) + 10)
    )


def dropping_chart(
    probability: FloatArray,
    dropped: Sequence[str],
    classes: Sequence[str],
    at: int,
    height: int = 260,
    colours: Mapping[str, str] | None = None,
) -> alt.LayerChart:
    """Probability of each class after the first k words of an order are taken out, for every k.

    Args:
        probability: (K+1, C), row k without the first k words.
        dropped: (K,) the words in the order in which they go.
        classes: names.
        at: the k that is marked.
        height: in pixels.
        colours: of the classes; those of this picture alone by default.
    """
    likely = likely_classes(probability, asked=[int(probability[0].argmax())])
    lines = class_lines(probability, classes, likely, colours or class_colours(classes, likely))
    steps, count = lines.values.shape
    last = ["none", *dropped]
    data = pd.DataFrame(
        {
            "k": np.repeat(np.arange(steps), count),
            "line": np.tile(np.array(lines.names, dtype=object), steps),
            "class": lines.classes.ravel(),
            "probability": lines.values.ravel(),
            "word": np.repeat(np.array(last, dtype=object), count),
        }
    )
    x = alt.X(
        "k:Q",
        title="words taken out",
        scale=alt.Scale(domain=[0, max(1, steps - 1)], nice=False),
        axis=alt.Axis(tickMinStep=1, format="d", grid=False, labelFlush=False),
    )
    base = alt.Chart(data).encode(
        x=x,
        y=probability_axis(),
        color=line_colour(lines),
        tooltip=[
            alt.Tooltip("k:Q", title="words taken out"),
            alt.Tooltip("word:N", title="last one"),
            alt.Tooltip("class:N"),
            alt.Tooltip("probability:Q", format=".3f"),
        ],
    )
    here = alt.Chart(pd.DataFrame({"k": [at]})).mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=NO_VALUE)
    layers = [here.encode(x=x), base.mark_line(strokeWidth=2), base.mark_circle(size=45, opacity=1)]
    return alt.LayerChart(layer=layers, height=height)


def curves_chart(
    table: pd.DataFrame, titles: Sequence[str], title: str, control: str | None = None, height: int = 340
) -> alt.Chart:
    """A line a method over the number of deleted words; the random control is grey.

    Args:
        table: columns ``deleted``, ``method`` (its title), ``value``.
        titles: of the methods, in an order that keeps their colours.
        title: of the vertical axis.
        control: title of the method that is the control.
        height: in pixels.
    """
    others = [name for name in titles if name != control]
    names = [*others, *([control] if control in titles else [])]
    colours = [OKABE_ITO[place % (len(OKABE_ITO) - 1)] for place in range(len(others))]
    dashes = [list(_DASHES[place % len(_DASHES)]) for place in range(len(others))]
    if control in titles:
        colours, dashes = [*colours, NO_VALUE], [*dashes, [3, 3]]
    legend = alt.Legend(
        orient="top", title=None, columns=2, labelLimit=200, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2.5
    )
    chart: alt.Chart = (
        alt.Chart(table)
        .mark_line(point=alt.OverlayMarkDef(size=40, filled=True), strokeWidth=2)
        .encode(
            x=alt.X(
                "deleted:Q",
                title="words deleted",
                axis=alt.Axis(tickMinStep=1, format="d", grid=False, labelFlush=False),
                scale=alt.Scale(nice=False),
            ),
            y=alt.Y(
                "value:Q",
                title=title,
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1], labelFlush=False),
            ),
            color=alt.Color("method:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
            strokeDash=alt.StrokeDash("method:N", scale=alt.Scale(domain=names, range=dashes), legend=legend),
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("deleted:Q", title="words deleted"),
                alt.Tooltip("value:Q", title=title, format=".1%"),
            ],
        )
        .properties(height=height)
    )
    return chart


def map_chart(
    places: FloatArray,
    labels: Sequence[str],
    right: Sequence[bool],
    ids: Sequence[str],
    classes: Sequence[str],
    height: int = 330,
) -> alt.Chart:
    """Sentences as points: colour is the class, a triangle is read wrongly.

    The axes end where the farthest hundredth of the points begins: one point far away would press all others together.

    Args:
        places: (n, 2).
        labels: (n,) class name of each.
        right: (n,) whether the model reads it rightly.
        ids: (n,) row ids.
        classes: names in their stored order.
        height: in pixels.
    """
    colours = class_colours(classes, [classes.index(name) for name, _ in Counter(labels).most_common()])
    shades = {name: OTHERS if many(classes) and colour == OTHER else name for name, colour in colours.items()}
    entries = {shades[name]: colour for name, colour in colours.items() if not many(classes) or name in labels}
    data = pd.DataFrame(
        {
            "x": places[:, 0],
            "y": places[:, 1],
            "class": list(labels),
            "shade": [shades[name] for name in labels],
            "read": ["rightly" if fine else "wrongly" for fine in right],
            "sentence": list(ids),
        }
    )
    x, y = (_inner(places[:, axis]) for axis in (0, 1))
    bare = alt.Axis(labels=False, ticks=False, grid=False, domain=False)
    chart: alt.Chart = (
        alt.Chart(data)
        .mark_point(size=36, opacity=0.75, strokeWidth=1.6)
        .encode(
            x=alt.X("x:Q", title=None, axis=bare, scale=alt.Scale(domain=x, clamp=True, nice=False)),
            y=alt.Y("y:Q", title=None, axis=bare, scale=alt.Scale(domain=y, clamp=True, nice=False)),
            color=alt.Color(
                "shade:N",
                scale=alt.Scale(**vega_classes(entries)),
                legend=alt.Legend(orient="top", title=None, columns=legend_columns([*entries]), labelLimit=240),
            ),
            shape=alt.Shape(
                "read:N", scale=alt.Scale(domain=["rightly", "wrongly"], range=["circle", "triangle-up"]), legend=None
            ),
            tooltip=[alt.Tooltip("sentence:N"), alt.Tooltip("class:N"), alt.Tooltip("read:N")],
        )
        .properties(height=height)
    )
    return chart


def _inner(values: FloatArray) -> list[float]:
    """The range of all but the farthest hundredth, with a little room."""
    low, high = np.quantile(np.asarray(values, dtype=np.float64), (0.005, 0.995)) if len(values) else (0.0, 1.0)
    room = 0.04 * (high - low) or 1.0
    return [float(low - room), float(high + room)]
