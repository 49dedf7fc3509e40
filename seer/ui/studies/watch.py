"""What every page says of jobs, at the foot of the menu: what runs, what has ended, that the study was made anew."""

from __future__ import annotations

import streamlit as st

from seer.errors import JobError, SeerError
from seer.hosting import read_only
from seer.jobs import Job, jobs, tend
from seer.listing import study_folders
from seer.storage import read_manifest
from seer.study import Study
from seer.ui import state
from seer.ui.frame import fragment
from seer.ui.notes.person import author
from seer.ui.selection import shortened
from seer.ui.studies.running import ICONS, progress_line

BUSY, IDLE = 2.0, 15.0
"""Seconds between two looks while something runs, and while nothing does."""

_MINE, _SHOWN = "_watch_mine", "_watch_shown"


def watch(name: str, study: Study) -> None:
    """Look after the jobs now and then, without running the page.

    Args:
        name: under which the study is listed.
        study: that the page shows.
    """
    shown = st.session_state.get(_SHOWN)
    if shown is not None and shown[0] == name and shown[1] != study.hash:
        st.toast(state.literal(f"The study {name} was made anew: this is the new version."), icon=":material/sync:")
    st.session_state[_SHOWN] = (name, study.hash)
    busy = any(not job.over for job in _jobs() or ())
    with st.sidebar, st.container(key="watch", gap="small"):
        fragment(_look, run_every=BUSY if busy else IDLE)(name, study.hash)


def _jobs() -> tuple[Job, ...] | None:
    """The jobs, none on a server that only shows; ``None`` where their records cannot be used."""
    try:
        tend()
        return () if read_only() else jobs()
    except JobError:
        return None


def _look(name: str, version: str) -> None:
    known = _jobs()
    if known is None:  # no page needs them but one, which says why
        st.caption(":material/error: Jobs cannot be shown; the page *Studies* says why.")
    found = known or ()
    running = next((job for job in found if job.state == "running"), None)
    waiting = sum(job.state == "queued" for job in found)
    if running is not None:
        more = f" · {waiting:,} waiting" if waiting else ""
        st.progress(running.share, state.literal(f"{shortened(running.study)}: {progress_line(running)}{more}"))
    if _current(name) not in (version, None):
        st.info("A newer version of this study is there.", icon=":material/sync:")
        if st.button("Show it", key="watch-newer"):
            st.rerun()
    if known is not None and _tell_ended(found):
        st.rerun()  # the menu gains a study


def _tell_ended(found: tuple[Job, ...]) -> bool:
    """Say what came of jobs that this person started; whether there was one."""
    mine = {job.id for job in found if not job.over and job.author == author()}
    ended = [job for job in found if job.over and job.id in st.session_state.get(_MINE, ())]
    st.session_state[_MINE] = mine
    for job in ended:
        said = {"done": "is ready", "stopped": "was stopped"}.get(job.state, "failed; the page Studies says why")
        st.toast(state.literal(f"{job.study}: the job {said}."), icon=ICONS[job.state])
    return bool(ended)


def _current(name: str) -> str | None:
    """The version that is current now, ``None`` where that cannot be told."""
    folder = study_folders().get(name)
    try:
        return None if folder is None else str(read_manifest(folder)["hash"])
    except SeerError:
        return None
