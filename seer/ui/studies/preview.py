"""Second step of a new study: what was understood of the data, each guess changeable."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.corpus import DataCheck
from seer.corpus.reading import Rejected
from seer.corpus.repeats import Repeats
from seer.jobs.commands import data_command
from seer.jobs.shown import shown_command
from seer.ui import state
from seer.ui.studies.draft import draft, own_names
from seer.ui.studies.guesses import guess_fields
from seer.ui.studies.understood import fault_of, read_hub_set, unlabelled
from seer.ui.studies.wording import on_page

_LISTED = 200
"""Rows of a list that are drawn; downloads have all."""
_CELL = 300
"""Characters of a cell of the first rows that are sent to the browser."""


def preview_step(found: DataCheck) -> None:
    """How the data is read, with a widget for each guess, and what came of it."""
    chosen = draft()
    guess_fields(chosen, found)
    fault = fault_of(found)
    if fault is not None:
        st.error(state.literal(on_page(fault)), icon=":material/error:")
        if chosen.source == "hub":
            st.button("Ask again", icon=":material/refresh:", key="new-again", on_click=read_hub_set.clear)
    if found.files:
        _first_rows(found)
    if found.corpus is not None:
        _counts(found)
    if unlabelled(found):
        st.caption(
            ":material/info: Without labels nothing is trained: the rows become one split of a study, whose model "
            "reads them."
        )
    _lists(found)
    with st.expander("The same on the command line", icon=":material/terminal:"):
        bare = {"labelled": False} if found.columns is not None and found.columns.label is None else {}
        argv = data_command("check", str(chosen.data), None, {**chosen.options, **bare})
        st.code(shown_command(argv, own_names()), language="bash", wrap_lines=True)


def _first_rows(found: DataCheck) -> None:
    for file in found.files[:3]:
        read = f"{file.read:,} of {counted(file.records, 'record')} read" + (
            f", {file.rejected:,} left out" if file.rejected else ""
        )
        st.caption(state.literal(f"First rows of {on_page(file.file)}{f' · {read}' if file.records else ''}"))
        width = max([len(file.columns), *map(len, file.head)], default=0)
        names = [*file.columns, *(f"beyond the header {extra + 1}" for extra in range(width - len(file.columns)))]
        rows = [[cell[:_CELL] for cell in row] + [""] * (width - len(row)) for row in file.head]
        # Names with dots or brackets would be taken for paths by some charts; a table takes them as they are.
        st.dataframe(pd.DataFrame(rows, columns=names), hide_index=True, key=f"new-head-{file.split}")


def _counts(found: DataCheck) -> None:
    corpus = found.corpus
    if corpus is None:
        return
    splits = list(corpus.splits)
    counts = {name: [found.counts[name].get(split, 0) for split in splits] for name in corpus.classes}
    without = [len(corpus.rows(split)) - sum(row[at] for row in counts.values()) for at, split in enumerate(splits)]
    names, rows = [*corpus.classes], [*counts.values()]
    if any(without):
        names, rows = [*names, "(no label)"], [*rows, without]
    if rows:
        st.caption("Rows of each class in each split")
        st.dataframe(
            pd.DataFrame({"class": names} | {split: [row[at] for row in rows] for at, split in enumerate(splits)}),
            hide_index=True,
            key="new-counts",
            column_config={split: st.column_config.NumberColumn(format="localized") for split in splits},
        )


def _lists(found: DataCheck) -> None:
    for notice in found.notices:
        st.caption(f":material/info: {state.literal(on_page(notice))}")
    if found.rejected or found.unlabelled:
        said = [
            f"{number:,} {what}"
            for number, what in ((len(found.rejected), "left out"), (len(found.unlabelled), "without a label"))
            if number
        ]
        with st.expander(f"Rows: {' and '.join(said)}", icon=":material/playlist_remove:"):
            _reasons((*found.rejected, *found.unlabelled))
            st.download_button(
                "Download as CSV",
                lambda: found.rejected_csv().encode("utf-8-sig"),
                "rows-left-out.csv",
                key="new-rejected",
                icon=":material/download:",
                on_click="ignore",
            )
    for repeats, title, guide in (
        (
            found.duplicates,
            "a text that stands in the same split before",
            "A model learns a text that stands there often by heart.",
        ),
        (found.conflicts, "a text that stands with another label too", "One of the labels is likely wrong."),
        (
            found.overlaps,
            "a text that stands in another split too",
            "The model is tested on texts that it has learned from.",
        ),
    ):
        if repeats.count:
            with st.expander(f"{counted(repeats.count, 'row')}: {title}", icon=":material/content_copy:"):
                st.caption(guide)
                _repeated(repeats, title)


def _reasons(rows: Sequence[Rejected]) -> None:
    shown = [
        {"file": on_page(row.file), "line": row.line, "reason": row.reason, "content": row.content}
        for row in rows[:_LISTED]
    ]
    st.dataframe(shown, hide_index=True, key="new-reasons")
    if len(rows) > _LISTED:
        st.caption(f"The first {_LISTED} of {len(rows):,}; the download has all.")


def _repeated(repeats: Repeats, key: str) -> None:
    st.dataframe(
        [
            {
                "rows": row.rows,
                "text": row.text,
                "labels": ", ".join(dict.fromkeys(label or "–" for label in row.labels)),
                "splits": ", ".join(dict.fromkeys(row.splits)),
                "ids": ", ".join(row.ids),
            }
            for row in repeats.rows[:_LISTED]
        ],
        hide_index=True,
        key=f"new-{key}",
    )
    if repeats.texts > _LISTED:
        st.caption(f"The first {_LISTED} of {repeats.texts:,} texts.")
