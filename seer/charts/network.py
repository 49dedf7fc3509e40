"""The state machine as a pyvis graph: for the page's component, as a file of its own, as GraphML and as CSV.

Positions are computed once from the whole machine, so that a filter hides edges and never moves a state. Everything that
depends on the page (theme, selection, zoom) is drawn by ``network.js``, which the page and the file share.
"""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import networkx as nx
import numpy as np
import pyvis
from pyvis.network import Network

from seer.charts.layout import Positions, node_radius, place_states
from seer.charts.palette import NO_VALUE, class_colours, sequential, text_on
from seer.errors import SettingError
from seer.machine import StateMachine
from seer.traces import START

START_NAME = "start"
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

_HERE = Path(__file__).parent
_VIS = Path(pyvis.__file__).parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class GraphOptions:
    """What the graph shows.

    Attributes:
        colour: states by majority class or by error rate.
        width: edges by occurrences or by probability.
        top: strongest edges out of each state, self-loops not counted; 0 for all.
        minimum: lowest transition probability of an edge, 0..1.
        loops: whether self-loops are drawn.

    Raises:
        SettingError: a value outside its range.
    """

    colour: Literal["class", "error"] = "class"
    width: Literal["count", "probability"] = "count"
    top: int = 3
    minimum: float = 0.0
    loops: bool = False

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


def vis_script() -> str:
    """vis-network 9.1.2, minified, as pyvis ships it."""
    return _VIS.read_text(encoding="utf-8").replace("//# sourceMappingURL=vis-network.min.js.map", "")


def drawing_script() -> str:
    """``network.js``: the function ``createStateGraph(vis, root, onPick)``."""
    return (_HERE / "network.js").read_text(encoding="utf-8")


def drawing_style() -> str:
    """``network.css``, on the ``--st-*`` variables of Streamlit's themes."""
    return (_HERE / "network.css").read_text(encoding="utf-8")


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
) -> Network:
    """The pyvis Network. Every number in it is a plain int or float, every title plain text.

    Args:
        machine: the machine.
        options: filters, colours, widths.
        positions: of ``place_states``, from the machine of all splits; computed from ``machine`` when absent.
        keep: transitions to show in any case.
    """
    network = Network(directed=True, height="100%", width="100%")
    places = place_states(machine) if positions is None else positions
    for state in range(machine.states + 1):
        network.add_node(state, **_node(machine, state, options, places[state]))
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
) -> dict[str, Any]:
    """All that ``network.js`` draws, ready for JSON.

    Args:
        machine: the machine.
        options: filters, colours, widths.
        positions: of ``place_states``.
        state: the chosen state.
        transition: the chosen transition; drawn whatever the filters say.
        path: states in their order, such as a sentence's trace with its start; its steps are drawn and numbered.

    Returns:
        ``nodes``, ``edges``, ``options`` as vis-network takes them; ``selected``, ``steps`` (edge id -> its places on the
        path, from 1), ``legend``, ``note``, ``description`` (the text alternative).
    """
    steps = path_steps(path)
    keep = [*steps, *([transition] if transition else [])]
    network = build_network(machine, options, positions, keep)
    return {
        "nodes": network.nodes,
        "edges": network.edges,
        "options": OPTIONS,
        "selected": {"node": state, "edge": _edge_id(*transition) if transition else None},
        "steps": {_edge_id(*edge): places for edge, places in steps.items()},
        "visited": sorted(set(path)),
        "legend": _legend(machine, options),
        "note": _note(options),
        "description": describe(machine, len(network.edges)),
    }


def path_steps(path: Sequence[int]) -> dict[tuple[int, int], list[int]]:
    """Each transition of a path with its places in it, from 1."""
    steps: dict[tuple[int, int], list[int]] = {}
    for place, (source, target) in enumerate(zip(path, path[1:], strict=False), start=1):
        steps.setdefault((int(source), int(target)), []).append(place)
    return steps


def describe(machine: StateMachine, edges: int) -> str:
    """The graph in a sentence or two, for those who cannot see it."""
    largest = sorted(range(1, machine.states + 1), key=lambda s: -int(machine.visits[s]))[:3]
    names = ", ".join(f"S{s} ({int(machine.visits[s]):,} visits)" for s in largest)
    return f"Graph of {machine.states} states and {edges} transitions. The most visited: {names}."


def standalone_html(
    machine: StateMachine,
    options: GraphOptions = DEFAULT_OPTIONS,
    positions: Positions | None = None,
    state: int | None = None,
    transition: tuple[int, int] | None = None,
    path: Sequence[int] = (),
    title: str = "State machine",
) -> str:
    """The graph as one HTML file that asks nothing of the network. Write it as UTF-8.

    pyvis' own template is not used: it links to a CDN even with its resources in line, and puts titles that contain
    "href" into the page as markup.
    """
    data = json.dumps(graph_data(machine, options, positions, state, transition, path), allow_nan=False)
    # Inside <script> only "</" and "<!--" matter; the escape is still the same JSON.
    return (
        (_HERE / "network.html").read_text(encoding="utf-8")
        .replace("%TITLE%", html.escape(title.encode("utf-8", "replace").decode()))
        .replace("%STYLE%", drawing_style())
        .replace("%DRAWING%", drawing_script())
        .replace("%DATA%", data.replace("<", "\\u003c"))
        .replace("%VIS%", vis_script().replace("</script", "<\\/script"))
    )


def graphml(machine: StateMachine) -> str:
    """The whole machine, unfiltered, as GraphML: visits, class counts and errors at nodes, counts at edges."""
    graph = nx.DiGraph()
    for state in range(machine.states + 1):
        graph.add_node(_state_name(state), **_attributes(machine, state))
    for record in machine.transition_records():
        graph.add_edge(
            _state_name(record["source"]),
            _state_name(record["target"]),
            count=int(record["count"]),
            probability=float(record["probability"]),
        )
    return "\n".join(nx.generate_graphml(graph))


def edges_csv(machine: StateMachine) -> str:
    """The whole machine's transitions as CSV: source, target, count, probability; source 0 is the start."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ("source", "target", "count", "probability"), lineterminator="\n")
    writer.writeheader()
    writer.writerows(machine.transition_records())
    return text.getvalue()


def _attributes(machine: StateMachine, state: int) -> dict[str, int | float | str]:
    values: dict[str, int | float | str] = {
        "visits": int(machine.visits[state]),
        "sentences": int(machine.sentences[state]),
        "labelled": int(machine.labelled[state]),
        "errors": int(machine.errors[state]),
    }
    if state != START and machine.majority[state] >= 0:
        values["majority"] = _xml(machine.classes[machine.majority[state]])
    for name, count in zip(machine.classes, machine.class_counts[state], strict=True):
        values[f"predicted {_xml(name)}"] = int(count)
    if math.isfinite(machine.error_rate[state]):
        values["error_rate"] = float(machine.error_rate[state])
    return values


def _node(
    machine: StateMachine, state: int, options: GraphOptions, place: tuple[float, float]
) -> dict[str, Any]:
    colour, share, caption = _reading(machine, state, options)
    return {
        "label": _state_name(state),
        "title": _node_title(machine, state),
        "color": colour,
        "ink": text_on(colour),
        "share": share,
        "caption": caption,
        "start": state == START,
        "size": node_radius(machine, state),
        "x": place[0],
        "y": place[1],
    }


def _reading(machine: StateMachine, state: int, options: GraphOptions) -> tuple[str, float | None, str]:
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
    caption = name if len(name) <= _CAPTION else name[: _CAPTION - 1] + "…"
    return class_colours(machine.classes)[name], float(machine.purity[state]), caption


def error_limit(machine: StateMachine) -> float:
    """The error rate that takes the strongest colour: the highest of a state, rounded up to a tenth."""
    rates = machine.error_rate[1:][np.isfinite(machine.error_rate[1:])]
    highest = float(rates.max()) if len(rates) else 0.0
    return min(1.0, max(0.1, math.ceil(highest * 10 - 1e-9) / 10))


def _node_title(machine: StateMachine, state: int) -> str:
    visits, sentences = int(machine.visits[state]), int(machine.sentences[state])
    if state == START:
        return f"start\n{_counted(visits, 'sentence')} begin here"
    lines = [f"S{state}", f"{_counted(visits, 'visit')} in {_counted(sentences, 'sentence')}"]
    if machine.majority[state] >= 0:
        lines.append(f"mostly {machine.classes[machine.majority[state]]} ({machine.purity[state]:.0%})")
    if math.isfinite(machine.error_rate[state]):
        errors, labelled = int(machine.errors[state]), int(machine.labelled[state])
        lines.append(f"{machine.error_rate[state]:.0%} wrong ({errors:,} of {labelled:,})")
    return "\n".join(lines)


def _edge(machine: StateMachine, source: int, target: int, options: GraphOptions, largest: int) -> dict[str, Any]:
    count, probability = int(machine.transitions[source, target]), float(machine.probability[source, target])
    strength = count / largest if options.width == "count" else probability
    origin = "start" if source == START else f"S{source}"
    steps = "sentences" if source == START else f"steps out of {origin}"
    return {
        "id": _edge_id(source, target),
        "width": THINNEST + (THICKEST - THINNEST) * strength,
        "title": f"{origin} → S{target}\n{_counted(count, 'time')}, {probability:.0%} of the {steps}",
        "caption": f"{probability:.0%}",
    }


def _legend(machine: StateMachine, options: GraphOptions) -> list[dict[str, str]]:
    if options.colour == "error":
        limit = error_limit(machine)
        return [
            {"colour": sequential(share), "label": f"{share * limit:.0%} wrong"} for share in (0.0, 0.25, 0.5, 0.75, 1.0)
        ]
    present = sorted({int(c) for c in machine.majority[1:] if c >= 0})
    colours = class_colours(machine.classes)
    return [{"colour": colours[machine.classes[c]], "label": machine.classes[c]} for c in present]


def _note(options: GraphOptions) -> str:
    ring = "share of sentences wrong" if options.colour == "error" else "share of the commonest class"
    line = "occurrences" if options.width == "count" else "probability"
    return f"Area: visits. Ring: {ring}. Line: {line}."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _state_name(state: int) -> str:
    return f"S{state}" if state != START else START_NAME


def _edge_id(source: int, target: int) -> str:
    return f"{source}-{target}"


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)

