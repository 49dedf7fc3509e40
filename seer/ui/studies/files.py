"""Fields for files that are brought here: kept by content, named as their owner calls them."""

from __future__ import annotations

import streamlit as st

from seer.errors import SeerError
from seer.hosting import limits
from seer.ui import state
from seer.ui.selection import shortened
from seer.ui.studies.draft import ROLES, forget_reading, uploads
from seer.uploads import Upload, store_upload


def upload_field(role: str, label: str, suffixes: tuple[str, ...], guide: str | None = None) -> None:
    """A field for one file; below it the file that is held, or why one was refused.

    Args:
        role: what the file is for; see ``seer.ui.studies.draft.uploads``.
        label: of the field.
        suffixes: endings that are taken.
        guide: behind a “?”.
    """
    with st.container(gap="small"):
        st.file_uploader(
            label,
            sorted({suffix.rpartition(".")[2] for suffix in suffixes}),
            key=f"new-file-{role}",
            max_upload_size=limits().upload_mb,
            on_change=state.by_hand(_take),
            args=(role, suffixes),
            help=guide,
        )
        upload, fault = uploads().get(role), st.session_state.get(_fault(role))
        if upload is not None:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.caption(f":material/check_circle: {state.literal(described(upload))}", width="content")
                st.button("Remove", key=f"new-remove-{role}", type="tertiary", on_click=_remove, args=(role,))
        if fault:
            st.error(state.literal(fault), icon=":material/error:")


def described(upload: Upload) -> str:
    """A file in words: its name, its size, and the first signs of its content's hash, which tell it from others."""
    return f"{shortened(upload.name)} · {_size(upload.size)} · content {upload.short}"


def _take(role: str, suffixes: tuple[str, ...]) -> None:
    file = st.session_state[f"new-file-{role}"]
    # Without a file it was taken out by its cross; leaving the page empties the field without coming here.
    _remove(role)
    if file is None:
        return
    try:
        uploads()[role] = store_upload(file.name, file.getbuffer(), suffixes)
    except SeerError as error:
        st.session_state[_fault(role)] = str(error)


def _remove(role: str) -> None:
    uploads().pop(role, None)
    st.session_state[_fault(role)] = None
    if role == ROLES[0]:
        forget_reading()


def _fault(role: str) -> str:
    return f"_new_fault_{role}"


def _size(size: int) -> str:
    if size < 10_000:
        return f"{size:,} bytes"
    return f"{size / 1_000:,.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"
