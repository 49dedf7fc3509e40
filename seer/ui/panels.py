"""Panels that several pages share: a state, a transition, sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.sentence import sentence_html
from seer.patterns.words import WordCount, top_words, transition_phrases
from seer.slices import Place
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.marks import chosen_steps
from seer.ui.selection import path_name, state_name

TRACE_PAGE = "pages/trace.py"


def percent(share: float | None, digits: int = 0) -> str:
    """A share as per cent, a dash where there is none."""
    return "–" if share is None or np.isnan(share) else f"{share:.{digits}%}"


def words_of(view: View, number: int, by: str = "distinctive", top: int = 5, *, plain: bool = False) -> list[str]:
    """The words most typical of a state in the view's split; ``plain`` keeps stop words and punctuation."""
    exclude = frozenset() if plain else view.study.stop_words
    found = top_words(view.study.word_counts(view.split), number, by=by, top=top, exclude=exclude)
    return [view.study.tokenizer.words[word.word] for word in found]


def place_words(view: View, place: Place) -> str:
    """The text behind a place: typical words of a state, or the phrases of a transition."""
    if place.transition is None:
        return ", ".join(words_of(view, int(place.state or 0)))
    vocabulary = view.study.tokenizer.words
    phrases = transition_phrases(view.traces, *place.transition, top=3)
    return ", ".join(f"{vocabulary[phrase.before or 0]} {vocabulary[phrase.after]}" for phrase in phrases)


def error_sentence(view: View, number: int) -> str:
    """How often sentences through a state are wrong, against the whole, in a sentence."""
    machine = view.machine
    if not machine.labelled[number]:
        return f"No labelled sentence of {view.split_name} passes it."
    low, high = machine.interval[number]
    return (
        f"{percent(machine.error_rate[number])} of the {machine.labelled[number]:,} labelled sentences through it are "
        f"wrong (95 %: {low:.0%}–{high:.0%}); {percent(machine.base_error_rate)} of all are: "
        f"lift {machine.lift[number]:.2f}."
    )


def state_words_panel(view: View, number: int, key: str, top: int = 12) -> None:
    """Words read into a state, by count or by distinctiveness."""
    by = st.segmented_control(
        "Words read into it",
        ["distinctive", "count"],
        required=True,
        help="Distinctive: more often here than chance allows, against all other states (log-odds z-score).",
        **state.bound(f"{key}-by", "view.words", empty="distinctive", choices=("distinctive", "count")),
    )
    plain = state.view_option("stop", False)
    exclude = frozenset() if plain else view.study.stop_words
    found = top_words(view.study.word_counts(view.split), number, by=by or "distinctive", top=top, exclude=exclude)
    if found:
        _words_table(view, found, key)
    else:
        st.caption("No such word leads into this state in these sentences.")
    # Below the table: its tools would lie over what stands above its right end.
    st.toggle("Stop words and punctuation too", **state.bound(f"{key}-stop", "view.stop", empty=False))


def _words_table(view: View, found: Sequence[WordCount], key: str) -> None:
    vocabulary = view.study.tokenizer.words
    st.dataframe(
        pd.DataFrame(
            {
                "word": [vocabulary[word.word] for word in found],
                "count": [word.count for word in found],
                "distinctiveness": [word.score for word in found],
            }
        ),
        hide_index=True,
        height="content",
        column_config={
            "count": st.column_config.ProgressColumn(
                "times", format="%d", min_value=0, max_value=max(word.count for word in found)
            ),
            "distinctiveness": st.column_config.NumberColumn("z", format="%.1f"),
        },
        key=f"{key}-words",
    )


def ways_panel(view: View, number: int, key: str, top: int = 5, *, wide: bool = False) -> None:
    """The main ways into and out of a state, as buttons that choose the transition; side by side when ``wide``."""
    machine = view.machine
    into, out = machine.transitions[:, number], machine.transitions[number]
    columns = st.columns(2) if wide else (st.container(), st.container())
    with columns[0]:
        st.caption("Ways in")
        _ways(into, [(other, number) for other in range(len(into))], number, key, top)
    with columns[1]:
        st.caption("Ways out")
        _ways(out, [(number, other) for other in range(len(out))], number, key, top)


def _ways(counts: IntArray, pairs: Sequence[tuple[int, int]], number: int, key: str, top: int) -> None:
    order = [int(other) for other in np.argsort(-counts, kind="stable") if counts[other] and other != number][:top]
    # Staying is a way out as well; it stands there only, after the others.
    if counts[number] and pairs[0][0] == number:
        order.append(number)
    with st.container(horizontal=True, gap="small"):
        for other in order:
            name = f"{state_name(number)} stays" if other == number else path_name(pairs[other])
            st.button(
                f"{name} · {counts[other] / counts.sum():.0%}",
                key=f"{key}-{pairs[other][0]}-{pairs[other][1]}",
                help=f"{counts[other]:,} steps. Choose this transition.",
                on_click=state.change,
                kwargs={"transition": pairs[other], "state": None},
            )
        if not order:
            st.caption("none")


def phrases_panel(view: View, pair: tuple[int, int], key: str, top: int = 12) -> None:
    """The two words around each change from one state to another, with counts."""
    vocabulary = view.study.tokenizer.words
    phrases = transition_phrases(view.traces, *pair, top=top)
    if not phrases:
        st.caption("This transition does not occur in these sentences.")
        return
    before = ["(start)" if phrase.before is None else vocabulary[phrase.before] for phrase in phrases]
    st.dataframe(
        pd.DataFrame(
            {
                "before": before,
                "word": [vocabulary[phrase.after] for phrase in phrases],
                "times": [phrase.count for phrase in phrases],
            }
        ),
        hide_index=True,
        height="content",
        column_config={
            "before": st.column_config.TextColumn(f"in {state_name(pair[0])}"),
            "word": st.column_config.TextColumn(f"leads to {state_name(pair[1])}"),
        },
        key=f"{key}-phrases",
    )


def marked_steps(view: View, row: int) -> list[int]:
    """The steps of a sentence that the Selection's state, transition or pattern speaks of."""
    return chosen_steps(view.study.traces.select(np.array([row])).state, view.selection)


def outcome_words(view: View, row: int) -> str:
    """True and predicted class of a sentence, and whether they agree, in words and signs."""
    classes, label = view.study.classes, int(view.study.corpus.labels[row])
    prediction = int(view.study.traces.prediction[row])
    read = "no word to read" if prediction < 0 else f"read as {classes[prediction]}"
    if label < 0:
        return f"{read} · unlabelled"
    if prediction < 0:
        return f"{read} · is {classes[label]}"
    return f"{'✓' if label == prediction else '✕'} {read} · is {classes[label]}"


def sentence_list(
    view: View,
    rows: Sequence[int] | IntArray,
    key: str,
    *,
    states: bool = False,
    open_row: Callable[[str], None] | None = None,
) -> None:
    """Sentences with their words tinted and the Selection's steps framed, each with a button that opens its trace."""
    for row in rows:
        row = int(row)
        row_id = str(view.study.corpus.ids[row])
        with st.container(border=True, gap="small"):
            st.html(sentence_html(view.study.sentence(row), states=states, marked=marked_steps(view, row), most=120))
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(state.literal(outcome_words(view, row)))
                st.space("stretch")
                if st.button("Trace", key=f"{key}-{row_id}", icon=":material/timeline:", type="tertiary"):
                    (open_row or open_trace)(row_id)


def open_trace(row_id: str) -> None:
    """Go to the trace page of a sentence."""
    st.switch_page(TRACE_PAGE, query_params=state.link_query(row=row_id))


def example_rows(view: View, count: int = 6, **changes: object) -> IntArray:
    """Some sentences that pass the filter, wrong ones first, those read most surely among them first."""
    rows = view.rows(**changes)
    labels, traces = view.study.corpus.labels[rows], view.study.traces
    wrong = (labels >= 0) & (labels != traces.prediction[rows])
    order = np.lexsort((rows, -np.nan_to_num(traces.confidence[rows]), ~wrong))
    return rows[order[:count]]
