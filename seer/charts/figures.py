"""Altair charts of a study's figures. Each takes plain arrays or records and returns a chart; none knows Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from seer.charts.curve import probability_chart as probability_chart
from seer.charts.palette import SEQUENTIAL
from seer.traces import FloatArray, IntArray

CELL = "cell"
"""Name of the confusion matrix's selection."""

FEW = 12
"""Most classes whose numbers are written into the cells of a confusion matrix."""

CROWDED = 60
"""Most classes that are all named at the left."""

FLAT = 30
"""Letters that fit side by side above the columns; longer names stand aslant."""


def confusion_chart(matrix: IntArray, classes: Sequence[str], chosen: tuple[int, int] | None = None) -> alt.LayerChart:
    """Confusion matrix: rows are true classes, columns predicted ones, a cell's shade is its share of the row.

    A click selects ``CELL`` with the fields ``true`` and ``predicted``.

    Args:
        matrix: (C, C) counts.
        classes: names.
        chosen: (true, predicted) to be framed.
    """
    totals = np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    data = pd.DataFrame(
        [
            {
                "true": classes[t],
                "predicted": classes[p],
                "count": int(matrix[t, p]),
                "share": float(matrix[t, p] / totals[t, 0]),
                "kind": "right" if t == p else "wrong",
                "chosen": (t, p) == chosen,
            }
            for t in range(len(classes))
            for p in range(len(classes))
        ]
    )
    names = list(classes)
    flat = len(names) * max(map(len, names)) <= FLAT
    angle = 0 if flat else -60 if len(names) <= FEW else -90
    left = alt.Axis(labelLimit=110, labelOverlap=len(names) > CROWDED)
    rows = alt.Y("true:N", sort=names, title="true class", axis=left)
    columns = alt.X(
        "predicted:N",
        sort=names,
        title="predicted class",
        axis=alt.Axis(orient="top", labelAngle=angle, labelLimit=110, labelOverlap=len(names) > FEW),
    )
    base = alt.Chart(data).encode(x=columns, y=rows)
    cell = alt.selection_point(name=CELL, fields=["true", "predicted"], empty=False)
    boxes = (
        base.mark_rect(cursor="pointer", cornerRadius=3)
        .encode(
            color=alt.condition(
                "datum.kind == 'right'",
                alt.value("#7F8894"),
                alt.Color("share:Q", scale=alt.Scale(range=list(SEQUENTIAL), domain=[0, 1]), legend=None),
            ),
            opacity=alt.condition("datum.count == 0", alt.value(0.12), alt.value(0.9)),
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
    layers = [boxes]
    if len(names) <= FEW:
        layers.append(
            base.transform_calculate(label="datum.count + (datum.kind == 'wrong' && datum.count > 0 ? ' ✕' : '')")
            .mark_text(fontSize=14, fontWeight=600)
            .encode(
                text="label:N",
                color=alt.condition("datum.count == 0", alt.value("#7F8894"), alt.value("#111111")),
            )
        )
    side = max(150, min(520, 90 * len(names)))
    return alt.LayerChart(layer=layers, height=side)


def confidence_chart(confidence: FloatArray, right: Any, bins: int = 20) -> alt.Chart:
    """Histogram of the predicted class's probability, right above the line and wrong below it.

    Args:
        confidence: (n,) probability of the predicted class.
        right: (n,) bool, whether the prediction is the label.
        bins: of equal width in 0..1.
    """
    low = float(np.floor(confidence.min(initial=1.0) * bins) / bins)
    edges = np.linspace(low, 1, max(2, round((1 - low) * bins) + 1))
    records = []
    for name, chosen, sign in (("right", right, 1), ("wrong", ~np.asarray(right), -1)):
        counts, _ = np.histogram(confidence[chosen], edges)
        records += [
            {"from": a, "to": b, "prediction": name, "count": int(count), "signed": sign * int(count)}
            for a, b, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(records))
        .mark_bar()
        .encode(
            x=alt.X("from:Q", bin="binned", title="probability of the predicted class", axis=alt.Axis(format=".0%")),
            x2="to:Q",
            y=alt.Y("signed:Q", title="✕ wrong | right ✓", axis=alt.Axis(format="~s", labelExpr="abs(datum.value)")),
            color=alt.Color(
                "prediction:N",
                scale=alt.Scale(domain=["right", "wrong"], range=["#7F8894", SEQUENTIAL[3]]),
                legend=alt.Legend(orient="top", title=None),
            ),
            tooltip=[
                alt.Tooltip("from:Q", format=".0%"),
                alt.Tooltip("to:Q", format=".0%"),
                alt.Tooltip("prediction:N"),
                alt.Tooltip("count:Q", title="sentences"),
            ],
        )
        .properties(height=280)
    )
    return chart
