"""Page: a premise and its hypotheses, what the model attends to, and what its prediction hangs on."""

import streamlit as st

from seer.charts.verdicts import STYLE
from seer.ui import state
from seer.ui.frame import current_view, empty, header
from seer.ui.pairs.attention import attention_panel, controls
from seer.ui.pairs.gates import gates_panel
from seer.ui.pairs.link import leave_out_unknown
from seer.ui.pairs.pictures import scene
from seer.ui.pairs.sentences import sentences_panel
from seer.ui.pairs.shared import other_studies, readers, records_json, shown_case, too_many
from seer.ui.search import search_panel
from seer.ui.selection import Selection

view = current_view()
if view.study.paired:
    leave_out_unknown(view)
    view = current_view()
header(
    view,
    "Sentence pairs",
    "A premise with up to three hypotheses: what the model says of each, where it looks, and which of these looks the "
    "prediction hangs on.",
    guide="ESIM reads both sentences, lets each word look at the other sentence (attention), reads both again and "
    "decides. Saliency is how much the score of a class changes with an attention score or a gate.",
    pairs=False,
)
st.html(STYLE)
if not view.study.paired:
    reads = "reads single sentences" if view.study.has_model else "holds no model"
    empty(
        f"This page needs a study of sentence pairs; the chosen study {reads}. Open one of those below.",
        ":material/compare_arrows:",
    )
    for name in other_studies(view):
        st.page_link(
            "pages/pairs.py",
            label=state.literal(f"Open {name}"),
            icon=":material/arrow_forward:",
            query_params=state.link_query(Selection(study=name)),
        )
    st.stop()

case = shown_case(view)
search_panel(view, case.row)
if case.outside and not view.selection.query:
    empty("No pair with a word passes these filters: the example below is from outside them.")
fault = too_many(case, view.study)
found = [] if fault is not None else readers(view, case)
sentences_panel(view, case, found)
if fault is not None:
    empty(fault, ":material/text_fields:")
if found:
    controls(view)
    shown = scene(view, case, found)
    attention_panel(shown)
    gates_panel(shown)
    st.download_button(
        "Download all numbers",
        lambda: records_json(found),
        "pairs.json",
        "application/json",
        key="pairs-json",
        icon=":material/download:",
        on_click="ignore",
    )
