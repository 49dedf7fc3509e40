"""The numbers behind the words: whether each method adds up, whether they agree, and all of them as a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.charts.relevance import agreement_html
from seer.charts.scale import NONE, largest, printed
from seer.explain import Explanation
from seer.relevance.methods import METHODS
from seer.relevance.summary import rank_agreement
from seer.ui import state
from seer.ui.relevance.shared import CODES, settings_line
from seer.ui.tables import frame_csv


def figures_panel(found: Sequence[Explanation]) -> None:
    """Logit, sum, rest and gap of each method."""
    st.subheader(
        "Does it add up?",
        help="Gap = logit − sum − rest. Where a method shares the logit out without loss it is 0: LRP with bias factor "
        "1, integrated gradients with enough nodes. LRP without it loses what biases and eps "
        "take. Contextual decomposition leaves what words give only together. – where a method promises no sum.",
    )
    frame = pd.DataFrame(
        {
            "method": [explanation.title for explanation in found],
            "settings": [settings_line(explanation.settings) for explanation in found],
            "logit": [explanation.logit for explanation in found],
            "sum": [float(explanation.relevance.sum(dtype=np.float64)) for explanation in found],
            "rest": [explanation.rest for explanation in found],
            "gap": [e.gap if METHODS[e.method].adds_up else float("nan") for e in found],
        }
    )
    size = frame[["logit", "sum", "rest", "gap"]].abs().max().max()
    number = partial(st.column_config.NumberColumn, format="%+.3f" if size < 100_000 else "%+.1e", width=66)
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        placeholder=NONE,
        column_config={
            "method": st.column_config.TextColumn(width=150),
            "settings": st.column_config.TextColumn(width=146),
            "logit": number(help=f"Of {state.literal(found[0].target)}."),
            "sum": number(help="Of all words."),
            "rest": number(help="What the method gives to no word: a baseline, or the states before the first word."),
            "gap": number(help="logit − sum − rest"),
        },
        key="relevance-figures",
    )


def agreement_panel(found: Sequence[Explanation]) -> None:
    """How far the methods order the words alike."""
    st.subheader(
        "Do they agree?",
        help="Spearman's rank correlation over the words: 1 is the same order, −1 the opposite one. A method without a "
        "sign is compared with the strength of the others.",
    )
    if len(found) < 2:
        st.caption("Choose a second method to compare.")
        return
    if len(found[0]) < 2:
        st.caption("A text of one word has no order of words.")
        return
    signed = [METHODS[explanation.method].signed for explanation in found]
    matrix = rank_agreement([explanation.relevance for explanation in found], signed)
    st.html(agreement_html([e.title for e in found], [CODES[e.method] for e in found], matrix))


def numbers_panel(found: Sequence[Explanation]) -> None:
    """The relevance of every word by every method, and the file."""
    table = numbers_table(found)
    st.subheader("All numbers")
    st.dataframe(
        table,
        hide_index=True,
        height="content" if len(table) <= 12 else 460,
        column_config={
            "#": st.column_config.NumberColumn(format="%d", width=50),
            "word": st.column_config.TextColumn(width=150),
            "known": st.column_config.CheckboxColumn(help="It is in the vocabulary.", width=70),
            **{explanation.title: st.column_config.NumberColumn(format=_format(explanation)) for explanation in found},
        },
        key="relevance-numbers",
    )
    # Below the table: its tools lie over what stands above its right end.
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(state.literal(f"{counted(len(table), 'word')}, relevance for {found[0].target}."))
        st.space("stretch")
        st.download_button(
            "Download all numbers",
            lambda: frame_csv(table),
            "relevance.csv",
            "text/csv",
            key="relevance-csv",
            icon=":material/download:",
            on_click="ignore",
        )


def _format(explanation: Explanation) -> str:
    return printed(largest(explanation.relevance), METHODS[explanation.method].signed)


def numbers_table(found: Sequence[Explanation]) -> pd.DataFrame:
    """One row a word: number, word, known, and its relevance by each method."""
    first = found[0]
    return pd.DataFrame(
        {
            "#": np.arange(1, len(first) + 1),
            "word": list(first.words),
            "known": first.known,
            **{explanation.title: explanation.relevance.astype(np.float64) for explanation in found},
        }
    )
