"""Who writes: a name, or a number that stands for a guest, kept by the browser in a cookie.

The server reads a cookie with the first message of a session, so that a reload needs no second run to know the person.
"""

from __future__ import annotations

import re
import secrets
from urllib.parse import unquote

import streamlit as st

LONGEST = 80
"""Characters of a name."""

_NAME, _GUEST = "_person_name", "_person_guest"
_COOKIES = {_NAME: "seer_author", _GUEST: "seer_guest"}

_JS = """
export default function ({ data }) {
  for (const [name, value] of Object.entries(data.cookies)) {
    const age = value ? 60 * 60 * 24 * 365 : 0
    document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${age}; samesite=lax`
  }
}
"""

_KEEPER = st.components.v2.component("seer_person", js=_JS)


def author() -> str:
    """Who writes the notes of this session: the name, else ``guest`` with a number of this browser."""
    return _given_name() or f"guest {_guest()}"


def author_field() -> None:
    """The field for the person's name, in the sidebar; the browser keeps it for the next visit."""
    if st.session_state.get("notes-author") != _given_name():
        st.session_state["notes-author"] = _given_name()
    with st.sidebar, st.container(gap=None):
        st.text_input(
            "Your name",
            key="notes-author",
            placeholder=f"guest {_guest()}",
            max_chars=LONGEST,
            on_change=lambda: st.session_state.update({_NAME: st.session_state["notes-author"].strip()}),
            help="Stands beside each note that you write. This browser keeps it, and without a name a guest's number, "
            "so that you can take your notes back on your next visit too.",
        )
        _KEEPER(
            key="notes-person",
            data={"cookies": {_COOKIES[_NAME]: _given_name(), _COOKIES[_GUEST]: _guest()}},
            height="content",
        )


def _given_name() -> str:
    if _NAME not in st.session_state:
        st.session_state[_NAME] = unquote(_cookie(_NAME)).strip()[:LONGEST]
    return str(st.session_state[_NAME])


def _guest() -> str:
    if _GUEST not in st.session_state:
        kept = _cookie(_GUEST)
        st.session_state[_GUEST] = kept if re.fullmatch("[0-9a-f]{6}", kept) else secrets.token_hex(3)
    return str(st.session_state[_GUEST])


def _cookie(name: str) -> str:
    found: object = st.context.cookies.get(_COOKIES[name])
    return found if isinstance(found, str) else ""
