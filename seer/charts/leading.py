"""Which classes a picture is about, and so which of many have a colour and a line of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seer.charts.names import short_names
from seer.charts.palette import COLOURED, OTHER, class_colours, many
from seer.machine import StateMachine
from seer.traces import NO_CLASS, FloatArray, SentenceTrace

UNLIKELY = 0.05
"""Probability that a class must reach somewhere for a sentence to be about it."""

_LETTERS = 18
"""Of the name of a line."""


def machine_classes(machine: StateMachine) -> list[int]:
    """Places of the classes, those first that most visits of the machine are read as, state by state.

    Args:
        machine: of all splits, so that no filter changes a colour.
    """
    visits = np.zeros(len(machine.classes), dtype=np.int64)
    known = machine.majority[1:] != NO_CLASS
    np.add.at(visits, machine.majority[1:][known], machine.visits[1:][known])
    return [int(place) for place in np.lexsort((-machine.class_counts[1:].sum(axis=0), -visits))]


def machine_colours(machine: StateMachine, also: int | None = None) -> dict[str, str]:
    """The colours of a picture of a whole machine; see ``machine_classes``.

    Args:
        machine: of all splits.
        also: place of a class that has one of its own in any case; the more important ones keep theirs.
    """
    leading = machine_classes(machine)
    if also is not None and also not in leading[:COLOURED]:
        leading.insert(COLOURED - 1, also)
    return class_colours(machine.classes, leading)


def likely_classes(*probabilities: FloatArray, asked: Iterable[int] = ()) -> list[int]:
    """Places of the classes that sentences are about: those asked for, those predicted last, the others by their best.

    A class that nowhere reaches ``UNLIKELY`` is left out, unless it was asked for.

    Args:
        probabilities: (T, C) of each sentence, after each of its words.
        asked: places that come first, such as the true class.
    """
    read = [np.asarray(probability, dtype=np.float64) for probability in probabilities if len(probability)]
    found = [*asked, *(int(probability[-1].argmax()) for probability in read)]
    if read:
        best = np.max([probability.max(axis=0) for probability in read], axis=0)
        found += [int(place) for place in np.argsort(-best, kind="stable") if best[place] >= UNLIKELY]
    return list(dict.fromkeys(found))


def sentence_colours(*traces: SentenceTrace, asked: Iterable[int] = (), then: Iterable[int] = ()) -> dict[str, str]:
    """The colours of a picture of a sentence, and of its edited copy.

    Args:
        traces: one or more of the same classes.
        asked: places of classes that come first, such as the true one.
        then: places of those that have the colours left over.
    """
    leading = likely_classes(*(trace.probability for trace in traces), asked=asked)
    return class_colours(traces[0].classes, (*leading, *then))


@dataclass(frozen=True)
class ClassLines:
    """What curves over T steps draw: a line for each class, or of many for the likely ones and one for the others.

    Attributes:
        names: (L,) of the lines.
        values: (T, L) probabilities.
        classes: (T, L) the class that each value is of.
        colours: (L,).
    """

    names: list[str]
    values: FloatArray
    classes: npt.NDArray[np.object_]
    colours: list[str]


def class_lines(
    probability: FloatArray, classes: Sequence[str], likely: Sequence[int], colours: Mapping[str, str]
) -> ClassLines:
    """The lines to be drawn of (T, C) probabilities; of many classes the first ``COLOURED`` likely ones alone.

    The others share one line: the highest probability among them.

    Args:
        probability: (T, C).
        classes: C names in their stored order.
        likely: places of ``likely_classes``.
        colours: of the classes.
    """
    values, short = np.asarray(probability, dtype=np.float64), short_names(classes, _LETTERS)
    kept = sorted(likely[:COLOURED]) if many(classes) else list(range(len(classes)))
    of = np.tile(np.array([classes[place] for place in kept], dtype=object), (len(values), 1))
    names, shades, drawn = [short[at] for at in kept], [colours[classes[at]] for at in kept], values[:, kept]
    rest = np.setdiff1d(np.arange(len(classes)), kept)
    if len(rest):
        highest = rest[values[:, rest].argmax(axis=1)]
        drawn = np.column_stack([drawn, values[np.arange(len(values)), highest]])
        of = np.column_stack([of, np.array(classes, dtype=object)[highest]])
        names, shades = [*names, f"highest of {len(rest):,} others"], [*shades, OTHER]
    return ClassLines(names, drawn, of, shades)
