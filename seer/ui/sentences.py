"""A paged table of sentences in a chosen order, and the way from one to the next."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.charts.names import apart, short_names
from seer.rare import rare_paths
from seer.table import ORDERS, Order, Record, page_count, page_of, page_rows, place_of, records
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.selection import PAGE, path_name
from seer.ui.tables import pick_table

SIZE = 12
"""Rows on a page."""

SORT = "sort"
"""View option: the order of the table."""

ORDER_NAMES: dict[Order, str] = {
    "errors": "surest errors first",
    "unsure": "least sure first",
    "sure": "surest first",
    "rare": "rarest path first",
    "short": "shortest first",
    "long": "longest first",
    "id": "by id",
}

_SIGNS = {True: "✓", False: "✕", None: "–"}
_TEXT = 240
_BOTH, _HEADER, _WIDEST, _LETTER, _CAPITAL, _EDGES = 424, 116, 190, 7, 1.5, 20
"""Pixels: classes and text together, the classes at least and at most, a letter, what a capital has more, the edges."""
NOTE_WIDTH = 110
"""Pixels of a column of notes: the longest cause breaks into two lines."""
ROW_HEIGHT = 65
"""Pixels of a row in which texts run over three lines: Streamlit wraps from 4 rem on."""
_NAME = 14
"""Letters of a class name in the table."""

VERDICT = "true → read as"
_HEADERS: dict[str, tuple[Order, Order]] = {"confidence": ("sure", "unsure"), "words": ("short", "long")}


def chosen_order() -> Order:
    """The order that the view option names, the surest errors first without one."""
    named = state.view_option(SORT, ORDERS[0])
    return named if named in ORDERS else ORDERS[0]


def order_field() -> None:
    """The field that chooses the order; another order begins at its first page."""
    st.selectbox(
        "Order",
        ORDERS,
        format_func=ORDER_NAMES.__getitem__,
        label_visibility="collapsed",
        width=210,  # the tools of the table lie at its right, on a phone too
        **state.tied("sentences-order", chosen_order(), _sort_by),
    )


def current_page(view: View, rows: IntArray, start: int = 0) -> int:
    """The page of the link, else the one that has the chosen sentence, else the one that has the place to start at."""
    place = place_of(rows, view.row)
    page = state.view_option(PAGE, 0) or page_of(start if place is None else place, SIZE)
    return min(max(page, 1), page_count(len(rows), SIZE))


def sentence_table(
    view: View, rows: IntArray, page: int, shown: int, key: str, note: Callable[[str], str | None] | None = None
) -> None:
    """One page of the rows, the shown one marked; a click on a row chooses its sentence.

    Args:
        view: of the page.
        rows: positions of all rows in their order.
        page: from 1.
        shown: position of the sentence whose detail is open.
        key: of the table, unique on the page.
        note: what to write in a column of notes by row id; without it there is no such column.
    """
    part = records(view.study, page_rows(rows, page, SIZE))
    frame = pd.DataFrame([_cells(view, record) for record in part])
    if note is not None:
        frame["note"] = pd.Series([note(record.id) for record in part], dtype=object)
    # A verdict of two classes may break at its arrow.
    longest = max(_pixels(f"{part} →") for verdict in frame[VERDICT] for part in verdict.split(" → "))
    verdict = round(min(max(longest + _EDGES, _HEADER), _WIDEST))
    marked = (view.selection.study, str(view.study.corpus.ids[shown]))
    pick_table(
        frame,
        [(view.selection.study, record.id) for record in part],
        marked,
        # A click on the marked row keeps it: the first one is marked before anybody has chosen.
        lambda picked: state.change(row=(picked or marked)[1]),
        key=key,
        on_header=_take_header,
        height="content",
        row_height=ROW_HEIGHT,
        placeholder="–",
        alt=f"{counted(len(rows), 'sentence')}, {ORDER_NAMES[chosen_order()]}, page {page}.",
        column_config={
            VERDICT: st.column_config.TextColumn(
                width=verdict, pinned=True, help="✓ right, ✕ wrong, – without a label or without a word."
            ),
            "text": st.column_config.TextColumn(width=_BOTH - verdict - (0 if note is None else NOTE_WIDTH)),
            "confidence": st.column_config.NumberColumn(
                "conf.", format="%.2f", width=54, help="Probability of the predicted class. A click sorts by it."
            ),
            "words": st.column_config.NumberColumn(
                format="localized", width=58, help="Number of words. A click sorts by it."
            ),
            "note": st.column_config.TextColumn(width=NOTE_WIDTH, help="✓ checked, and the cause. Choose by it above."),
        },
    )
    pages = page_count(len(rows), SIZE)
    if pages > 1:
        # The page may change from outside, and this widget takes no value through the session: each page is a new one.
        pager = f"{key}-page-{pages}-{page}"
        st.pagination(
            pages, default=page, max_visible_pages=7, key=pager, on_change=state.by_hand(_take_page), args=(pager,)
        )


def step_buttons(view: View, rows: IntArray, shown: int) -> None:
    """Buttons to the sentences before and after the shown one, in the order of the rows."""
    place = place_of(rows, shown)
    for label, key, other, icon in (
        ("Previous :gray[P]", "previous", -1 if place is None else place - 1, ":material/chevron_left:"),
        ("Next :gray[N]", "next", 0 if place is None else place + 1, ":material/chevron_right:"),
    ):
        inside = 0 <= other < len(rows)
        st.button(
            label,
            key=f"sentences-{key}",
            icon=icon,
            disabled=not inside,
            on_click=_go,
            args=(str(view.study.corpus.ids[rows[other]]),) if inside else (),
        )


def rarest_line(view: View, row: int) -> str | None:
    """The sentence's step that the training sentences took least, in words; ``None`` where the order is another.

    Args:
        view: of the page.
        row: position of the sentence.
    """
    if chosen_order() != "rare":
        return None
    found = rare_paths(view.study, rows=np.array([row]))
    if not len(found):
        return None
    step = found.records(view.study)[0]
    return (
        f"Rarest step: {path_name((step['source'], step['target']))} at word {step['step']:,} “{step['word']}”, "
        f"{step['count']:,} of the {step['of']:,} steps that {found.reference} take from there."
    )


def _pixels(text: str) -> float:
    """About how wide a text is."""
    return _LETTER * len(text) + _CAPITAL * sum(map(str.isupper, text))


def _cells(view: View, record: Record) -> dict[str, object]:
    return {
        VERDICT: verdict_words(view, record),
        "text": view.line(record.text, _TEXT),
        "confidence": np.nan if record.confidence is None else record.confidence,
        "words": record.words,
    }


def verdict_words(view: View, record: Record) -> str:
    """``✓ pos``, or both classes where they differ or one is missing: ``✕ neg → pos``."""
    short = dict(zip(view.study.classes, short_names(view.study.classes, _NAME), strict=True))
    true = "no label" if record.true is None else short[record.true]
    predicted = "no word" if record.predicted is None else short[record.predicted]
    # A cell that begins from the right would turn its sign and its arrow round.
    begin = "" if (true + predicted).isascii() else "\u200e"
    names = apart(true) if record.right else f"{apart(true)} → {apart(predicted)}"
    return f"{begin}{_SIGNS[record.right]} {names}"


def _go(row_id: str) -> None:
    state.select(state.current().change(row=row_id).with_view(**{PAGE: None}))


def _take_page(pager: str) -> None:
    state.change_view(**{PAGE: str(st.session_state[pager])})


def _take_header(column: str) -> None:
    first, second = _HEADERS.get(column, (ORDERS[0], ORDERS[0]))
    _sort_by(second if chosen_order() == first else first)


def _sort_by(order: Order) -> None:
    top = None if state.current().row is None else "1"
    state.change_view(**{SORT: None if order == ORDERS[0] else order, PAGE: top})
