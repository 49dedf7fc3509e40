"""The state machine as files: one HTML page that stands alone, GraphML, CSV. Write them all as UTF-8."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import networkx as nx
import pyvis

from seer.charts.captions import state_name
from seer.charts.layout import Positions
from seer.charts.network import DEFAULT_OPTIONS, GraphOptions, graph_data
from seer.machine import StateMachine
from seer.traces import START

_HERE = Path(__file__).parent
_VIS = Path(pyvis.__file__).parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def vis_script() -> str:
    """vis-network 9.1.2, minified, as pyvis ships it."""
    return _VIS.read_text(encoding="utf-8").replace("//# sourceMappingURL=vis-network.min.js.map", "")


def drawing_script() -> str:
    """``network.js``: the function ``createStateGraph(vis, root, onPick)``."""
    return (_HERE / "network.js").read_text(encoding="utf-8")


def drawing_style() -> str:
    """``network.css``, on the ``--st-*`` variables of Streamlit's themes."""
    return (_HERE / "network.css").read_text(encoding="utf-8")


def standalone_html(
    machine: StateMachine,
    options: GraphOptions = DEFAULT_OPTIONS,
    positions: Positions | None = None,
    state: int | None = None,
    transition: tuple[int, int] | None = None,
    path: Sequence[int] = (),
    title: str = "State machine",
    colours: Mapping[str, str] | None = None,
) -> str:
    """The graph as one HTML file that asks nothing of the network. Write it as UTF-8.

    pyvis' own template is not used: it links to a CDN even with its resources in line, and puts titles that contain
    "href" into the page as markup.
    """
    data = json.dumps(graph_data(machine, options, positions, state, transition, path, colours), allow_nan=False)
    parts = {
        "TITLE": html.escape(title.encode("utf-8", "replace").decode()),
        "STYLE": drawing_style(),
        "VIS": vis_script().replace("</script", "<\\/script"),
        "DRAWING": drawing_script(),
        # Inside <script> only "</" and "<!--" matter; written this way it is still the same JSON.
        "DATA": data.replace("<", "\\u003c"),
    }
    template = (_HERE / "network.html").read_text(encoding="utf-8")
    # In one pass, so that a title or class name that looks like a placeholder stays what it is.
    return re.sub("%([A-Z]+)%", lambda match: parts[match[1]], template)


def graphml(machine: StateMachine) -> str:
    """The whole machine, unfiltered, as GraphML: visits, class counts and errors at nodes, counts at edges."""
    graph = nx.DiGraph()
    for state in range(machine.states + 1):
        graph.add_node(state_name(state), **_attributes(machine, state))
    for record in machine.transition_records():
        graph.add_edge(
            state_name(record["source"]),
            state_name(record["target"]),
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


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
