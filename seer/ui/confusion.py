"""The confusion matrix of many classes: which of them it shows in what order, and the pairs confused most often."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from seer.charts.figures import FEW
from seer.charts.names import short_names
from seer.confusions import Order, class_order, most_confused
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.panels import percent
from seer.ui.tables import pick_table

_LETTERS = 17
"""Of a class in the table."""
MOST = 100
"""Pairs of classes in the table."""

_ORDERS: dict[str, Order] = {
    "most errors": "errors",
    "confused side by side": "confusion",
    "largest": "size",
    "as stored": "stored",
}


def shown_classes(view: View, matrix: IntArray) -> list[int] | None:
    """Fields that say which of many classes the matrix shows, in what order; ``None`` for few: all.

    Args:
        view: of the page; the classes it has chosen are shown in any case.
        matrix: (C, C) counts.
    """
    count = len(matrix)
    if count <= FEW:
        return None
    some, every = f"the {FEW} with most errors", f"all {count}"
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        which = st.segmented_control(
            "Classes",
            [some, every],
            required=True,
            help="All others share the last row and column.",
            **state.bound("matrix-classes", "view.matrix", empty=some, choices=(some, every)),
        )
        by = st.selectbox(
            "Order",
            list(_ORDERS),
            width=210,
            **state.bound("matrix-order", "view.sorted", empty="most errors", choices=tuple(_ORDERS)),
        )
    order = [int(place) for place in class_order(matrix, _ORDERS[by or "most errors"])]
    if which == every:
        return order
    kept = set(class_order(matrix, "errors")[:FEW].tolist())
    kept |= {view.study.classes.index(name) for name in (view.selection.true, view.selection.predicted) if name}
    return [place for place in order if place in kept]


def confused_table(view: View, matrix: IntArray, key: str, on_pick: Callable[[str, str], None]) -> None:
    """The pairs of classes confused most often; a click on one reports it.

    Args:
        view: of the page.
        matrix: (C, C) counts.
        key: of the widget.
        on_pick: called with the true class and with the one that was read.
    """
    found, classes, short = most_confused(matrix), view.study.classes, short_names(view.study.classes, _LETTERS)
    if not found:
        empty("No class is taken for another.", ":material/check_circle:")
        return
    frame = pd.DataFrame(
        [
            {
                "is": short[pair.true],
                "read as": short[pair.predicted],
                "times": pair.count,
                "share": percent(pair.share),
            }
            for pair in found[:MOST]
        ]
    )
    ids = [(classes[pair.true], classes[pair.predicted]) for pair in found[:MOST]]
    chosen = (view.selection.true, view.selection.predicted)
    pick_table(
        frame,
        ids,
        chosen,
        lambda pair: on_pick(*(pair or chosen)),
        key=key,
        height=388 if len(frame) > 10 else "content",
        column_config={
            "is": st.column_config.TextColumn(width=115),
            "read as": st.column_config.TextColumn(width=115),
            "times": st.column_config.NumberColumn(format="localized", width=50),
            "share": st.column_config.TextColumn("of it", width=54, help="Share of the true class."),
        },
        alt="Pairs of classes by how often the first is read as the second",
    )
    if len(found) > MOST:
        st.caption(f"{len(found) - MOST:,} more pairs are confused less often.")
