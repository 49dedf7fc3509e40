"""What stands around the graph: its controls, the panel of what is chosen, the path laid over it, and the downloads."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from seer.charts.export import edges_csv, graphml, standalone_html
from seer.charts.layout import Positions
from seer.charts.network import GraphOptions
from seer.charts.states import class_bars
from seer.traces import START
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.machine.mined import pattern_name
from seer.ui.machine.panels import (
    choose_state,
    choose_transition,
    transition_sentence,
)
from seer.ui.machine.tables import transition_columns, transitions_frame
from seer.ui.panels import TRACE_PAGE, error_sentence, percent, phrases_panel, state_words_panel, ways_panel
from seer.ui.selection import path_name, state_name
from seer.ui.tables import pick_table

COLOURS, WIDTHS, LOOPS = ("class", "error rate"), ("occurrences", "probability"), ("hide", "show")
TOPS = (1, 2, 3, 4, 5, 8, 0)
LEASTS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
_USUAL = GraphOptions()


def graph_controls(noun: str) -> GraphOptions:
    """The graph's controls in one row; their values stand in the link."""
    with st.container(horizontal=True, gap="medium"):
        colour = st.segmented_control(
            "Colour",
            COLOURS,
            required=True,
            **state.bound("graph-colour", "view.colour", empty=COLOURS[0], choices=COLOURS),
        )
        width = st.segmented_control(
            "Width of lines",
            WIDTHS,
            required=True,
            **state.bound("graph-width", "view.width", empty=WIDTHS[0], choices=WIDTHS),
        )
        loops = st.segmented_control(
            "Self-loops",
            LOOPS,
            required=True,
            help="Steps that stay in a state.",
            **state.bound("graph-loops", "view.loops", empty=LOOPS[0], choices=LOOPS),
        )
        top = st.selectbox(
            "Ways out of a state",
            TOPS,
            format_func=lambda number: "all" if number == 0 else f"top {number}",
            width=150,
            help="The commonest ways out of each state, staying in it not counted.",
            **state.bound("graph-top", "view.top", empty=_USUAL.top, choices=TOPS),
        )
        least = st.selectbox(
            "Probability at least",
            LEASTS,
            format_func="{:.0%}".format,
            width=150,
            **state.bound("graph-least", "view.least", empty=_USUAL.minimum, choices=LEASTS),
        )
    return GraphOptions(
        "error" if colour == COLOURS[1] else "class",
        "probability" if width == WIDTHS[1] else "count",
        int(top),
        float(least),
        loops == LOOPS[1],
        noun,
    )


def shown_path(view: View) -> tuple[int, ...]:
    """The states of the chosen pattern, else of the chosen or typed sentence; empty when there is none or it is off."""
    if not state.view_option("path", True):
        return ()
    return _path(view)


def _path(view: View) -> tuple[int, ...]:
    chosen = view.selection
    if chosen.pattern:
        return chosen.pattern
    if view.row is not None:
        return view.study.sentence(view.row).path
    return () if chosen.text is None else view.study.trace(chosen.text).path


def path_line(view: View) -> None:
    """Whose path lies over the graph, and the switch that takes it off.

    It is there without a path too, and as high: choosing a pattern must not push away what stands below.
    """
    chosen, whose = view.selection, True
    if chosen.pattern:
        line = f"Path of the pattern {pattern_name((chosen.pattern, chosen.word))}"
    elif view.row is not None:
        line = f"Path of {view.noun} {chosen.row}: “{view.line(view.study.corpus.text(view.row), 110)}”"
    elif chosen.text is not None:
        line = f"Path of the typed text: “{view.line(chosen.text, 110)}”"
    else:
        alone = "A word alone has no path" if chosen.word is not None else "No path"
        whose, line = False, f"{alone}: choose a pattern of states, or a {view.noun}."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle("Show its path", disabled=not whose, **state.bound("graph-path", "view.path", empty=True))
        st.caption(state.literal(line), width="stretch")
        if view.row is not None or chosen.text is not None:
            st.page_link(TRACE_PAGE, label="Trace", icon=":material/timeline:", query_params=state.link_query())
    if not chosen.pattern and len(_path(view)) == 1:
        st.caption("It holds no word, so it never leaves the start.")


def state_panel(view: View, number: int) -> None:
    """The chosen state beside the graph."""
    st.subheader(f"State {state_name(number)}")
    if not view.machine.visits[number]:
        empty(f"No {view.noun} of {view.split_name} passes {state_name(number)}.")
        return
    st.altair_chart(
        class_bars(view.machine, number, most=4, colours=view.colours),
        alt=f"{percent(view.machine.purity[number])} of the steps into {state_name(number)} are read as "
        f"{view.study.classes[view.machine.majority[number]]}.",
    )
    st.caption(state.literal(error_sentence(view, number)))
    words, ways = st.tabs(["Words", "Ways in and out"], key="graph-tabs")
    with words:
        state_words_panel(view, number, "graph", top=6)
    with ways:
        ways_panel(view, number, "graph-way")
    st.page_link(
        "pages/states.py",
        label="All about this state",
        icon=":material/bubble_chart:",
        query_params=state.link_query(state=number, transition=None),
    )


def transition_panel(view: View, pair: tuple[int, int]) -> None:
    """The chosen transition beside the graph."""
    st.subheader(path_name(pair))
    st.caption(state.literal(transition_sentence(view, pair)))
    st.space("small")  # for the tools of the table, which lie above its right end
    phrases_panel(view, pair, "graph", top=10)
    source, target = pair
    with st.container(horizontal=True):
        for number in dict.fromkeys((source, target)):
            if number != START:
                st.button(
                    f"State {state_name(number)}", key=f"graph-end-{number}", on_click=choose_state, args=(number,)
                )
        if START != source != target and view.machine.transitions[target, source]:
            st.button(
                f"Back: {path_name((target, source))}",
                key="graph-reverse",
                on_click=choose_transition,
                args=((target, source),),
            )


def overview_panel(view: View, edges: Sequence[tuple[int, int]], by_probability: bool) -> None:
    """What to read when nothing is chosen: a key to the graph, and the strongest transitions drawn."""
    st.markdown(
        f"Every {view.noun} leaves **start** and takes one step a word. A large disc is visited often; its colour and "
        f"ring tell what the model predicts there. Choose a state or a line to see its words and {view.noun}s."
    )
    st.markdown(f"**Strongest transitions** in {state.literal(view.sentences_name)}")
    frame = transitions_frame(view, edges, by_probability)
    if frame.empty and not view.machine.visits[START]:
        empty(f"None of {view.sentences_name} has a word. Remove a filter, or choose other {view.noun}s at the left.")
        return
    if frame.empty:
        empty("No transition passes these settings. Lower the probability.")
        return
    pick_table(
        frame,
        frame["id"].tolist(),
        None,
        choose_transition,
        key="graph-strongest",
        height=432,
        column_config=transition_columns(by_probability),
        alt="The strongest transitions with counts, probabilities and words",
    )
    st.caption("Of those drawn. Click a row to choose one.")


def graph_downloads(view: View, seen: View, options: GraphOptions, positions: Positions, path: Sequence[int]) -> None:
    """Three files of the graph, each made when it is asked for.

    Args:
        view: of the page.
        seen: of the sentences that are drawn.
        options: of the graph.
        positions: of its states.
        path: laid over it.
    """
    machine, chosen = view.machine, view.selection
    stem = re.sub(r"[^\w.-]+", "_", f"{view.study.name}-{chosen.split}-transitions")
    title = f"{view.study.name}, {seen.sentences_name}: state machine"

    def page() -> str:
        return standalone_html(
            seen.machine, options, positions, chosen.state, chosen.transition, path, title, colours=view.colours
        )

    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for label, make, ending, kind, guide in (
            ("HTML", page, "html", "text/html", "The graph as shown, in one page that works offline."),
            ("GraphML", lambda: graphml(machine), "graphml", "application/xml", "The whole split, unfiltered."),
            ("CSV", lambda: edges_csv(machine), "csv", "text/csv", "All transitions of the split, unfiltered."),
        ):
            st.download_button(
                label,
                make,
                f"{stem}.{ending}",
                kind,
                key=f"graph-{ending}",
                help=guide,
                icon=":material/download:",
                on_click="ignore",
            )
