"""The studies that are there: a list, and what can be done with one."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from seer.errors import SeerError
from seer.glance import glance
from seer.hosting import read_only
from seer.jobs.shown import shown_text
from seer.jobs.studies import delete_study
from seer.listing import DEMO_NAME, study_folders
from seer.notes.place import notes_path
from seer.storage import read_manifest
from seer.study import DEMOS
from seer.table import page_count, page_of
from seer.ui import state
from seer.ui.selection import Selection, shortened
from seer.ui.studies.draft import SAID
from seer.ui.tables import pick_table

log = logging.getLogger("seer")

_CHOSEN, _PAGE = "_shelf_chosen", "_shelf_page"
SIZE = 50
"""Studies on a page of the list."""


def _line(name: str, folder: Path) -> dict[str, Any]:
    """What the list says of a study; why, where it cannot be read."""
    try:
        manifest = read_manifest(folder)
        return _looked_at(str(folder), f"{manifest['hash']} {manifest.get('made')}")
    except SeerError as error:
        return {"data": shown_text(str(error))}
    except Exception:  # one damaged study must not take the others away
        log.exception("The study %r cannot be listed", name)
        return {"data": f"The study {name!r} is damaged; train it again, or see the server's log."}


@st.cache_data(max_entries=2000, show_spinner="Looking at the studies…")
def _looked_at(folder: str, version: str) -> dict[str, Any]:
    """The line of a study, kept as long as it is not written anew. Errors are not kept: they may be mended.

    Raises:
        StudyError: it is damaged.
    """
    found = glance(Path(folder))
    return {
        "data": found.data,
        "model": found.model,
        "rows": found.rows,
        "accuracy": 100 * found.accuracy.value if found.accuracy.labelled else None,
        "split": found.split,
        "made": found.made[:16].replace("T", " "),
    }


def shelf() -> None:
    """The list of studies; a click on one offers to open it or, but for the demos, to delete it."""
    folders = study_folders()
    current = state.current().study
    chosen = st.session_state.get(_CHOSEN)
    if chosen not in folders:
        chosen = current if current in folders else DEMO_NAME
    names, pages = list(folders), page_count(len(folders), SIZE)
    page = min(st.session_state.get(_PAGE) or page_of(names.index(chosen), SIZE), pages)
    part = names[(page - 1) * SIZE : page * SIZE]
    lines = {name: _line(name, folders[name]) for name in part}
    columns = ("data", "model", "rows", "accuracy", "split", "made")
    frame = pd.DataFrame([{"study": name} | {key: lines[name].get(key) for key in columns} for name in part])
    pick_table(
        frame,
        part,
        chosen,
        _choose,
        key="shelf",
        column_config={
            "study": st.column_config.TextColumn(width=130, pinned=True),
            "data": st.column_config.TextColumn(width=150),
            "model": st.column_config.TextColumn(width=220),
            "rows": st.column_config.NumberColumn(format="localized", width=65),
            "accuracy": st.column_config.NumberColumn("accuracy, %", format="%.1f", width=90),
            "split": st.column_config.TextColumn("measured on", width=95),
            "made": st.column_config.TextColumn("made (UTC)", width=130),
        },
    )
    if pages > 1:
        pager = f"shelf-page-{pages}-{page}"  # a new one for each page, which may also follow from the choice
        st.pagination(
            pages, default=page, max_visible_pages=7, key=pager, on_change=state.by_hand(_take_page), args=(pager,)
        )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="shelf-actions"):
        st.page_link(
            "pages/overview.py",
            label=f"Open {state.literal(shortened(chosen))}",
            icon=":material/arrow_forward:",
            query_params=state.link_query(Selection(study=chosen)),
        )
        if chosen not in DEMOS and not read_only():
            _deletion(chosen, folders[chosen])


def _deletion(name: str, folder: Path) -> None:
    with st.popover("Delete…", icon=":material/delete:", key="shelf-delete"):
        notes = notes_path(folder, name)
        kept = "Its notes stay where they are." if notes.parent != folder else "Its notes go with it."
        lost = kept if notes.exists() else "It has no notes."
        st.markdown(f"Delete the study **{state.literal(name)}** for everybody? {lost}")
        st.button("Delete it", key="shelf-delete-yes", type="primary", on_click=_delete, args=(name,))


def _delete(name: str) -> None:
    try:
        delete_study(name)
    except SeerError as error:
        st.session_state[SAID] = ("error", str(error))
        return
    st.session_state[SAID] = ("done", f"The study {name} is deleted.")
    if state.current().study == name:
        state.select(Selection())


def _choose(name: str | None) -> None:
    st.session_state[_CHOSEN] = name


def _take_page(pager: str) -> None:
    st.session_state[_PAGE] = st.session_state[pager]
