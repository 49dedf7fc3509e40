"""The pairs in pictures: attention and its saliency as heat maps, gates and theirs as curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from seer.charts.gates import COLOURS, Curves, gate_curves
from seer.charts.pairs import PICK, Grid, heat_map
from seer.charts.scale import largest
from seer.charts.verdicts import help_html, moved_html, strength_html
from seer.pair_reading import PairReading
from seer.pairs import DIRECTIONS, GATES, LAYERS
from seer.traces import FloatArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.pairs import PREDICTED, SCORE, TARGET, Case, Reader, Taken, described, read_code, take
from seer.ui.selection import shortened

DRAWN = 60
"""Words of a sentence in a picture at most."""

SCALES = ("absolute", "signed")
KINDS = {"hypothesis": "over hypothesis", "premise": "over premise", "raw": "raw score"}
_SATURATED = 0.99
_ARROWS = dict(zip(DIRECTIONS, "→←", strict=True))
_LAYER_NAMES = dict(zip(LAYERS, ("encoding", "inference"), strict=True))

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
GATE_HELP = (
    "Gate signal: how far each gate opens, from its own least to its own largest value. Compare shapes; numbers are on "
    "hover.",
    "Gate saliency: how much the score hangs on each gate, drawn alike. A gate fully open or shut hides, as a full "
    "softmax does.",
)


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


def attention_panel(view: View, case: Case, found: Sequence[Reader]) -> None:
    """Attention beside its saliency, for each hypothesis; with two models, the models beside each other."""
    scale = _scale()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(
            "Attention, and what hangs on it",
            help="Each cell is a pair of words: a click takes its attention out.",
            width="stretch",
        )
        if len(found) * len(case.hypotheses) > 1:
            st.toggle(
                "One scale for all",
                help="The strongest colour means the same in all pictures, so that they can be compared.",
                **state.bound("pairs-shared", "view.shared", empty=False),
            )
    helps = ATTENTION_HELP[scale.kind], SALIENCY_HELP["signed" if scale.signed else "absolute"]
    for place in range(len(case.hypotheses)):
        _heading(case, place, found)
        if len(found) == 1:
            draws = zip(st.columns(2, gap="medium"), (_attention, _saliency), helps, strict=True)
            for column, draw, text in draws:
                with column, st.container(gap=None):
                    if place == 0:
                        st.html(help_html(text))
                    draw(view, case, place, found[0], scale, found)
            continue
        for draw, text in zip((_attention, _saliency), helps, strict=True):
            if place == 0:
                st.html(help_html(text, low=True))
            for column, reader in zip(st.columns(len(found), gap="medium"), found, strict=True):
                with column:
                    draw(view, case, place, reader, scale, found)


def _scale() -> _Scale:
    kind = state.view_option("attention", "hypothesis")
    return _Scale(
        kind if kind in KINDS else "hypothesis",
        state.view_option("scale", SCALES[0]) == "signed",
        state.view_option("shared", False),
    )


def _heading(case: Case, place: int, found: Sequence[Reader]) -> None:
    """Which pair the pictures below are of, and its prediction, before and after something is taken out."""
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


def _attention(view: View, case: Case, place: int, reader: Reader, scale: _Scale, found: Sequence[Reader]) -> None:
    def of(reading: PairReading) -> FloatArray:
        kinds = {"hypothesis": reading.over_hypothesis, "premise": reading.over_premise, "raw": reading.attention}
        return kinds[scale.kind]

    limit = 1.0 if scale.shared and scale.kind != "raw" else _limit(place, reader, scale, found, of)
    _draw(view, case, place, reader, _Picture("attention", of(reader.readings[place]), limit, scale.signed))


def _saliency(view: View, case: Case, place: int, reader: Reader, scale: _Scale, found: Sequence[Reader]) -> None:
    reading = reader.readings[place]
    hidden = (reading.over_hypothesis > _SATURATED) & (reading.over_premise > _SATURATED)
    limit = _limit(place, reader, scale, found, lambda one: one.saliency)
    _draw(view, case, place, reader, _Picture("saliency", reading.saliency, limit, scale.signed, hidden))


def _limit(
    place: int, reader: Reader, scale: _Scale, found: Sequence[Reader], of: Callable[[PairReading], FloatArray]
) -> float:
    """The absolute value that takes the strongest colour: the picture's largest, or that of all pictures."""
    shared = [each for one in found for each in one.readings] if scale.shared else [reader.readings[place]]
    return max(largest(of(reading)) for reading in shared)


@dataclass(frozen=True)
class _Picture:
    """What a heat map shows: a (P, Q) figure, and which pairs hide from it."""

    name: str
    value: FloatArray
    limit: float
    signed: bool
    hidden: npt.NDArray[np.bool_] | None = None


def _draw(view: View, case: Case, place: int, reader: Reader, picture: _Picture) -> None:
    """One heat map with its scale; a click takes out, or puts back."""
    reading, taken, value = reader.readings[place], case.taken, picture.value
    premise, hypothesis = reading.words
    if not premise or not hypothesis:
        st.info("One of the sentences has no word, so there is no pair of words.", icon=":material/grid_off:")
        return
    axes = "premise down, hypothesis across"
    if max(len(premise), len(hypothesis)) > DRAWN:
        axes += f", the first {DRAWN} words of each"
    st.html(strength_html(picture.limit, picture.signed, bool((value < 0).any()), axes))
    part = (slice(DRAWN), slice(DRAWN))
    grid = Grid(
        words=(premise[:DRAWN], hypothesis[:DRAWN]),
        value=value[part],
        limit=picture.limit,
        signed=picture.signed,
        others={
            "∂S/∂e": reading.saliency[part],
            "score e": reading.attention[part],
            "over the hypothesis": reading.over_hypothesis[part],
            "over the premise": reading.over_premise[part],
        },
        hidden=None if picture.hidden is None else picture.hidden[part],
        taken=taken.cell if taken is not None and taken.cell is not None and taken.pair == place else None,
        deleted=_deleted(taken, place),
    )
    peak = np.unravel_index(np.abs(value).argmax(), value.shape)
    alt = (
        f"{picture.name.capitalize()} of {len(premise)} premise words and {len(hypothesis)} hypothesis words by "
        f"{reader.name}; the strongest is {premise[peak[0]]} – {hypothesis[peak[1]]}, {float(value[peak]):.3g}."
    )
    chart = heat_map(grid, row=26 if len(premise) <= 25 else 18)
    _clickable(view, case, place, f"{picture.name}-{place}-{reader.name}", chart, alt)
    hidden = 0 if picture.hidden is None else int(picture.hidden.sum())
    if hidden:
        st.caption(
            f"○ {hidden} {'pair hides' if hidden == 1 else 'pairs hide'}: both softmaxes are above {_SATURATED}, so a "
            "little change of the score changes nothing. Take such a pair out to see what it does."
        )


def _deleted(taken: Taken | None, place: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if taken is None or taken.word is None or not taken.concerns(place):
        return (), ()
    side, word = taken.word
    return ((word,), ()) if side == 0 else ((), (word,))


def _clickable(view: View, case: Case, place: int, key: str, chart: Any, alt: str) -> None:
    """A chart whose clicks take out or put back.

    A widget for each thing that is taken out of it: a second click on the same place must count as a click.
    """
    concerned = case.taken if case.taken is not None and case.taken.concerns(place) else None
    widget = f"pairs-{key}-{'' if concerned is None else concerned.code}"

    def pick() -> None:
        points = st.session_state[widget].selection[PICK]
        if points:
            code = str(points[0]["take"])
            take(view, case, read_code(code if code.startswith("p") else f"{place + 1}{code}"))

    st.altair_chart(chart, key=widget, on_select=pick, selection_mode=PICK, alt=alt)


def gates_panel(view: View, case: Case, found: Sequence[Reader]) -> None:
    """Gate signal beside gate saliency, for one of the hypotheses; with two models, the models beside each other."""
    st.subheader(
        "Gates, word by word",
        help="The encoding LSTM reads each sentence by itself, the inference LSTM after they have seen each other. → "
        "reads from left to right, ← from right to left. Deleting the word with the most salient inference gates "
        "changes a prediction more often than deleting any word does.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        place = _gates_of(case)
        gates = _chosen_gates()
    if not gates:
        st.info("Choose a gate above.", icon=":material/checklist:")
        return
    draws: list[Callable[[PairReading], tuple[tuple[FloatArray, ...], ...]]] = [
        lambda reading: reading.gate_signal,
        lambda reading: reading.gate_saliency,
    ]
    pictures = [
        (text, name, reader, values)
        for text, name, values in zip(GATE_HELP, ("gate signal", "gate saliency"), draws, strict=True)
        for reader in found
    ]
    for begin in range(0, len(pictures), 2):
        pair = pictures[begin : begin + 2]
        for column, (text, name, reader, values) in zip(st.columns(2, gap="medium"), pair, strict=True):
            with column, st.container(gap=None):
                if len(found) > 1:
                    st.markdown(f"**{state.literal(reader.title)}**")
                st.html(help_html(text))
                _curves(view, case, place, reader, name, values(reader.readings[place]), gates)


def _curves(
    view: View,
    case: Case,
    place: int,
    reader: Reader,
    name: str,
    values: tuple[tuple[FloatArray, ...], ...],
    gates: Sequence[str],
) -> None:
    """The curves of one figure of the gates."""
    premise, hypothesis = reader.readings[place].words
    if not premise and not hypothesis:
        st.info("Neither sentence has a word.", icon=":material/text_fields:")
        return
    curves = Curves(
        words=(premise[:DRAWN], hypothesis[:DRAWN]),
        lanes=[f"{_LAYER_NAMES[layer]} {_ARROWS[way]}" for layer in LAYERS for way in DIRECTIONS],
        values={gate: list(_lanes(values, gate)) for gate in gates},
        measure=name,
        chosen=_deleted(case.taken, place),
    )
    alt = f"{name.capitalize()} of {', '.join(gates)} at each word, by {reader.name}: encoding and inference LSTM."
    _clickable(view, case, place, f"{name}-{place}-{reader.name}", gate_curves(curves), alt)


def _lanes(values: tuple[tuple[FloatArray, ...], ...], gate: str) -> Iterator[FloatArray]:
    """Of each layer and direction the figures of a gate, the premise's words and then the hypothesis's."""
    for premise, hypothesis in values:
        for way in range(len(DIRECTIONS)):
            number = GATES.index(gate)
            yield np.concatenate([premise[way, number, :DRAWN], hypothesis[way, number, :DRAWN]])


def _gates_of(case: Case) -> int:
    """Which hypothesis the gates are of."""
    choices = range(1, len(case.hypotheses) + 1)
    if len(choices) == 1:
        return 0
    chosen = st.segmented_control(
        "Hypothesis",
        choices,
        required=True,
        **state.bound("pairs-gates-of", "view.gatesof", empty=1, choices=choices),
    )
    return int(chosen or 1) - 1


def _chosen_gates() -> list[str]:
    """The gates on show; their first letters stand in the link."""
    letters = state.view_option("gates", "ifo")
    chosen = [gate for gate in COLOURS if gate[0] in letters]
    key = "pairs-gates"
    if st.session_state.get(key) != chosen:
        st.session_state[key] = chosen

    def pick() -> None:
        letters = "".join(gate[0] for gate in COLOURS if gate in st.session_state[key])
        state.change_view(gates=None if letters == "ifo" else letters)

    st.pills("Gates", list(COLOURS), selection_mode="multi", key=key, on_change=pick)
    return chosen
