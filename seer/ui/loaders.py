"""Studies the app can open. A name from a link is looked up in a list, never used as a path."""

from __future__ import annotations

import logging

import streamlit as st

from seer.charts.layout import Positions, place_states
from seer.errors import SeerError, StudyError
from seer.jobs.shown import shown_text
from seer.listing import DEMO_NAME, study_folders
from seer.storage import read_manifest, version_name
from seer.study import Study
from seer.traces import SentenceTrace

log = logging.getLogger("seer")


def open_study(name: str) -> Study:
    """The study of that name as it now stands on disk.

    Raises:
        StudyError: no such study, or it is damaged.
    """
    folders = study_folders()
    if name not in folders:
        raise StudyError(f"There is no study {name!r} here; there are {', '.join(folders)}.")
    return _open(str(folders[name]), version_name(read_manifest(folders[name])))


@st.cache_resource(max_entries=6, show_spinner="Opening the study…")
def _open(folder: str, version: str) -> Study:
    """One object a version, shared by all sessions and never changed; the version's folder in the key tells them apart.

    Raises:
        StudyError: it is damaged, or was replaced meanwhile.
    """
    study = Study.open(folder)
    if study.version.name != version:
        raise StudyError("The study was replaced while it was opened; choose it once more.")
    study.machine(None)  # reads the sentences and traces once, under the spinner
    return study


@st.cache_data(max_entries=20, show_spinner=False)
def graph_positions(_study: Study, version: str) -> Positions:
    """Where the states stand in the graph: from all sentences, so that no filter moves one."""
    return place_states(_study.machine(None))


@st.cache_resource(max_entries=32, show_spinner="Reading the text…")
def typed_trace(_study: Study, version: str, text: str) -> SentenceTrace:
    """The trace of a typed text; shared by all sessions and never changed."""
    return _study.trace(text)


def nearest_study(name: str) -> tuple[Study, str | None]:
    """The study of that name, or the demo and a sentence that says why.

    Raises:
        StudyError: the demo cannot be opened either.
    """
    try:
        return open_study(name), None
    except SeerError as error:
        if name == DEMO_NAME:
            raise
        reason = shown_text(str(error))
    except Exception:  # one damaged study must not take the others away
        log.exception("The study %r cannot be opened", name)
        if name == DEMO_NAME:
            raise
        reason = f"The study {name!r} is damaged and cannot be opened; train it again, or see the server's log."
    return open_study(DEMO_NAME), f"{reason} The demo is shown instead."
