"""Page: the state machine as a graph, and the state or transition chosen in it."""

import streamlit as st

from seer.charts.network import graph_data, shown_edges
from seer.ui import state
from seer.ui.frame import current_view, empty, header
from seer.ui.graph import state_graph
from seer.ui.graph_panels import (
    graph_controls,
    graph_downloads,
    overview_panel,
    path_line,
    shown_path,
    state_panel,
    transition_panel,
)
from seer.ui.loaders import graph_positions
from seer.ui.machine_panels import examples, state_box
from seer.ui.pattern_detail import chosen_place
from seer.ui.pattern_panels import patterns_section

view = current_view()
chosen, machine = view.selection, view.machine
header(
    view,
    "Transition graph",
    f"Which state follows which, in the sentences of {view.split_name}. Click a state or a line to see its words.",
    guide="Every sentence leaves the start and takes one step a word. A line's label is the share of the steps out of "
    "its state. Ctrl and the wheel zoom.",
)
options = graph_controls()
positions = graph_positions(view.study, view.study.hash)
path = shown_path(view)

left, right = st.columns([2, 1], gap="medium")
with left:
    state_graph(
        graph_data(machine, options, positions, chosen.state, chosen.transition, path),
        key="transitions-graph",
        height=600,
    )
    path_line(view)
    graph_downloads(view, options, positions, path)
with right:
    state_box(view, "transitions-box", "none")
    if chosen.transition is not None:
        transition_panel(view, chosen.transition)
    elif chosen.state is not None:
        state_panel(view, chosen.state)
    else:
        overview_panel(view, shown_edges(machine, options), options.width == "probability")

patterns_section(view)

place = chosen_place(view)
if place is not None:
    st.subheader(state.literal(f"Sentences with {place}"), help="Wrong ones first, the surest among them first.")
    total = examples(view)
    if total:
        st.page_link(
            "pages/triage.py",
            label=f"All {total:,} in triage",
            icon=":material/troubleshoot:",
            query_params=state.link_query(),
        )
    else:
        empty(f"No sentence has {place} and passes the other filters above. Remove a filter.")
