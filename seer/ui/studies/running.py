"""Jobs on the page: what runs, what waits, what came of the last ones."""

from __future__ import annotations

import streamlit as st

from seer.errors import JobError, SeerError
from seer.hosting import read_only
from seer.jobs import Job, jobs, log_of, stop, tend
from seer.jobs.shown import job_command, shown_text
from seer.listing import study_folders
from seer.ui import state
from seer.ui.filters import ALL
from seer.ui.frame import fragment
from seer.ui.selection import Selection, shortened
from seer.ui.sentences import SORT
from seer.ui.studies.draft import SAID
from seer.ui.studies.model import duration

EVERY = 1.0
"""Seconds between two looks while something runs or waits."""
_EARLIER = 10
_KINDS = {"train": "Training", "import": "Import", "import-states": "Import of states", "classify": "New split"}
ICONS = {"done": ":material/check_circle:", "failed": ":material/error:", "stopped": ":material/stop_circle:"}


def jobs_panel() -> None:
    """The jobs, looked at again every second while there is something to see; the rest of the page stands still.

    None on a server that only shows: their commands and logs are nobody's business there.
    """
    if read_only():
        return
    try:
        tend()
        busy = any(not job.over for job in jobs())
    except JobError as error:  # the studies are there all the same
        st.error(state.literal(str(error)), icon=":material/error:")
        return
    fragment(_panel, run_every=EVERY if busy else None)()


def _panel() -> None:
    tend()
    found = jobs()
    unfinished = [job for job in found if not job.over]
    before = st.session_state.get("_jobs_unfinished", ())
    st.session_state["_jobs_unfinished"] = tuple(job.id for job in unfinished)
    if set(before) - {job.id for job in unfinished}:
        st.rerun()  # one has ended: the list of studies, and whether to look again, may have changed
    for place, job in enumerate(unfinished):
        _unfinished(job, place)
    over = [job for job in found if job.over][:_EARLIER]
    if over:
        _ended(over[0])
        with st.expander(f"Earlier jobs ({len(over)})" if len(over) > 1 else "Its log", icon=":material/history:"):
            for job in over:
                _earlier(job)


def _unfinished(job: Job, place: int) -> None:
    with st.container(border=True, key=f"job-{job.id}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{_title(job)}**", width="stretch")
            st.button(
                "Stop" if job.state == "running" else "Do not run",
                key=f"job-stop-{job.id}",
                icon=":material/stop:",
                on_click=_stop,
                args=(job.id,),
            )
        if job.state == "queued":
            st.caption("Waits for the job before it." if place else "Waits for its turn.")
            return
        st.progress(job.share, state.literal(progress_line(job)))
        with st.expander("Log", icon=":material/notes:"):
            st.code(shown_text(log_of(job)) or "Nothing printed yet.", language=None, height=240, wrap_lines=True)


def progress_line(job: Job) -> str:
    """How far a running job is, in words."""
    if job.stopping:
        return "Stopping…"
    if not job.stage:
        return "Starting, reading the data…"
    left = job.seconds_left
    told = f" · about {duration(left)} left" if left is not None and left >= 1 else ""
    return f"{job.stage}: {job.share:.0%}{told}"


def _ended(job: Job) -> None:
    line = f"{_title(job)} · {_outcome(job)}"
    with st.container(horizontal=True, vertical_alignment="center", key="job-last"):
        if job.state == "failed":
            st.error(line, icon=ICONS["failed"])
        else:
            st.caption(f"{ICONS[job.state]} {line}", width="content")
        if job.state == "done" and job.study in study_folders():
            made = _made(job)
            if st.button("Explore it", key="job-explore", type="primary", icon=":material/arrow_forward:"):
                st.switch_page("pages/overview.py", query_params=state.link_query(made))
            if job.kind == "classify":
                st.page_link(
                    "pages/triage.py",
                    label="Its rarest paths",
                    icon=":material/alt_route:",
                    query_params=state.link_query(made, view={SORT: "rare", ALL: "1"}),
                )


def _made(job: Job) -> Selection:
    """What a job made: a study, or a split of one."""
    splits = [word.partition("=")[2] for word in job.argv if word.startswith("--split=")]
    made = Selection(study=job.study)
    return made.change(split=splits[0]) if job.kind == "classify" and splits else made


def _earlier(job: Job) -> None:
    st.markdown(f"{ICONS[job.state]} **{_title(job)}** · {_outcome(job)}")
    st.code(job_command(job), language="bash", wrap_lines=True)
    printed = shown_text(log_of(job))
    if printed:
        st.code(printed, language=None, height=160, wrap_lines=True)


def _title(job: Job) -> str:
    name, data = shortened(job.study), shortened(job.data)
    return state.literal(f"{_KINDS.get(job.kind, job.kind)}: {name}, from {data}, by {shortened(job.author)}")


def _outcome(job: Job) -> str:
    took = "" if job.seconds is None else f" after {duration(job.seconds)}"
    if job.state == "failed":
        return state.literal(f"failed{took}: {shown_text(job.error or '')}")
    return f"{job.state}{took}"


def _stop(job_id: str) -> None:
    try:
        stopped = stop(job_id)
    except SeerError as error:
        st.session_state[SAID] = ("error", str(error))
        return
    st.session_state[SAID] = ("done", f"The job on {stopped.study} is {stopped.state}.")
