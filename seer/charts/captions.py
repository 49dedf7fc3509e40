"""The graph in words: names, tooltips, legend, and the text alternative."""

from __future__ import annotations

import math

import numpy as np

from seer.charts.palette import class_colours, sequential
from seer.machine import StateMachine
from seer.traces import START

START_NAME = "start"


def state_name(state: int) -> str:
    """How a state is called everywhere: ``S7``, and ``start`` for state 0."""
    return f"S{state}" if state != START else START_NAME


def describe(machine: StateMachine, edges: int) -> str:
    """The graph in a sentence or two, for those who cannot see it."""
    largest = sorted(range(1, machine.states + 1), key=lambda s: -int(machine.visits[s]))[:3]
    names = ", ".join(f"S{s} ({int(machine.visits[s]):,} visits)" for s in largest)
    return f"Graph of {machine.states} states and {edges} transitions. The most visited: {names}."


def node_title(machine: StateMachine, state: int) -> str:
    """The tooltip of a state, as plain text."""
    visits, sentences = int(machine.visits[state]), int(machine.sentences[state])
    if state == START:
        return f"start\n{counted(visits, 'sentence')} begin here"
    lines = [f"S{state}", f"{counted(visits, 'visit')} in {counted(sentences, 'sentence')}"]
    if machine.majority[state] >= 0:
        lines.append(f"mostly {machine.classes[machine.majority[state]]} ({machine.purity[state]:.0%})")
    if math.isfinite(machine.error_rate[state]):
        errors, labelled = int(machine.errors[state]), int(machine.labelled[state])
        lines.append(f"{machine.error_rate[state]:.0%} wrong ({errors:,} of {labelled:,})")
    return "\n".join(lines)


def legend(machine: StateMachine, by_error: bool) -> list[dict[str, str]]:
    """Colours and what they mean, as ``colour`` and ``label``."""
    if by_error:
        limit = error_limit(machine)
        return [
            {"colour": sequential(share), "label": f"{share * limit:.0%} wrong"}
            for share in (0.0, 0.25, 0.5, 0.75, 1.0)
        ]
    present = sorted({int(c) for c in machine.majority[1:] if c >= 0})
    colours = class_colours(machine.classes)
    return [{"colour": colours[machine.classes[c]], "label": machine.classes[c]} for c in present]


def note(by_error: bool, by_count: bool) -> str:
    """What size, ring and width mean."""
    ring = "share of sentences wrong" if by_error else "share of the commonest class"
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
