"""Word relevance of one sentence: the methods under one another, their figures, and what each says of the error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from seer.charts.names import apart, short_names
from seer.charts.reading import remarks, verdict_html
from seer.charts.relevance import scale_html, words_html
from seer.charts.scale import Line, largest, written
from seer.explain import Explanation, methods_for
from seer.relevance.methods import METHODS
from seer.traces import NO_CLASS, SentenceTrace
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.panels import TRACE_PAGE
from seer.ui.relevance.numbers import agreement_panel, figures_panel, numbers_panel
from seer.ui.relevance.probes import dropping_panel, marked_span, span_panel
from seer.ui.relevance.shared import (
    MOST_WORDS,
    ONCE_A_WORD,
    box_height,
    chosen_methods,
    chosen_target,
    explained,
    explained_by,
    line_of,
    methods_field,
    missed_note,
    missing_methods,
    patient,
    settings_fields,
    strain,
    target_field,
    title_of,
    unstable_note,
)
from seer.ui.search import search_panel
from seer.ui.sentence_classes import asked_classes, page_colours
from seer.ui.trace_panels import (
    PART,
    Shown,
    part_panel,
    read,
    shown_sentence,
    text_box,
    too_long,
)

_NAMED = 4
"""Words named in a sentence."""
_LEAST = 0.05
"""Share of the strongest number from which on a word is named."""
_BESIDE = 6
"""Most methods whose matrix has room beside their figures."""


def sentence_tab(view: View) -> None:
    """The sentence on show, found, typed or chosen, and all that the methods say of it."""
    shown = shown_sentence(view)
    search_panel(view, shown.row)
    if shown.outside and not view.selection.query:
        empty("No sentence with a word passes these filters: the example below is from outside them.")
    _text_field(view, shown)
    trace = read(view, shown)
    if trace is None:
        too_long(shown.text)
        return
    colours = page_colours(view, asked_classes(view, shown.row), trace)
    _verdict(view, shown, trace, colours)
    if not len(trace):
        return
    if len(trace) > MOST_WORDS:
        empty(
            f"The text has {len(trace):,} words; the words of at most {MOST_WORDS:,} are explained here, since some "
            "methods read a text once for each of its words. Shorten it.",
            ":material/text_fields:",
        )
        return
    _controls(view, trace)
    if not chosen_methods(view):
        empty("Choose two methods or more above.", ":material/checklist:")
        return
    methods = _quick_enough(chosen_methods(view), len(trace))
    with st.spinner("Reading the sentence…", show_time=True):
        found = explained_by(view, shown.text, methods, chosen_target(view), "relevance")
    if not found:
        return
    by = _closer(view, [explanation.method for explanation in found])
    for explanation in found:
        if METHODS[explanation.method].signed:
            unstable_note(explanation.title, *strain(explanation), "relevance")
        missed_note(explanation)
    part = part_panel(trace, len(trace), colours)
    _words(trace, found, part)
    _why_wrong(view, shown, trace, by, part)
    left, right = st.columns([8, 5], gap="medium") if len(found) <= _BESIDE else (st.container(), st.container())
    with left:
        figures_panel(found)
    with right:
        agreement_panel(found)
    left, right = st.columns(2, gap="medium")
    with left:
        dropping_panel(view, trace, explained(view, shown.text, by, chosen_target(view)), colours)
    with right:
        span_panel(view, trace, found[0].target, colours, patient=patient(len(trace)))
    numbers_panel(found)


def _quick_enough(methods: Sequence[str], words: int) -> tuple[str, ...]:
    """The methods without those that read a long text once a word, until a person asks for them."""
    kept = tuple(name for name in methods if patient(words) or name not in ONCE_A_WORD)
    left = [title_of(name) for name in methods if name not in kept]
    if left:
        note, button = st.columns([6, 1], vertical_alignment="center")
        note.info(
            f"Left out: {', '.join(left)}, since the text has {words:,} words and would be read hundreds of times.",
            icon=":material/hourglass:",
        )
        button.button(
            "Compute them",
            key="relevance-patient",
            on_click=state.change_view,
            kwargs={"long": "1"},
            width="stretch",
        )
    return kept


def _text_field(view: View, shown: Shown) -> None:
    row_id = None if shown.row is None else str(view.study.corpus.ids[shown.row])
    kind = f" · an example{' from outside the filters' if shown.outside else ''}" if shown.example else ""
    source = "Typed sentence" if row_id is None else f"Sentence {row_id}{kind}"
    text_box(
        state.literal(source),
        shown.text,
        "relevance-text",
        lambda text: state.change(text=text),
        "Type over it to explain a sentence of your own.",
    )


def _verdict(view: View, shown: Shown, trace: SentenceTrace, colours: Mapping[str, str]) -> None:
    true = _true_class(view, shown)
    with st.container(horizontal=True, vertical_alignment="center"):
        unlabelled = shown.row is not None and true is None
        st.html(verdict_html(trace, true, unlabelled=unlabelled, colours=colours), width="stretch")
        row_id = None if shown.row is None else str(view.study.corpus.ids[shown.row])
        st.page_link(
            TRACE_PAGE,
            label="Sentence trace",
            icon=":material/timeline:",
            query_params=state.link_query() if row_id is None else state.link_query(row=row_id),
        )
    for remark in remarks(trace):
        st.caption(state.literal(remark))


def _true_class(view: View, shown: Shown) -> str | None:
    label = NO_CLASS if shown.row is None else int(view.study.corpus.labels[shown.row])
    return None if label == NO_CLASS else view.study.classes[label]


def _controls(view: View, trace: SentenceTrace) -> None:
    methods_field(view)
    for reason in missing_methods(view.study):
        st.caption(state.literal(reason))
    target, closer, more, _ = st.columns([4, 4, 3, 8], vertical_alignment="bottom", gap="small")
    with target:
        target_field(view, str(trace.prediction))
    methods = chosen_methods(view)
    with closer:
        present = methods or methods_for(view.study)
        st.selectbox(
            "Look closer by",
            present,
            format_func=title_of,
            help="The method by which words are dropped below, and by which an error is explained.",
            **state.bound("relevance-by", "view.by", empty=present[0], choices=present),
        )
    with more, st.popover("Settings", icon=":material/tune:", width="stretch"):
        settings_fields(methods)


def _closer(view: View, methods: Sequence[str]) -> str:
    by = state.view_option("by", methods[0])
    return by if by in methods else methods[0]


def _words(trace: SentenceTrace, found: Sequence[Explanation], first: int) -> None:
    span = marked_span(trace)
    with st.container(border=True, height=box_height(min(len(trace), PART), len(found))):
        st.html(
            words_html(
                trace.words,
                [line_of(explanation) for explanation in found],
                known=trace.known.tolist(),
                framed=range(span[0], span[1] + 1) if span else (),
                first=first,
                most=PART,
            )
        )
    unsigned = any(not METHODS[explanation.method].signed for explanation in found)
    st.html(scale_html(found[0].target, unsigned=unsigned))


def _why_wrong(view: View, shown: Shown, trace: SentenceTrace, by: str, first: int) -> None:
    true, read_as = _true_class(view, shown), trace.prediction
    if true is None or read_as is None or true == read_as:
        return
    st.subheader(
        "Why was this wrong?",
        help="Relevance for the class that was read and for the one it is, and their "
        "difference: orange in the last line pushed towards the error. All three share one scale.",
    )
    if not METHODS[by].signed:
        st.caption(f"{title_of(by)} has no sign, so it cannot tell the classes apart. Look closer by another method.")
        return
    pair = [explained(view, shown.text, by, name) for name in (read_as, true)]
    difference = pair[0].relevance - pair[1].relevance
    limit = max(largest(values) for values in (pair[0].relevance, pair[1].relevance, difference))
    short = short_names((read_as, true), 14)
    lines = [
        Line(f"for {short[0]} (read)", "read", pair[0].relevance, limit=limit),
        Line(f"for {short[1]} (true)", "true", pair[1].relevance, limit=limit),
        Line("difference", "diff", difference, limit=limit),
    ]
    st.caption(state.literal(_error_line(trace, difference, limit, title_of(by), read_as, true)))
    with st.container(border=True, height=box_height(min(len(trace), PART), len(lines))):
        st.html(words_html(trace.words, lines, known=trace.known.tolist(), first=first, most=PART))


def _error_line(trace: SentenceTrace, difference: np.ndarray, limit: float, title: str, read_as: str, true: str) -> str:
    order = np.argsort(-difference, kind="stable")
    words = [
        f"“\u2068{trace.words[place]}\u2069” {written(float(difference[place]), limit)}"
        for place in order[:_NAMED]
        if difference[place] > _LEAST * limit
    ]
    read_as, true = apart(read_as), apart(true)
    if not words:
        return f"By {title}, no word speaks clearly more for {read_as} than for {true}."
    return f"By {title}, these spoke most for {read_as} rather than {true}: {', '.join(words)}."
