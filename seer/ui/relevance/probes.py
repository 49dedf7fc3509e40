"""Two probes of a sentence: what is left when its strongest words go, and what a span gives as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.palette import many
from seer.charts.relevance import words_html
from seer.charts.relevance_figures import dropping_chart
from seer.charts.scale import Line, largest, written
from seer.charts.sentence import chip_html
from seer.explain import Explanation
from seer.relevance.decomposition import DEFINED, TITLE
from seer.relevance.effects import SpanEffect, drop_in_order, span_effect
from seer.relevance.record import why_not
from seer.study import Study
from seer.traces import FloatArray, IntArray, SentenceTrace
from seer.ui import state
from seer.ui.frame import View
from seer.ui.relevance.shared import CODES, RULES, explained, line_of

MOST_DROPPED = 20
"""Words that the preview takes out at most."""

_SPAN = "span"
"""View option: the marked words, the first and the last, counted from 1: ``3-5``."""


@st.cache_resource(max_entries=200, show_spinner=False)
def _dropped(_study: Study, version: str, text: str, order: tuple[int, ...]) -> FloatArray:
    _, ids = _study.tokenizer.encode([text])
    return drop_in_order(_study.classifier, ids, np.array(order, dtype=np.int64))


@st.cache_resource(max_entries=200, show_spinner=False)
def _span_effect(_study: Study, version: str, text: str, first: int, last: int, inclusive: bool) -> SpanEffect:
    _, ids = _study.tokenizer.encode([text])
    return span_effect(_study.classifier, ids, first, last, inclusive=inclusive)


def dropping_panel(view: View, trace: SentenceTrace, explanation: Explanation, colours: Mapping[str, str]) -> None:
    """Take out the k words with the most relevance for the target, and see the prediction move."""
    study = view.study
    st.subheader(
        "Without its strongest words",
        help="The words that speak most for the class go first. A good explanation names words without which the "
        "prediction falls fast.",
    )
    most = min(len(trace), MOST_DROPPED)
    order = np.argsort(-explanation.relevance, kind="stable")[:most]
    probability = _dropped(study, study.hash, explanation.text, tuple(order.tolist()))
    gone = _dropping_field(most, min(3, len(trace) - 1), explanation)
    taken = order[:gone]
    st.html(_dropped_html(trace, study.classes, probability, taken, gone, colours))
    with st.container(border=True, height="content" if len(trace) <= 80 else 260):
        st.html(
            words_html(
                trace.words, [line_of(explanation)], known=trace.known.tolist(), struck=set(taken.tolist()), bare=True
            )
        )
    st.altair_chart(
        dropping_chart(probability, [trace.words[place] for place in order], study.classes, gone, colours=colours),
        key="relevance-dropping",
        alt=f"Probability of each class while the {most} strongest words are taken out one by one.",
    )


def _dropping_field(most: int, usual: int, explanation: Explanation) -> int:
    choices = range(most + 1)
    st.select_slider(
        f"Words taken out, the strongest for {state.literal(explanation.target)} by {explanation.title} first",
        choices,
        **state.bound("relevance-drop", "view.drop", empty=usual, choices=choices),
    )
    gone = state.view_option("drop", usual)
    if gone not in choices:
        st.caption(f"{gone} words cannot be taken out of this sentence: {usual} are.")
    return gone if gone in choices else usual


def _dropped_html(
    trace: SentenceTrace,
    classes: Sequence[str],
    probability: FloatArray,
    taken: IntArray,
    gone: int,
    colours: Mapping[str, str],
) -> str:
    before, after = (int(probability[step].argmax()) for step in (0, gone))
    words = ", ".join(f"“<bdi>{escape(trace.words[place])}</bdi>”" for place in taken[:6])
    more = f" and {len(taken) - 6} more" if len(taken) > 6 else ""
    left = f"Without {words}{more}" if gone else "With all its words"
    now = f"{chip_html(classes, classes[after], colours)} with probability <b>{probability[gone, after]:.2f}</b>"
    was = f"{escape(classes[before])} had {probability[0, before]:.2f}"
    change = f"the prediction changes ({was})" if after != before else f"the prediction stays ({was})"
    end = f"; {change}." if gone else "."
    if gone == len(trace):
        left, end = "Without any word", "; the model has read nothing."
    return f'<div class="seer-verdict">{left}: read as {now}{end}</div>'


def span_panel(
    view: View, trace: SentenceTrace, target: str, colours: Mapping[str, str], *, patient: bool = True
) -> None:
    """What the words that a person marks give together, and one by one.

    Args:
        view: of the page.
        trace: the sentence.
        target: name of the class that is explained.
        colours: of the classes.
        patient: read the text once a word, where that is the only way.
    """
    study = view.study
    st.subheader(
        "A span taken together",
        help="Contextual decomposition (CD) finds the part of each logit that comes from the span, for LSTMs of one "
        "layer with a linear head on the last word. For other models: how far each logit falls when the span's word "
        "vectors are set to zero.",
    )
    if len(trace) < 2:
        st.caption("A text of one word has no span to mark.")
        return
    method = "cd" if why_not(study.classifier.architecture, TITLE, **DEFINED) is None else "occlusion"
    if method == "occlusion" and not patient:
        st.caption("Left out: the text would be read once for each of its words. The button above asks for it.")
        return
    alone = explained(view, trace.text, method, target)
    first, last = _span_field(trace, alone)
    inclusive = state.view_option("rule", RULES[0]) != RULES[1]
    effect = _span_effect(study, study.hash, trace.text, first, last, inclusive)
    if effect.decomposed:
        how = f"By contextual decomposition, {'inclusive' if inclusive else 'strict'} rule."
    else:
        how = (
            "By occlusion, the fall when the span's word vectors are set to zero: contextual decomposition needs an "
            f"LSTM of one layer, and this model is a {study.architecture.describe()}."
        )
    st.html(_span_html(trace, study.classes, effect, alone, first, last, target, colours))
    st.caption(state.literal(how))
    part = slice(first, last + 1)
    lines = [Line(alone.title, CODES[method], alone.relevance[part], limit=largest(alone.relevance))]
    st.html(words_html(trace.words[part], lines, known=trace.known[part].tolist(), bare=True))
    frame = pd.DataFrame(
        {
            "class": list(study.classes),
            "span": effect.span.astype(np.float64),
            "rest": effect.rest.astype(np.float64),
            "logit": effect.logits.astype(np.float64),
        }
    )
    if many(study.classes):
        frame = frame.sort_values("logit", ascending=False, kind="stable")
    number = partial(st.column_config.NumberColumn, format="%+.3f")
    st.dataframe(
        frame,
        hide_index=True,
        height="content" if len(frame) <= 8 else 320,
        column_config={
            "class": st.column_config.TextColumn("for class", width=150),
            "span": number("from the span"),
            "rest": number("from all else"),
            "logit": number("logit"),
        },
        key="relevance-span-table",
    )


def marked_span(trace: SentenceTrace) -> tuple[int, int] | None:
    """First and last word of the span in the link, from 0; ``None`` without one that fits the sentence."""
    first, _, last = state.view_option(_SPAN, "").partition("-")
    numbers = all(part.isascii() and part.isdigit() and len(part) < 7 for part in (first, last))
    if not numbers or not 1 <= int(first) <= int(last) <= len(trace):
        return None
    return int(first) - 1, int(last) - 1


def _span_field(trace: SentenceTrace, alone: Explanation) -> tuple[int, int]:
    span, asked = marked_span(trace) or _strongest(alone), state.view_option(_SPAN, "")
    if asked and marked_span(trace) is None:
        st.caption(f"The words {state.literal(asked)} of the link are ignored: the sentence has {len(trace)} words.")
    for column, place in zip(st.columns(2, gap="small"), (0, 1), strict=True):
        key = f"relevance-span-{('first', 'last')[place]}"
        column.selectbox(
            ("From word", "to word")[place],
            range(len(trace)),
            format_func=lambda step: f"{step + 1} {trace.words[step]}",
            **state.tied(key, span[place], partial(_take_span, span, place)),
        )
    return span


def _strongest(alone: Explanation) -> tuple[int, int]:
    """The word with the strongest relevance and the one before it: something to begin with."""
    last = max(1, int(np.abs(alone.relevance).argmax()))
    return last - 1, last


def _take_span(span: tuple[int, int], place: int, step: int) -> None:
    """Take one end; where it passes the other one, the span is that word alone."""
    first, last = (step, max(step, span[1])) if place == 0 else (min(step, span[0]), step)
    state.change_view(**{_SPAN: f"{first + 1}-{last + 1}"})


def _span_html(
    trace: SentenceTrace,
    classes: Sequence[str],
    effect: SpanEffect,
    alone: Explanation,
    first: int,
    last: int,
    target: str,
    colours: Mapping[str, str],
) -> str:
    begin, end = int(trace.span[first, 0]), int(trace.span[last, 1])
    quoted = trace.text[begin:end]
    quoted = quoted if len(quoted) <= 60 else quoted[:59] + "…"
    together = float(effect.span[list(classes).index(target)])
    single = float(alone.relevance[first : last + 1].sum(dtype=np.float64))
    limit = max(abs(together), abs(single))
    one = "" if first == last else f"; its words one by one come to <b>{written(single, limit)}</b>"
    return (
        f'<div class="seer-verdict">“<bdi>{escape(quoted)}</bdi>” gives <b>{written(together, limit)}</b> to '
        f"{chip_html(classes, target, colours)}{one}.</div>"
    )
