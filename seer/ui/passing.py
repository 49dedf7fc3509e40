"""The sentences that pass the filters as a view of their own: its machine, traces and words are those of no others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import streamlit as st
from scipy.sparse import csr_array

from seer.charts.captions import counted
from seer.machine import StateMachine
from seer.patterns.words import state_words
from seer.slices import Filter, matching_rows
from seer.study import Study
from seer.traces import IntArray, Traces
from seer.ui.frame import View


class _Part(NamedTuple):
    traces: Traces
    machine: StateMachine


@st.cache_resource(max_entries=6, show_spinner="Counting the sentences that pass…")
def _part(_study: Study, version: str, wanted: Filter) -> _Part:
    rows = matching_rows(_study, wanted)
    traces = _study.traces.select(rows)
    return _Part(traces, StateMachine.count(traces, _study.corpus.labels[rows], _study.states, _study.classes))


@dataclass(frozen=True)
class Passing(View):
    """A view of the sentences that pass; the chosen state or transition filters nothing, since it is looked at here."""

    @cached_property
    def part(self) -> _Part:
        """Traces and machine of the sentences that pass."""
        return _part(self.study, self.study.hash, self.filter(state=None, transition=None))

    @property
    def split_name(self) -> str:
        """The sentences in words."""
        return f"the {self.traces.sentences:,} that pass"

    @property
    def sentences_name(self) -> str:
        """The same as a noun."""
        number = self.traces.sentences
        return f"the {counted(number, self.noun)} that {'passes' if number == 1 else 'pass'}"

    @property
    def machine(self) -> StateMachine:
        """The state machine of the sentences that pass."""
        return self.part.machine

    @property
    def traces(self) -> Traces:
        """Their traces."""
        return self.part.traces

    @property
    def word_counts(self) -> csr_array:
        """(K+1, V) how often each word is read into each state in them."""
        return state_words(self.traces, self.study.tokenizer.size, self.study.states)

    @property
    def often(self) -> int:
        """Any text counts: they may be few."""
        return 1

    def rows_with(self, **fields: Any) -> IntArray:
        """Positions of those that have a state or a transition."""
        return self.rows(**{"state": None, "transition": None, **fields})


def passing(view: View) -> View:
    """The view of the sentences that pass, or the view itself where nothing but a state or transition is chosen."""
    return Passing(view.study, view.selection, view.gone) if view.filtered(state=None, transition=None) else view
