"""A table whose rows choose something: by what the row is about, never by where it stands."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from seer.cells import guarded


def pick_table(
    frame: pd.DataFrame,
    ids: Sequence[Any],
    chosen: Any,
    on_pick: Callable[[Any], None],
    *,
    key: str,
    on_header: Callable[[str], None] | None = None,
    **options: Any,
) -> None:
    """A table that marks the chosen row and reports a click on any other.

    Streamlit reports positions. They are turned into ids before anything else happens, and a table of other ids is
    another widget, so that a click never reaches a row of an older table.

    Args:
        frame: the rows.
        ids: what each row stands for, hashable by its ``repr``.
        chosen: the id to be marked; none when the table does not have it.
        on_pick: called with the clicked id, or with None when the chosen row is clicked once more.
        key: key of the widget, unique on the page.
        on_header: called with the name of a clicked column; without it the browser sorts the rows it was given.
        options: for ``st.dataframe``.
    """
    shown = list(ids)
    widget = f"{key}-{zlib.crc32(repr(shown).encode()):08x}"
    rows = [shown.index(chosen)] if chosen in shown else []
    held = st.session_state.get(widget)
    # Assigned only when it differs: an assignment goes to the browser.
    if held is None or held["selection"] != {"rows": rows, "columns": [], "cells": []}:
        st.session_state[widget] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    st.dataframe(
        frame,
        hide_index=True,
        key=widget,
        on_select=lambda: _report(widget, shown, rows, on_pick, on_header),
        selection_mode=["single-row", "single-cell", "single-column"] if on_header else ["single-row", "single-cell"],
        **options,
    )


def _report(
    widget: str,
    ids: list[Any],
    before: list[int],
    on_pick: Callable[[Any], None],
    on_header: Callable[[str], None] | None,
) -> None:
    selection = st.session_state[widget]["selection"]
    if on_header is not None and selection["columns"]:
        on_header(selection["columns"][0])
        return
    rows, cells = list(selection["rows"]), selection["cells"]
    # A click on a cell means its row: the narrow box at the left of a row is easily missed.
    if cells:
        rows = [int(cells[0][0])]
    picked = rows[0] if rows else None
    on_pick(None if picked is None or [picked] == before else ids[picked])


def frame_csv(frame: pd.DataFrame) -> bytes:
    """A table as CSV, with a ``'`` before each cell and name that a spreadsheet would take for a formula."""
    frame = frame.set_axis(guarded(pa.array(map(str, frame.columns), pa.string())).to_pylist(), axis=1)
    for name in frame.columns:
        if pd.api.types.is_string_dtype(frame[name]) or frame[name].dtype == object:
            frame[name] = guarded(pa.array(frame[name], pa.string(), from_pandas=True)).to_pandas()
    return frame.to_csv(index=False).encode("utf-8-sig")
