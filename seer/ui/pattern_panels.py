"""Below the graph: the text patterns of the split, a search by path and words, and the chosen pattern in full."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.mining import BUGGY_KINDS
from seer.patterns.search import Matches, find_places
from seer.patterns.windows import PhraseCount, count_by_group, judged
from seer.rates import ratio
from seer.traces import START
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.mined import (
    SHOWN,
    PatternKey,
    buggy_csv,
    buggy_frame,
    buggy_in,
    confusion_of,
    flips_csv,
    flips_frame,
    influential,
    influential_csv,
    influential_frame,
    merged,
    pattern_name,
    standing,
)
from seer.ui.panels import percent
from seer.ui.selection import COLLAPSE, state_name
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
_PATH = re.compile(r"\s*[sS]?[0-9]{1,6}(?:[\s,>→–-]+[sS]?[0-9]{1,6})*\s*")
_HEIGHT = 400
_LONGEST = 12
"""Words of a phrase that is counted, where repeats of a state count as one."""


def chosen_key(view: View) -> PatternKey | None:
    """The chosen pattern as a row of a table has it, ``None`` when there is none."""
    chosen = view.selection
    return (chosen.pattern or (), chosen.word) if chosen.pattern or chosen.word is not None else None


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
    _search(view)
    left, right = st.columns([5, 3], gap="medium")
    with left:
        first, second = st.tabs(TABS, **state.bound("patterns-tab", "view.patterns", empty=TABS[0], choices=TABS))
        if first.open:
            with first:
                _influential(view)
        if second.open:
            with second:
                _buggy(view)
    with right:
        _chosen(view)


def _search(view: View) -> None:
    chosen = view.selection
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _field(
            "Find a path",
            "patterns-path",
            " ".join(map(str, chosen.pattern or ())),
            partial(_read_path, view),
            "e.g. 3 7 7",
            "States in a row, as numbers.",
        )
        _field(
            "Find words in a row",
            "patterns-words",
            chosen.word or "",
            partial(_read_words, view),
            "e.g. not the",
            "Whole words. With a path, the last word must be read at the end of the path.",
        )
        with st.container(width="content"):
            st.toggle(
                "Repeats as one",
                help="A state that repeats counts as one: 3 7 is also found in 3 3 7 7 7.",
                **state.bound("patterns-collapse", f"view.{COLLAPSE}", empty=False),
            )
    for key in ("patterns-path", "patterns-words"):
        fault = st.session_state.get(f"{key}-fault")
        if fault is not None:
            st.caption(f":red[✕ {state.literal(fault[1])}]")


def _field(
    label: str, key: str, value: str, read: Callable[[str], dict[str, Any] | str], example: str, guide: str
) -> None:
    """A text field that shows the Selection; what cannot be read stays in it with a sentence until that changes."""
    fault = st.session_state.get(f"{key}-fault")
    if fault is not None and fault[2] != value:
        fault = st.session_state[f"{key}-fault"] = None
    shown = value if fault is None else fault[0]
    if st.session_state.get(key) != shown:
        st.session_state[key] = shown

    def take() -> None:
        text = st.session_state[key]
        answer = read(text)
        st.session_state[f"{key}-fault"] = (text, answer, value) if isinstance(answer, str) else None
        if not isinstance(answer, str):
            state.change(**answer)

    st.text_input(label, key=key, placeholder=example, help=guide, on_change=take, width=260)


def _read_path(view: View, text: str) -> dict[str, Any] | str:
    if not text.strip():
        return {"pattern": None}
    if not _PATH.fullmatch(text):
        return "A path is numbers of states with blanks between, such as 3 7 7."
    path = tuple(map(int, re.findall(r"[0-9]+", text)))
    odd = next((number for number in path if not START < number <= view.study.states), None)
    if odd is not None:
        return f"There is no state {odd}: this study has the states 1 to {view.study.states}."
    return {"pattern": path}


def _read_words(view: View, text: str) -> dict[str, Any] | str:
    if not text.strip():
        return {"word": None}
    # As a table writes them, so that “(unknown)” can be typed too; else as the model reads a text.
    exact = " ".join(text.split())
    phrase = exact if view.study.phrase_ids(exact) is not None else view.study.as_phrase(text)
    unknown = view.study.words[1]
    if not phrase or (unknown in phrase.split(" ") and phrase != exact):
        return f"The model does not know every word of “{exact}”. Use the text search of the triage page."
    return {"word": phrase}


def _table(
    view: View, frame: pd.DataFrame, key: str, columns: dict[str, Any], csv: Callable[[], bytes], total: int, alt: str
) -> None:
    pick_table(
        frame,
        frame["id"].tolist(),
        None if view.selection.collapse else chosen_key(view),
        choose_pattern,
        key=key,
        height=min(_HEIGHT, 38 + 35 * len(frame)),
        column_config={"id": None, **columns},
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
    patterns, records, words = influential(view.study, view.study.hash, view.split)
    what = st.segmented_control(
        "What changes the prediction",
        INFLUENTIAL,
        required=True,
        label_visibility="collapsed",
        **state.bound("patterns-influential", "view.change", empty=INFLUENTIAL[0], choices=INFLUENTIAL),
    )
    if what == INFLUENTIAL[1]:
        st.caption(f"Words at which the predicted class changed, in all sentences of {state.literal(view.split_name)}.")
        if not words:
            empty("No word changes the prediction in these sentences. Choose other sentences at the left.")
            return
        total = len(influential(view.study, view.study.hash, view.split)[2])
        columns: dict[str, Any] = {
            "pattern": st.column_config.TextColumn("word", width=110),
            "flips": st.column_config.NumberColumn("changes", format="localized", width=80),
            "change": st.column_config.NumberColumn(
                "mean gain", format="%.2f", width=90, help="By how much the new class gained probability at the word."
            ),
            "changes": st.column_config.TextColumn("from → to", width="medium"),
        }
        make = partial(flips_csv, view)
        _table(view, flips_frame(view, words), "flip-words", columns, make, total, "Words that change the prediction")
        return
    st.caption(
        "Three steps in a row over which the prediction changes, in the sentences of "
        f"{state.literal(view.split_name)} that the model gets right."
    )
    if not records:
        empty("No prediction changes in a sentence that is labelled and right. Choose other sentences at the left.")
        return
    _table(
        view,
        influential_frame(view, records),
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
        partial(influential_csv, view, patterns),
        len(patterns),
        f"Influential patterns: {len(records)} shown of {len(patterns):,}",
    )


def _buggy(view: View) -> None:
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
        label = "wrong" if looked_at else "labelled"
        empty(f"No sentence of {view.split_name} is {label} this way, so nothing goes with failure. Choose others.")
        return
    st.caption(state.literal(f"{_failure(view)}: {wrong:,} of {looked_at:,} sentences. {standing(found, _name)}"))
    total = sum(len(patterns) for patterns, _ in found)
    records = merged(found)
    if not records:
        empty("No pattern is held by enough sentences to be counted.")
        return
    q = st.column_config.NumberColumn(
        format="%.2g", width=62, help="Share of false finds among the patterns up to this one (Benjamini, Hochberg)."
    )
    _table(
        view,
        buggy_frame(view, records),
        "buggy-paper" if paper else f"buggy-{(kind or 'all').replace(' ', '')}",
        {
            "pattern": st.column_config.TextColumn(width=130),
            "wrong": st.column_config.TextColumn("wrong", width=88, help="Wrong sentences, of all that hold it."),
            "rate": st.column_config.NumberColumn(format="percent", width=58, help="Share of wrong ones."),
            "lift": st.column_config.NumberColumn(format="%.1f×", width=50, help="Over the share in all sentences."),
            "q": None if paper else q,
            "p": st.column_config.NumberColumn(format="%.2g", width=62, help="Fisher's exact test.") if paper else None,
            "only": st.column_config.TextColumn("", width=82, help="No right sentence holds it."),
            "such as": st.column_config.TextColumn(width="medium", help="Words read there; wrong sentences first."),
        },
        partial(buggy_csv, view, found),
        total,
        f"Buggy patterns: {len(records)} shown of {total:,}",
    )


def _name(kind: str) -> str:
    return _NAMES[kind]


def _failure(view: View) -> str:
    confusion, classes = confusion_of(view), view.study.classes
    return "Wrong" if confusion is None else f"{classes[confusion[0]]} read as {classes[confusion[1]]}"


def _chosen(view: View) -> None:
    key = chosen_key(view)
    if key is None:
        st.space("small")
        empty("Choose a pattern in the table, or search for one: its words and sentences stand here.", ":material/ads_click:")
        return
    traces, chosen = view.traces, view.selection
    places = find_places(traces, chosen.pattern, view.words, chosen.collapse)
    st.markdown(f"#### {state.literal(pattern_name(key))}")
    if not len(places):
        empty(f"No sentence of {view.split_name} holds it{_hint(view)}.")
        return
    labels = view.study.corpus.labels[view.study.rows(view.split)]
    failed, correct = judged(traces, labels, confusion_of(view))
    st.caption(state.literal(_counts(view, places, failed, correct)))
    columns = {
        "times": st.column_config.NumberColumn(format="localized", width=70),
        "wrong": st.column_config.NumberColumn(format="localized", width=70, help=f"Of these in: {_failure(view)}."),
    }
    if chosen.pattern is None:
        first = traces.offsets[places.sentence] + places.end - 1
        counts = count_by_group(
            np.zeros(len(places), int), 1, [np.asarray(traces.state)[first]], failed[places.sentence]
        )[0]
        table = pd.DataFrame({"read into": [state_name(count.words[0]) for count in counts]})
    else:
        counts = phrases_at(view, places, failed)
        texts = [" ".join(view.study.words[word] for word in count.words) for count in counts]
        table = pd.DataFrame({"words read there": texts})
    table["times"], table["wrong"] = [c.occurrences for c in counts], [c.failed for c in counts]
    st.dataframe(
        table,
        hide_index=True,
        height=min(_HEIGHT, 38 + 35 * max(len(table), 1)),
        column_config=columns,
        key="patterns-phrases",
        alt=f"What is read at {pattern_name(key)}, with counts",
    )
    if chosen.collapse:
        st.caption(f"Phrases of up to {_LONGEST} words.")
    passing = len(view.rows())
    st.page_link(
        "pages/triage.py",
        label=f"{counted(passing, 'sentence')} in triage",
        icon=":material/troubleshoot:",
        query_params=state.link_query(),
    )


def _hint(view: View) -> str:
    return "" if view.selection.collapse else "; turn on “Repeats as one” to look through repeated states"


def _counts(view: View, places: Matches, failed: Any, correct: Any) -> str:
    """How often the pattern stands in the split, and how often its sentences are wrong."""
    holding = places.sentences
    line = f"{counted(len(places), 'time')} in {counted(len(holding), 'sentence')} of {view.split_name}."
    n_f, n_c = int(failed[holding].sum()), int(correct[holding].sum())
    if not n_f + n_c:
        return line
    base, rate = ratio(failed.sum(), failed.sum() + correct.sum()), n_f / (n_f + n_c)
    lift = f", {rate / base:.1f}× the {percent(float(base))} of all" if base else ""
    return f"{line} {_failure(view)}: {n_f:,} of {n_f + n_c:,}, {percent(rate)}{lift}."


def phrases_at(view: View, places: Matches, failed: Any, top: int = SHOWN) -> list[PhraseCount]:
    """The words read at some places of up to ``_LONGEST`` words, those of wrong sentences first.

    Args:
        view: of the page; the places are in its split.
        places: of one pattern.
        failed: (n,) which sentences count as wrong.
        top: how many phrases at most.
    """
    traces, token = view.traces, np.asarray(view.traces.token)
    step, length = traces.offsets[places.sentence] + places.begin, places.end - places.begin
    phrases: list[PhraseCount] = []
    for words in np.unique(length[length <= _LONGEST]).tolist():
        alike = step[length == words]
        read = [token[alike + place] for place in range(words)]
        wrong = failed[places.sentence[length == words]]
        phrases += count_by_group(np.zeros(len(alike), int), 1, read, wrong, top)[0]
    return sorted(phrases, key=lambda phrase: (-phrase.failed, -phrase.occurrences, phrase.words))[:top]


def chosen_place(view: View) -> str | None:
    """All that is chosen of states, transition, pattern and words, in words; ``None`` when nothing is."""
    chosen, parts = view.selection, list[str]()
    if chosen.transition is not None:
        parts.append(pattern_name((chosen.transition, None)))
    elif chosen.state is not None:
        parts.append(state_name(chosen.state))
    key = chosen_key(view)
    if key is not None:
        parts.append(pattern_name(key))
    return " and ".join(dict.fromkeys(parts)) or None


