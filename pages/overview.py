"""Page: what was analysed, how good it is, and where to look first."""

import streamlit as st

from seer.charts.captions import counted
from seer.charts.figures import CELL, FEW, confidence_chart, confusion_chart
from seer.charts.names import listed
from seer.slices import (
    FALSE_SHARE,
    class_reports,
    confusion_matrix,
    judged_confidence,
    slice_accuracy,
    where_to_look,
)
from seer.ui import state
from seer.ui.confusion import confused_table, shown_classes
from seer.ui.facts import facts_panel
from seer.ui.frame import current_view, empty, header
from seer.ui.panels import percent, place_name, place_words

FIDELITY = (
    "Share of held-out steps whose predicted class is the majority class of their state. Beneath: what always naming "
    "the commonest class would reach."
)
NARROW = 3  # most classes whose matrix and table fit a narrow column
NONE = "none to judge"
STABILITY = "Agreement (adjusted Rand index, 1 is the same grouping) with the states found from other seeds."

view = current_view()
study, split = view.study, view.split
rows, everything, filtered = view.rows(), study.rows(split), view.filtered()
accuracy, quality = slice_accuracy(study, rows), study.quality
header(
    view,
    "Overview",
    f"{study.architecture.describe()} on {study.corpus.name}: {counted(len(study.corpus), view.noun)}, "
    f"{study.traces.steps:,} words, classes {listed(study.classes)}. The figures are of "
    f"{'what passes the filters' if filtered else view.split_name}.",
    guide="The hidden states of the network are grouped into a few numbered states. Fidelity tells how often the state "
    "alone gives away what the network predicts after a word. States and fidelity are of the study, whatever the "
    "filters.",
)

words = f"{int(study.traces.lengths[rows].sum()):,} words"
figures = (
    (f"{view.noun.capitalize()}s", f"{len(rows):,}", f"of {len(everything):,}" if filtered else words, None),
    (
        "Accuracy",
        percent(accuracy.value, 1),
        f"{percent(accuracy.low, 1)} – {percent(accuracy.high, 1)}" if accuracy.labelled else NONE,
        f"Right predictions among labelled {view.noun}s, with Wilson's 95 % interval.",
    ),
    ("Errors", f"{accuracy.errors:,}", f"of {accuracy.labelled:,} labelled", None),
    ("States", f"{study.states:,}", f"stability {quality.stability:.2f}", STABILITY),
    ("Fidelity", percent(quality.fidelity_step, 1), f"one class always: {percent(quality.majority_step)}", FIDELITY),
)
with st.container(horizontal=True):
    for label, figure, note, guide in figures:
        st.metric(label, figure, note, delta_color="off", delta_arrow="off", border=True, help=guide)


def open_triage(true: str, predicted: str) -> None:
    """Go to the triage of the sentences of a class that were read as another."""
    st.switch_page("pages/triage.py", query_params=state.link_query(true=true, predicted=predicted, row=None))


def open_cell() -> None:
    """Go to the triage of the clicked cell; the row and the column of all other classes have none."""
    for point in st.session_state["overview-confusion"].selection[CELL]:
        if point["true"] in study.classes and point["predicted"] in study.classes:
            open_triage(point["true"], point["predicted"])


def matrix_part() -> None:
    """The confusion matrix, of many classes some, and the figures of each class."""
    st.subheader("Right and wrong", help="✕ marks errors; a cell's shade is its share of the true class.")
    places = shown_classes(view, matrix)
    st.caption(f"Click a cell to work through its {view.noun}s.")
    st.altair_chart(
        confusion_chart(matrix, study.classes, places=places),
        key="overview-confusion",
        on_select=open_cell,
        selection_mode=CELL,
        alt=f"Confusion matrix: {accuracy.right:,} right, {accuracy.errors:,} wrong; {len(study.classes)} classes.",
    )
    st.subheader("By class")
    st.dataframe(
        [
            {
                "class": report.name,
                f"{view.noun}s": report.support,
                "precision": report.precision,
                "recall": report.recall,
                "F1": report.f1,
            }
            for report in class_reports(matrix, study.classes)
        ],
        hide_index=True,
        column_config={
            "class": st.column_config.TextColumn(width=None if few else 330),
            f"{view.noun}s": st.column_config.NumberColumn(format="localized", width=60 if study.paired else None),
            **{
                name: st.column_config.NumberColumn(format="%.2f", width=width)
                for name, width in (("precision", 76), ("recall", 58), ("F1", 50))
            },
        },
    )


few, matrix = len(study.classes) <= FEW, confusion_matrix(study, rows)
left, right = st.columns([2, 3] if len(study.classes) <= NARROW else 2, gap="large")
with left:
    if accuracy.labelled and few:
        matrix_part()
    elif accuracy.labelled:
        st.subheader("Confused most often")
        st.caption(f"Click a pair to work through its {view.noun}s.")
        confused_table(view, matrix, "overview-confused", open_triage)
    elif not len(rows):
        empty(f"No {view.noun} of {view.split_name} passes these filters: there is nothing to count. Remove one above.")
    elif filtered:
        empty(
            f"No {view.noun} that passes the filters has a label and a word: none is right or wrong. Remove a filter."
        )
    else:
        empty(f"No {view.noun} here has a label, so nothing can be right or wrong. Choose another split.")
with right:
    st.subheader(
        "Where to look first",
        help=f"States and transitions through which more {view.noun}s go wrong than chance allows, the surest first "
        f"(Fisher's exact test). Corrected for all the places compared: of those not marked “may be chance” about "
        f"{FALSE_SHARE:.0%} at most are chance (q ≤ {FALSE_SHARE}, Benjamini and Hochberg).",
    )
    st.caption(
        f"The places where errors gather in the whole of {state.literal(view.split_name)}, whatever the filters."
        if filtered
        else f"The places where errors gather: each opens its {view.noun}s."
    )
    places = where_to_look(study, split, most_q=1.0)
    if places and all(place.q > FALSE_SHARE for place in places):
        st.caption("No place has surely more errors than the whole; these come closest, and each may be chance.")
    for place in places:
        words = f"*{state.literal(told)}*" if (told := place_words(view, place)) else "no word often enough to tell"
        doubt = " · may be chance" if place.q > FALSE_SHARE else ""
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{place_name(place)}** · ✕ {percent(place.rate)} of {place.labelled:,} wrong · "
                f"{place.lift:.1f}× the whole  \n{words}{doubt}",
                width="stretch",
            )
            st.page_link(
                "pages/states.py" if place.transition is None else "pages/transitions.py",
                label="Open",
                icon=":material/arrow_forward:",
                query_params=state.link_query(state=place.state, transition=place.transition),
            )
    if not places:
        empty(
            f"No state and no transition with twenty labelled {view.noun}s has more errors than the whole of "
            f"{view.split_name}."
            if study.accuracy(split).labelled
            else f"No {view.noun} of {view.split_name} has a label, so errors cannot gather anywhere.",
            ":material/check_circle:",
        )
if accuracy.labelled and not few:
    matrix_part()
if accuracy.labelled:
    st.subheader("How sure it is")
    st.caption("Wrong predictions hang below the line: those at the right are wrong and sure of it.")
    confidence, right_ones = judged_confidence(study, rows)
    st.altair_chart(
        confidence_chart(confidence, right_ones),
        alt=f"Histogram of the confidence of {accuracy.right:,} right and {accuracy.errors:,} wrong predictions.",
    )
with st.expander("How this study was made", icon=":material/receipt_long:"):
    facts_panel(study)
