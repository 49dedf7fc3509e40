"""View options of a link that this study or this pair cannot have: they are left out, and a sentence says so."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from seer.pairs import SCORES
from seer.picks import shared_premises
from seer.ui import state
from seer.ui.frame import View
from seer.ui.pairs.attention import KINDS, SCALES
from seer.ui.pairs.shared import (
    BESIDE,
    FURTHER,
    OF,
    PREDICTED,
    SCORE,
    SHOWN,
    TAKEN,
    TARGET,
    other_studies,
    read_code,
    stamp,
)
from seer.ui.trace_panels import shown_sentence

_STRAYS = {
    OF: "mark of the pair",
    FURTHER[0]: "second hypothesis",
    FURTHER[1]: "third hypothesis",
    TAKEN: "choice of what is taken out",
}
"""What these view options are called; they are read only of the pair that is marked."""


def leave_out_unknown(view: View) -> None:
    """Take what the link names and nobody can show out of the Selection, each with a notice."""
    _leave_out_strays(view)
    for name, label in list(_unknown(view)):
        state.leave_out(name, label)


def _leave_out_strays(view: View) -> None:
    """Take what a link says of another pair than is shown out of the Selection, each with a notice.

    Without one when the session showed that pair before: then the person went on to another.
    """
    given = state.current().view
    strays = [name for name in _STRAYS if name in given]
    if not strays or given.get(OF) == stamp(shown_sentence(view, shared_premises).text):
        return
    if given.get(OF) == st.session_state.get(SHOWN, ""):
        state.select(state.current().with_view(**dict.fromkeys(strays)))
        return
    for name in strays:
        state.leave_out(name, _STRAYS[name])


def _unknown(view: View) -> Iterator[tuple[str, str]]:
    """(view option, what it is called) of each one that does not fit."""
    given = state.current().view
    for name, label, choices in (
        ("attention", "kind of attention", KINDS),
        ("scale", "scale", SCALES),
        (TARGET, "class of the saliency", (PREDICTED, *view.study.classes)),
        (SCORE, "score", SCORES),
    ):
        if name in given and given[name] not in choices:
            yield name, label
    if given.get(BESIDE) and given[BESIDE] not in other_studies(view):
        yield BESIDE, "second model"
    if TAKEN in given and read_code(given[TAKEN]) is None:
        yield TAKEN, "choice of what is taken out"
