"""Altair charts of a study's figures. Each takes plain arrays or records and returns a chart; none knows Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from seer.charts.palette import NO_VALUE, SEQUENTIAL, vega_classes
from seer.machine import StateMachine
from seer.traces import FloatArray, IntArray, NO_CLASS, SentenceTrace

CELL, PICK, STEP = "cell", "pick", "step"
"""Names of the charts' selections."""

FEW = 12
"""Most classes whose numbers are written into the cells of a confusion matrix."""


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
    rows = alt.Y("true:N", sort=names, title="true class", axis=alt.Axis(labelLimit=110))
    columns = alt.X(
        "predicted:N",
        sort=names,
        title="predicted class",
        axis=alt.Axis(orient="top", labelAngle=0 if len(names) <= 5 else -60, labelLimit=110),
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
    return alt.layer(*layers).properties(height=side)


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
    return (
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
        .properties(height=220)
    )


def probability_chart(trace: SentenceTrace, others: SentenceTrace | None = None) -> alt.LayerChart:
    """Probability of each class after each word, with a dashed line at each change of the predicted class.

    Args:
        trace: the sentence.
        others: an edited copy, drawn dashed.
    """
    data = pd.concat(
        [_curve(trace, "this sentence"), *([_curve(others, "edited copy")] if others is not None else [])]
    )
    word = alt.X(
        "step:Q",
        title="word",
        scale=alt.Scale(domain=[0.5, max(len(trace), len(others) if others is not None else 0) + 0.5], nice=False),
        axis=alt.Axis(tickMinStep=1, format="d"),
    )
    dash = (
        alt.StrokeDash("copy:N", legend=alt.Legend(title=None, orient="top"), sort=["this sentence", "edited copy"])
        if others is not None
        else alt.value([1, 0])
    )
    lines = (
        alt.Chart(data)
        .mark_line(point=alt.OverlayMarkDef(size=36), interpolate="linear")
        .encode(
            x=word,
            y=alt.Y("probability:Q", scale=alt.Scale(domain=[0, 1]), title="probability"),
            color=alt.Color(
                "class:N",
                scale=alt.Scale(**vega_classes(trace.classes)),
                legend=alt.Legend(orient="top", title=None, columns=6),
            ),
            strokeDash=dash,
            detail="copy:N",
            tooltip=[
                alt.Tooltip("step:Q", title="word number"),
                alt.Tooltip("word:N"),
                alt.Tooltip("state:N"),
                alt.Tooltip("class:N"),
                alt.Tooltip("probability:Q", format=".3f"),
            ],
        )
    )
    flips = (
        alt.Chart(pd.DataFrame({"step": trace.flips + 1}))
        .mark_rule(strokeDash=[4, 3], color=NO_VALUE)
        .encode(x=word)
    )
    return alt.layer(flips, lines).properties(height=260)


def _curve(trace: SentenceTrace, copy: str) -> pd.DataFrame:
    steps, classes = trace.probability.shape
    return pd.DataFrame(
        {
            "step": np.repeat(np.arange(1, steps + 1), classes),
            "word": np.repeat(np.array(trace.words, dtype=object), classes),
            "state": np.repeat([f"S{state}" for state in trace.state], classes),
            "class": np.tile(trace.classes, steps),
            "probability": np.asarray(trace.probability, dtype=np.float64).ravel(),
            "copy": copy,
        }
    )


def state_map(
    machine: StateMachine, places: FloatArray, chosen: int | None = None, words: Sequence[str] = ()
) -> alt.LayerChart:
    """The states on a plane: area = visits, colour = class of most predictions, strength = purity.

    A click selects ``PICK`` with the field ``state``.

    Args:
        machine: the machine.
        places: (K, 2) place of each state, such as its centre's first two principal components.
        chosen: a state to be framed.
        words: (K,) what to show beside each state in its tooltip.
    """
    majority = machine.majority[1:]
    data = pd.DataFrame(
        {
            "state": np.arange(1, machine.states + 1),
            "name": [f"S{state}" for state in range(1, machine.states + 1)],
            "x": places[:, 0],
            "y": places[:, 1],
            "visits": machine.visits[1:],
            "class": [machine.classes[c] if c != NO_CLASS else "never visited" for c in majority],
            "purity": machine.purity[1:],
            "errors": machine.error_rate[1:],
            "lift": machine.lift[1:],
            "words": list(words) or [""] * machine.states,
            "chosen": np.arange(1, machine.states + 1) == chosen,
        }
    )
    x = alt.X("x:Q", axis=None, scale=alt.Scale(padding=45))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(padding=45))
    pick = alt.selection_point(name=PICK, fields=["state"], empty=False)
    base = alt.Chart(data).encode(x=x, y=y)
    circles = (
        base.mark_circle(cursor="pointer", stroke="currentColor")
        .encode(
            size=alt.Size("visits:Q", scale=alt.Scale(range=[120, 2600], domainMin=0), legend=None),
            color=alt.Color(
                "class:N",
                scale=alt.Scale(**vega_classes(machine.classes)),
                legend=alt.Legend(orient="top", title=None, columns=6),
            ),
            opacity=alt.Opacity("purity:Q", scale=alt.Scale(domain=[1 / len(machine.classes), 1], range=[0.3, 0.95]), legend=None),
            stroke=alt.condition("datum.chosen", alt.value("#E8A200"), alt.value("#7F8894")),
            strokeWidth=alt.condition("datum.chosen", alt.value(5), alt.value(1)),
            tooltip=[
                alt.Tooltip("name:N", title="state"),
                alt.Tooltip("words:N", title="distinctive words"),
                alt.Tooltip("visits:Q", format=","),
                alt.Tooltip("class:N", title="most predictions"),
                alt.Tooltip("purity:Q", format=".0%"),
                alt.Tooltip("errors:Q", title="error rate", format=".0%"),
                alt.Tooltip("lift:Q", format=".2f"),
            ],
        )
        .add_params(pick)
    )
    names = base.mark_text(fontSize=12, fontWeight=600).encode(text="name:N")
    return alt.layer(circles, names).properties(height=430)
