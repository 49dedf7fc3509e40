"""What the pictures of sentence pairs share: the words that they show, and clicks that take something out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from seer.charts.pairs import PICK
from seer.pair_reading import SENTENCES
from seer.ui import state
from seer.ui.frame import View
from seer.ui.pairs.shared import Case, Reader, Taken, read_code, take

PART = 40
"""Words of a sentence in a picture at once."""
WIDE = 22
"""Most words of a hypothesis whose picture has room beside another."""

_VIEW = ("premisepart", "hypothesispart")
"""View options: which part of a long sentence is on show."""


@dataclass(frozen=True)
class Scene:
    """What the pictures are of.

    Attributes:
        view: of the page.
        case: the pairs.
        found: the models, one or two.
        begins: of each sentence, the word at which the pictures begin.
    """

    view: View
    case: Case
    found: Sequence[Reader]
    begins: tuple[int, int] = (0, 0)

    @property
    def parts(self) -> tuple[slice, slice]:
        """The words of each sentence that are on show."""
        return slice(self.begins[0], self.begins[0] + PART), slice(self.begins[1], self.begins[1] + PART)

    @property
    def wide(self) -> bool:
        """Whether each picture wants the whole width."""
        return any(len(reading.hypothesis_words[self.parts[1]]) > WIDE for reading in self.found[0].readings)

    def columns(self, count: int) -> Sequence[DeltaGenerator]:
        """Places for pictures: beside one another, or under one another where each wants the whole width."""
        return [st.container() for _ in range(count)] if self.wide else st.columns(count, gap="medium")

    def words(self, reader: Reader, place: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words on show of a pair."""
        premise, hypothesis = reader.readings[place].words
        return premise[self.parts[0]], hypothesis[self.parts[1]]

    def deleted(self, place: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The words that are deleted from a pair, of each sentence, counted from its first word."""
        taken = self.case.taken
        if taken is None or taken.word is None or not taken.concerns(place):
            return (), ()
        side, word = taken.word
        return ((word,), ()) if side == 0 else ((), (word,))

    def clickable(self, place: int, key: str, chart: Any, alt: str) -> None:
        """Draw a chart of a pair whose clicks take something out, or put it back.

        It is a widget for each thing that is taken out: a second click on the same place must count as a click.
        """
        taken, code = self.case.taken, ""
        if taken is not None and taken.concerns(place):
            code = taken.code
        widget = f"pairs-{key}-{place}-{code}"

        def pick() -> None:
            points = st.session_state[widget].selection[PICK]
            if points:
                self.take(place, str(points[0]["take"]))

        st.altair_chart(chart, key=widget, on_select=pick, selection_mode=PICK, alt=alt)

    def take(self, place: int, code: str) -> None:
        """Take out what a click on a picture of a pair reports."""
        taken: Taken | None = read_code(code if code.startswith("p") else f"{place + 1}{code}")
        take(self.view, self.case, taken)


def scene(view: View, case: Case, found: Sequence[Reader]) -> Scene:
    """The scene of these pairs, with fields that choose the part of a long sentence."""
    longest = [max(len(reading.words[side]) for reading in found[0].readings) for side in (0, 1)]
    if max(longest) <= PART:
        return Scene(view, case, found)
    with st.container(horizontal=True, gap="medium"):
        premise, hypothesis = (_begin(side, longest[side]) for side in (0, 1))
    return Scene(view, case, found, (premise, hypothesis))


def _begin(side: int, longest: int) -> int:
    """The word at which the part on show begins."""
    parts = range(1, -(-longest // PART) + 1)
    if len(parts) == 1:
        return 0
    chosen = st.segmented_control(
        f"Words of the {SENTENCES[side]} in the pictures",
        parts,
        format_func=lambda part: f"{(part - 1) * PART + 1}–{min(part * PART, longest)}",
        required=True,
        **state.bound(f"pairs-{_VIEW[side]}", f"view.{_VIEW[side]}", empty=1, choices=parts),
    )
    return (int(chosen or 1) - 1) * PART
