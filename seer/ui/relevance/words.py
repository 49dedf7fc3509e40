"""Where a word counts: sentences of an explained set that have it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from seer.charts.captions import counted
from seer.charts.relevance import words_html
from seer.relevance.record import WordRelevance
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.panels import outcome_words
from seer.ui.relevance.shared import RELEVANCE_PAGE, explained, line_of

_EXAMPLES = 4
_LEAD, _DRAWN = 12, 60
"""Words of an example before the first framed one, and in all."""


def examples_panel(view: View, rows: IntArray, found: WordRelevance, method: str) -> None:
    """Sentences that have the chosen word, those first in which it counts most.

    Args:
        view: of the page.
        rows: (n,) positions of the explained sentences.
        found: their relevance.
        method: by which.
    """
    wanted = view.words
    if view.selection.word is None or wanted is None:
        empty(
            "Click a word in the chart: it becomes a filter, and sentences that have it appear here.",
            ":material/touch_app:",
        )
        return
    holding = _holding(found, wanted)
    st.markdown(f"**{counted(len(holding), 'sentence')}** here with “{state.literal(view.selection.word)}”")
    if not holding:
        st.caption("None of the sentences explained here has it. Choose another word, or remove it above.")
        return
    order = sorted(holding, key=lambda at: -abs(sum(float(found.of(at)[step]) for step in holding[at])))
    for at in order[:_EXAMPLES]:
        _example(view, int(rows[at]), view.study.classes[int(found.target[at])], method, holding[at])
    if len(order) > _EXAMPLES:
        st.caption(f"The {_EXAMPLES} where it counts most. The filter holds on every page.")


def _holding(found: WordRelevance, wanted: tuple[int, ...]) -> Mapping[int, list[int]]:
    """Sentence → steps of the wanted words in a row."""
    token, size = found.token, len(wanted)
    if len(token) < size:
        return {}
    windows = np.lib.stride_tricks.sliding_window_view(token, size)
    begins = np.flatnonzero((windows == wanted).all(axis=1))
    sentence = np.searchsorted(found.offsets, begins, side="right") - 1
    inside = begins + size <= found.offsets[sentence + 1]
    holding: dict[int, list[int]] = {}
    for at, begin in zip(sentence[inside].tolist(), begins[inside].tolist(), strict=True):
        first = begin - int(found.offsets[at])
        holding.setdefault(at, []).extend(range(first, first + size))
    return holding


def _example(view: View, row: int, target: str, method: str, steps: list[int]) -> None:
    explanation = explained(view, view.study.corpus.text(row), method, target)
    first = max(0, min(steps[0] - _LEAD, len(explanation) - _DRAWN))
    with st.container(border=True, gap="small"):
        st.html(
            words_html(
                explanation.words,
                [line_of(explanation)],
                known=explanation.known.tolist(),
                framed=steps,
                first=first,
                most=_DRAWN,
                bare=True,
            )
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(state.literal(f"{outcome_words(view, row)} · relevance for {target}"))
            st.space("stretch")
            row_id = str(view.study.corpus.ids[row])
            query = state.link_query(state.current().with_view(tab=None), row=row_id)
            st.page_link(RELEVANCE_PAGE, label="All methods", icon=":material/format_color_text:", query_params=query)
