"""Who writes: a name, or a number that stands for a guest, kept by the browser in a cookie.

The server reads a cookie with the first message of a session, so that a reload needs no second run to know the person.
"""

from __future__ import annotations

import re
import secrets
from urllib.parse import unquote

import streamlit as st

from seer.errors import SettingError
from seer.hosting import LOGIN_VARIABLE, login_required
from seer.ui import state

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
    return logged_in() or ("" if login_offered() else _given_name()) or f"guest {_guest()}"


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
    with st.sidebar, st.container(gap=None):
        if name := logged_in():
            st.caption(f"Notes are written by {state.literal(name)}.")
            st.button("Log out", key="notes-logout", on_click=st.logout)
            return
        if login_offered():  # whoever could type a name here could sign for a colleague
            st.caption(f"You write as guest {_guest()}.")
            _login_button("Then your notes carry your name.")
        else:
            _name_field()
        _KEEPER(
            key="notes-person",
            data={"cookies": {_COOKIES[_NAME]: _given_name(), _COOKIES[_GUEST]: _guest()}},
            height="content",
        )


def admit() -> None:
    """End the page with a button to log in, where the server wants that and the person has not.

    Raises:
        SettingError: the server wants a login and has none to offer.
    """
    if not login_required() or st.user.to_dict().get("is_logged_in"):
        return
    if not login_offered():
        raise SettingError(
            f"{LOGIN_VARIABLE} is set, but the server has no login to offer: give .streamlit/secrets.toml an [auth] "
            "section and install Authlib, or unset it."
        )
    st.title("Log in")
    st.markdown("The studies of this server are shown to those who have logged in.")
    _login_button()
    st.stop()


def _login_button(guide: str | None = None) -> None:
    st.button("Log in", key="notes-login", icon=":material/login:", on_click=st.login, help=guide)


def _name_field() -> None:
    st.text_input(
        "Your name",
        placeholder=f"guest {_guest()}",
        max_chars=LONGEST,
        help="Stands beside each note that you write. This browser keeps it, and without a name a guest's number, so "
        "that you can take your notes back on your next visit too.",
        **state.tied("notes-author", _given_name(), lambda name: st.session_state.update({_NAME: name.strip()})),
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
