"""Which of many classes a page about one sentence colours, tells of and draws."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from seer.charts.leading import likely_classes, machine_classes, sentence_colours
from seer.charts.palette import COLOURED, many
from seer.traces import NO_CLASS, SentenceTrace
from seer.ui import state
from seer.ui.frame import View

ALSO = "also"
"""View option: a class whose curve is drawn too."""


def asked_classes(view: View, row: int | None) -> list[int]:
    """Places of the classes that a picture shows however unlikely they are: those asked for, and the row's true one."""
    classes, chosen = view.study.classes, view.selection
    names = (state.view_option(ALSO, ""), chosen.true, chosen.predicted)
    asked = [classes.index(name) for name in names if name in classes]
    label = NO_CLASS if row is None else int(view.study.corpus.labels[row])
    return list(dict.fromkeys([*asked, *([] if label == NO_CLASS else [label])]))


def page_colours(view: View, asked: Sequence[int], *traces: SentenceTrace | None) -> dict[str, str]:
    """The colours of the classes on a page about a sentence and its copy: theirs first, then those of the machine."""
    found = [trace for trace in traces if trace is not None]
    if not found:
        return view.colours
    return sentence_colours(*found, asked=asked, then=machine_classes(view.study.machine(None)))


def told_classes(view: View, asked: Sequence[int], *traces: SentenceTrace | None) -> list[str] | None:
    """Of many classes those that the legend tells of: what sentences are about; ``None`` for all of few."""
    classes = view.study.classes
    if not many(classes):
        return None
    found = [trace for trace in traces if trace is not None]
    told = likely_classes(*(trace.probability for trace in found), asked=asked)
    read = {int(place) for trace in found for place in trace.predicted}
    return [classes[place] for place in dict.fromkeys([*told, *sorted(read)])]


def also_field(view: View, trace: SentenceTrace) -> None:
    """Of many classes, one more whose curve is drawn; the likely ones are drawn anyway."""
    classes = view.study.classes
    if not many(classes):
        return
    drawn = min(COLOURED, len(likely_classes(trace.probability)))
    st.selectbox(
        "Draw also",
        classes,
        index=None,
        placeholder="a class",
        help=f"Of {len(classes)} classes the {drawn} likely ones are drawn, at most {COLOURED}; the grey line is the "
        "highest of all others.",
        **state.bound("trace-also", f"view.{ALSO}", empty=None, choices=classes),
    )
