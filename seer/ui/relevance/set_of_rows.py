"""Word relevance over many sentences: the words that count most in those that pass the filters."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.charts.relevance_figures import WORD, ranked_chart
from seer.charts.scale import largest, printed
from seer.picks import sampled
from seer.relevance.methods import METHODS, attribute_rows
from seer.relevance.record import RelevanceOverflowError, WordRelevance
from seer.relevance.summary import WordRanking, rank_words
from seer.traces import NO_CLASS, IntArray
from seer.ui import state
from seer.ui.filters import filter_fields, shown_outcome
from seer.ui.frame import View, empty
from seer.ui.relevance.shared import (
    CONFIGURED,
    chosen_settings,
    overflow_note,
    quick_methods,
    settings_fields,
    title_of,
    unstable_note,
)
from seer.ui.relevance.words import examples_panel
from seer.ui.results import results, shown_in
from seer.ui.tables import frame_csv

SEED = 0
"""Of the sentences drawn where there are more than wanted."""

MOST = (100, 200, 500, 1000, 2000)
BARS = 15
"""Words for the class, and as many against it, in the chart."""
RANKS = ("sum", "mean", "median")
LEAST = (1, 2, 3, 5, 10, 20)
TARGETS = {"predicted": "predicted class", "true": "true class"}

_HUGE = 100_000
"""Numbers from which on a column is written in three digits and powers of ten."""

_ODD = 4
"""Times that a bar is longer than the next one, from which on it is remarked on."""


def set_tab(view: View) -> None:
    """The filters, the words ranked, and sentences with the chosen one."""
    st.caption("The sentences that pass the filters, each word's relevance gathered over all of them.")
    filter_fields(view)
    method = _method_fields(view)
    # The chosen word frames a bar and picks the examples: the ranking is of the sentences without that filter.
    rows, target = _targets(view, view.rows(outcome=shown_outcome(view), words=None))
    if not len(rows):
        empty("No sentence with a word passes these filters. Remove one above, or show “all”.")
        return
    most = state.view_option("most", 500)
    drawn = sampled(rows, most if most in MOST else 500, SEED)
    place = np.searchsorted(rows, drawn)
    try:
        found = _explain(view, drawn, method, None if target is None else target[place])
    except RelevanceOverflowError as error:
        overflow_note(error, "relevance-set")
        return
    st.markdown(_set_line(view, len(rows), found))
    if METHODS[method].signed:
        unstable_note(title_of(method), *found.strain, "relevance-set")
    by, ranking = _rank_fields(view, rank_words(found))
    if not len(ranking):
        empty("No word is read as often as that. Lower “at least”, or let stop words in.")
        return
    left, right = st.columns([1, 1], gap="medium")
    with left:
        _chart(view, ranking, by)
    with right:
        examples_panel(view, drawn, found, method)
    _table(view, ranking, method)


def _method_fields(view: View) -> str:
    present = quick_methods(view.study)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Method",
            present,
            format_func=title_of,
            width=210,
            help="LIME is left out: over many sentences it would take minutes.",
            **state.bound("relevance-set-method", "view.by", empty=present[0], choices=present),
        )
        choices = (*TARGETS, *(f"class {name}" for name in view.study.classes))
        st.selectbox(
            "Relevance for",
            choices,
            format_func=lambda name: TARGETS.get(name, name.removeprefix("class ")),
            width=180,
            help="The class whose logit is shared out: each sentence's own, or one for all.",
            **state.bound("relevance-set-target", "view.of", empty="predicted", choices=choices),
        )
        st.selectbox(
            "At most",
            MOST,
            format_func=lambda most: f"{most:,} sentences",
            width=160,
            help=f"More are drawn at random, with the seed {SEED}.",
            **state.bound("relevance-set-most", "view.most", empty=500, choices=MOST),
        )
        method = state.view_option("by", present[0])
        method = method if method in present else present[0]
        if method in CONFIGURED:
            with st.popover("Settings", icon=":material/tune:"):
                settings_fields([method], "relevance-set")
    return method


def _targets(view: View, rows: IntArray) -> tuple[IntArray, IntArray | None]:
    """The rows that can be explained, and a class for each; ``None`` for the predicted ones."""
    study, of = view.study, state.view_option("of", "predicted")
    rows = rows[study.traces.lengths[rows] > 0]
    if of == "true":
        rows = rows[study.corpus.labels[rows] != NO_CLASS]
        return rows, study.corpus.labels[rows].astype(np.int64)
    name = of.removeprefix("class ")
    if of.startswith("class ") and name in study.classes:
        return rows, np.full(len(rows), study.classes.index(name), dtype=np.int64)
    return rows, None


def _explain(view: View, rows: IntArray, method: str, target: IntArray | None) -> WordRelevance:
    study, settings = view.study, chosen_settings(method)
    key = study.hash, rows.tobytes(), method, None if target is None else target.tobytes(), settings
    found: WordRelevance | None = results().get(("relevance", key))
    if found is None:
        place = st.empty()
        try:
            found = attribute_rows(
                study.classifier,
                study.traces.offsets,
                study.traces.token,
                rows,
                method,
                target,
                progress=shown_in(place),
                **dict(settings),
            )
        finally:
            place.empty()
        results().put(("relevance", key), found)
    return found


def _set_line(view: View, passing: int, found: WordRelevance) -> str:
    which = {"wrong": "wrong ", "right": "right "}.get(shown_outcome(view) or "", "")
    chosen = view.selection
    kinds = [
        f"{name} {state.literal(value)}"
        for name, value in (("true", chosen.true), ("read as", chosen.predicted))
        if value
    ]
    kind = f" ({', '.join(kinds)})" if kinds else ""
    drawn = "" if len(found) == passing else f", {len(found):,} of them drawn with the seed {SEED}"
    noun = "sentence" if passing == 1 else "sentences"
    return f"**{passing:,} {which}{noun}**{kind}{drawn}: {len(found.token):,} words."


def _rank_fields(view: View, ranking: WordRanking) -> tuple[str, WordRanking]:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        by = st.segmented_control(
            "Rank by",
            RANKS,
            required=True,
            help="Sum: what a word did in all. Mean: what it does each time it is read. Median: the same, whatever a "
            "few odd sentences say.",
            **state.bound("relevance-set-rank", "view.rank", empty=RANKS[0], choices=RANKS),
        )
        st.selectbox(
            "Read at least",
            LEAST,
            format_func=lambda least: "once" if least == 1 else f"{least} times",
            width=130,
            **state.bound("relevance-set-least", "view.often", empty=2, choices=LEAST),
        )
        with st.container(width="content"):
            st.toggle("Stop words and punctuation too", **state.bound("relevance-set-stop", "view.stop", empty=False))
    by = by or RANKS[0]
    exclude = frozenset() if state.view_option("stop", False) else view.study.stop_words
    often = state.view_option("often", 2)
    return by, ranking.ordered(by, often if often in LEAST else 2, exclude)


def _pick(key: str) -> None:
    points = st.session_state[key].selection[WORD]
    if points:
        word = points[0]["word"]
        state.change(word=None if word == state.current().word else word)


def _chart(view: View, ranking: WordRanking, by: str) -> None:
    ends = ranking.ends(by, BARS)
    words = [view.study.words[word] for word in ends.word]
    chosen = view.selection.word
    # A widget for each choice: a second click on the same bar must count as a click.
    key = f"relevance-set-chart-{chosen}"
    st.altair_chart(
        ranked_chart(words, ends.value(by), ends.count, chosen, f"{by} of relevance"),
        key=key,
        on_select=lambda: _pick(key),
        selection_mode=WORD,
        alt=f"The words with the highest and lowest {by} of relevance, from {words[0] if words else ''} on.",
    )
    st.caption("Orange speaks for the class, blue against it; × is how often it was read. Click a word to see where.")
    sizes = np.sort(np.abs(ends.value(by)))
    if len(sizes) > 2 and sizes[-1] > _ODD * sizes[-2] and by != "median":
        st.caption("One word outweighs all others, perhaps by one odd sentence: rank by median to see past it.")


def _digits(limit: float, signed: bool) -> str:
    """How the table prints numbers of at most that size; beside huge ones small ones keep their digits."""
    return printed(limit, signed) if limit < _HUGE else f"%{'+' if signed else ''}.3g"


def _table(view: View, ranking: WordRanking, method: str) -> None:
    table = pd.DataFrame(
        {
            "word": [view.study.words[word] for word in ranking.word],
            "times": ranking.count,
            "mean": ranking.mean,
            "median": ranking.median,
            "sum": ranking.total,
        }
    )
    st.subheader("All words")
    digits = [_digits(largest(ranking.value(by)), METHODS[method].signed) for by in ("mean", "median", "sum")]
    st.dataframe(
        table,
        hide_index=True,
        height=min(400, 38 + 35 * len(table)),
        column_config={
            "times": st.column_config.NumberColumn(format="localized"),
            "mean": st.column_config.NumberColumn(format=digits[0]),
            "median": st.column_config.NumberColumn(format=digits[1]),
            "sum": st.column_config.NumberColumn(format=digits[2]),
        },
        key="relevance-set-table",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{counted(len(table), 'word')}, those for the class first.")
        st.space("stretch")
        st.download_button(
            f"All {len(table):,} as CSV",
            lambda: frame_csv(table),
            re.sub(r"[^\w.-]+", "_", f"{view.study.name}-{view.selection.split}-{method}-words.csv"),
            "text/csv",
            key="relevance-set-csv",
            icon=":material/download:",
            on_click="ignore",
        )
