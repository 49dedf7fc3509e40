"""What the pages of states and of transitions show of the state machine, as tables, boxes and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from seer.charts.states import PICK, map_places, state_map
from seer.slices import slice_accuracy
from seer.traces import START
from seer.ui import state
from seer.ui.frame import View
from seer.ui.panels import example_rows, percent, sentence_list, words_of
from seer.ui.selection import state_name

_MAP = "states-map-clicked"
"""In the session: the state last clicked on the map, and how often the map was made."""

_WORDS = 70
"""Words drawn at most of an example."""
_LONG, _FRAME = 5 * _WORDS, 150
"""Characters of an example: at most those that are drawn, and what its frame and link take."""


def choose_state(number: int | None) -> None:
    """Put a state into the Selection in place of a transition, or take both out."""
    state.change(state=number, transition=None)


def choose_transition(pair: tuple[int, int] | None) -> None:
    """Put a transition into the Selection in place of a state, or take both out."""
    state.change(transition=pair, state=None)


def suspect(view: View) -> int:
    """The state to show when none is chosen: the one whose errors surely exceed the whole's, else the most visited."""
    machine = view.machine
    ranked = machine.suspicious()
    return int(ranked[0]) if len(ranked) else int(machine.visits[1:].argmax()) + 1


def none_chosen(view: View) -> str:
    """What ``suspect`` is called in a box of states."""
    kind = "most suspicious" if len(view.machine.suspicious()) else "most visited"
    return f"{kind}: {state_name(suspect(view))}"


def suspect_words(view: View, number: int) -> str:
    """Why ``suspect`` shows that state."""
    if not view.machine.visits[number]:
        return f"No {view.noun} of {view.split_name} has a word. Choose other {view.noun}s at the left."
    machine = view.machine
    if len(machine.suspicious()):
        low, high = machine.lift_interval[number]
        return (
            f"{state_name(number)} is shown: its errors most surely exceed the whole's (lift {low:.2f}–{high:.2f}, "
            "95 %). Choose any other state."
        )
    why = "no state has surely more errors than the whole" if machine.labelled[START] else f"no {view.noun} has a label"
    return f"{state_name(number)} is shown as the most visited: {why}. Choose any other state."


def looking_at(view: View, number: int) -> View:
    """The view as if the state were chosen; the session's Selection stays."""
    return replace(view, selection=view.selection.change(state=number))


def state_box(view: View, key: str, none: str) -> None:
    """A box that chooses a state from the keyboard.

    Args:
        view: of the page.
        key: key of the widget, unique in the app.
        none: what "no state" is called.
    """
    st.selectbox(
        "State",
        range(view.study.states + 1),
        format_func=lambda number: none if number == START else _box_line(view, number),
        **state.tied(key, view.selection.state or START, lambda number: choose_state(number or None)),
    )


def _box_line(view: View, number: int) -> str:
    words = ", ".join(words_of(view, number, top=3))
    return f"{state_name(number)} · {words}" if words else state_name(number)


def map_panel(view: View, shown: int, words: Sequence[str]) -> None:
    """The map of the states; a click chooses one.

    A chart reports only a click that changes its own choice. So where something else chose the state, the chart is made
    anew, and the state that was last clicked on it can be clicked again.

    Args:
        view: of the page.
        shown: the state to mark.
        words: (K,) for the tooltips.
    """
    clicked, made = st.session_state.get(_MAP, (None, 0))
    if clicked != view.selection.state:
        made += 1
        st.session_state[_MAP] = view.selection.state, made
    key = f"states-map-{made}"

    def pick() -> None:
        points = st.session_state[key].selection[PICK]
        if points:
            number = int(points[0]["state"])
            st.session_state[_MAP] = number, made
            choose_state(number)

    st.altair_chart(
        state_map(
            view.machine,
            map_places(view.study.machine(None), view.study.places),
            shown,
            words,
            colours=looking_at(view, shown).colours,
        ),
        key=key,
        on_select=pick,
        selection_mode=PICK,
        alt=f"Map of {view.study.states} states. {state_name(shown)} is marked: {words[shown - 1] or 'no words'}.",
    )
    st.caption(
        "Area: visits. Disc: the class predicted most. Ring: the share of each class. Places follow the first two "
        "principal components, stretched to the box; discs that would overlap are pushed apart."
    )


def transition_sentence(view: View, pair: tuple[int, int]) -> str:
    """How often a transition is taken, and how often its sentences are wrong, in a sentence or two."""
    machine = view.machine
    count = int(machine.transitions[pair])
    if not count:
        return f"No {view.noun} of {view.split_name} takes it."
    origin = f"of the {view.noun}s start so" if pair[0] == START else f"of the steps out of {state_name(pair[0])}"
    taken = f"Taken {count:,} times: {percent(float(machine.probability[pair]))} {origin}."
    judged = slice_accuracy(view.study, view.rows_with(transition=pair))
    if not judged.labelled:
        return f"{taken} No labelled {view.noun} takes it."
    rate = judged.errors / judged.labelled
    return (
        f"{taken} {percent(rate)} of its {judged.labelled:,} labelled {view.noun}s are wrong "
        f"(95 %: {1 - judged.high:.0%}–{1 - judged.low:.0%}); {percent(machine.base_error_rate)} of all are."
    )


def examples(view: View, count: int = 6) -> int:
    """Sentences that pass the view's filters, each text once, in two columns of about the same length.

    Returns:
        How many pass them in all; nothing is drawn for 0.
    """
    texts = {view.study.corpus.text(int(row)): int(row) for row in reversed(example_rows(view, 2 * count))}
    columns: tuple[list[int], list[int]] = ([], [])
    lengths = [0, 0]
    for text, row in [*reversed(texts.items())][:count]:
        shorter = lengths.index(min(lengths))
        columns[shorter].append(row)
        lengths[shorter] += min(len(text), _LONG) + _FRAME
    for column, rows in zip(st.columns(2), columns, strict=True):
        with column:
            sentence_list(view, rows, most=_WORDS)
    return len(view.rows())
