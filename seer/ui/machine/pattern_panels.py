"""Beside the graph: the text patterns of the split in tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from seer.mining import BUGGY_KINDS
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.machine.mined import (
    PatternKey,
    buggy_csv,
    buggy_frame,
    buggy_in,
    flips_csv,
    flips_frame,
    in_rows,
    influence,
    influential_csv,
    influential_frame,
    merged,
    standing,
)
from seer.ui.machine.pattern_detail import chosen_key, failing, failure_name
from seer.ui.selection import COLLAPSE
from seer.ui.tables import pick_table

DETAILS, SWAY, BUGGY = "Details", "Influential", "Buggy"
TAB = "patterns"
"""View option: the tab beside the graph."""
INFLUENTIAL = ("three states", "flip words")
PRESETS = ("default", "paper")
PAPER = (
    "It has the 50 state sequences most frequent in wrong sentences, without the 50 most frequent in right ones, as "
    "DeepSeer lists them."
)
_READ = "Behind it, what is read there, before a word the one before it, with counts; wrong sentences first."
_KINDS = {
    "all": BUGGY_KINDS,
    "state sequences": ("states",),
    "state + word": ("state_words",),
    "words": ("words",),
}
_NAMES = {kinds[0]: name for name, kinds in _KINDS.items() if len(kinds) == 1} | {"state_words": "states with a word"}
_HEIGHT, _ROW = 452, 65
"""Pixels of a table at most, and of a row: texts run over three lines."""


def choose_pattern(key: PatternKey | None) -> None:
    """Put a pattern into the Selection as it stands, or take it out."""
    states, word = key or ((), None)
    state.select(state.current().change(pattern=states or None, word=word).with_view(**{COLLAPSE: None}))


def side_tabs() -> Sequence[Any]:
    """The tabs beside the graph: what is chosen in it, and the two kinds of patterns."""
    names = (DETAILS, SWAY, BUGGY)
    return st.tabs(names, **state.bound("side-tab", f"view.{TAB}", empty=DETAILS, choices=names))


def _table(
    view: View, frame: pd.DataFrame, key: str, columns: dict[str, Any], csv: Callable[[], bytes], total: int, alt: str
) -> None:
    pick_table(
        (in_rows(frame) if "such as" in frame else frame).drop(columns="id"),
        frame["id"].tolist(),
        None if view.selection.collapse else chosen_key(view),
        choose_pattern,
        key=key,
        height=min(_HEIGHT, 38 + _ROW * len(frame)),
        row_height=_ROW,
        column_config=columns,
        alt=alt,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"The first {len(frame):,} of {total:,}." if total > len(frame) else f"All {total:,}.")
        st.space("stretch")
        st.download_button(
            f"All {total:,} as CSV",
            csv,
            re.sub(r"[^\w.-]+", "_", f"{view.study.name}-{view.selection.split}-{key}.csv"),
            "text/csv",
            key=f"{key}-csv",
            icon=":material/download:",
            on_click="ignore",
        )


def influential_tab(view: View) -> None:
    """The patterns that sway the prediction; a row lights its path up in the graph and filters every page."""
    found = influence(view.study, view.study.hash, view.split)
    line = st.container()
    what = st.segmented_control(
        "What changes the prediction",
        INFLUENTIAL,
        required=True,
        label_visibility="collapsed",
        **state.bound("patterns-influential", "view.change", empty=INFLUENTIAL[0], choices=INFLUENTIAL),
    )
    if what == INFLUENTIAL[1]:
        line.caption(
            f"Words at which the predicted class changed, in all {view.noun}s of {state.literal(view.split_name)}."
        )
        if not found.words:
            empty(f"No word changes the prediction in these {view.noun}s. Choose other {view.noun}s at the left.")
            return
        columns: dict[str, Any] = {
            "pattern": st.column_config.TextColumn("word", width=96),
            "flips": st.column_config.NumberColumn("times", format="localized", width=54),
            "change": st.column_config.NumberColumn(
                "gain", format="%.2f", width=54, help="By how much the new class gained probability, on average."
            ),
            "changes": st.column_config.TextColumn("from → to", width=170),
        }
        make, alt = partial(flips_csv, view, found.flips), "Words that change the prediction, the commonest first"
        _table(view, flips_frame(view, found.words), "flip-words", columns, make, found.word_total, alt)
        return
    line.caption(
        f"Three steps in a row over which the prediction changes, in the {view.noun}s of "
        f"{state.literal(view.split_name)} that the model gets right."
    )
    if not found.records:
        empty(
            f"No prediction changes in a {view.noun} that is labelled and right. Choose other {view.noun}s at the left."
        )
        return
    _table(
        view,
        influential_frame(view, found.records),
        "influential",
        {
            "pattern": st.column_config.TextColumn(width=142, help=_READ),
            "change": st.column_config.TextColumn(
                width=86,
                help="The commonest: the predicted class at the first step and at the last. “pos → … → pos” changes "
                "between them and comes back. “Others” are the times of all other changes.",
            ),
            "sentences": st.column_config.NumberColumn(
                "sent.", format="localized", width=48, help="Sentences that hold it."
            ),
            "times": st.column_config.NumberColumn(format="localized", width=50),
        },
        partial(influential_csv, view, found.patterns),
        len(found.patterns),
        f"Influential patterns: {len(found.records)} shown of {len(found.patterns):,}",
    )


def buggy_tab(view: View) -> None:
    """The patterns that go with failure, likewise."""
    line = st.container()  # above the controls: the tools of a table lie over what stands right above it
    kind = st.segmented_control(
        "Kind",
        list(_KINDS),
        format_func=lambda name: {"state sequences": "states"}.get(name, name),
        required=True,
        disabled=state.view_option("preset", PRESETS[0]) == PRESETS[1],
        label_visibility="collapsed",
        **state.bound("patterns-kind", "view.kind", empty="all", choices=list(_KINDS)),
    )
    preset = st.segmented_control(
        "Ranking",
        PRESETS,
        format_func={"default": "by q, then lift", "paper": "the paper's list"}.__getitem__,
        required=True,
        label_visibility="collapsed",
        **state.bound("patterns-preset", "view.preset", empty=PRESETS[0], choices=PRESETS),
    )
    paper = preset == PRESETS[1]
    found = buggy_in(view, ("states",) if paper else _KINDS[kind or "all"], preset or PRESETS[0])
    first = found[0][0]
    wrong, looked_at = first.failed_total, first.failed_total + first.correct_total
    if not wrong:
        why = f"is {failing(view)}" if looked_at else "has a label and a word"
        empty(f"No {view.noun} of {view.split_name} {why}, so nothing goes with failure. Choose other {view.noun}s.")
        return
    listed = f" {PAPER}" if paper else ""
    line.caption(
        state.literal(
            f"{failure_name(view)}: {wrong:,} of {looked_at:,} {view.noun}s. {standing(found, _name)}{listed}"
        )
    )
    total = sum(len(patterns) for patterns, _ in found)
    records = merged(found, view.study.words)
    if not records:
        empty(f"No pattern is held by enough {view.noun}s to be counted.")
        return
    q = st.column_config.NumberColumn(
        format="%.2g",
        width=72,
        help="Share of false finds among the patterns of its kind up to this one (Benjamini, Hochberg). “Where to look "
        "first” on the overview tests other places together, so its q of the same state differs.",
    )
    _table(
        view,
        buggy_frame(view, records),
        "buggy-paper" if paper else f"buggy-{(kind or 'all').replace(' ', '')}",
        {
            "pattern": st.column_config.TextColumn(width=136, help=_READ),
            "wrong": st.column_config.TextColumn(
                width=70, help="Wrong sentences, of all that hold it. ✕: no right sentence holds it."
            ),
            "rate": None,
            "lift": st.column_config.NumberColumn(
                format="%.1f×", width=48, help="Share of wrong ones, over that of all sentences."
            ),
            "q": None if paper else q,
            "p": st.column_config.NumberColumn(format="%.2g", width=72, help="Fisher's exact test.") if paper else None,
        },
        partial(buggy_csv, view, found),
        total,
        f"Buggy patterns: {len(records)} shown of {total:,}",
    )


def _name(kind: str) -> str:
    return _NAMES[kind]
