"""The graph in words: names, tooltips, legend, and the text alternative."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from seer.charts.names import short_names
from seer.charts.palette import OTHER, many, sequential
from seer.machine import StateMachine
from seer.traces import START

START_NAME = "start"
_TOLD = 48
"""Letters of a class in the legend."""


def state_name(state: int) -> str:
    """How a state is called everywhere: ``S7``, and ``start`` for state 0."""
    return f"S{state}" if state != START else START_NAME


def describe(machine: StateMachine, edges: int) -> str:
    """The graph in a sentence or two, for those who cannot see it."""
    largest = sorted(range(1, machine.states + 1), key=lambda s: -int(machine.visits[s]))[:3]
    names = ", ".join(f"S{s} ({int(machine.visits[s]):,} visits)" for s in largest)
    return f"Graph of {machine.states} states and {edges} transitions. The most visited: {names}."


def node_title(machine: StateMachine, state: int, noun: str = "sentence") -> str:
    """The tooltip of a state, as plain text; ``noun`` is what a row of the study is called."""
    visits, sentences = int(machine.visits[state]), int(machine.sentences[state])
    if state == START:
        return f"start\n{counted(visits, noun)} {'begins' if visits == 1 else 'begin'} here"
    lines = [f"S{state}", f"{counted(visits, 'visit')} in {counted(sentences, noun)}"]
    if machine.majority[state] >= 0:
        lines.append(f"mostly {machine.classes[machine.majority[state]]} ({machine.purity[state]:.0%})")
    if math.isfinite(machine.error_rate[state]):
        errors, labelled = int(machine.errors[state]), int(machine.labelled[state])
        lines.append(f"{machine.error_rate[state]:.0%} wrong ({errors:,} of {labelled:,})")
    return "\n".join(lines)


OTHERS = "other classes"
"""Of many classes, those without a colour of their own."""


def legend(machine: StateMachine, by_error: bool, colours: Mapping[str, str]) -> list[dict[str, str]]:
    """Colours and what they mean, as ``colour`` and ``label``."""
    if by_error:
        limit = error_limit(machine)
        return [
            {"colour": sequential(share), "label": f"{share * limit:.0%} wrong"}
            for share in (0.0, 0.25, 0.5, 0.75, 1.0)
        ]
    present = sorted({int(c) for c in machine.majority[1:] if c >= 0})
    short, shades = short_names(machine.classes, _TOLD), [colours[machine.classes[c]] for c in present]
    own = [(shade, short[c]) for shade, c in zip(shades, present, strict=True) if not grey(machine, shade)]
    rest = [(OTHER, OTHERS)] if len(own) < len(present) else []
    return [{"colour": colour, "label": label} for colour, label in (*own, *rest)]


def grey(machine: StateMachine, colour: str) -> bool:
    """Whether several classes share the colour."""
    return many(machine.classes) and colour == OTHER


def note(by_error: bool, by_count: bool, noun: str = "sentence") -> str:
    """What size, ring and width mean."""
    ring = f"share of {noun}s wrong" if by_error else "share of the commonest class"
    line = "occurrences" if by_count else "probability"
    return f"Area: visits. Ring: {ring}. Line: {line}."


def error_limit(machine: StateMachine) -> float:
    """The error rate that takes the strongest colour: the highest of a state, rounded up to a tenth."""
    rates = machine.error_rate[1:][np.isfinite(machine.error_rate[1:])]
    highest = float(rates.max()) if len(rates) else 0.0
    return min(1.0, max(0.1, math.ceil(highest * 10 - 1e-9) / 10))


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 visit``, ``1,204 visits``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
