"""What a clock asks for chooses nothing: a fragment that runs by itself reports what its page's widgets held before."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest

from tests.browser.conftest import running_app

APP = """
import time

import streamlit as st

from seer.ui import state

st.title("Clock")
kept = state.view_option("kept", "all")
taken = st.session_state.setdefault("taken", [])


def take(chosen):
    taken.append(chosen)
    state.change_view(kept=chosen)


st.fragment(lambda: st.caption("taken: " + " ".join(taken) + "."), run_every=0.2)()
st.button("Choose", on_click=lambda: state.change_view(kept="wrong", step="0"))
time.sleep(1)  # the clock asks meanwhile, before the browser hears of the new values
st.selectbox("Kept", ["all", "wrong", "right"], **state.tied("kept", kept, take))
st.toggle("Step", **state.bound("step", "view.step", empty=True))
st.caption(f"looks at {kept}")
"""


@pytest.mark.browser
def test_a_fragments_clock_chooses_nothing(page: Any, tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(APP, encoding="utf-8")

    def query() -> dict[str, list[str]]:
        return parse_qs(urlparse(page.url).query)

    with running_app(tmp_path, tmp_path, str(script)) as app:
        page.goto(app.url)
        page.get_by_text("looks at all").wait_for(timeout=60_000)
        page.get_by_role("button", name="Choose").click()
        page.get_by_text("looks at wrong").wait_for()
        page.wait_for_timeout(1000)  # several ticks
        page.get_by_text("taken: .").wait_for()
        assert (query()["v.kept"], query()["v.step"]) == (["wrong"], ["0"])
        page.get_by_role("combobox", name="Kept").click()
        page.get_by_role("option", name="right").click()
        page.get_by_text("looks at right").wait_for()
        page.get_by_text("taken: right.").wait_for()
        assert (query()["v.kept"], query()["v.step"]) == (["right"], ["0"])
        assert page.console_errors == []
