"""Below a traced sentence: the patterns it holds and where, and the sentences that run through the states alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.patterns.flips import find_flips
from seer.patterns.influential import LENGTH
from seer.patterns.search import Similar, places_within
from seer.slices import FALSE_SHARE
from seer.table import records
from seer.traces import SentenceTrace, Traces
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.machine.mined import (
    PatternKey,
    buggy_in,
    changes_text,
    influence,
    pattern_name,
    shown_names,
    trace_index,
)
from seer.ui.machine.pattern_detail import chosen_key, failing
from seer.ui.selection import COLLAPSE
from seer.ui.sentences import VERDICT, verdict_words
from seer.ui.tables import pick_table

BUGGY, INFLUENTIAL, FLIPS = 8, 6, 6
"""Patterns of each sort on show at most."""

EVEN = 0.5
"""The q up to which a pattern is a hint: of those up to it at most every second goes with failure by chance alone."""

SEARCHED = 2000
"""Ranks of each kind that are looked for in a sentence."""

ALIKE = 8
"""Similar sentences on show."""

_PLACES = 4


@dataclass(frozen=True)
class Found:
    """A pattern that a sentence holds.

    Attributes:
        sort: what it is: buggy, hint, influential, or flip.
        key: what the Selection takes.
        length: steps.
        begins: steps at which it begins.
        figures: how it goes with failure or with a change, in words.
    """

    sort: str
    key: PatternKey
    length: int
    begins: tuple[int, ...]
    figures: str


def patterns_within(view: View, traces: Traces) -> list[Found]:
    """Patterns of the view's split that one sentence holds: those that go with failure, influential ones, its flips.

    Of those that go with failure, “buggy” are the ones that survive the count of all tests (q), “hint” those that are
    rather so than by chance; the rest is left out.

    Args:
        view: of the page.
        traces: of the sentence.
    """
    return [*_buggy(view, traces), *_influential(view, traces), *_flips(view, traces)]


def _buggy(view: View, traces: Traces) -> list[Found]:
    words, ranked = view.study.words, list[tuple[tuple[float, float], Found]]()
    for patterns, _ in buggy_in(view):
        lift = patterns.lift
        for rank, begins in patterns.within(traces, SEARCHED):
            q = float(patterns.q[rank])
            if lift[rank] <= 1 or q > EVEN:
                continue
            states, word = patterns.key(rank)
            n_f, n_c = int(patterns.failed[rank]), int(patterns.correct[rank])
            figures = f"{n_f:,} of {n_f + n_c:,} wrong · {lift[rank]:.1f}× · q {q:.2g}"
            key = states, None if word is None else words[word]
            sort = "buggy" if q <= FALSE_SHARE else "hint"
            ranked.append(((q, -float(lift[rank])), Found(sort, key, max(len(states), 1), tuple(begins), figures)))
    return [found for _, found in sorted(ranked, key=lambda pair: pair[0])[:BUGGY]]


def _influential(view: View, traces: Traces) -> list[Found]:
    found = influence(view.study, view.study.hash, view.split)
    keys = [tuple(states) for states in found.patterns.states[:SEARCHED].tolist()]
    places = places_within(traces.state.tolist(), keys)
    held = [rank for rank, begins in enumerate(places) if begins][:INFLUENTIAL]
    return [
        Found("influential", (keys[rank], None), LENGTH, tuple(places[rank]), _support(view, rank)) for rank in held
    ]


def _support(view: View, rank: int) -> str:
    """How many right sentences hold an influential pattern, and its commonest change where it is among the first."""
    found = influence(view.study, view.study.hash, view.split)
    line = f"in {counted(int(found.patterns.support[rank]), 'right sentence')}"
    if rank >= len(found.records):
        return line
    return f"{changes_text(found.records[rank].changes, shown_names(view), most=1)} · {line}"


def _flips(view: View, traces: Traces) -> list[Found]:
    words, classes = view.study.words, shown_names(view)
    return [
        Found(
            "flip",
            ((int(traces.state[flip.place]),), words[flip.word]),
            1,
            (flip.place,),
            f"{classes[flip.source]} → {classes[flip.target]} · +{flip.change:.2f}",
        )
        for flip in find_flips(traces).records(FLIPS)
    ]


def sentence_patterns_panel(view: View, trace: SentenceTrace, row_id: str | None, part: int) -> None:
    """The patterns in the sentence as a table; a click frames their words above.

    Args:
        view: of the page.
        trace: the sentence on show.
        row_id: its id, ``None`` for a typed one.
        part: words on show at once.
    """
    st.subheader("Patterns in this sentence", help="Choose a row to frame its words above; once more to let it go.")
    found = patterns_within(view, view.study.as_traces(trace))
    if not found:
        empty(f"It holds none of the patterns counted in {view.split_name}.")
        return
    st.caption(
        state.literal(
            f"Counted in {view.split_name}. {_going_with_failure(view, found)} Influential: the prediction changes "
            "there in sentences that are read rightly. Flip: it changes here."
        )
    )
    ids = [(one.sort, one.begins[0], one.key) for one in found]
    chosen = None if view.selection.collapse else chosen_key(view)
    begins = {name: one.begins[0] for name, one in zip(ids, found, strict=True)}

    def choose(picked: tuple[str, int, PatternKey] | None) -> None:
        states, word = ((), None) if picked is None else picked[2]
        # An example becomes chosen, or the filter would put another one in its place.
        selection = state.current().change(row=row_id, text=view.selection.text, pattern=states or None, word=word)
        shown = None if picked is None else str(begins[picked] // part + 1)
        options = {COLLAPSE: None} if shown is None else {COLLAPSE: None, "part": None if shown == "1" else shown}
        state.select(selection.with_view(**options))

    pick_table(
        found_frame(found, trace.words),
        ids,
        next((name for name in ids if name[2] == chosen), None),
        choose,
        key="trace-patterns",
        height=min(425, 38 + 35 * len(found)),
        column_config={
            "sort": st.column_config.TextColumn("", width=84),
            "pattern": st.column_config.TextColumn(width=150),
            "words here": st.column_config.TextColumn(width=190),
            "at word": st.column_config.TextColumn(width=90, help="Counted from 1."),
            "figures": st.column_config.TextColumn("how it goes", width=280),
        },
        alt=f"{counted(len(found), 'pattern')} in this sentence",
    )


def _going_with_failure(view: View, found: Iterable[Found]) -> str:
    if not any(one.sort in ("buggy", "hint") for one in found):
        return f"It holds none that goes with failure more than by chance (q ≤ {EVEN})."
    return (
        f"Buggy: {failing(view)} more often than all (q ≤ {FALSE_SHARE}). Hint: the same with q ≤ {EVEN}, which may be "
        "chance."
    )


def found_frame(found: Iterable[Found], words: Sequence[str]) -> pd.DataFrame:
    """Found patterns as a table.

    Args:
        found: the patterns.
        words: of the sentence as written.
    """
    return pd.DataFrame(
        [
            {
                "sort": one.sort,
                "pattern": pattern_name(one.key),
                "words here": " ".join(words[one.begins[0] : one.begins[0] + one.length]),
                "at word": _where(one),
                "figures": one.figures,
            }
            for one in found
        ]
    )


def _where(found: Found) -> str:
    """The words from 1 on: ``3–5, 9–11``."""
    spans = [
        f"{begin + 1}" if found.length == 1 else f"{begin + 1}–{begin + found.length}"
        for begin in found.begins[:_PLACES]
    ]
    return ", ".join(spans) + (" …" if len(found.begins) > _PLACES else "")


def similar_sentences(view: View, trace: SentenceTrace, row: int | None) -> list[Similar]:
    """The sentences of the view's split most like the trace, their positions in the corpus; itself left out."""
    rows = view.study.rows(view.split)
    own = None if row is None else int(np.searchsorted(rows, row))
    if own is not None and (own == len(rows) or rows[own] != row):
        own = None
    index = trace_index(view.study, view.study.hash, view.split)
    found = index.similar(view.study.as_traces(trace), ALIKE, own)
    return [Similar(int(rows[one.sentence]), one.same, one.distance) for one in found]


def similar_panel(view: View, trace: SentenceTrace, row: int | None) -> None:
    """Similar sentences with their outcome; a click opens the trace.

    Args:
        view: of the page.
        trace: the sentence on show.
        row: its position in the corpus, ``None`` for a typed one.
    """
    st.subheader(
        "Similar sentences",
        help="First those with the same path, the repeats of a state counted as one. Then by the cosine distance "
        "between the counts of the changes of state: 0 where the shares are the same, 1 where none is shared.",
    )
    found = similar_sentences(view, trace, row)
    if not found:
        empty(f"No other {view.noun} of {view.split_name} has a word.")
        return
    same = sum(one.same for one in found)
    line = f"{counted(same, view.noun)} shown with the same path" if same else "None has the same path"
    st.caption(state.literal(f"Of {view.split_name}. {line}; the others by distance. Choose a row to open its trace."))
    near = np.array([one.sentence for one in found])
    ids = [str(name) for name in view.study.corpus.ids[near]]
    pick_table(
        pd.DataFrame(
            {
                "outcome": [verdict_words(view, record) for record in records(view.study, near)],
                "distance": ["same path" if one.same else f"{one.distance:.2f}" for one in found],
                "text": [view.line(view.study.corpus.text(one.sentence), 240) for one in found],
            }
        ),
        ids,
        None,
        _open,
        key="trace-similar",
        height="content",
        column_config={
            "outcome": st.column_config.TextColumn(VERDICT, width=200),
            "distance": st.column_config.TextColumn(width=85),
            "text": st.column_config.TextColumn(width=510),
        },
        alt=f"{counted(len(found), 'similar sentence')} with outcome and distance",
    )


def _open(row_id: str | None) -> None:
    if row_id is not None:
        state.change(row=row_id)
