"""Panels that several pages share: a state, a transition, sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.sentence import sentence_html
from seer.mining import OFTEN, telling_words, transition_words
from seer.patterns.words import WordCount, top_words, transition_phrases
from seer.slices import Place
from seer.traces import IntArray, SentenceTrace
from seer.ui import state
from seer.ui.frame import View
from seer.ui.marks import chosen_steps
from seer.ui.selection import path_name, state_name

TRACE_PAGE = "pages/trace.py"

_LEAD = 12
"""Words drawn before the first framed one, where a long text is cut."""


def percent(share: float | None, digits: int = 0) -> str:
    """A share as per cent, a dash where there is none; what would round to nothing is “<1%”."""
    if share is None or np.isnan(share):
        return "–"
    least = 10.0 ** -(digits + 2)
    return f"<{least:.{digits}%}" if 0 < share < least / 2 else f"{share:.{digits}%}"


def words_of(view: View, number: int, top: int = 5) -> list[str]:
    """The most distinctive words of a state in the view's split."""
    return [view.study.words[word] for word, _ in telling_words(view.study, view.split, number, top)]


def with_counts(view: View, counts: Iterable[tuple[int, int]]) -> str:
    """Words by id with how often each occurs: ``buy ×4, old ×3``."""
    return ", ".join(f"{view.study.words[word]} ×{times:,}" for word, times in counts)


def place_name(place: Place) -> str:
    """A state or a transition as it is called everywhere."""
    return state_name(place.state or 0) if place.transition is None else path_name(place.transition)


def place_words(view: View, place: Place) -> str:
    """The text behind a place: typical words of a state, or those read at a transition, with their counts."""
    if place.transition is not None:
        return words_at(view, place.transition)
    return with_counts(view, telling_words(view.study, view.split, int(place.state or 0)))


def words_at(view: View, pair: tuple[int, int]) -> str:
    """The words most often read at a transition, with counts; stop words only where there is no other."""
    found, telling = transition_words(view.study, view.split, *pair)
    if not found:
        return f"no word as often as {OFTEN} times"
    return with_counts(view, found) if telling else f"most often {with_counts(view, found[:3])}"


def error_sentence(view: View, number: int) -> str:
    """How often sentences through a state are wrong, against the whole, in a sentence."""
    machine = view.machine
    if not machine.labelled[number]:
        return f"No labelled {view.noun} of {view.split_name} passes it."
    low, high = machine.interval[number]
    lift = "" if np.isnan(machine.lift[number]) else f": lift {machine.lift[number]:.2f}"
    return (
        f"{percent(machine.error_rate[number])} of the {machine.labelled[number]:,} labelled {view.noun}s through it "
        f"are wrong (95 %: {low:.0%}–{high:.0%}); {percent(machine.base_error_rate)} of all are{lift}."
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
    found = top_words(view.word_counts, number, by=by or "distinctive", top=top, exclude=exclude)
    if found:
        _words_table(view, found, key)
    else:
        st.caption(f"No such word leads into this state in these {view.noun}s.")
    # Below the table: its tools would lie over what stands above its right end.
    st.toggle("Stop words and punctuation too", **state.bound(f"{key}-stop", "view.stop", empty=False))


def _words_table(view: View, found: Sequence[WordCount], key: str) -> None:
    vocabulary = view.study.words
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
                "times", format="localized", min_value=0, max_value=max(word.count for word in found)
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
                state.literal(f"{name} · {percent(counts[other] / counts.sum())}"),
                key=f"{key}-{pairs[other][0]}-{pairs[other][1]}",
                help=f"{counts[other]:,} steps. Choose this transition.",
                on_click=state.change,
                kwargs={"transition": pairs[other], "state": None},
            )
        if not order:
            st.caption("none")


def phrases_panel(view: View, pair: tuple[int, int], key: str, top: int = 12) -> None:
    """The two words around each change from one state to another, with counts."""
    vocabulary = view.study.words
    phrases = transition_phrases(view.traces, *pair, top=top)
    if not phrases:
        st.caption(f"This transition does not occur in these {view.noun}s.")
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
            "times": st.column_config.NumberColumn(format="localized"),
        },
        key=f"{key}-phrases",
    )


def marked_steps(view: View, row: int) -> list[int]:
    """The steps of a sentence that the Selection's state, transition, pattern or words speak of."""
    traces = view.study.traces.select(np.array([row]))
    return chosen_steps(traces.state, view.selection, traces.token, view.words)


def marked_in(view: View, trace: SentenceTrace) -> list[int]:
    """The same of any trace."""
    words = view.words
    return chosen_steps(trace.state, view.selection, view.study.as_traces(trace).token if words else None, words)


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


def sentence_list(view: View, rows: Sequence[int] | IntArray, *, states: bool = False, most: int = 120) -> None:
    """Sentences with their words tinted and the Selection's steps framed, each with a link that opens its trace.

    Of a long text the part that begins a little before the first framed step is drawn.

    Args:
        view: of the page; its Selection says what is framed.
        rows: positions of the sentences.
        states: write the state under each word.
        most: words drawn at most of each.
    """
    for row in rows:
        row = int(row)
        trace, marked = view.study.sentence(row), marked_steps(view, row)
        far = bool(marked) and marked[0] >= most - _LEAD
        with st.container(border=True, gap="small"):
            st.html(
                sentence_html(
                    trace,
                    states=states,
                    marked=marked,
                    first=min(marked[0] - _LEAD, len(trace) - most) if far else 0,
                    most=most,
                    colours=view.colours,
                )
            )
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(state.literal(outcome_words(view, row)))
                st.space("stretch")
                st.page_link(
                    TRACE_PAGE,
                    label="Trace",
                    icon=":material/timeline:",
                    query_params=state.link_query(row=str(view.study.corpus.ids[row])),
                )


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
