"""Last step of a new study: its name, the command, and the start."""

from __future__ import annotations

import streamlit as st

from seer.errors import SeerError
from seer.jobs import start
from seer.jobs.shown import shown_command
from seer.jobs.studies import LONGEST, study_target
from seer.listing import study_folders
from seer.ui import state
from seer.ui.notes.person import author
from seer.ui.studies.draft import SAID, Draft, forget_draft, held, keeping, own_names
from seer.ui.studies.names import coming_names, free_name, taken_names
from seer.ui.studies.plan import Plan


def run_step(data: Draft, plan: Plan) -> None:
    """Name the study, show the command, start it."""
    name = plan.study
    if name is None:
        if not held("name"):
            st.session_state["new-name"] = free_name(plan.shown or data.shown)
        st.text_input(
            "Name of the study",
            max_chars=LONGEST,
            help="The name of its folder; any script and blanks will do.",
            **keeping("name"),
        )
        name = str(held("name") or "").strip()
        try:
            study_target(name, coming_names())
        except SeerError as error:
            st.error(state.literal(str(error)), icon=":material/error:")
            return
        if name in taken_names():
            there = "is there already" if name in study_folders() else "is about to be made"
            st.warning(
                state.literal(f"The study {name} {there}: the new one takes its place once it is whole."),
                icon=":material/sync:",
            )
    argv = plan.argv(data, name)
    st.caption("What the job runs; where your files lie, the same in a shell gives the same study")
    st.code(shown_command(argv, own_names()), language="bash", wrap_lines=True)
    st.button(
        "Start",
        type="primary",
        icon=":material/play_arrow:",
        key="new-start",
        on_click=_start,
        args=(plan.kind, argv, name, data.label),
    )
    if plan.time:
        st.caption(f":material/schedule: About {plan.time}. It goes on when you close this page.")


def _start(kind: str, argv: tuple[str, ...], study: str, data: str) -> None:
    try:
        _, joined = start(kind, argv, study=study, data=data, author=author())
    except SeerError as error:
        st.session_state[SAID] = ("error", str(error))
        return
    forget_draft()  # a second press would train over the study that this one makes
    line = "This very job is waiting or running already; see above." if joined else f"Started: {study}."
    st.session_state[SAID] = ("done", line)
