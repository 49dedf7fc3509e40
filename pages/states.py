"""Page: the states, where they lie, and one of them in full."""

import streamlit as st

from seer.charts.quality import purity_chart, sweep_chart
from seer.charts.states import class_bars
from seer.ui import state
from seer.ui.frame import current_view, empty, header
from seer.ui.machine.panels import (
    choose_state,
    examples,
    looking_at,
    map_panel,
    none_chosen,
    state_box,
    suspect,
    suspect_words,
)
from seer.ui.machine.tables import state_columns, state_words_by_number, states_frame
from seer.ui.panels import error_sentence, percent, state_words_panel, ways_panel
from seer.ui.selection import state_name
from seer.ui.tables import frame_csv, pick_table

view = current_view()
study, machine = view.study, view.machine
shown = suspect(view) if view.selection.state is None else view.selection.state
name = state_name(shown)
words = state_words_by_number(view)
header(
    view,
    "States",
    f"The {study.states} groups that the network's hidden states fall into, from {view.sentences_name}. "
    "Click a state to see what it stands for.",
    guide="After every word the network is in one of these states. They are numbered by how often they are visited.",
)

left, right = st.columns([5, 4], gap="large")
with left:
    state_box(view, "states-box", none_chosen(view))
    map_panel(view, shown, words)
with right:
    st.subheader(f"State {name}")
    if view.selection.state is None:
        st.caption(state.literal(suspect_words(view, shown)))
    if machine.visits[shown]:
        st.altair_chart(
            class_bars(machine, shown, colours=looking_at(view, shown).colours),
            alt=f"Classes predicted at the {machine.visits[shown]:,} steps into {name}: "
            f"{percent(machine.purity[shown])} {study.classes[machine.majority[shown]]}.",
        )
        st.markdown(state.literal(error_sentence(view, shown)))
        state_words_panel(view, shown, "states", top=10)
    else:
        empty(f"No {view.noun} of {view.split_name} passes {name}.")

st.subheader(f"Ways into and out of {name}", help="The commonest, with their share of all steps in, or out.")
ways_panel(view, shown, "states-way", wide=True)

st.subheader(
    f"{view.noun.capitalize()}s through {name}",
    help="Wrong ones first, the surest among them first. Frames mark the state.",
)
total = examples(looking_at(view, shown))
if total:
    st.page_link(
        "pages/triage.py",
        label=f"All {total:,} in triage",
        icon=":material/troubleshoot:",
        query_params=state.link_query(state=shown),
    )
else:
    empty(f"No {view.noun} passes {name} and the filters above. Remove a filter.")

st.subheader("All states", help="Sorted by lift. Click a row to choose its state, a header to sort.")
frame = states_frame(view, words)
pick_table(
    frame,
    frame["id"].tolist(),
    view.selection.state,
    choose_state,
    key="states-table",
    height="content" if study.states <= 24 else 740,
    column_config=state_columns(view.noun),
    alt="All states with visits, purity, errors and words",
)
st.download_button(
    "Download as CSV",
    lambda: frame_csv(frame),
    f"{study.name}-{view.selection.split}-states.csv",
    "text/csv",
    icon=":material/download:",
    on_click="ignore",
)

with st.expander("How faithful are the states?", icon=":material/fact_check:"):
    quality = study.quality
    st.caption(
        f"Measured on held-out {view.noun}s. No single figure decides: two groups split by the output would be "
        "faithful and say nothing."
    )
    figures = (
        ("Fidelity", quality.fidelity_step, "Share of steps whose predicted class is their state's majority class."),
        ("At the last word", quality.fidelity_final, f"The same over the last step of each {view.noun}."),
        ("Purity", quality.purity, "Mean over states of that share within the state."),
        ("Stability", quality.stability, "Agreement (adjusted Rand index) with the states found from other seeds."),
        ("One class alone", quality.majority_step, "What always answering the commonest class would reach."),
    )
    for column, (label, value, guide) in zip(st.columns(len(figures)), figures, strict=True):
        column.metric(label, percent(value, 1) if label != "Stability" else f"{value:.2f}", help=guide)
    columns = st.columns(2 if study.sweep else 1, gap="large")
    with columns[0]:
        st.caption("Purity of each state; the dashed line is the mean.")
        st.altair_chart(
            purity_chart(quality), alt=f"Purity of {study.states} states, {percent(quality.purity)} on average."
        )
    if study.sweep:
        with columns[1]:
            st.caption(f"Other numbers of states; this study has {study.states}.")
            st.altair_chart(
                sweep_chart(study.sweep, study.states),
                alt=f"Fidelity, purity and stability for {', '.join(str(q.states) for q in study.sweep)} states.",
            )
