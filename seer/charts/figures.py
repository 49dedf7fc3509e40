"""Altair charts of a study's figures. Each takes plain arrays or records and returns a chart; none knows Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from seer.charts.curve import probability_chart as probability_chart
from seer.charts.names import short_names
from seer.charts.palette import NO_VALUE, SEQUENTIAL, sequential, text_on
from seer.confusions import pooled
from seer.traces import FloatArray, IntArray

CELL = "cell"
"""Name of the confusion matrix's selection."""

FEW = 12
"""Most classes whose confusion matrix is readable whole: zeros written, errors marked, beside other things."""

CROWDED = 60
"""Most classes that are all named at the left."""

FLAT = 30
"""Letters that fit side by side above the columns; longer names stand aslant."""

_NAMED = 18
"""Letters of a class at a side."""
_READABLE = 8
"""Pixels of the smallest number."""
_LETTER = 0.62
"""Width of a digit over its size."""

RIGHT = "#7F8894"
"""Right predictions: they need no attention."""


def confusion_chart(
    matrix: IntArray,
    classes: Sequence[str],
    chosen: tuple[int, int] | None = None,
    places: Sequence[int] | None = None,
) -> alt.LayerChart:
    """Confusion matrix: rows are true classes, columns predicted ones, a cell's shade is its share of the row.

    A click selects ``CELL`` with the fields ``true`` and ``predicted``. Numbers stand where there is room for them.

    Args:
        matrix: (C, C) counts.
        classes: names.
        chosen: (true, predicted) to be framed.
        places: of the classes to show, in that order; the others share a row and a column. All by default.
    """
    order = list(range(len(classes))) if places is None else [int(place) for place in places]
    names, short = [classes[place] for place in order], short_names(classes, _NAMED)
    shown = [short[place] for place in order]
    totals, rest = matrix.sum(axis=1)[order], len(classes) - len(order)
    counts = matrix[np.ix_(order, order)]
    if rest:
        counts, others = pooled(matrix, order), f"{rest:,} others"
        names, shown, totals = [*names, others], [*shown, others], counts.sum(axis=1)
    few = len(names) <= FEW
    data = pd.DataFrame(
        [
            {
                "true": names[t],
                "predicted": names[p],
                "chosen": chosen is not None and (order[t : t + 1], order[p : p + 1]) == ([chosen[0]], [chosen[1]]),
                **_cell(int(counts[t, p]), float(counts[t, p] / max(1, totals[t])), _kind(t, p, len(order)), few),
            }
            for t in range(len(names))
            for p in range(len(names))
        ]
    )
    rows, columns = _axes(names, shown)
    base = alt.Chart(data).encode(x=columns, y=rows)
    cell = alt.selection_point(name=CELL, fields=["true", "predicted"], empty=False)
    boxes = (
        base.mark_rect(cursor="pointer", cornerRadius=3 if few else 1)
        .encode(
            color=alt.Color("colour:N", scale=None),
            opacity=alt.condition("datum.count == 0", alt.value(0.12), alt.value(1)),
            stroke=alt.condition("datum.chosen", alt.value("#0B6BCB"), alt.value(None)),
            strokeWidth=alt.condition("datum.chosen", alt.value(4), alt.value(0)),
            tooltip=[
                alt.Tooltip("true:N"),
                alt.Tooltip("predicted:N"),
                alt.Tooltip("count:Q", title="sentences", format=","),
                alt.Tooltip("share:Q", title="of the true class", format=".0%"),
                alt.Tooltip("kind:N", title="the model is"),
            ],
        )
        .add_params(cell)
    )
    longest = max(1, int(data["label"].str.len().max()))
    room = f"min(bandwidth('x') / {_LETTER * longest:.2f}, 1.1 * bandwidth('y'))"
    numbers = base.mark_text(
        fontSize=alt.expr(f"min(14, {room})"),
        opacity=alt.expr(f"{room} >= {_READABLE} ? 1 : 0"),
        fontWeight=600,
    ).encode(text="label:N", color=alt.Color("ink:N", scale=None))
    side = max(150, min(520, 90 * len(names))) if few else 150 + (26 if len(names) <= 2 * FEW else 17) * len(names)
    chart = alt.LayerChart(layer=[boxes, numbers], height=side)
    named: alt.LayerChart = chart.add_params(alt.param(name="names", value=names), alt.param(name="shown", value=shown))
    return named


def _axes(names: Sequence[str], shown: Sequence[str]) -> tuple[alt.Y, alt.X]:
    """True classes at the left, predicted ones above. No name stands in an expression: a parameter's value is data."""
    many, angle = len(names) > FEW, 0 if _flat(shown) else -60 if len(names) <= FEW else -90
    told: dict[str, Any] = {"labelExpr": "shown[indexof(names, datum.value)]", "labelLimit": 130, "labelFlush": False}
    scale = alt.Scale(domain=list(names))
    rows = alt.Axis(labelOverlap=len(names) > CROWDED, **told)
    columns = alt.Axis(orient="top", labelAngle=angle, labelOverlap=many, **told)
    return (
        alt.Y("true:N", sort=None, scale=scale, title="true class", axis=rows),
        alt.X("predicted:N", sort=None, scale=scale, title="predicted class", axis=columns),
    )


def _kind(true: int, predicted: int, shown: int) -> str:
    """What a cell counts; the last row and column may be all classes that are not shown."""
    if true == predicted:
        return "right" if true < shown else "right, or wrong among these"
    return "wrong"


def slant_height(classes: Sequence[str]) -> int:
    """Pixels that long names take above the columns of a confusion matrix of few classes; 0 when they stand flat."""
    shown = short_names(classes, _NAMED)
    return 0 if _flat(shown) else round(min(130, 7 * max(map(len, shown))) * 0.87)


def _flat(names: Sequence[str]) -> bool:
    return len(names) * max(map(len, names)) <= FLAT


def _cell(count: int, share: float, kind: str, few: bool) -> dict[str, Any]:
    """A cell of the confusion matrix: its figures, what is written into it, and in which colours."""
    wrong = kind == "wrong"
    colour = sequential(share) if wrong else RIGHT if kind == "right" else NO_VALUE
    return {
        "count": count,
        "share": share,
        "kind": kind,
        "label": (f"{count:,}" if count or few else "") + (" ✕" if wrong and count and few else ""),
        "colour": colour,
        "ink": text_on(colour) if count else RIGHT,
    }


def confidence_chart(confidence: FloatArray, right: Any, bins: int = 20) -> alt.Chart:
    """Histogram of the predicted class's probability, right above the line and wrong below it.

    Args:
        confidence: (n,) probability of the predicted class.
        right: (n,) bool, whether the prediction is the label.
        bins: of equal width in 0..1.
    """
    low = float(np.floor(confidence.min(initial=1.0) * bins) / bins)
    edges = np.linspace(low, 1, max(2, round((1 - low) * bins) + 1))
    above, _ = np.histogram(confidence[np.asarray(right)], edges)
    below, _ = np.histogram(confidence[~np.asarray(right)], edges)
    data = pd.DataFrame(
        [
            {"from": a, "to": b, "prediction": name, "count": int(count), "signed": sign * int(count)}
            for name, counts, sign in (("right", above, 1), ("wrong", below, -1))
            for a, b, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
    )
    lowest, highest = int(below.max()), int(above.max())
    ticks = _count_ticks(lowest, highest)
    # The legend stands inside, over the lower bars; above the chart where these are high too.
    half = max(1, len(above) // 2)
    at_left, at_right = int(above[:half].max()), int(above[-half:].max())
    if min(at_left, at_right) > highest / 2:
        legend = alt.Legend(orient="top", title=None, direction="horizontal")
    else:
        legend = alt.Legend(orient="top-left" if at_left <= at_right else "top-right", title=None, direction="vertical")
    chart: alt.Chart = (
        alt.Chart(data)
        .mark_bar()
        .encode(
            x=alt.X(
                "from:Q",
                bin="binned",
                scale=alt.Scale(domain=[low, 1], nice=False),
                title="probability of the predicted class",
                axis=alt.Axis(format=".0%", values=_edge_ticks(edges), grid=False, labelFlush=False),
            ),
            x2="to:Q",
            y=alt.Y(
                "signed:Q",
                scale=alt.Scale(domain=[min(ticks[0], -lowest), max(ticks[-1], highest, 1)], nice=False),
                title="✕ wrong | right ✓",
                axis=alt.Axis(values=ticks, labelExpr="format(abs(datum.value), ',')", labelFlush=False),
            ),
            color=alt.Color(
                "prediction:N",
                scale=alt.Scale(domain=["right", "wrong"], range=[RIGHT, SEQUENTIAL[3]]),
                legend=legend,
            ),
            tooltip=[
                alt.Tooltip("from:Q", format=".0%"),
                alt.Tooltip("to:Q", format=".0%"),
                alt.Tooltip("prediction:N"),
                alt.Tooltip("count:Q", title="sentences", format=","),
            ],
        )
        .properties(height=280)
    )
    return chart


def _edge_ticks(edges: FloatArray) -> list[float]:
    """Edges of bins to be named: those at whole tenths, all where these would be too few."""
    tenths = [round(float(edge), 4) for edge in edges if abs(edge * 10 - round(edge * 10)) < 1e-6]
    return tenths if len(tenths) > 2 else [round(float(edge), 4) for edge in edges]


def _count_ticks(below: int, above: int) -> list[int]:
    """Some seven round numbers on both sides of 0; one below it at least where a bar hangs there."""
    wanted = max(1, (below + above) / 7)
    power = 10 ** int(np.floor(np.log10(wanted)))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= wanted)
    return [step * place for place in range(-max(below // step, min(below, 1)), above // step + 1)]
