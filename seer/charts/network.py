"""The state machine as a pyvis graph, and all that its drawing needs.

Positions are computed once from the whole machine, so that a filter hides edges and never moves a state. What depends
on the page (theme, selection, zoom) is left to ``network.js``, which the page's component and the exported file share.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from pyvis.network import Network

from seer.charts.captions import counted, describe, error_limit, legend, node_title, note, state_name
from seer.charts.layout import Positions, node_radius, place_states
from seer.charts.leading import machine_colours
from seer.charts.names import short_names
from seer.charts.palette import NO_VALUE, sequential, text_on
from seer.errors import SettingError
from seer.machine import StateMachine
from seer.traces import START

START_COLOUR = "#5F6B7A"
THINNEST, THICKEST = 0.8, 7.0
_CAPTION = 12

# Physics would move what has been placed; vis' own selection and tooltip styles give way to those of network.js.
OPTIONS: dict[str, Any] = {
    "autoResize": True,
    "physics": {"enabled": False},
    "layout": {"improvedLayout": False},
    "nodes": {"shape": "dot", "labelHighlightBold": False},
    "edges": {
        "smooth": {"enabled": True, "type": "curvedCW", "roundness": 0.16},
        "arrows": {"to": {"enabled": True, "scaleFactor": 0.42}},
        "arrowStrikethrough": False,
        "selectionWidth": 0,
        "hoverWidth": 0,
        "selfReference": {"size": 15, "angle": 0.8, "renderBehindTheNode": True},
    },
    "interaction": {
        "hover": True,
        "hoverConnectedEdges": False,
        "selectable": False,
        "dragNodes": False,
        "tooltipDelay": 120,
        "zoomSpeed": 0.6,
    },
}


@dataclass(frozen=True)
class GraphOptions:
    """What the graph shows.

    Attributes:
        colour: states by majority class or by error rate.
        width: edges by occurrences or by probability.
        top: strongest edges out of each state, self-loops not counted; 0 for all.
        minimum: lowest transition probability of an edge, 0..1.
        loops: whether self-loops are drawn.
        noun: what a row of the study is called.

    Raises:
        SettingError: a value outside its range.
    """

    colour: Literal["class", "error"] = "class"
    width: Literal["count", "probability"] = "count"
    top: int = 3
    minimum: float = 0.0
    loops: bool = False
    noun: str = "sentence"

    def __post_init__(self) -> None:
        if self.colour not in ("class", "error") or self.width not in ("count", "probability"):
            raise SettingError(
                f"The graph colours by class or error and draws widths by count or probability, got {self.colour} and "
                f"{self.width}."
            )
        if self.top < 0 or not 0 <= self.minimum <= 1:
            raise SettingError(
                f"The graph needs a number of edges of at least 0 and a probability in 0..1, got {self.top} and "
                f"{self.minimum}."
            )


DEFAULT_OPTIONS = GraphOptions()


def shown_edges(
    machine: StateMachine, options: GraphOptions = DEFAULT_OPTIONS, keep: Collection[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """The transitions that pass the filters, by source and target.

    Args:
        machine: the machine.
        options: the filters.
        keep: transitions to show in any case (the chosen one, a path), when they occur or not.
    """
    counts = machine.transitions.copy()
    loops = np.diag(np.diag(counts))
    outward = counts - loops
    if options.top:
        # Stable sort of the negated counts: the lower target wins a tie.
        order = np.argsort(-outward, axis=1, kind="stable")[:, options.top :]
        np.put_along_axis(outward, order, 0, axis=1)
    chosen = outward + loops if options.loops else outward
    shown = (chosen > 0) & (machine.probability >= options.minimum)
    edges = {(int(source), int(target)) for source, target in np.argwhere(shown)}
    size = machine.states
    return sorted(edges | {(s, t) for s, t in keep if 0 <= s <= size and 0 <= t <= size})


def build_network(
    machine: StateMachine,
    options: GraphOptions = DEFAULT_OPTIONS,
    positions: Positions | None = None,
    keep: Collection[tuple[int, int]] = (),
    colours: Mapping[str, str] | None = None,
) -> Network:
    """The pyvis Network. Every number in it is a plain int or float, every title plain text.

    Args:
        machine: the machine.
        options: filters, colours, widths.
        positions: of ``place_states``, from the machine of all splits; computed from ``machine`` when absent.
        keep: transitions to show in any case.
        colours: of the classes, from the machine of all splits too; from ``machine`` when absent.
    """
    network = Network(directed=True, height="100%", width="100%")
    places = place_states(machine) if positions is None else positions
    looks = (
        dict(zip(machine.classes, short_names(machine.classes, _CAPTION), strict=True)),
        (colours or machine_colours(machine)),
    )
    for state in range(machine.states + 1):
        network.add_node(state, **_node(machine, state, options, places[state], *looks))
    edges = shown_edges(machine, options, keep)
    largest = max((int(machine.transitions[edge]) for edge in edges), default=1) or 1
    for source, target in edges:
        network.add_edge(source, target, **_edge(machine, source, target, options, largest))
    network.set_options(json.dumps(OPTIONS))
    return network


def graph_data(
    machine: StateMachine,
    options: GraphOptions = DEFAULT_OPTIONS,
    positions: Positions | None = None,
    state: int | None = None,
    transition: tuple[int, int] | None = None,
    path: Sequence[int] = (),
    colours: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """All that ``network.js`` draws, ready for JSON.

    Args:
        machine: the machine.
        options: filters, colours, widths.
        positions: of ``place_states``.
        state: the chosen state.
        transition: the chosen transition; drawn whatever the filters say.
        path: states in their order, such as a sentence's trace with its start; its steps are drawn and numbered.
        colours: of the classes, as for ``build_network``.

    Returns:
        ``nodes``, ``edges``, ``options`` as vis-network takes them; ``selected``; ``steps``, edge id -> its places on
        the path from 1; ``visited``, its states; ``legend``; ``note``; ``description``, the text alternative.
    """
    steps = path_steps(path)
    keep = [*steps, *([transition] if transition else [])]
    colours = colours or machine_colours(machine)
    network = build_network(machine, options, positions, keep, colours)
    return {
        "nodes": network.nodes,
        "edges": network.edges,
        "options": OPTIONS,
        "selected": {"node": state, "edge": _edge_id(*transition) if transition else None},
        "steps": {_edge_id(*edge): places for edge, places in steps.items()},
        "visited": sorted(set(path)),
        "legend": legend(machine, options.colour == "error", colours),
        "note": note(options.colour == "error", options.width == "count", options.noun),
        "description": describe(machine, len(network.edges)),
    }


def path_steps(path: Sequence[int]) -> dict[tuple[int, int], list[int]]:
    """Each transition of a path with its places in it, from 1."""
    steps: dict[tuple[int, int], list[int]] = {}
    for place, (source, target) in enumerate(pairwise(path), start=1):
        steps.setdefault((int(source), int(target)), []).append(place)
    return steps


def _node(
    machine: StateMachine,
    state: int,
    options: GraphOptions,
    place: tuple[float, float],
    short: Mapping[str, str],
    colours: Mapping[str, str],
) -> dict[str, Any]:
    colour, share, caption = _reading(machine, state, options, short, colours)
    return {
        "label": state_name(state),
        "title": node_title(machine, state, options.noun),
        "color": colour,
        "ink": text_on(colour),
        "share": share,
        "caption": caption,
        "start": state == START,
        "size": node_radius(machine, state),
        "x": place[0],
        "y": place[1],
    }


def _reading(
    machine: StateMachine, state: int, options: GraphOptions, short: Mapping[str, str], colours: Mapping[str, str]
) -> tuple[str, float | None, str]:
    if state == START:
        return START_COLOUR, None, ""
    if options.colour == "error":
        rate = float(machine.error_rate[state])
        if math.isnan(rate):
            return NO_VALUE, None, "no label"
        return sequential(rate / error_limit(machine)), rate, f"{rate:.0%} wrong"
    majority = int(machine.majority[state])
    if majority < 0:
        return NO_VALUE, None, "no visit"
    name = machine.classes[majority]
    return colours[name], float(machine.purity[state]), short[name]


def _edge(machine: StateMachine, source: int, target: int, options: GraphOptions, largest: int) -> dict[str, Any]:
    count, probability = int(machine.transitions[source, target]), float(machine.probability[source, target])
    strength = count / largest if options.width == "count" else probability
    origin = "start" if source == START else f"S{source}"
    steps = f"{options.noun}s" if source == START else f"steps out of {origin}"
    return {
        "id": _edge_id(source, target),
        "width": THINNEST + (THICKEST - THINNEST) * strength,
        "title": f"{origin} → S{target}\n{counted(count, 'time')}, {probability:.0%} of the {steps}",
        "caption": f"{probability:.0%}",
    }


def _edge_id(source: int, target: int) -> str:
    return f"{source}-{target}"
