"""Page: one sentence, what the model thought after each of its words, and what an edit changes."""

import streamlit as st

from seer.charts.reading import difference_html
from seer.charts.relevance import STYLE
from seer.charts.sentence import legend_html
from seer.compare import compare
from seer.ui import state
from seer.ui.frame import current_view, empty, header
from seer.ui.pairs.shared import PAIRS_PAGE
from seer.ui.relevance.trace import relevance_choice, relevance_controls, relevance_under
from seer.ui.search import search_panel
from seer.ui.sentence_classes import asked_classes, page_colours, told_classes
from seer.ui.similar import sentence_patterns_panel, similar_panel
from seer.ui.trace_panels import (
    PART,
    curve_panel,
    part_panel,
    path_panel,
    read,
    read_typed,
    reading_panel,
    shown_sentence,
    steps_panel,
    text_box,
    too_long,
)

PAIR_TEXT = "The first line is the premise; what follows the line break is the hypothesis."

view = current_view()
study, chosen = view.study, view.selection
header(
    view,
    "Sentence trace",
    "What the model predicts after each word: a word's colour is the class, its strength how sure it is, the number "
    "below it the state it leads to.",
    guide="The intermediate prediction after a word is what the model would say if the sentence ended there. "
    "Type over the sentence to try your own, or edit a copy to see what a word does.",
)
st.html(STYLE)
shown = shown_sentence(view)
row_id = None if shown.row is None else str(study.corpus.ids[shown.row])
search_panel(view, shown.row)
if shown.outside and not chosen.query:
    empty(
        f"No {view.noun} with a word passes these filters: the example below is from outside them. Remove a filter "
        "above.",
        ":material/filter_alt_off:",
    )
if shown.row is None and chosen.text is None:
    way_out = "Type one below, or choose another split." if study.has_model else "Choose another split."
    empty(f"No {view.noun} of {view.split_name} has a word to read. {way_out}")


def type_text(text: str) -> None:
    """A typed text replaces the sentence and its copy."""
    state.change(text=text)


def edit_copy(text: str) -> None:
    """An example becomes chosen with its first edit, so that the copy keeps its original."""
    state.change(row=row_id, text=chosen.text, edited=text)


def show_example() -> None:
    """Go back to an example from a blank text."""
    state.change(text=None)


def drop_copy() -> None:
    """Close the second column."""
    state.change(edited=None)


trace = read(view, shown)
edited = None if chosen.edited is None else read_typed(view, chosen.edited)
difference = compare(trace, edited) if trace is not None and edited is not None else None
under = relevance_choice(view, trace)
asked = asked_classes(view, shown.row)
colours = page_colours(view, asked, trace, edited)
first = 0
if trace is not None:
    first = part_panel(trace, max(len(trace), len(edited) if edited is not None else 0), colours)

left, right = st.columns(2, gap="medium") if chosen.edited is not None else (st.container(), None)
with left:
    kind = f" · an example{' from outside the filters' if shown.outside else ''}" if shown.example else ""
    source = f"Typed {view.noun}" if row_id is None else f"{view.noun.capitalize()} {row_id}{kind}"
    guide = f"Type over it to read a {view.noun} of your own."
    if study.paired:
        source, guide = f"{source} · premise, line break, hypothesis", f"{guide} {PAIR_TEXT}"
    if study.has_model:
        text_box(state.literal(source), shown.text, "trace-text", type_text, guide)
    else:
        st.caption(state.literal(f"{source}. {study.why_no_model}"))
    if trace is None:
        too_long(shown.text)
    else:
        reading_panel(
            view,
            trace,
            first,
            row=shown.row,
            changed=difference.removed if difference else (),
            moved=tuple(difference.moved[:, 0].tolist()) if difference else (),
            relevance=relevance_under(view, trace, under),
            colours=colours,
        )
if right is not None and chosen.edited is not None:
    with right:
        guide = "Change words and see what they do."
        text_box(
            "Edited copy", chosen.edited, "trace-edited", edit_copy, f"{guide} {PAIR_TEXT}" if study.paired else guide
        )
        if edited is None:
            too_long(chosen.edited)
        else:
            reading_panel(
                view,
                edited,
                first,
                changed=difference.added if difference else (),
                moved=tuple(difference.moved[:, 1].tolist()) if difference else (),
                relevance=relevance_under(view, edited, under),
                colours=colours,
            )
wide, narrow = st.columns([5, 1], vertical_alignment="center")
with wide:
    st.html(
        legend_html(
            study.classes,
            states=True,
            marked="what is chosen" if chosen.state or chosen.transition or chosen.pattern or chosen.word else None,
            compared=difference is not None,
            only=told_classes(view, asked, trace, edited),
            colours=colours,
        )
    )
if study.has_model:
    with narrow:
        if chosen.edited is None and not shown.text.strip():
            if chosen.text is not None:
                st.button("Show an example", key="trace-example", on_click=show_example, width="stretch")
        elif chosen.edited is None:
            st.button(
                "Edit a copy",
                key="trace-edit",
                icon=":material/edit:",
                on_click=edit_copy,
                args=(shown.text,),
                width="stretch",
            )
        else:
            st.button("Close copy", key="trace-close", icon=":material/close:", on_click=drop_copy, width="stretch")
relevance_controls(view, trace, row_id)
if study.paired:
    query = state.link_query() if row_id is None else state.link_query(row=row_id)
    st.page_link(PAIRS_PAGE, label="Sentence pairs", icon=":material/compare_arrows:", query_params=query)

if trace is not None and edited is not None and difference is not None:
    st.subheader("What the edit changed")
    st.html(difference_html(trace, edited, difference, colours))

if trace is not None and len(trace):
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("Probability, word by word", help="A dashed upright line marks each change of the prediction.")
        curve_panel(view, trace, edited if edited is not None and len(edited) else None, first, asked, colours)
    with right:
        st.subheader("Path on the graph", help="The numbers count the words. Click a state to frame its words.")
        path = trace
        if edited is not None and len(edited):
            which = st.segmented_control(
                "Path of",
                ["this sentence", "edited copy"],
                required=True,
                label_visibility="collapsed",
                **state.bound("trace-path", "view.path", empty="this sentence"),
            )
            path = edited if which == "edited copy" else trace
        path_panel(view, path, first, colours)
    sentence_patterns_panel(view, trace, row_id, PART)
    similar_panel(view, trace, shown.row)
    steps_panel(trace, first, asked, colours)
