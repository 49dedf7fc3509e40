"""The state machine as tables: all states, and the strongest transitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from seer.patterns.words import transition_phrases
from seer.text import UNKNOWN_ID
from seer.ui.frame import View
from seer.ui.panels import words_at, words_of
from seer.ui.selection import path_name, state_name


def state_words_by_number(view: View) -> list[str]:
    """(K,) the distinctive words of each state in one line."""
    return [", ".join(words_of(view, number)) for number in range(1, view.study.states + 1)]


def states_frame(view: View, words: Sequence[str]) -> pd.DataFrame:
    """All states, those with the most errors for their size first; ``id`` is the state's number."""
    records = view.machine.state_records()
    order = sorted(records, key=lambda record: (record["lift"] is None, -(record["lift"] or 0.0), record["id"]))
    return pd.DataFrame(
        [
            {
                "id": record["id"],
                "state": state_name(record["id"]),
                "visits": record["visits"],
                "class": record["majority"],
                "purity": record["purity"],
                "sentences": record["sentences"],
                "labelled": record["labelled"],
                "errors": record["errors"],
                "error rate": record["error_rate"],
                "lift": record["lift"],
                "lift, 95 %": _interval(record["lift_low"], record["lift_high"]),
                "distinctive words": words[record["id"] - 1],
            }
            for record in order
        ]
    )


_FITS = 26
"""Letters of the words in a table of transitions: what would be cut off is left out."""


def state_columns(noun: str) -> dict[str, Any]:
    """How the columns of ``states_frame`` look; ``noun`` is what a row of the study is called."""
    return {
        "id": None,
        "labelled": None,
        "state": st.column_config.TextColumn(pinned=True, width=70),
        "visits": st.column_config.NumberColumn(format="localized", width=75),
        "sentences": st.column_config.NumberColumn(f"{noun}s", format="localized"),
        "errors": st.column_config.NumberColumn(format="localized"),
        "class": st.column_config.TextColumn("mostly", help="The class predicted at most steps into the state."),
        "purity": st.column_config.NumberColumn(format="%.2f", help="Share of that class."),
        "error rate": st.column_config.NumberColumn(
            format="%.2f", help=f"Wrong among the labelled {noun}s that pass the state."
        ),
        "lift": st.column_config.NumberColumn(format="%.2f", help=f"Error rate over that of all {noun}s."),
        "lift, 95 %": st.column_config.TextColumn(
            help=f"Wilson's interval of the error rate, over that of all {noun}s."
        ),
        "distinctive words": st.column_config.TextColumn(width="large"),
    }


def transitions_frame(
    view: View, edges: Sequence[tuple[int, int]], by_probability: bool, most: int = 60
) -> pd.DataFrame:
    """The strongest of some transitions with their commonest phrases; ``id`` is the pair of states."""
    machine = view.machine
    strength = machine.probability if by_probability else machine.transitions.astype(float)
    occurring = [edge for edge in edges if machine.transitions[edge]]
    ranked = sorted(occurring, key=lambda edge: (-strength[edge], -machine.transitions[edge], edge))[:most]
    return pd.DataFrame(
        [
            {
                "id": edge,
                "transition": path_name(edge),
                "times": int(machine.transitions[edge]),
                "probability": float(machine.probability[edge]),
                "such as": change_words(view, edge),
            }
            for edge in ranked
        ],
        columns=["id", "transition", "times", "probability", "such as"],
    )


def transition_columns(by_probability: bool) -> dict[str, Any]:
    """How the columns of ``transitions_frame`` look; there is room for one of the two figures."""
    return {
        "id": None,
        "transition": st.column_config.TextColumn(width=96),
        "times": None if by_probability else st.column_config.NumberColumn(format="localized", width=58),
        "probability": st.column_config.NumberColumn(
            "p", format="%.2f", width=48, help="Share of the steps out of the first state."
        )
        if by_probability
        else None,
        "such as": st.column_config.TextColumn(help="Commonest words around the change.", width=172),
    }


def change_words(view: View, pair: tuple[int, int], top: int = 2) -> str:
    """The two words around a change of state that occur often, with counts; else the words read there."""
    words = view.study.words
    often = [
        phrase
        for phrase in transition_phrases(view.traces, *pair, top=20)
        if phrase.count >= view.often and UNKNOWN_ID not in (phrase.before, phrase.after)
    ]
    texts = [
        f"{'' if phrase.before is None else words[phrase.before] + ' '}{words[phrase.after]} ×{phrase.count:,}"
        for phrase in often[:top]
    ]
    while len(texts) > 1 and len(", ".join(texts)) > _FITS:
        texts.pop()
    return ", ".join(texts) or words_at(view, pair)


def _interval(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.2f} – {high:.2f}"
