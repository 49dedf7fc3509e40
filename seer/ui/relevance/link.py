"""View options of a link that this study or this sentence cannot have: they are left out, and a sentence says so."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from seer.explain import methods_for
from seer.ui import state
from seer.ui.frame import View
from seer.ui.relevance.probes import MOST_DROPPED
from seer.ui.relevance.shared import BIAS, EPS, NODES, RULES


def leave_out_unknown(view: View) -> None:
    """Take what the link names and nobody can show out of the Selection, each with a notice."""
    for name, label, left in list(_unknown(view)):
        state.leave_out(name, label, left)


def _unknown(view: View) -> Iterator[tuple[str, str, str | None]]:
    """(view option, what it is called, what is left of it) of each one that does not fit."""
    given, present = state.current().view, methods_for(view.study)
    named = [name for name in given.get("methods", "").split(",") if name]
    kept = [name for name in named if name in present]
    if len(kept) < len(named):
        yield "methods", "choice of methods", ",".join(kept) or None
    for name, label, choices in (
        ("target", "class to explain", view.study.classes),
        ("by", "method", present),
    ):
        if given.get(name, choices[0]) not in choices:
            yield name, label, None
    for name, label, numbers in (
        ("eps", "eps of LRP", EPS),
        ("bias", "bias factor of LRP", BIAS),
        ("nodes", "number of nodes", NODES),
        ("drop", "number of words taken out", range(MOST_DROPPED + 1)),
    ):
        if name in given and not _is_among(given[name], numbers):
            yield name, label, None
    if given.get("rule", RULES[0]) not in RULES:
        yield "rule", "bias rule", None
    if "span" in given and not _is_span(given["span"]):
        yield "span", "span of words", None


def _is_among(raw: str, numbers: Collection[float]) -> bool:
    try:
        return float(raw) in numbers
    except ValueError:
        return False


def _is_span(raw: str) -> bool:
    first, _, last = raw.partition("-")
    numbers = all(part.isascii() and part.isdigit() and len(part) < 7 for part in (first, last))
    return numbers and 1 <= int(first) <= int(last)
