"""The pairs in words: the premise and its hypotheses as text, what each model predicts, and words to be deleted."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import partial

import streamlit as st

from seer.charts.verdicts import bars_html, moved_html
from seer.pair_reading import PairReading
from seer.text import split_pair
from seer.traces import NO_CLASS
from seer.ui import state
from seer.ui.frame import View
from seer.ui.pairs.shared import (
    BESIDE,
    MOST,
    Case,
    Reader,
    Taken,
    add,
    described,
    edit,
    other_rows,
    other_studies,
    remove,
    take,
)
from seer.ui.panels import TRACE_PAGE
from seer.ui.selection import shortened
from seer.ui.trace_panels import text_box

_PILLS = 60
"""Words of a sentence that can be clicked; the pictures have the others."""
_LISTED = 100
"""Letters of a hypothesis in a menu."""


def sentences_panel(view: View, case: Case, found: Sequence[Reader]) -> None:
    """The premise, then each hypothesis beside its predictions.

    Args:
        view: of the page.
        case: the pairs.
        found: the models; none where the pairs are not read.
    """
    _premise(view, case, found)
    for place in range(len(case.hypotheses)):
        with st.container(border=True, gap="small"):
            text, *verdicts = st.columns([4, 3, 3] if len(found) > 1 else [5, 4], gap="medium")
            with text:
                _hypothesis(view, case, place, found)
            for column, reader in zip(verdicts, found, strict=False):
                with column:
                    _verdict(view, case, place, reader, named=len(found) > 1)
    _more(view, case)


def true_class(view: View, case: Case, place: int) -> str | None:
    """The class of a pair by the data set; ``None`` for a typed one, or where there is none."""
    row = None if case.row is None else case.row if place == 0 else _row_of(view, case, place)
    label = NO_CLASS if row is None else int(view.study.corpus.labels[row])
    return None if label == NO_CLASS else view.study.classes[label]


def _row_of(view: View, case: Case, place: int) -> int | None:
    """The row with the case's premise and one of its further hypotheses."""
    assert case.row is not None
    for row in other_rows(view, case.row):
        if split_pair(view.study.corpus.text(row))[1] == case.hypotheses[place]:
            return row
    return None


def _premise(view: View, case: Case, found: Sequence[Reader]) -> None:
    row_id = None if case.row is None else str(view.study.corpus.ids[case.row])
    kind = f" · an example{' from outside the filters' if case.outside else ''}" if case.example else ""
    label = "Premise · typed" if row_id is None else f"Premise · pair {row_id}{kind}"
    with st.container(border=True, gap="small"):
        text_box(
            state.literal(label),
            case.premise,
            "pairs-premise",
            lambda text: edit(view, case, None, text),
            "Type over it to compare a premise of your own. A line break counts as a blank here.",
        )
        if found:
            _word_pills(view, case, found[0].readings[0], 0, None)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="pairs-taken"):
            if case.taken is None:
                st.caption(_click_line(found))
            else:
                st.button(
                    "Put it back",
                    key="pairs-put-back",
                    icon=":material/undo:",
                    on_click=take,
                    args=(view, case, None),
                )
                st.caption(state.literal(f"Taken out: {_taken_line(case, found)}"))
            st.space("stretch")
            st.page_link(
                TRACE_PAGE,
                label="Trace of the first pair",
                icon=":material/timeline:",
                query_params=state.link_query() if row_id is None else state.link_query(row=row_id),
            )


def _click_line(found: Sequence[Reader]) -> str:
    """What can be clicked, in words; empty when nothing can."""
    words = [reading.words for reading in found[0].readings] if found else []
    if not any(side for pair in words for side in pair):
        return ""
    cell = ", or a cell of a picture below to take its attention out," if any(all(pair) for pair in words) else ""
    line = f"Click a word to delete it{cell} and see the predictions move."
    if any(len(side) > _PILLS for pair in words for side in pair):
        line += f" Only the first {_PILLS} words of a sentence have buttons."
    return line


def _taken_line(case: Case, found: Sequence[Reader]) -> str:
    taken = case.taken
    pair = 0 if taken is None or taken.pair is None else taken.pair
    if taken is None or not found or pair >= len(case.hypotheses) or found[0].after(pair, taken) is None:
        return "something that these sentences do not have."
    where = "" if taken.pair is None or len(case.hypotheses) == 1 else f" in pair {taken.pair + 1}"
    return f"{described(found[0].readings[pair], taken).removeprefix('without ')}{where}."


def _hypothesis(view: View, case: Case, place: int, found: Sequence[Reader]) -> None:
    several = len(case.hypotheses) > 1
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(width="stretch"):
            text_box(
                f"Hypothesis {place + 1}" if several else "Hypothesis",
                case.hypotheses[place],
                f"pairs-hypothesis-{place}",
                partial(edit, view, case, place),
                "Type over it to try one of your own.",
            )
        if several:
            st.button(
                "",
                key=f"pairs-remove-{place}",
                icon=":material/close:",
                type="tertiary",
                help=f"Remove hypothesis {place + 1}",
                on_click=remove,
                args=(view, case, place),
            )
    if found:
        _word_pills(view, case, found[0].readings[place], 1, place)


def _verdict(view: View, case: Case, place: int, reader: Reader, *, named: bool) -> None:
    reading, after = reader.readings[place], reader.after(place, case.taken)
    if named:
        st.caption(state.literal(reader.title))
    st.html(moved_html(reading.classes, reading.probability, after, _true_of(view, case, place, reader)))
    st.html(bars_html(reading.classes, reading.probability, after))
    for remark in reading.remarks:
        st.caption(state.literal(remark))


def _true_of(view: View, case: Case, place: int, reader: Reader) -> str | None:
    """The true class as a model knows it: another study may have other classes."""
    true = true_class(view, case, place)
    return true if true in reader.study.classes else None


def _word_pills(view: View, case: Case, reading: PairReading, side: int, pair: int | None) -> None:
    """The words of a sentence as buttons; the deleted one is marked."""
    words = reading.words[side]
    if not words:
        return
    taken = case.taken
    ours = taken is not None and taken.word is not None and taken.word[0] == side and taken.pair == pair
    marked = taken.word[1] if ours and taken is not None and taken.word is not None else None
    shown = words[:_PILLS]
    # Streamlit keeps labels apart, not places: a repeated word gets an invisible mark for each time it came before.
    labels = [state.literal(word) + "\u2060" * shown[:place].count(word) for place, word in enumerate(shown)]
    key = f"pairs-words-{'premise' if pair is None else pair}-{zlib.crc32(repr(words).encode()):08x}"
    if marked is not None and marked >= len(shown):
        marked = None

    def pick(place: int | None) -> None:
        take(view, case, None if place is None else Taken(pair, word=(side, place)))

    st.pills(
        f"Words of the {'premise' if side == 0 else 'hypothesis'}: a click deletes one",
        range(len(shown)),
        format_func=labels.__getitem__,
        label_visibility="collapsed",
        wrap=True,
        **state.tied(key, marked, pick),
    )


def _more(view: View, case: Case) -> None:
    """The way to another hypothesis, and to a second model."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        full = len(case.hypotheses) >= MOST
        st.button(
            "Add a hypothesis",
            key="pairs-add",
            icon=":material/add:",
            disabled=full,
            help=f"A copy of the last one, to be changed. At most {MOST} stand beside one another.",
            on_click=add,
            args=(view, case, case.hypotheses[-1]),
        )
        _from_data(view, case, full)
        st.space("stretch")
        others = other_studies(view)
        if others:
            st.selectbox(
                "A second model beside",
                ["", *others],
                format_func=lambda name: "none" if not name else shortened(name),
                help="Another study of sentence pairs; it reads the same pairs.",
                width=240,
                **state.bound("pairs-beside", f"view.{BESIDE}", empty="", choices=["", *others]),
            )


def _from_data(view: View, case: Case, full: bool) -> None:
    """Other hypotheses of the same premise in the data."""
    if case.row is None:
        return
    corpus = view.study.corpus
    rows = {split_pair(corpus.text(row))[1]: row for row in other_rows(view, case.row)}
    left = [text for text in rows if text not in case.hypotheses]
    if not left:
        return
    with st.popover("Add one from the data", icon=":material/database:", disabled=full):
        st.caption(state.literal(f"Other hypotheses of this premise in {view.split_name}."))
        for text in left:
            st.button(
                state.literal(shortened(text, _LISTED)),
                key=f"pairs-data-{corpus.ids[rows[text]]}",
                type="tertiary",
                on_click=add,
                args=(view, case, text),
            )
