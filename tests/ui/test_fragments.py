"""A part of a page that runs again by itself says its own errors and leaves the rest standing."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest


def app() -> None:
    import streamlit as st

    from seer.errors import JobError
    from seer.ui.frame import fragment, guarded

    def mendable(name: str) -> None:
        raise JobError(f"The records of {name} are damaged.")

    def broken() -> None:
        raise KeyError("/srv/secret")

    def leaving() -> None:
        if "left" not in st.session_state:
            st.session_state["left"] = True
            st.rerun()

    with guarded():
        fragment(mendable, run_every=1.0)("jobs")
        fragment(broken)()
        fragment(broken)()
        fragment(leaving)()
        st.write("the rest")


def test_errors_are_said_in_place(caplog: pytest.LogCaptureFixture) -> None:
    test = AppTest.from_function(app).run()
    assert not test.exception
    first, *others = [error.value for error in test.error]
    assert first.replace("\\", "") == "The records of jobs are damaged."
    assert [other[:24] for other in others] == ["Something went wrong her"] * 2
    assert test.markdown[-1].value == "the rest"
    assert test.session_state["left"]
    assert "/srv/secret" in caplog.text


def test_all_fragments_are_made_in_one_place(root: Path) -> None:
    files = [*(root / "seer").rglob("*.py"), *(root / "pages").glob("*.py"), root / "app.py"]
    assert [path.name for path in files if "st.fragment" in path.read_text(encoding="utf-8")] == ["frame.py"]


def test_no_clock_chooses_for_a_person(root: Path) -> None:
    takers = [
        (path.name, taker)
        for path in [*(root / "seer").rglob("*.py"), *(root / "pages").glob("*.py")]
        for taker in re.findall(r"\bon_change\"?(?:=|: )([\w.]+)", path.read_text(encoding="utf-8"))
    ]
    assert len(takers) > 5
    assert [taker for taker in takers if taker[1].removeprefix("state.") != "by_hand"] == []
