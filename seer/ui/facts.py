"""How a study was made: what was noted on the way, the settings, and the hashes."""

from __future__ import annotations

import streamlit as st

from seer.study import Study
from seer.ui import state
from seer.ui.selection import shortened

MOST, LONG = 20, 2_000
"""Notes that are drawn, and characters of a note or a value."""


def facts_panel(study: Study) -> None:
    """Notes of loading and analysing, then settings and hashes as a table."""
    notices = (*study.manifest.get("notices", ()), *study.abstraction.notices_)
    for notice in notices[:MOST]:
        st.markdown(f"- {state.literal(shortened(notice, LONG))}")
    if len(notices) > MOST:
        st.caption(f"{len(notices) - MOST:,} more such notes stand in the study's manifest.json.")
    training, architecture = study.checkpoint.get("training", {}), study.architecture.as_dict()
    parts = {
        "model": architecture,
        "training": training,
        "states": study.manifest.get("analysis", {}),
        "library": study.manifest.get("libraries", {}),
        "sha-256": {"study": study.hash, **study.manifest["hashes"]},
    }
    st.dataframe(
        [
            {"part": part, "what": what.replace("_", " "), "value": shortened(str(value), LONG)}
            for part, values in parts.items()
            for what, value in values.items()
        ],
        hide_index=True,
        key="facts",
    )
