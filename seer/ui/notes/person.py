"""Who writes: a name, or a number that stands for a guest, kept by the browser in a cookie.

The server reads a cookie with the first message of a session, so that a reload needs no second run to know the person.
"""

from __future__ import annotations

import re
import secrets
from urllib.parse import unquote

import streamlit as st

from seer.ui.state import literal

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
    """Who writes the notes of this session: who is logged in, else the name given, else a guest's number."""
    return logged_in() or _given_name() or f"guest {_guest()}"


def logged_in() -> str:
    """Name, else address, of who has logged in through the server's OIDC provider; empty where nobody has."""
    user = st.user.to_dict()
    if not user.get("is_logged_in"):
        return ""
    found = next((user[key] for key in ("name", "email", "sub") if isinstance(user.get(key), str)), "")
    return str(found).strip()[:LONGEST]


def login_offered() -> bool:
    """Whether the server's ``secrets.toml`` sets up a login."""
    return "is_logged_in" in st.user.to_dict()


def author_field() -> None:
    """Who writes, in the sidebar: whoever is logged in, else a field for a name, which the browser keeps."""
    if login_offered():
        _login_field()
        if logged_in():
            return
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


def _login_field() -> None:
    name = logged_in()
    with st.sidebar, st.container(gap=None):
        if name:
            st.caption(f"Notes are written by {literal(name)}.")
            st.button("Log out", key="notes-logout", on_click=st.logout)
        else:
            st.button("Log in", key="notes-login", on_click=st.login, help="Then your notes carry your name.")


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
