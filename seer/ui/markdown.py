"""Text for labels and captions, which Streamlit reads as Markdown: written so that it is shown as it is."""

from __future__ import annotations

import re

_SIGNS = frozenset(r"\`*_{}[]()#+-.!~>|$:<&=")

_APART = re.compile(
    r"(?<=[-<>~])(?=[-=>])|(?<=:)(?=material/|streamlit:)|(?<=http)(?=s?://)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE
)
"""Where signs become another one, an icon or a link although each of them is escaped: Streamlit looks for arrows,
dashes, icons and addresses in the text that Markdown has read already. It looks at one element at a time."""

_NOTHING = ":small[]"
"""An element without text; it parts two others."""

_INDENT = re.compile(r"^[ \t]", re.MULTILINE)

_ENDS = dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c") | dict.fromkeys("\u2066\u2067\u2068", "\u2069")
"""Signs that turn the direction of what follows, and those that end it."""


def literal(text: str) -> str:
    """The text in Markdown that shows it sign by sign, and leaves the direction of what follows alone."""
    parts = ("".join(f"\\{sign}" if sign in _SIGNS else sign for sign in part) for part in _APART.split(text))
    return _INDENT.sub(lambda blank: f"&#{ord(blank[0])};", _NOTHING.join(parts)) + _open_ends(text)


def _open_ends(text: str) -> str:
    """The ends that the turns of a text lack, the innermost first."""
    lacking: list[str] = []
    for sign in () if text.isascii() else text:
        if sign in _ENDS:
            lacking.append(_ENDS[sign])
        elif lacking and sign == lacking[-1]:
            lacking.pop()
    return "".join(reversed(lacking))
