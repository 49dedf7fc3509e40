"""Charts of the states: the map, and the classes of one state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from seer.charts.captions import OTHERS, grey, state_name
from seer.charts.layout import node_radius, pushed_apart
from seer.charts.leading import machine_colours
from seer.charts.names import legend_columns, short_names
from seer.charts.palette import NO_VALUE, text_on, vega_classes
from seer.machine import StateMachine
from seer.traces import NO_CLASS, FloatArray

PICK = "pick"
"""Name of the map's selection."""

NO_VISIT = "never visited"
WIDTH, HEIGHT = 500.0, 470.0
SMALLEST = 12.0
"""Radius that a state's name still fits in, in units of the map."""
_RING_GAP, _RING = 2.0, 5.5
_BETWEEN = 16.0
_ACCENT = "#2F80D8"
_TOLD, _BESIDE = 18, 17
"""Letters of a class in the legend, and beside a bar with its share."""
_PADDING = {"left": 2, "top": 2, "right": 2, "bottom": 2}
"""Streamlit adds 20 pixels at the bottom unless all are given, and fails on a plain number."""


def map_places(machine: StateMachine, places: FloatArray) -> FloatArray:
    """Where the discs stand on the map: the places stretched to its box, then overlapping discs pushed apart.

    Args:
        machine: of all splits, so that no split moves a state.
        places: (K, 2) such as ``Study.places``: the centres' first two principal components.

    Returns:
        (K, 2), y upwards; the same input gives the same places.
    """
    low, extent = places.min(axis=0), np.maximum(np.ptp(places, axis=0), 1e-9)
    radii = np.array([_radius(machine, state) + _RING for state in range(1, machine.states + 1)])
    moved: FloatArray = pushed_apart((places - low) / extent * (WIDTH, HEIGHT), radii, _BETWEEN)
    return moved


def state_map(
    machine: StateMachine,
    places: FloatArray,
    chosen: int | None = None,
    words: Sequence[str] = (),
    height: int = 540,
    colours: Mapping[str, str] | None = None,
) -> alt.LayerChart:
    """The states on a plane: area = visits, colour = class of most predictions, ring = share of each class.

    A click selects ``PICK`` with the field ``state``. The discs shrink with the page, so that they stay apart.

    Args:
        machine: the machine.
        places: (K, 2) of ``map_places``.
        chosen: a state to be framed.
        words: (K,) what to show beside each state in its tooltip.
        height: of the chart in pixels.
        colours: of the classes, from the machine of all splits; from ``machine`` when absent.
    """
    colours = colours or machine_colours(machine)
    shades = _shades(machine, colours)
    states = _states(machine, places, chosen, words, shades, colours)
    reach = states["radius"].to_numpy() + _RING + 9
    low, high = (places - reach[:, None]).min(axis=0), (places + reach[:, None]).max(axis=0)
    unit = f"min(1.25, width / {high[0] - low[0]:.1f}, height / {high[1] - low[1]:.1f})"
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[low[0], high[0]], nice=False, zero=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[low[1], high[1]], nice=False, zero=False))
    present = [name for name, count in zip(machine.classes, machine.class_counts.sum(axis=0), strict=True) if count]
    entries = {shades[name]: colours[name] for name in sorted(present, key=lambda name: shades[name] == OTHERS)}
    if (machine.visits[1:] == 0).any():
        entries[NO_VISIT] = NO_VALUE
    colour = alt.Color(
        "shade:N",
        scale=alt.Scale(**vega_classes(entries)),
        legend=alt.Legend(
            orient="bottom", title=None, columns=legend_columns([*entries]), symbolType="circle", labelLimit=240
        ),
    )
    pick = alt.selection_point(name=PICK, fields=["state"], empty=False, toggle=False)
    base = alt.Chart(states).transform_calculate(r=f"datum.radius * {unit}").encode(x=x, y=y)
    halo = (
        base.transform_filter("datum.chosen")
        .transform_calculate(area="pow(2 * (datum.r + 10), 2)")
        .mark_circle(color=_ACCENT, fillOpacity=0.18, stroke=_ACCENT, strokeWidth=3, strokeOpacity=1, opacity=1)
        .encode(size=alt.Size("area:Q", scale=None))
    )
    discs = (
        base.transform_calculate(area="pow(2 * datum.r, 2)")
        .mark_circle(cursor="pointer", opacity=1)
        .encode(size=alt.Size("area:Q", scale=None), color=colour, tooltip=_tooltips())
        .add_params(pick)
    )
    rings = (
        alt.Chart(_rings(machine, places, shades))
        .transform_calculate(
            inner=f"datum.radius * {unit} + {_RING_GAP}",
            outer=f"datum.radius * {unit} + {_RING}",
        )
        .mark_arc()
        .encode(
            x=x,
            y=y,
            theta=alt.Theta("begin:Q", scale=None),
            theta2="end:Q",
            radius=alt.Radius("outer:Q", scale=None),
            radius2="inner:Q",
            color=colour,
        )
    )
    labels = (
        base.transform_calculate(font="max(9, min(14, datum.r * 0.8))")
        .mark_text(fontWeight=700, cursor="pointer", dy=0.5)
        .encode(
            text="name:N",
            size=alt.Size("font:Q", scale=None),
            color=alt.Color("ink:N", scale=None),
            tooltip=_tooltips(),
        )
    )
    return alt.LayerChart(layer=[halo, rings, discs, labels]).properties(height=height, padding=_PADDING)


def _shades(machine: StateMachine, colours: Mapping[str, str]) -> dict[str, str]:
    """What each class is called in the legend: those that share the grey share their name there."""
    short = short_names(machine.classes, _TOLD)
    return {
        name: OTHERS if grey(machine, colours[name]) else told
        for name, told in zip(machine.classes, short, strict=True)
    }


def _states(
    machine: StateMachine,
    places: FloatArray,
    chosen: int | None,
    words: Sequence[str],
    shades: Mapping[str, str],
    colours: Mapping[str, str],
) -> pd.DataFrame:
    numbers = range(1, machine.states + 1)
    majority = [machine.classes[c] if c != NO_CLASS else NO_VISIT for c in machine.majority[1:]]
    return pd.DataFrame(
        {
            "state": list(numbers),
            "name": [state_name(state) for state in numbers],
            "x": places[:, 0],
            "y": places[:, 1],
            "radius": [_radius(machine, state) for state in numbers],
            "class": majority,
            "shade": [shades.get(name, name) for name in majority],
            "ink": [text_on(colours.get(name, NO_VALUE)) for name in majority],
            "visits": machine.visits[1:],
            "purity": machine.purity[1:],
            "errors": machine.error_rate[1:],
            "lift": machine.lift[1:],
            "words": list(words) or [""] * machine.states,
            "chosen": [state == chosen for state in numbers],
        }
    )


def _rings(machine: StateMachine, places: FloatArray, shades: Mapping[str, str]) -> pd.DataFrame:
    records = []
    for state in range(1, machine.states + 1):
        counts, begin = machine.class_counts[state], 0.0
        # The commonest class first, from the top and clockwise, as in the graph.
        for index in np.argsort(-counts, kind="stable"):
            if counts[index]:
                end = begin + float(2 * np.pi * counts[index] / counts.sum())
                records.append(
                    {
                        "state": state,
                        "x": places[state - 1, 0],
                        "y": places[state - 1, 1],
                        "radius": _radius(machine, state),
                        "shade": shades[machine.classes[index]],
                        "begin": begin,
                        "end": end,
                    }
                )
                begin = end
    return pd.DataFrame(records, columns=["state", "x", "y", "radius", "shade", "begin", "end"])


def _radius(machine: StateMachine, state: int) -> float:
    return max(SMALLEST, node_radius(machine, state))


def _tooltips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("name:N", title="state"),
        alt.Tooltip("words:N", title="distinctive words"),
        alt.Tooltip("visits:Q", format=","),
        alt.Tooltip("class:N", title="mostly"),
        alt.Tooltip("purity:Q", format=".0%"),
        alt.Tooltip("errors:Q", title="error rate", format=".0%"),
        alt.Tooltip("lift:Q", format=".2f"),
    ]


def class_bars(machine: StateMachine, state: int, most: int = 6, colours: Mapping[str, str] | None = None) -> alt.Chart:
    """What the model predicts at the steps into a state: a bar a class, the commonest first.

    Args:
        machine: the machine.
        state: the state.
        most: bars at most; the classes left over share one grey bar.
        colours: as for ``state_map``.
    """
    colours = colours or machine_colours(machine)
    counts = machine.class_counts[state]
    order = [int(index) for index in np.argsort(-counts, kind="stable") if counts[index]]
    kept = order if len(order) <= most else order[: most - 1]
    rest = int(counts.sum() - counts[kept].sum())
    short = short_names(machine.classes, _BESIDE)
    records = [
        (machine.classes[index], short[index], int(counts[index]), colours[machine.classes[index]]) for index in kept
    ]
    if rest:
        more = f"{len(order) - len(kept)} more classes"
        records.append((more, more, rest, NO_VALUE))
    data = pd.DataFrame(records, columns=["class", "short", "count", "colour"])
    data["share"] = data["count"] / max(1, int(counts.sum()))
    # The share stands in the axis' label, which follows the page's theme; a text mark does not.
    data["label"] = [f"{name} · {share:.0%}" for name, share in zip(data["short"], data["share"], strict=True)]
    chart: alt.Chart = (
        alt.Chart(data)
        .mark_bar(cornerRadius=3, height=16)
        .encode(
            y=alt.Y(
                "label:N",
                sort=None,
                title=None,
                axis=alt.Axis(
                    labelLimit=180, labelFontSize=13, labelFlush=False, ticks=False, domain=False, labelPadding=8
                ),
            ),
            x=alt.X("share:Q", axis=None, scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("class:N", title="predicted"),
                alt.Tooltip("count:Q", title="steps", format=","),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
        .properties(height=24 * max(1, len(data)) + 4, padding=_PADDING)
    )
    return chart
