"""Error rates of groups with their intervals (Altair)."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from seer.charts.palette import NO_VALUE, SEQUENTIAL
from seer.pair_errors import ErrorRate

_HEIGHT = 168
"""Of every chart, so that those side by side are alike."""
_PADDING = {"left": 2, "top": 2, "right": 8, "bottom": 2}


def rate_chart(groups: Sequence[ErrorRate], base: float, title: str, most: float = 1.0) -> alt.LayerChart:
    """A point with its 95 % interval for each group, and the rate of all as a dashed line.

    Args:
        groups: in the order in which they stand from the top.
        base: the rate of all.
        title: what the groups are.
        most: where the axis ends.
    """
    data = pd.DataFrame([vars(group) for group in groups])
    names = [group.name for group in groups]
    x = alt.X(
        "rate:Q",
        title="wrong",
        scale=alt.Scale(domain=[0, most], clamp=True, nice=False),
        axis=alt.Axis(format=".0%", tickCount=4, labelFlush=False),
    )
    row = alt.Y(
        "name:N",
        sort=None,
        scale=alt.Scale(domain=names),
        title=title,
        axis=alt.Axis(labelLimit=120, labelOverlap=False, labelFlush=False, grid=False),
    )
    tooltip = [
        alt.Tooltip("name:N", title=title),
        alt.Tooltip("rate:Q", title="wrong", format=".1%"),
        alt.Tooltip("errors:Q", format=","),
        alt.Tooltip("labelled:Q", title="of", format=","),
        alt.Tooltip("low:Q", title="95 % from", format=".1%"),
        alt.Tooltip("high:Q", title="to", format=".1%"),
    ]
    base_chart = alt.Chart(data).encode(y=row, tooltip=tooltip)
    reach = alt.X("low:Q", title="wrong", scale=alt.Scale(domain=[0, most], clamp=True, nice=False))
    intervals = base_chart.mark_rule(strokeWidth=3, color=SEQUENTIAL[3], opacity=0.45).encode(x=reach, x2="high:Q")
    points = base_chart.mark_point(size=70, filled=True, opacity=1, color=SEQUENTIAL[3]).encode(x=x)
    whole = alt.Chart(pd.DataFrame({"rate": [base]})).mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=NO_VALUE)
    return alt.LayerChart(layer=[whole.encode(x=x), intervals, points], height=_HEIGHT, padding=_PADDING)
