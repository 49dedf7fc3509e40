"""Hidden states and predictions that something else computed, in place of a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from seer.charts.captions import counted
from seer.corpus import Corpus
from seer.errors import SeerError
from seer.recorded import USUAL_SPLIT, StatesFile, read_states
from seer.ui import state
from seer.ui.studies.draft import Draft, held, keeping, uploads
from seer.ui.studies.files import upload_field
from seer.ui.studies.plan import Plan
from seer.ui.studies.understood import understood
from seer.ui.studies.wording import on_page

STATES = (".npz", ".parquet")
_NOT_HERE = ("limit", "pairs", "validation", "test", "config", "revision")
"""Choices of the data that the command does not take: each row of the states has its row of the data."""


def states_plan(chosen: Draft) -> Plan | None:
    """Take a file of states and show what it holds; the plan once it fits the data."""
    left, right = st.columns(2)
    with left:
        upload_field(
            "states",
            "States and predictions",
            STATES,
            "An .npz with states, lengths (or offsets) and probability (or logits), or a Parquet file with a row a "
            "sentence; in the order of the data's rows.",
        )
    with right:
        st.text_input(
            "Classes in the order of the predictions",
            placeholder="neg, pos",
            max_chars=2000,
            **keeping("state_classes"),
        )
    stray = [name for name in _NOT_HERE if name in chosen.options]
    if stray or chosen.source != "upload":
        st.error(
            "States go with one file of single texts, all its rows: go back and leave out what is chosen beyond that.",
            icon=":material/error:",
        )
        return None
    upload, found = (
        uploads().get("states"),
        understood(replace(chosen, options={**chosen.options, "split": USUAL_SPLIT})),
    )
    if upload is None or found is None or found.corpus is None:
        return None
    classes = held("state_classes") or None
    try:
        read = _read(str(upload.path), found.corpus, found.corpus.fingerprint, classes)
    except SeerError as error:
        st.error(state.literal(on_page(str(error))), icon=":material/error:")
        return None
    (steps, units), names = read.states.shape, ", ".join(read.corpus.classes)
    sentences = counted(len(read.corpus), "sentence")
    line = f"States of {sentences} from {upload.name}: {steps:,} steps, {units:,} units"
    st.markdown(f"**{state.literal(line)}**")
    st.caption(
        f":material/info: {state.literal(f'Classes in this order: {names}.')} The study will show its own sentences; "
        "without a model it reads no other text."
    )
    return Plan("import-states", line, {"classes": classes}, str(upload.path))


@st.cache_resource(max_entries=3, show_spinner="Reading the states…")
def _read(path: str, _rows: Corpus, fingerprint: str, classes: str | None) -> StatesFile:
    names = None if classes is None else [part.strip() for part in classes.split(",")]
    return read_states(Path(path), rows=_rows, classes=names)
