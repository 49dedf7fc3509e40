"""First step of a new study: which data."""

from __future__ import annotations

import streamlit as st

from seer.corpus import builtin_corpora
from seer.corpus.files import SUFFIXES
from seer.ui import state
from seer.ui.studies.draft import ROLES, Draft, forget_reading, held, hub_fault, keeping, uploads
from seer.ui.studies.files import described, upload_field

SOURCES = {"upload": "A file", "builtin": "A built-in set", "hub": "A hub set"}


def data_step() -> None:
    """Choose a built-in set, a hub set, or bring a file."""
    st.segmented_control(
        "Where the data comes from",
        list(SOURCES),
        format_func=SOURCES.__getitem__,
        default="upload",
        required=True,
        on_change=state.by_hand(forget_reading),
        label_visibility="collapsed",
        **keeping("source"),
    )
    source = held("source")
    if source == "builtin":
        _builtin()
    elif source == "hub":
        _hub()
    else:
        _files()


def data_line(chosen: Draft) -> str:
    """What was understood of this step, in words."""
    if chosen.data is None:
        if chosen.source == "hub":
            return hub_fault(chosen.shown) or ""
        return "No file yet." if chosen.source == "upload" else "No set chosen yet."
    if chosen.source == "upload":
        return "; ".join(f"{role}: {described(chosen.uploads[role])}" for role in ROLES if role in chosen.uploads)
    more = [f"{key} {value}" for key, value in chosen.options.items() if key in ("config", "revision")]
    return ", ".join([chosen.shown, *more])


def _builtin() -> None:
    sets = {info.name: info for info in builtin_corpora() if info.package is not None}
    st.selectbox(
        "Set",
        list(sets),
        index=None,
        placeholder="Choose a set",
        format_func=lambda name: f"{name} – {sets[name].description}",
        on_change=state.by_hand(forget_reading),
        **keeping("builtin"),
    )
    name = held("builtin")
    if name and not sets[name].installed:
        st.warning(f"This set is not installed on the server: {sets[name].needs}", icon=":material/download:")


def _hub() -> None:
    name, config, revision = st.columns([3, 2, 2])
    with name:
        st.text_input(
            "Name on the Hugging Face hub",
            placeholder="owner/name",
            max_chars=200,
            on_change=state.by_hand(forget_reading),
            **keeping("hub"),
        )
    with config:
        st.text_input("Configuration", placeholder="the only one", max_chars=200, **keeping("config"))
    with revision:
        st.text_input(
            "Revision",
            placeholder="main",
            max_chars=200,
            help="A branch, tag or commit. The commit that was read is noted in the study.",
            **keeping("revision"),
        )


def _files() -> None:
    upload_field(
        "train",
        "One file for all, or the training split",
        SUFFIXES,
        "CSV, TSV, JSON, JSONL or Parquet, gzipped or not.",
    )
    with st.expander("Separate files for validation and test", expanded=len(uploads().keys() & set(ROLES)) > 1):
        for column, role in zip(st.columns(2), ROLES[1:], strict=True):
            with column:
                upload_field(role, f"{role.capitalize()} split", SUFFIXES)
