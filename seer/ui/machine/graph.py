"""The state graph as a Streamlit component: draws the data of ``seer.charts.network``, sends clicks back to Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from seer.charts.export import drawing_script, drawing_style, vis_script
from seer.traces import START
from seer.ui import state

_LIBRARY = st.components.v2.component(
    "seer_vis_network",
    js=vis_script()
    + """
export default function () {
  if (globalThis.seerVis) return
  globalThis.seerVis = globalThis.vis
  window.dispatchEvent(new Event("seer-vis"))
}
""",
)
"""The library in a component of its own.

A component's script travels inside the element's message, and a message that changed is sent whole: one component would
send 470 kB with every click. This one never changes, so that Streamlit sends its hash (about 100 bytes) after the first
time. An asset folder would need an installed package, and static files a copy of the library in this repository.
"""

_GRAPH = st.components.v2.component(
    "seer_state_graph",
    html='<div class="graph"></div>',
    css=drawing_style(),
    js=drawing_script() + (Path(__file__).parent / "graph.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Picked:
    """What was clicked: a state (0 is the start), a transition, or neither: the background."""

    state: int | None = None
    transition: tuple[int, int] | None = None


def follow_pick(picked: Picked, **options: str | None) -> None:
    """Put a click into the Selection: a second click on the same thing, or one on the background, takes it out.

    Args:
        picked: what was clicked.
        options: view options to change with it.
    """
    selection = state.current()
    if picked.state == START:
        return
    if picked.transition is not None:
        same = picked.transition == selection.transition
        chosen = selection.change(transition=None if same else picked.transition, state=None)
    else:
        same = selection.transition is None and picked.state == selection.state
        chosen = selection.change(state=None if same else picked.state, transition=None)
    state.select(chosen.with_view(**options))


def state_graph(
    data: Mapping[str, Any], *, key: str, height: int = 560, on_pick: Callable[[Picked], None] = follow_pick
) -> None:
    """Draw the graph.

    Args:
        data: of ``seer.charts.network.graph_data``; what is chosen in it is what is highlighted.
        key: key of the component, unique on the page.
        height: in pixels; a phone gives it 60 % of its height instead.
        on_pick: called with what was clicked, before the page runs again.
    """
    with st.container(gap=None):
        _LIBRARY(key=f"{key}-library", height="content")
        _GRAPH(key=key, data={"graph": dict(data), "height": height}, on_pick_change=partial(_report, key, on_pick))


def _report(key: str, on_pick: Callable[[Picked], None]) -> None:
    value = st.session_state[key].pick
    if isinstance(value, Mapping):
        on_pick(_picked(value))


def _picked(value: Mapping[str, Any]) -> Picked:
    node, edge = value.get("node"), value.get("edge")
    if isinstance(node, int):
        return Picked(state=node)
    if isinstance(edge, list) and len(edge) == 2 and all(isinstance(end, int) for end in edge):
        return Picked(transition=(edge[0], edge[1]))
    return Picked()
