"""The dashboard: page set-up and navigation. Start it with ``streamlit run app.py``."""

import streamlit as st

from seer.ui.frame import current_view, guarded, sidebar
from seer.ui.notes.person import admit
from seer.ui.server import begin
from seer.ui.studies.watch import watch

st.set_page_config(page_title="seer", page_icon="seer/ui/icon.svg", layout="wide")

SECTIONS = {
    "Explore": [
        st.Page("pages/overview.py", title="Overview", icon=":material/dashboard:", default=True),
        st.Page("pages/states.py", title="States", icon=":material/bubble_chart:"),
        st.Page("pages/transitions.py", title="Transition graph", icon=":material/hub:"),
        st.Page("pages/triage.py", title="Misprediction triage", icon=":material/troubleshoot:"),
        st.Page("pages/trace.py", title="Sentence trace", icon=":material/timeline:"),
    ],
    "Explain": [
        st.Page("pages/relevance.py", title="Word relevance", icon=":material/format_color_text:"),
        st.Page("pages/pairs.py", title="Sentence pairs", icon=":material/compare_arrows:"),
    ],
    "Decide": [
        st.Page("pages/plan.py", title="Plan", icon=":material/checklist:"),
    ],
    "Set up": [
        st.Page("pages/studies.py", title="Studies", icon=":material/folder_open:"),
    ],
}

page = st.navigation(SECTIONS, position="hidden")
with guarded():
    begin()
    admit()
    view = current_view()
    sidebar(SECTIONS, view)
    watch(view.selection.study, view.study)
with guarded():
    page.run()
