"""The work queue: the listed sentences in groups, how much of each is done, and the way into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.report.patterns import PLANNED
from seer.slices import Filter, Mask, matching_rows
from seer.study import Study
from seer.traces import NO_CLASS, IntArray
from seer.ui import state
from seer.ui.filters import shown_outcome
from seer.ui.frame import View, empty
from seer.ui.machine.mined import Confusion, PatternKey, buggy_in, confusion_of, merged, pattern_name
from seer.ui.notes.notebook import Notebook
from seer.ui.selection import COLLAPSE, PAGE, state_name
from seer.ui.tables import pick_table

GROUPS = {"confusion": "confusion", "state": "state", "pattern": "buggy pattern"}
GROUP, LIST = "group", "list"
"""View options: what the queue groups by, and which list is open."""

_FREED: dict[str, dict[str, None]] = {
    "confusion": {"true": None, "predicted": None},
    "state": {"state": None},
    "pattern": {"pattern": None, "word": None},
}
"""What a group sets in the Selection; a group is counted as if nothing of it was chosen."""


@dataclass(frozen=True)
class Group:
    """Sentences to be worked through together: what to choose in the Selection, how many there are and are checked."""

    name: str
    fields: Mapping[str, Any]
    sentences: int
    checked: int


def queue_panel(view: View, book: Notebook) -> None:
    """The field that groups, and the groups; a click chooses one and opens its sentences."""
    st.segmented_control(
        "Group by",
        list(GROUPS),
        format_func=GROUPS.__getitem__,
        required=True,
        label_visibility="collapsed",
        **state.bound("queue-by", f"view.{GROUP}", empty="confusion", choices=GROUPS),
    )
    by = state.view_option(GROUP, "confusion")
    by = by if by in GROUPS else "confusion"
    groups = find_groups(view, book, by)
    if not groups:
        empty("Nothing here to group. Remove a filter, or group by something else.")
        return
    frame = pd.DataFrame(
        {
            GROUPS[by]: [group.name for group in groups],
            "sentences": [group.sentences for group in groups],
            "checked": [group.checked for group in groups],
            "done": [100 * group.checked / group.sentences for group in groups],
        }
    )
    chosen = {name: getattr(view.selection, name) for name in _FREED[by]}
    ids = [(view.selection.study, by, place) for place in range(len(groups))]
    at = next((place for place, group in enumerate(groups) if dict(group.fields) == chosen), None)
    pick_table(
        frame,
        ids,
        None if at is None else ids[at],
        lambda picked: _choose(_FREED[by] if picked is None else groups[picked[2]].fields, stay=picked is None),
        # What a row stands for is its place: other groups are another table.
        key=f"queue-{[group.name for group in groups]!r}",
        height=min(38 + 35 * len(groups), 600),
        alt=f"{counted(len(groups), 'group')} by {GROUPS[by]} with their sentences and how many are checked.",
        column_config={
            GROUPS[by]: st.column_config.TextColumn(width=220),
            "sentences": st.column_config.NumberColumn(format="localized", width=80),
            "checked": st.column_config.NumberColumn(format="localized", width=70),
            "done": st.column_config.ProgressColumn(format="%d %%", min_value=0, max_value=100, width=110),
        },
    )
    note = {
        "confusion": "A sentence belongs to one confusion.",
        "state": "A sentence belongs to every state that it passes.",
        "pattern": f"The first {PLANNED} patterns that raise the share of errors; a sentence may hold several or none.",
    }[by]
    st.caption(f"{note} A click opens the sentences of a group.")


def find_groups(view: View, book: Notebook, by: str) -> list[Group]:
    """The groups of the listed sentences, the largest first, patterns by rank."""
    free = replace(view, selection=view.selection.change(**_FREED[by]))
    rows, done = free.rows(outcome=shown_outcome(free)), book.columns.checked
    if by == "confusion":
        return _by_confusion(view.study, rows, done[rows])
    if by == "state":
        return _by_state(view.study, rows, done)
    listed = np.zeros(len(done), dtype=bool)
    listed[rows] = True
    groups = []
    for (states, word), found in pattern_rows(free).items():
        inside = found[listed[found]]
        fields = {"pattern": states or None, "word": word}
        groups.append(Group(pattern_name((states, word)), fields, len(inside), int(done[inside].sum())))
    return [group for group in groups if group.sentences]


def pattern_rows(view: View) -> Mapping[PatternKey, IntArray]:
    """The first buggy patterns of the split → positions of the sentences that hold them."""
    words = view.study.words
    raising = [record for record in merged(buggy_in(view), words) if record.lift > 1]
    keys = [(record.states, None if record.word is None else words[record.word]) for record in raising[:PLANNED]]
    return _holding(view.study, view.study.hash, view.split, confusion_of(view), tuple(keys))


@st.cache_resource(max_entries=8, show_spinner="Finding the patterns in the sentences…")
def _holding(
    _study: Study, version: str, split: str | None, confusion: Confusion, keys: tuple[PatternKey, ...]
) -> Mapping[PatternKey, IntArray]:
    held = {}
    for states, word in keys:
        ids = None if word is None else _study.phrase_ids(word)
        held[states, word] = matching_rows(_study, Filter(split, pattern=states or None, words=ids))
    return held


def _by_confusion(study: Study, rows: IntArray, done: Mask) -> list[Group]:
    labels, read = study.corpus.labels[rows].astype(np.int64), study.traces.prediction[rows]
    judged = (labels != NO_CLASS) & (read != NO_CLASS)
    size = len(study.classes)
    pairs = labels[judged] * size + read[judged]
    sentences = np.bincount(pairs, minlength=size * size)
    checked = np.bincount(pairs, weights=done[judged], minlength=size * size)
    groups = []
    for pair in np.argsort(-sentences, kind="stable")[: np.count_nonzero(sentences)]:
        true, predicted = (study.classes[index] for index in divmod(int(pair), size))
        name = f"{true} → {predicted}" if true != predicted else f"{true}, read right"
        fields = {"true": true, "predicted": predicted}
        groups.append(Group(name, fields, int(sentences[pair]), int(checked[pair])))
    return groups


def _by_state(study: Study, rows: IntArray, done: Mask) -> list[Group]:
    traces, listed = study.traces, np.zeros(len(done), dtype=bool)
    listed[rows] = True
    steps = np.flatnonzero(listed[traces.sentence])
    size = study.states + 1
    # Each sentence counts once for each state that it passes.
    pairs = np.unique(traces.sentence[steps].astype(np.int64) * size + np.asarray(traces.state)[steps])
    sentence, passed = np.divmod(pairs, size)
    sentences = np.bincount(passed, minlength=size)
    checked = np.bincount(passed, weights=done[sentence], minlength=size)
    order = np.argsort(-sentences, kind="stable")[: np.count_nonzero(sentences)]
    return [
        Group(state_name(int(number)), {"state": int(number)}, int(sentences[number]), int(checked[number]))
        for number in order
    ]


def _choose(fields: Mapping[str, Any], stay: bool) -> None:
    options: dict[str, str | None] = {PAGE: None}
    if "pattern" in fields:
        options[COLLAPSE] = None  # the patterns are counted with their repeats
    if not stay:
        options |= {LIST: None}
        fields = {**fields, "row": None}
    state.select(state.current().change(**fields).with_view(**options))
