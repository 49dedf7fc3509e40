"""Page: which words decided, by several methods under one another."""

import streamlit as st

from seer.charts.relevance import STYLE
from seer.ui import state
from seer.ui.frame import current_view, empty, header
from seer.ui.pairs.shared import PAIRS_PAGE
from seer.ui.relevance.arithmetic import arithmetic_panel
from seer.ui.relevance.composition import composition_panel
from seer.ui.relevance.deletion import deletion_panel
from seer.ui.relevance.link import leave_out_unknown
from seer.ui.relevance.sentence import sentence_tab
from seer.ui.relevance.set_of_rows import set_tab
from seer.ui.relevance.vectors import vectors_panel

TABS = ("This sentence", "A set of sentences", "Evaluations")
EVALUATIONS = {
    "Arithmetic": arithmetic_panel,
    "Deletion": deletion_panel,
    "Vectors": vectors_panel,
    "Composition": composition_panel,
}

view = current_view()
if view.study.has_model and not view.study.paired:
    leave_out_unknown(view)
header(
    view,
    "Word relevance",
    "How much each word speaks for a class (orange) or against it (blue), by several methods under one another.",
    guide="A relevance is a share of the class's logit. The methods disagree; the evaluations say which to trust.",
    pairs=False,
)
st.html(STYLE)
if view.study.paired:
    empty("This study reads sentence pairs: open the page Sentence pairs, or choose another study.")
    st.page_link(PAIRS_PAGE, label="Sentence pairs", icon=":material/compare_arrows:", query_params=state.link_query())
    st.stop()
if not view.study.has_model:
    empty(view.study.why_no_model, ":material/data_object:")
    st.stop()
one, several, evaluations = st.tabs(TABS, **state.bound("relevance-tab", "view.tab", empty=TABS[0], choices=TABS))
if one.open:
    with one:
        sentence_tab(view)
if several.open:
    with several:
        set_tab(view)
if evaluations.open:
    with evaluations:
        kind = st.segmented_control(
            "Evaluation",
            list(EVALUATIONS),
            required=True,
            label_visibility="collapsed",
            **state.bound("evaluate-kind", "view.evaluate", empty="Arithmetic", choices=EVALUATIONS),
        )
        EVALUATIONS[kind or "Arithmetic"](view)
