"""Attention of the pairs beside its saliency, as heat maps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import streamlit as st

from seer.charts.pairs import Grid, heat_map
from seer.charts.scale import largest
from seer.charts.verdicts import help_html, moved_html, strength_html
from seer.pair_reading import PairReading
from seer.traces import FloatArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.pairs.pictures import Scene
from seer.ui.pairs.shared import PREDICTED, SCORE, TARGET, Reader, described
from seer.ui.selection import shortened

SCALES = ("absolute", "signed")
KINDS = {"hypothesis": "over hypothesis", "premise": "over premise", "raw": "raw score"}
ATTENTION_HELP = {
    "hypothesis": "Attention: where each premise word looks in the hypothesis; a row sums to 1. It tells where the "
    "model looks, not what decides.",
    "premise": "Attention: where each hypothesis word looks in the premise; a column sums to 1. It tells where the "
    "model looks, not what decides.",
    "raw": "Attention before any softmax: how alike the two words are to the model. Scores below 0 are next to no "
    "attention.",
}
SALIENCY_HELP = {
    "absolute": "Saliency: how much the score changes with each attention score. Where a softmax is full, the top pair "
    "hides.",
    "signed": "Signed saliency: orange pairs speak for the class, blue ones against it; all sum to 0. Where a softmax "
    "is full, the top pair hides.",
}
_FULL = 0.99
"""A softmax above it is full: its top pair hides from saliency."""
_ROW, _LOW_ROW, _MANY = 26, 18, 25
"""Pixels of a row, the same where there are many, and from how many on."""

Name = Literal["attention", "saliency"]


@dataclass(frozen=True)
class _Scale:
    """How the heat maps are drawn, as chosen in the link."""

    kind: str
    signed: bool
    shared: bool


def controls(view: View) -> None:
    """The fields that say what is drawn."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.segmented_control(
            "Attention",
            list(KINDS),
            format_func=KINDS.__getitem__,
            required=True,
            help="Softmax over the hypothesis or over the premise, or the score before both.",
            **state.bound("pairs-attention", "view.attention", empty="hypothesis", choices=list(KINDS)),
        )
        st.segmented_control(
            "Scale",
            SCALES,
            required=True,
            help="Absolute shows how strong; signed shows for (orange) and against (blue) too.",
            **state.bound("pairs-scale", "view.scale", empty=SCALES[0], choices=SCALES),
        )
        choices = (PREDICTED, *view.study.classes)
        st.selectbox(
            "Saliency for",
            choices,
            format_func=lambda name: "predicted class" if name == PREDICTED else name,
            width=156,
            help="The class whose score S is asked about.",
            **state.bound("pairs-target", f"view.{TARGET}", empty=PREDICTED, choices=choices),
        )
        st.segmented_control(
            "Score",
            ("logit", "probability"),
            required=True,
            help="S is the class's logit, or its probability, which also hangs on the other classes.",
            **state.bound("pairs-score", f"view.{SCORE}", empty="logit", choices=("logit", "probability")),
        )


def attention_panel(scene: Scene) -> None:
    """A row of two heat maps for each hypothesis; with two models, the models beside each other."""
    scale, pairs = _scale(), range(len(scene.case.hypotheses))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(
            "Attention, and what hangs on it",
            help="Each cell is a pair of words: a click takes its attention out.",
            width="stretch",
        )
        if len(scene.found) * len(pairs) > 1:
            st.toggle(
                "One scale for all",
                help="The strongest colour means the same in all pictures, so that they can be compared.",
                **state.bound("pairs-shared", "view.shared", empty=False),
            )
    helps = {
        "attention": ATTENTION_HELP[scale.kind],
        "saliency": SALIENCY_HELP["signed" if scale.signed else "absolute"],
    }
    names: tuple[Name, Name] = ("attention", "saliency")
    for place in pairs:
        _heading(scene, place)
        words = scene.found[0].readings[place].words
        if not all(words):
            which = "One of the sentences has no word" if any(words) else "Neither sentence has a word"
            st.info(f"{which}, so there is no pair of words.", icon=":material/grid_off:")
        elif len(scene.found) == 1:
            for column, name in zip(scene.columns(2), names, strict=True):
                with column, st.container(gap=None):
                    if place == pairs[0]:
                        st.html(help_html(helps[name], low=scene.wide))
                    _draw(scene, place, scene.found[0], name, scale)
        else:
            for name in names:
                if place == pairs[0]:
                    st.html(help_html(helps[name], low=True))
                for column, reader in zip(scene.columns(len(scene.found)), scene.found, strict=True):
                    with column, st.container(gap=None):
                        if scene.wide:
                            st.caption(state.literal(reader.title))
                        _draw(scene, place, reader, name, scale)


def _scale() -> _Scale:
    kind = state.view_option("attention", "hypothesis")
    return _Scale(
        kind if kind in KINDS else "hypothesis",
        state.view_option("scale", SCALES[0]) == "signed",
        state.view_option("shared", False),
    )


def _heading(scene: Scene, place: int) -> None:
    """Which pair the pictures below are of, and its prediction, before and after something is taken out."""
    case, found = scene.case, scene.found
    if len(case.hypotheses) > 1:
        title = shortened(case.hypotheses[place], 90) or "an empty hypothesis"
        st.markdown(f"**{place + 1} · {state.literal(title)}**")
    for column, reader in zip(st.columns(len(found), gap="medium"), found, strict=True):
        with column, st.container(gap=None):
            reading, after = reader.readings[place], reader.after(place, case.taken)
            if len(found) > 1:
                st.caption(state.literal(reader.title))
            st.html(moved_html(reading.classes, reading.probability, after))
            said = f"Saliency for {reading.target}, by its {reading.score}"
            out = "" if after is None or case.taken is None else f"; {described(reading, case.taken)}"
            st.caption(state.literal(f"{said}{out}."))


def _draw(scene: Scene, place: int, reader: Reader, name: Name, scale: _Scale) -> None:
    """One heat map with its scale; a click takes out, or puts back."""
    reading, taken = reader.readings[place], scene.case.taken
    value, (premise, hypothesis) = _value(reading, name, scale), reading.words
    limit = _limit(scene, place, reader, name, scale)
    st.html(strength_html(limit, scale.signed, bool((value < 0).any()), "premise down, hypothesis across"))
    hidden, part = _hidden(reading) if name == "saliency" else None, scene.parts
    grid = Grid(
        words=scene.words(reader, place),
        value=value[part],
        limit=limit,
        signed=scale.signed,
        others={
            "∂S/∂e": reading.saliency[part],
            "score e": reading.attention[part],
            "over the hypothesis": reading.over_hypothesis[part],
            "over the premise": reading.over_premise[part],
        },
        hidden=None if hidden is None else hidden[part],
        taken=taken.cell if taken is not None and taken.pair == place else None,
        deleted=scene.deleted(place),
        first=scene.begins,
    )
    peak = np.unravel_index(np.abs(value).argmax(), value.shape)
    alt = (
        f"{name.capitalize()} of {len(premise)} premise words and {len(hypothesis)} hypothesis words by {reader.name}; "
        f"the strongest is {premise[peak[0]]} – {hypothesis[peak[1]]}, {float(value[peak]):.3g}."
    )
    chart = heat_map(grid, row=_ROW if len(grid.words[0]) <= _MANY else _LOW_ROW)
    scene.clickable(place, f"{name}-{reader.name}", chart, alt)
    if hidden is not None and hidden.any():
        count = int(hidden.sum())
        st.caption(
            f"○ {count} {'pair hides' if count == 1 else 'pairs hide'}: both softmaxes are above {_FULL}, so a little "
            "change of the score changes nothing. Take such a pair out to see what it does."
        )


def _value(reading: PairReading, name: Name, scale: _Scale) -> FloatArray:
    """The (P, Q) figures that a heat map shows."""
    if name == "saliency":
        return reading.saliency
    kinds = {"hypothesis": reading.over_hypothesis, "premise": reading.over_premise, "raw": reading.attention}
    return kinds[scale.kind]


def _hidden(reading: PairReading) -> npt.NDArray[np.bool_]:
    """(P, Q) the pairs that hide from saliency."""
    hidden: npt.NDArray[np.bool_] = (reading.over_hypothesis > _FULL) & (reading.over_premise > _FULL)
    return hidden


def _limit(scene: Scene, place: int, reader: Reader, name: Name, scale: _Scale) -> float:
    """The absolute value that takes the strongest colour: the picture's largest, or that of all pictures."""
    if scale.shared and name == "attention" and scale.kind != "raw":
        return 1.0
    of: Callable[[PairReading], float] = lambda reading: largest(_value(reading, name, scale))  # noqa: E731
    return max(
        map(of, (each for one in scene.found for each in one.readings) if scale.shared else [reader.readings[place]])
    )
