"""Keys of the keyboard, each for the sentence that it was meant for: none is lost, and none lands on another.

The browser knows the list ahead. It gives each key its sentence at the moment it is pressed, shows which sentence the
next key is for, keeps the keys in order, and sends them until Python has confirmed them by number; Python takes each
number once. So keys may come faster than the page is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

KEYS = frozenset("0123456789npu")

_KEY = "note-keys"
_ACTING: ContextVar[bool] = ContextVar("acting", default=False)
"""Whether keys are being done. Not in the session, which a run that is ended can no longer write to."""

_TAKEN = "_keys_taken"
"""In the session: the browser's token and the number of the last key that was taken."""

_HTML = '<div class="strip" role="status" aria-live="polite"><b class="count"></b> <span class="line"></span></div>'
_CSS = """
.strip { font-family: var(--st-font); font-size: .875rem; line-height: 1.35; height: 2.7em; overflow: hidden;
  color: color-mix(in srgb, var(--st-text-color) 68%, transparent); overflow-wrap: anywhere; }
.strip.busy { color: var(--st-text-color); }
.count:not(:empty) { background: var(--st-primary-color); color: var(--st-background-color);
  border-radius: .5rem; padding: 0 .4rem; margin-inline-end: .2rem; font-variant-numeric: tabular-nums; }
@media (hover: none) and (pointer: coarse) { .strip:not(.busy) { display: none; } }
"""

_STRIP = st.components.v2.component(
    "seer_keys", html=_HTML, css=_CSS, js=(Path(__file__).parent / "keys.js").read_text(encoding="utf-8")
)


class Press(NamedTuple):
    """A key that was pressed.

    Attributes:
        number: counts the keys of a page.
        key: ``0`` to ``9``, ``n``, ``p`` or ``u``.
        row: id of the sentence it was meant for.
        then: id of the sentence to be opened after it.
        checks: whether it checks the sentence.
        study: hash of the study that was open.
    """

    number: int
    key: str
    row: str
    then: str
    checks: bool
    study: str


Take = Callable[[list[Press], Callable[[Press], None]], None]


def only_keys() -> bool:
    """Whether this run was asked for by keys, and somebody else is about to change what is looked at.

    Elements report in such a run what they held before the last run gave them another value: nobody did anything.
    """
    held = st.session_state.get(_KEY)
    return held is not None and held.pressed is not None and not _ACTING.get()


def keys_strip(data: Mapping[str, Any], take: Take) -> None:
    """Listen to the keyboard, and show which keys are waiting; once a page.

    Args:
        data: ``study``; ``row``, ``place`` and ``here``, the open sentence, its place in the list (-1 outside) and how
            it stands; ``rows``, sentences around and ahead of it as id, place, open, cause, about, text; ``total`` of
            the list; ``all``, whether ``rows`` has every one that is not checked; ``step``, whether a cause checks and
            goes on; ``undo``, ids of what can be taken back, the last one last, None for many; ``causes`` by key;
            ``off``, why nothing can be written; ``help``.
        take: called with new keys in their order, before the page runs again, and with what confirms a key: the
            browser sends those that are not confirmed again, since a run may end at any message to the browser.
    """
    _STRIP(
        key=_KEY,
        data={**data, "taken": list(st.session_state.get(_TAKEN, ("", 0)))},
        on_pressed_change=partial(_report, take),
    )


def _report(take: Take) -> None:
    value = st.session_state[_KEY].pressed
    presses = fresh(value)
    if presses:
        acting = _ACTING.set(True)
        try:
            take(presses, lambda press: st.session_state.update({_TAKEN: (value["token"], press.number)}))
        finally:
            _ACTING.reset(acting)


def fresh(value: object) -> list[Press]:
    """The keys of a message that are not confirmed yet."""
    if not isinstance(value, Mapping) or not isinstance(value.get("token"), str):
        return []
    token, last = st.session_state.get(_TAKEN, ("", 0))
    last = last if token == value["token"] else 0
    sent = value.get("presses")
    return [press for press in map(_press, sent if isinstance(sent, list) else []) if press and press.number > last]


def _press(item: object) -> Press | None:
    if not isinstance(item, Mapping):
        return None
    number, texts = item.get("number"), [item.get(name) for name in ("key", "row", "then", "study")]
    if not isinstance(number, int) or not all(isinstance(text, str) for text in texts):
        return None
    key, row, then, study = map(str, texts)
    if key not in KEYS:
        return None
    return Press(number, key, row, then, item.get("checks") is True, study)
