"""Below the graph: the text patterns of the split in tables, and the chosen one beside them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from seer.mining import BUGGY_KINDS
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.mined import (
    PatternKey,
    buggy_csv,
    buggy_frame,
    buggy_in,
    flips_csv,
    flips_frame,
    influence,
    influential_csv,
    influential_frame,
    merged,
    standing,
)
from seer.ui.pattern_detail import chosen_key, chosen_panel, failing, failure_name, search_fields
from seer.ui.selection import COLLAPSE
from seer.ui.tables import pick_table

TABS = ("Influential", "Buggy")
INFLUENTIAL = ("three states", "flip words")
PRESETS = ("default", "paper")
_KINDS = {
    "all": BUGGY_KINDS,
    "state sequences": ("states",),
    "state + word": ("state_words",),
    "words": ("words",),
}
_NAMES = {kinds[0]: name for name, kinds in _KINDS.items() if len(kinds) == 1} | {"state_words": "states with a word"}
_HEIGHT = 400


def choose_pattern(key: PatternKey | None) -> None:
    """Put a pattern into the Selection as it stands, or take it out."""
    states, word = key or ((), None)
    state.select(state.current().change(pattern=states or None, word=word).with_view(**{COLLAPSE: None}))


def patterns_section(view: View) -> None:
    """The tables of patterns at the left, the chosen one at the right."""
    st.subheader(
        "Text patterns",
        help="Choose a row: its path lights up in the graph, and only sentences that hold it pass, here and on every "
        "page. Choose it once more to let it go.",
    )
    search_fields(view)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        first, second = st.tabs(TABS, **state.bound("patterns-tab", "view.patterns", empty=TABS[0], choices=TABS))
        if first.open:
            with first:
                _influential(view)
        if second.open:
            with second:
                _buggy(view)
    with right:
        chosen_panel(view)


def _table(
    view: View, frame: pd.DataFrame, key: str, columns: dict[str, Any], csv: Callable[[], bytes], total: int, alt: str
) -> None:
    pick_table(
        frame.drop(columns="id"),
        frame["id"].tolist(),
        None if view.selection.collapse else chosen_key(view),
        choose_pattern,
        key=key,
        height=min(_HEIGHT, 38 + 35 * len(frame)),
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


def _influential(view: View) -> None:
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
            f"Words at which the predicted class changed, in all sentences of {state.literal(view.split_name)}."
        )
        if not found.words:
            empty("No word changes the prediction in these sentences. Choose other sentences at the left.")
            return
        columns: dict[str, Any] = {
            "pattern": st.column_config.TextColumn("word", width=110),
            "flips": st.column_config.NumberColumn("changes", format="localized", width=80),
            "change": st.column_config.NumberColumn(
                "mean gain", format="%.2f", width=90, help="By how much the new class gained probability at the word."
            ),
            "changes": st.column_config.TextColumn("from → to", width="medium"),
        }
        make, alt = partial(flips_csv, view, found.flips), "Words that change the prediction, the commonest first"
        _table(view, flips_frame(view, found.words), "flip-words", columns, make, found.word_total, alt)
        return
    line.caption(
        "Three steps in a row over which the prediction changes, in the sentences of "
        f"{state.literal(view.split_name)} that the model gets right."
    )
    if not found.records:
        empty("No prediction changes in a sentence that is labelled and right. Choose other sentences at the left.")
        return
    _table(
        view,
        influential_frame(view, found.records),
        "influential",
        {
            "pattern": st.column_config.TextColumn(width=130),
            "change": st.column_config.TextColumn(
                "commonest change", width=120, help="The predicted class at the first step and at the last."
            ),
            "sentences": st.column_config.NumberColumn(format="localized", width=75),
            "times": st.column_config.NumberColumn(format="localized", width=55),
            "such as": st.column_config.TextColumn(width="medium", help="The words read there, with counts."),
        },
        partial(influential_csv, view, found.patterns),
        len(found.patterns),
        f"Influential patterns: {len(found.records)} shown of {len(found.patterns):,}",
    )


def _buggy(view: View) -> None:
    line = st.container()  # above the controls: the tools of a table lie over what stands right above it
    with st.container(horizontal=True, gap="medium"):
        preset = st.segmented_control(
            "Ranking",
            PRESETS,
            required=True,
            help="Default: by q, then lift. Paper: DeepSeer's list, the 50 state sequences most frequent in wrong "
            "sentences without the 50 most frequent in right ones.",
            **state.bound("patterns-preset", "view.preset", empty=PRESETS[0], choices=PRESETS),
        )
        kind = st.segmented_control(
            "Kind",
            list(_KINDS),
            required=True,
            disabled=preset == PRESETS[1],
            **state.bound("patterns-kind", "view.kind", empty="all", choices=list(_KINDS)),
        )
    paper = preset == PRESETS[1]
    found = buggy_in(view, ("states",) if paper else _KINDS[kind or "all"], preset or PRESETS[0])
    first = found[0][0]
    wrong, looked_at = first.failed_total, first.failed_total + first.correct_total
    if not wrong:
        why = f"is {failing(view)}" if looked_at else "has a label and a word"
        empty(f"No sentence of {view.split_name} {why}, so nothing goes with failure. Choose other sentences.")
        return
    line.caption(state.literal(f"{failure_name(view)}: {wrong:,} of {looked_at:,} sentences. {standing(found, _name)}"))
    total = sum(len(patterns) for patterns, _ in found)
    records = merged(found)
    if not records:
        empty("No pattern is held by enough sentences to be counted.")
        return
    q = st.column_config.NumberColumn(
        format="%.2g", width=84, help="Share of false finds among the patterns up to this one (Benjamini, Hochberg)."
    )
    _table(
        view,
        buggy_frame(view, records),
        "buggy-paper" if paper else f"buggy-{(kind or 'all').replace(' ', '')}",
        {
            "pattern": st.column_config.TextColumn(width=130),
            "wrong": st.column_config.TextColumn(
                width=92, help="Wrong sentences, of all that hold it. ✕: no right sentence holds it."
            ),
            "rate": st.column_config.NumberColumn(format="%.0f%%", width=50, help="Share of wrong ones."),
            "lift": st.column_config.NumberColumn(format="%.1f×", width=50, help="Over the share in all sentences."),
            "q": None if paper else q,
            "p": st.column_config.NumberColumn(format="%.2g", width=84, help="Fisher's exact test.") if paper else None,
            "such as": st.column_config.TextColumn(width="medium", help="Words read there; wrong sentences first."),
        },
        partial(buggy_csv, view, found),
        total,
        f"Buggy patterns: {len(records)} shown of {total:,}",
    )


def _name(kind: str) -> str:
    return _NAMES[kind]
