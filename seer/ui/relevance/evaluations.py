"""What the evaluations of the relevance methods share: their fields, the press that runs one, and its kept result."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar, cast

import streamlit as st

from seer.errors import SeerError
from seer.progress import Progress
from seer.relevance.methods import METHODS
from seer.relevance.record import RelevanceOverflowError
from seer.ui import state
from seer.ui.frame import View
from seer.ui.relevance.shared import (
    CONFIGURED,
    chosen_settings,
    overflow_note,
    quick_methods,
    settings_by_method,
    settings_fields,
    settings_line,
    title_of,
    unstable_note,
)
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
        ``None`` until the button was pressed, and where LRP overflowed, which is said.
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
        with place.status("Running…", expanded=True) as box:
            bar = st.progress(0.0, "Starting…")
            overflow = None
            try:
                found = compute(shown_in(bar))
            except RelevanceOverflowError as error:
                overflow = error
            except SeerError:
                box.update(label="Stopped: it cannot be measured like this.", state="error")
                raise
        if overflow is not None:
            place.empty()
            overflow_note(overflow, f"evaluate-{name}")
            return None
        store.put((name, key), found)
        place.empty()
    return cast(T, found)


def settings_button(methods: Sequence[str], name: str) -> None:
    """The button with the settings of the methods, where they have some.

    Args:
        methods: that are measured.
        name: of the evaluation; begins the widgets' keys.
    """
    if CONFIGURED.intersection(methods):
        with st.popover("Settings", icon=":material/tune:"):
            settings_fields(methods, f"evaluate-{name}")


def settings_key(methods: Sequence[str]) -> Hashable:
    """What a result depends on by its methods' settings."""
    return tuple((name, chosen_settings(name)) for name in methods)


def settings_told(methods: Sequence[str], given: Mapping[str, Mapping[str, Any]]) -> None:
    """Say with which settings the methods were measured."""
    told = [
        f"{title_of(name)}: {settings_line(METHODS[name].settings | dict(given.get(name, {})))}"
        for name in methods
        if name in CONFIGURED
    ]
    if told:
        st.caption(f"{'; '.join(told)}.")


def strain_notes(strain: Mapping[str, tuple[float, float]], name: str) -> None:
    """Warn of methods that gave single words many times the logit.

    Args:
        strain: of each method the largest |relevance| of a word, and |logit| of its sentence.
        name: of the evaluation; begins the button's key.
    """
    for method, (size, logit) in strain.items():
        if METHODS[method].signed:
            unstable_note(title_of(method), size, logit, f"evaluate-{name}")


def methods_choice(view: View, name: str, usual: Sequence[str]) -> tuple[str, ...]:
    """A field for the methods to compare, kept in the link as the view option ``name``; in the order of ``METHODS``."""
    present = quick_methods(view.study)
    usual = [method for method in usual if method in present]
    raw = state.view_option(name, ",".join(usual)).split(",")
    chosen = [method for method in present if method in raw]

    def take(picked: Sequence[str]) -> None:
        wanted = [method for method in present if method in picked]
        state.change_view(**{name: None if wanted == usual else ",".join(wanted)})

    tie = state.tied(f"evaluate-{name}", chosen, take)
    st.multiselect("Methods", present, format_func=title_of, placeholder="Choose one or more", **tie)
    return tuple(chosen)


def methods_row(view: View, option: str, usual: Sequence[str], name: str) -> tuple[tuple[str, ...], int | None]:
    """Fields of an evaluation that compares methods: the methods chosen, and at most how many sentences.

    Args:
        view: what is looked at.
        option: view option that keeps the methods in the link.
        usual: methods until a person chooses.
        name: of the evaluation, for the widgets' keys.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        with st.container(width=560):
            methods = methods_choice(view, option, usual)
        most = most_field()
        settings_button(methods, name)
    return methods, most


def told(
    methods: Sequence[str],
    given: Mapping[str, Mapping[str, Any]],
    strain: Mapping[str, tuple[float, float]],
    name: str,
) -> None:
    """Above a result: the settings it was made with, and whether a method was unstable."""
    settings_told(methods, given)
    strain_notes(strain, name)


def measured(
    view: View, name: str, methods: tuple[str, ...], run: Callable[..., Any], takes: str, **settings: Any
) -> Any | None:
    """``result_of`` an evaluation of methods on the measured split, with what stands above its result.

    Args:
        view: of the page.
        name: of the evaluation.
        methods: keys of ``METHODS``.
        run: ``run(study, methods=…, split=…, settings=…, progress=…, **settings)``.
        takes: how long that takes, in words.
        settings: further arguments of ``run``; the result depends on each of them.
    """
    study, split = view.study, measured_split(view)
    by_method = settings_by_method(methods)
    found = result_of(
        name,
        (study.hash, split, methods, settings_key(methods), tuple(sorted(settings.items()))),
        lambda progress: run(study, methods=methods, split=split, settings=by_method, progress=progress, **settings),
        takes,
    )
    if found is not None:
        told(methods, found.settings, found.strain, name)
    return found


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
