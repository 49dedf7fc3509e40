"""Page: what was analysed, how good it is, and where to look first."""

import streamlit as st

from seer.charts.figures import CELL, confidence_chart, confusion_chart
from seer.slices import class_reports, confusion_matrix, judged_confidence, slice_accuracy, where_to_look
from seer.ui import state
from seer.ui.frame import current_view, empty, header
from seer.ui.panels import percent, place_name, place_words

FIDELITY = (
    "Share of held-out steps whose predicted class is the majority class of their state. Beneath: what always naming "
    "the commonest class would reach."
)
STABILITY = "Agreement (adjusted Rand index, 1 is the same grouping) with the states found from other seeds."

view = current_view()
study, split = view.study, view.split
rows = study.rows(split)
accuracy, quality = slice_accuracy(study, rows), study.quality
header(
    view,
    "Overview",
    f"{study.architecture.describe()} on {study.corpus.name}: {len(study.corpus):,} sentences, "
    f"{study.traces.steps:,} words, classes {', '.join(study.classes)}. The figures are of {view.split_name}.",
    guide="The hidden states of the network are grouped into a few numbered states. Fidelity tells how often the state "
    "alone gives away what the network predicts after a word.",
)

figures = (
    ("Sentences", f"{len(rows):,}", f"{view.traces.steps:,} words", None),
    (
        "Accuracy",
        percent(accuracy.value, 1),
        f"{percent(accuracy.low, 1)} – {percent(accuracy.high, 1)}" if accuracy.labelled else "no labels",
        "Right predictions among labelled sentences, with Wilson's 95 % interval.",
    ),
    ("Errors", f"{accuracy.errors:,}", f"of {accuracy.labelled:,} labelled", None),
    ("States", f"{study.states}", f"stability {quality.stability:.2f}", STABILITY),
    ("Fidelity", percent(quality.fidelity_step, 1), f"one class: {percent(quality.majority_step)}", FIDELITY),
)
with st.container(horizontal=True):
    for label, figure, note, guide in figures:
        st.metric(label, figure, note, delta_color="off", delta_arrow="off", border=True, help=guide)


def open_cell() -> None:
    """Go to the triage of the clicked cell."""
    for point in st.session_state["overview-confusion"].selection[CELL]:
        query = state.link_query(true=point["true"], predicted=point["predicted"], row=None)
        st.switch_page("pages/triage.py", query_params=query)


left, right = st.columns([2, 3], gap="large")
with left:
    st.subheader("Right and wrong", help="✕ marks errors; a cell's shade is its share of the true class.")
    st.caption("Click a cell to work through its sentences.")
    if accuracy.labelled:
        matrix = confusion_matrix(study, rows)
        st.altair_chart(
            confusion_chart(matrix, study.classes),
            key="overview-confusion",
            on_select=open_cell,
            selection_mode=CELL,
            alt=f"Confusion matrix of {len(study.classes)} classes: {accuracy.right} right, {accuracy.errors} wrong.",
        )
    else:
        empty("No sentence here has a label, so nothing can be right or wrong. Choose another split.")
    st.subheader("By class")
    if accuracy.labelled:
        st.dataframe(
            [
                {
                    "class": report.name,
                    "sentences": report.support,
                    "precision": report.precision,
                    "recall": report.recall,
                    "F1": report.f1,
                }
                for report in class_reports(matrix, study.classes)
            ],
            hide_index=True,
            column_config={
                name: st.column_config.NumberColumn(format="%.2f") for name in ("precision", "recall", "F1")
            },
        )
with right:
    st.subheader(
        "Where to look first",
        help="States and transitions through which more sentences go wrong than chance allows, the surest first "
        "(Fisher's exact test).",
    )
    st.caption("The places where errors gather: each opens its sentences.")
    places = where_to_look(study, split)
    for place in places:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{place_name(place)}** · ✕ {percent(place.rate)} of {place.labelled:,} wrong · "
                f"{place.lift:.1f}× the whole  \n*{state.literal(place_words(view, place))}*",
                width="stretch",
            )
            st.page_link(
                "pages/states.py" if place.transition is None else "pages/transitions.py",
                label="Open",
                icon=":material/arrow_forward:",
                query_params=state.link_query(state=place.state, transition=place.transition),
            )
    if not places:
        empty("No place has clearly more errors than the rest of these sentences.", ":material/check_circle:")
st.subheader("How sure it is")
st.caption("Wrong predictions hang below the line: those at the right are wrong and sure of it.")
if accuracy.labelled:
    confidence, right_ones = judged_confidence(study, rows)
    st.altair_chart(
        confidence_chart(confidence, right_ones),
        alt=f"Histogram of confidence: right predictions average {confidence[right_ones].mean():.2f}.",
    )
