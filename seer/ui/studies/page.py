"""The frame of the page, and the four steps of a new study one after the other."""

from __future__ import annotations

import streamlit as st

from seer.hosting import read_only
from seer.jobs.studies import full_fault
from seer.ui import state
from seer.ui.frame import current_view
from seer.ui.studies.data import data_line, data_step
from seer.ui.studies.draft import SAID, STEPS, Draft, Step, asked_step, draft, go_to
from seer.ui.studies.model import model_step
from seer.ui.studies.names import coming_names
from seer.ui.studies.plan import Plan
from seer.ui.studies.preview import preview_step
from seer.ui.studies.run import run_step
from seer.ui.studies.understood import fault_of, preview_line, understood

_TITLES: dict[Step, str] = {"data": "1 Data", "preview": "2 Preview", "model": "3 Model", "run": "4 Run"}

_PLAN = "_new_plan"
"""In the session: the data, and what the third step settled for it."""


def title() -> None:
    """The page's title, and what a link asked for that is not to be had; to be called first."""
    view = current_view()
    with st.container(gap="small"):
        st.title("Studies", help="A study is one data set, one classifier, its states and traces, in a folder.")
        st.caption(
            "The studies of this server, to be opened; it shows them only."
            if read_only()
            else "Open a study, or make one of your own texts: data, preview, model, run."
        )
        for sentence in (*state.ignored(), *view.gone):
            st.warning(state.literal(sentence), icon=":material/link_off:")


def said() -> None:
    """What came of the last action, once."""
    kind, sentence = st.session_state.pop(SAID, (None, ""))
    if kind == "error":
        st.error(state.literal(sentence), icon=":material/error:")
    elif kind is not None:
        st.toast(state.literal(sentence), icon=":material/check:")


def new_study() -> None:
    """The four steps; none on a server that only shows."""
    if read_only():
        return
    st.subheader("New study")
    full = full_fault(coming_names())
    if full is not None:
        st.warning(state.literal(f"{full} A study that is there can be made anew, or get a new split."))
    chosen, asked = draft(), asked_step()
    found = understood(chosen) if asked != "data" else None
    usable = found is not None and fault_of(found) is None
    step = asked
    planned = planned_for(chosen)
    if chosen.data is None:
        step = "data"
    elif not usable and STEPS.index(asked) > 1:
        step = "preview"
    elif planned is None and step == "run":
        step = "model"
    _steps(step)
    with st.container(border=True, key="new-study"):
        if step == "data":
            data_step()
            chosen = draft()
            _onward(data_line(chosen), None, "preview", ready=chosen.data is not None)
            return
        if found is None:
            return
        st.caption(f"{_TITLES['data']} · {state.literal(data_line(chosen))}")
        if step == "preview":
            preview_step(found)
            _onward(preview_line(found), "data", "model", ready=usable)
            return
        st.caption(f"{_TITLES['preview']} · {state.literal(preview_line(found))}")
        if found.corpus is None:
            return
        if step == "model":
            plan = model_step(found.corpus, chosen)
            _onward("", "preview", "run", ready=plan is not None)
            st.session_state[_PLAN] = (chosen, plan)
            return
        if planned is None:
            return
        st.caption(f"{_TITLES['model']} · {state.literal(planned.line)}")
        run_step(chosen, planned)
        _onward("", "model", None, ready=False)


def planned_for(chosen: Draft) -> Plan | None:
    """What the third step settled for this very data."""
    data, plan = st.session_state.get(_PLAN, (None, None))
    return plan if data == chosen else None


def _steps(step: Step) -> None:
    st.markdown(" → ".join(f"**{_TITLES[each]}**" if each == step else f":gray[{_TITLES[each]}]" for each in STEPS))


def _onward(line: str, back: Step | None, onward: Step | None, *, ready: bool) -> None:
    """What was understood, and the way on, which is closed until the step is done, and back."""
    with st.container(horizontal=True, vertical_alignment="center", key="new-onward"):
        if back is not None:
            st.button("Back", key="new-back", icon=":material/arrow_back:", on_click=go_to, args=(back,))
        if onward is not None:
            st.button(
                "Continue",
                key="new-continue",
                type="primary",
                icon=":material/arrow_forward:",
                disabled=not ready,
                on_click=go_to,
                args=(onward,),
            )
        if line:
            st.caption(state.literal(line), width="content")
