"""Charts of how faithful the states are."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from seer.charts.captions import state_name
from seer.charts.palette import NO_VALUE
from seer.quality import Quality


def sweep_chart(sweep: Sequence[Quality], states: int) -> alt.LayerChart:
    """Fidelity, purity and stability over the number of states, with the number in use marked."""
    names = ("fidelity", "purity", "stability", "one class alone")
    records = [
        {"states": quality.states, "figure": name, "value": value}
        for quality in sweep
        for name, value in zip(
            names, (quality.fidelity_step, quality.purity, quality.stability, quality.majority_step), strict=True
        )
    ]
    legend = alt.Legend(orient="top", title=None, columns=2, symbolType="stroke", symbolSize=500, symbolStrokeWidth=2.5)
    lines = (
        alt.Chart(pd.DataFrame(records))
        .mark_line(point=alt.OverlayMarkDef(size=45, filled=True))
        .encode(
            x=alt.X(
                "states:Q",
                title="number of states",
                axis=alt.Axis(tickMinStep=1, labelFlush=False),
                scale=alt.Scale(zero=False),
            ),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(labelFlush=False)),
            color=alt.Color(
                "figure:N",
                scale=alt.Scale(domain=list(names), range=["#0B6BCB", "#8A63D2", "#B0860B", NO_VALUE]),
                legend=legend,
            ),
            # Dashes as well: nothing is told by colour alone. The same legend twice is drawn as one.
            strokeDash=alt.StrokeDash(
                "figure:N",
                scale=alt.Scale(domain=list(names), range=[[1, 0], [8, 3], [2, 3], [10, 3, 2, 3]]),
                legend=legend,
            ),
            tooltip=[
                alt.Tooltip("states:Q"),
                alt.Tooltip("figure:N"),
                alt.Tooltip("value:Q", format=".3f"),
            ],
        )
    )
    used = pd.DataFrame({"states": [states]})
    here = alt.Chart(used).mark_rule(strokeDash=[4, 3], color=NO_VALUE).encode(x="states:Q")
    return alt.LayerChart(layer=[here, lines]).properties(height=260)


def purity_chart(quality: Quality) -> alt.LayerChart:
    """Purity of every state on held-out sentences, lowest first, with the mean as a line."""
    data = pd.DataFrame(
        [
            {"state": state_name(number), "purity": value}
            for number, value in enumerate(quality.purity_by_state, start=1)
            if not np.isnan(value)
        ],
        columns=["state", "purity"],
    )
    bars = (
        alt.Chart(data)
        .mark_bar(color="#7F8894", cornerRadiusEnd=2)
        .encode(
            x=alt.X(
                "state:N", sort="y", title=None, axis=alt.Axis(labelAngle=-90, labelOverlap=True, labelFlush=False)
            ),
            y=alt.Y(
                "purity:Q",
                title="purity",
                axis=alt.Axis(format=".0%", labelFlush=False),
                scale=alt.Scale(domain=[0, 1]),
            ),
            tooltip=[alt.Tooltip("state:N"), alt.Tooltip("purity:Q", format=".1%")],
        )
    )
    mean = alt.Chart(pd.DataFrame({"purity": [quality.purity]})).mark_rule(strokeDash=[4, 3], color=NO_VALUE)
    return alt.LayerChart(layer=[bars, mean.encode(y="purity:Q")]).properties(height=260)
