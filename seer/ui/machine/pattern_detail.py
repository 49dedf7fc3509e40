"""The chosen pattern in full, and the fields that search for one."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.patterns.search import Matches, find_places
from seer.patterns.windows import Mask, PhraseCount, count_by_group, judged
from seer.traces import START
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.machine.mined import SHOWN, PatternKey, confusion_of, pattern_name
from seer.ui.panels import percent
from seer.ui.selection import COLLAPSE, state_name

_PATH = re.compile(r"\s*[sS]?[0-9]{1,6}(?:[\s,>→–-]+[sS]?[0-9]{1,6})*\s*")
_HEIGHT = 400
_LONGEST = 12
"""Words of a phrase that is counted, where repeats of a state count as one."""


def chosen_key(view: View) -> PatternKey | None:
    """The chosen pattern as a row of a table has it, ``None`` when there is none."""
    chosen = view.selection
    return (chosen.pattern or (), chosen.word) if chosen.pattern or chosen.word is not None else None


def search_fields(view: View) -> None:
    """Fields that find a path through the states and words in a row; they show what is chosen."""
    chosen = view.selection
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _field(
            "Find a path",
            "patterns-path",
            "pattern",
            " ".join(map(str, chosen.pattern or ())),
            partial(_read_path, view),
            "e.g. 3 7 7",
            "States in a row, as numbers.",
        )
        _field(
            "Find words in a row",
            "patterns-words",
            "word",
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
            st.caption(f":red[✕ {state.literal(fault[1])}] Nothing was searched for.")


def _field(
    label: str, key: str, field: str, value: str, read: Callable[[str], dict[str, Any] | str], example: str, guide: str
) -> None:
    """A text field that shows the Selection; what cannot be read stays in it with a sentence until that changes."""
    fault = st.session_state.get(f"{key}-fault")
    if fault is not None and fault[2] != value:
        fault = st.session_state[f"{key}-fault"] = None
    shown = value if fault is None else fault[0]

    def take(text: str) -> None:
        answer = read(text)
        failed = isinstance(answer, str)
        st.session_state[f"{key}-fault"] = (text, answer, "") if failed else None
        # What was found before is no answer to this: it goes.
        state.change(**({field: None} if isinstance(answer, str) else answer))

    st.text_input(label, placeholder=example, help=guide, width=174, **state.tied(key, shown, take))


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


def failure_name(view: View) -> str:
    """What counts as failure, in words: ``Wrong``, or the chosen confusion."""
    confusion, classes = confusion_of(view), view.study.classes
    return "Wrong" if confusion is None else f"{classes[confusion[0]]} read as {classes[confusion[1]]}"


def chosen_panel(view: View) -> None:
    """The chosen pattern in full: how often it stands where, and what is read there; nothing without one."""
    key = chosen_key(view)
    if key is None:
        return
    traces, chosen = view.traces, view.selection
    places = find_places(traces, chosen.pattern, view.words, chosen.collapse)
    st.subheader(state.literal(pattern_name(key)))
    if not len(places):
        empty(f"No {view.noun} of {view.split_name} holds it{_hint(view)}.")
        return
    labels = view.study.corpus.labels[view.study.rows(view.split)]
    failed, correct = judged(traces, labels, confusion_of(view))
    st.caption(state.literal(_counts(view, places, failed, correct)))
    st.space("small")  # for the tools of the table
    columns = {
        "times": st.column_config.NumberColumn(format="localized", width=70),
        "wrong": st.column_config.NumberColumn(
            format="localized", width=70, help=f"Of these in a {view.noun} that is " + state.literal(failing(view))
        ),
    }
    if chosen.pattern is None:
        first = traces.offsets[places.sentence] + places.end - 1
        counts = count_by_group(
            np.zeros(len(places), int), 1, [np.asarray(traces.state)[first]], failed[places.sentence]
        )[0]
        table = pd.DataFrame({"read into": [state_name(count.words[0]) for count in counts]})
    else:
        # Of a word that is chosen the word before it says more.
        lead = int(chosen.word is not None)
        wider = Matches(places.sentence, np.maximum(places.begin - lead, 0), places.end)
        counts = phrases_at(view, wider, failed)
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


def _hint(view: View) -> str:
    return "" if view.selection.collapse else "; turn on “Repeats as one” to look through repeated states"


def _counts(view: View, places: Matches, failed: Mask, correct: Mask) -> str:
    """How often the pattern stands in the split, and how often its sentences are wrong."""
    holding = places.sentences
    line = f"{counted(len(places), 'time')} in {counted(len(holding), view.noun)} of {view.split_name}."
    n_f, n_c = int(failed[holding].sum()), int(correct[holding].sum())
    if not n_f + n_c:
        return line
    base, rate = float(failed.sum() / (failed | correct).sum()), n_f / (n_f + n_c)
    lift = f", {rate / base:.1f}× the {percent(base)} of all" if base else ""
    return f"{line} {failure_name(view)}: {n_f:,} of {n_f + n_c:,}, {percent(rate)}{lift}."


def failing(view: View) -> str:
    """The same within a sentence."""
    return "wrong" if confusion_of(view) is None else failure_name(view)


def phrases_at(view: View, places: Matches, failed: Mask, top: int = SHOWN) -> list[PhraseCount]:
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
