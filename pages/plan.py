"""Page: what the notes say together, and what is to be done."""

import streamlit as st

from seer.charts.captions import counted
from seer.ui import state
from seer.ui.frame import current_view, empty, header
from seer.ui.notes.exchange import download_buttons, import_panel
from seer.ui.notes.notebook import open_notebook
from seer.ui.notes.plan import (
    action_table,
    cause_table,
    noted_here,
    pattern_table,
    progress_of,
    standing_line,
)
from seer.ui.notes.writing import author_field, message
from seer.ui.panels import percent

view = current_view()
header(
    view,
    "Plan",
    f"What went wrong and what to do about it, from the notes on the {view.noun}s that pass the filter.",
    guide=f"The notes are written on the triage page, beside each {view.noun} or for a whole list.",
)
book = open_notebook(view)
author_field()
notes, progress = noted_here(view, book), progress_of(view, book)
told = standing_line(view, book)
if told is not None:
    st.warning(state.literal(told), icon=":material/difference:")

done = percent(progress.checked / progress.total if progress.total else None)
for column, (label, value, guide) in zip(
    st.columns(2),
    (
        ("Notes here", f"{len(notes):,}", f"on {view.noun}s that pass the filter; {len(book.current):,} in the study"),
        ("Errors checked", f"{progress.checked:,} of {progress.total:,}", f"{done} of the wrong {view.noun}s here"),
    ),
    strict=True,
):
    with column.container(border=True):
        st.metric(label, value)
        st.caption(guide)

if notes:
    left, right = st.columns([5, 3], gap="medium")
    with left:
        st.subheader("Causes by confusion")
        cause_table(view, notes)
        st.subheader(
            "Most frequent patterns", help=f"Of the first buggy patterns of the split, those most {view.noun}s hold."
        )
        pattern_table(view, notes)
    with right:
        st.subheader("Actions planned")
        action_table(notes)
else:
    empty(
        f"No {view.noun} here has a note yet; {counted(len(book.current), view.noun)} elsewhere in the study have one."
        if book.current
        else f"There is no note yet. Write the first one on the triage page, beside a {view.noun}.",
        ":material/edit_note:",
    )
    st.page_link(
        "pages/triage.py",
        label="Misprediction triage",
        icon=":material/troubleshoot:",
        query_params=state.link_query(),
    )

st.subheader("Files")
download_buttons(view, book)
st.subheader("Bring notes back")
import_panel(view, book)
message()
