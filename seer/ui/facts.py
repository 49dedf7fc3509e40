"""How a study was made: what was noted on the way, the settings, and the hashes."""

from __future__ import annotations

import streamlit as st

from seer.study import Study
from seer.ui import state


def facts_panel(study: Study) -> None:
    """Notes of loading and analysing, then settings and hashes as a table."""
    for notice in (*study.manifest.get("notices", ()), *study.abstraction.notices_):
        st.markdown(f"- {state.literal(notice)}")
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
            {"part": part, "what": what.replace("_", " "), "value": str(value)}
            for part, values in parts.items()
            for what, value in values.items()
        ],
        hide_index=True,
        key="facts",
    )
