"""Page: the state machine as a graph, and the state, the transition or the pattern chosen in it."""

import streamlit as st

from seer.charts.network import graph_data, shown_edges
from seer.ui import state
from seer.ui.frame import current_view, empty, header
from seer.ui.loaders import graph_positions
from seer.ui.machine.graph import Picked, follow_pick, state_graph
from seer.ui.machine.graph_panels import (
    graph_controls,
    graph_downloads,
    overview_panel,
    path_line,
    shown_path,
    state_panel,
    transition_panel,
)
from seer.ui.machine.panels import examples, state_box
from seer.ui.machine.pattern_detail import chosen_key, chosen_panel, chosen_place, search_fields
from seer.ui.machine.pattern_panels import TAB, buggy_tab, influential_tab, side_tabs
from seer.ui.passing import passing

view = current_view()
seen, chosen = passing(view), view.selection
machine = seen.machine
header(
    view,
    "Transition graph",
    f"Which state follows which, in {seen.sentences_name}. Click a state, a line or a pattern to see its words.",
    guide=f"Every {view.noun} leaves the start and takes one step a word. A line's label is the share of the steps out "
    "of its state. Ctrl and the wheel zoom. "
    f"A pattern, and every other filter, leaves only the {view.noun}s that pass.",
)
options = graph_controls(view.noun)
positions = graph_positions(view.study, view.study.hash)
path = shown_path(view)


def pick(picked: Picked) -> None:
    """A click in the graph also opens the details beside it."""
    follow_pick(picked, **({} if picked == Picked() else {TAB: None}))


left, right = st.columns([3, 2], gap="medium")
with left:
    state_graph(
        graph_data(machine, options, positions, chosen.state, chosen.transition, path, view.colours),
        key="transitions-graph",
        height=600,
        on_pick=pick,
    )
    path_line(view)
with right:
    details, influential, buggy = side_tabs()
    if details.open:
        with details:
            state_box(view, "transitions-box", "none")
            if chosen.transition is not None:
                transition_panel(seen, chosen.transition)
            elif chosen.state is not None:
                state_panel(seen, chosen.state)
            else:
                overview_panel(seen, shown_edges(machine, options), options.width == "probability")
    if influential.open:
        with influential:
            influential_tab(view)
    if buggy.open:
        with buggy:
            buggy_tab(view)
left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
with left:
    search_fields(view)
with right:
    graph_downloads(view, seen, options, positions, path)

place = chosen_place(view)
if place is not None:
    words, sentences = st.columns([1, 2], gap="medium") if chosen_key(view) else (None, st.container())
    if words is not None:
        with words:
            chosen_panel(view)
    with sentences:
        st.subheader(
            state.literal(f"{view.noun.capitalize()}s with {place}"),
            help="Wrong ones first, the surest among them first.",
        )
        total = examples(view)
        if total:
            st.page_link(
                "pages/triage.py",
                label=f"All {total:,} in triage",
                icon=":material/troubleshoot:",
                query_params=state.link_query(),
            )
        else:
            empty(f"No {view.noun} has {place} and passes the other filters above. Remove a filter.")
