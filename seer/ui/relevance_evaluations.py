"""What the evaluations of the relevance methods share: their fields, the press that runs one, and its kept result."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, cast

import streamlit as st

from seer.progress import Progress
from seer.ui import state
from seer.ui.frame import View
from seer.ui.relevance import quick_methods, title_of
from seer.ui.results import results, shown_in

T = TypeVar("T")

MOST = {200: "200", 500: "500", 1000: "1,000", 0: "all"}
"""Sentences at most; 0 for all."""


def result_of(name: str, key: Hashable, compute: Callable[[Progress], T], takes: str) -> T | None:
    """The kept result; else a button that computes it, with its progress.

    Args:
        name: of the evaluation; begins the widgets' keys.
        key: what the result depends on.
        compute: makes it, and tells how far it is.
        takes: how long that takes, in words.

    Returns:
        ``None`` until the button was pressed.
    """
    store = results()
    found = store.get((name, key))
    place = st.empty()
    if found is None:
        with place.container(horizontal=True, vertical_alignment="center"):
            pressed = st.button("Run", key=f"evaluate-{name}", icon=":material/play_arrow:", type="primary")
            st.caption(takes)
        if not pressed:
            return None
        with place.status("Running…", expanded=True):
            bar = st.progress(0.0, "Starting…")
            found = compute(shown_in(bar))
        store.put((name, key), found)
        place.empty()
    return cast(T, found)


def methods_choice(view: View, name: str, usual: Sequence[str]) -> tuple[str, ...]:
    """A field for the methods to compare, kept in the link as the view option ``name``; in the order of ``METHODS``."""
    present = quick_methods(view.study)
    usual = [method for method in usual if method in present]
    raw = state.view_option(name, ",".join(usual)).split(",")
    chosen = [method for method in present if method in raw]
    key = f"evaluate-{name}"
    if st.session_state.get(key) != chosen:
        st.session_state[key] = chosen

    def take() -> None:
        wanted = [method for method in present if method in st.session_state[key]]
        state.change_view(**{name: None if wanted == usual else ",".join(wanted)})

    st.multiselect("Methods", present, format_func=title_of, key=key, on_change=take, placeholder="Choose one or more")
    return tuple(chosen)


def choice(label: str, name: str, usual: Any, choices: Any, width: int = 150, **options: Any) -> Any:
    """A select box for a view option of the evaluations, and its value."""
    st.selectbox(
        label,
        choices,
        width=width,
        **options,
        **state.bound(f"evaluate-{name}", f"view.{name}", empty=usual, choices=choices),
    )
    value = state.view_option(name, usual)
    return value if value in choices else usual


def most_field() -> int | None:
    """The field for the number of sentences, and its value; ``None`` for all."""
    most = choice("At most", "evalmost", 500, tuple(MOST), format_func=lambda most: f"{MOST[most]} sentences")
    return most or None


def measured_split(view: View) -> str:
    """The split that is measured: that of the view, the usual one where all are chosen."""
    return view.split or view.study.usual_split


def split_line(view: View) -> str:
    """Which sentences are measured, in words."""
    return f"Sentences of the {state.literal(measured_split(view))} split; other filters do not count here."
