"""Word deletion: whether the prediction follows the words that a method names."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.charts.relevance_figures import curves_chart
from seer.evaluation.deletion import RANDOM, Deletion, deletion
from seer.relevance.methods import METHODS
from seer.ui.frame import View, empty
from seer.ui.relevance.evaluations import measured, methods_row, split_line
from seer.ui.relevance.shared import quick_methods

DELETIONS = 5

PANELS = (
    ("correct", "falling", "Right at first: words for the true class go", "Lower is better."),
    ("wrong", "rising", "Wrong at first: words against the true class go", "Higher is better."),
    ("wrong", "falling", "Wrong at first: words for the true class go", "Lower is better."),
)
"""Group of sentences, order of deletion, what that means, and how to read it."""


def deletion_panel(view: View) -> None:
    """Settings, the run, and what it found."""
    st.caption(
        f"Words go one by one in the order of their relevance for the true class, and the model reads what is left. "
        f"{split_line(view)}"
    )
    usual = [name for name in quick_methods(view.study) if name not in ("removal", RANDOM)]
    methods, most = methods_row(view, "delmethods", usual, "deletion")
    if not methods:
        empty("Choose a method above.", ":material/checklist:")
        return
    found: Deletion | None = measured(
        view,
        "deletion",
        methods,
        deletion,
        "Explains every sentence of ten words or more by each method, then reads it five times shorter.",
        most=most,
        deletions=DELETIONS,
    )
    if found is not None:
        _deletion_result(found)


def _deletion_result(found: Deletion) -> None:
    st.caption(
        f"{found.correct:,} sentences of {found.least_words} words or more read rightly at first, {found.wrong:,} "
        "wrongly. The dotted grey line deletes at random: a method that stays near it finds nothing."
    )
    titles = list(dict.fromkeys(METHODS[curve.method].title for curve in found.curves))
    cells = [*st.columns(2, gap="medium"), *st.columns(2, gap="medium")]
    for cell, panel in zip(cells, PANELS, strict=False):
        with cell:
            _deletion_chart(found, titles, panel)
    with cells[-1]:
        _deletion_table(found, titles)


def _deletion_chart(found: Deletion, titles: list[str], panel: tuple[str, str, str, str]) -> None:
    group, order, title, better = panel
    table = pd.DataFrame(
        [
            {"deleted": step, "method": METHODS[curve.method].title, "value": share}
            for curve in found.curves
            for step, share in enumerate(curve.accuracy)
            if (curve.group, curve.order) == (group, order)
        ],
        columns=["deleted", "method", "value"],
    )
    st.markdown(f"**{title}**")
    st.caption(better)
    if table["value"].isna().all():
        empty("There is no such sentence here.")
        return
    st.altair_chart(
        curves_chart(table, titles, "read rightly", METHODS[RANDOM].title),
        key=f"evaluate-deletion-{group}-{order}",
        alt=f"Share read rightly after 0 to {found.deletions} deletions, by method. {title}.",
    )


def _deletion_table(found: Deletion, titles: list[str]) -> None:
    last = pd.DataFrame({"method": titles})
    for group, order, title, _ in PANELS:
        ends = {METHODS[c.method].title: c.accuracy[-1] for c in found.curves if (c.group, c.order) == (group, order)}
        last[title] = [100 * ends.get(name, float("nan")) for name in titles]
    share = partial(st.column_config.NumberColumn, format="%.1f", width=76)
    st.markdown(f"**Read rightly after {counted(found.deletions, 'deletion')}, %**")
    st.caption("How to read it: ↓ columns low and the ↑ column high, all far from random.")
    st.dataframe(
        last,
        hide_index=True,
        height="content",
        column_config={
            "method": st.column_config.TextColumn(width=180),
            **{
                title: share(
                    f"{'right' if group == 'correct' else 'wrong'} {'↓' if order == 'falling' else '↑'}",
                    help=f"{title}. {better}",
                )
                for group, order, title, better in PANELS
            },
        },
        key="evaluate-deletion-table",
    )
