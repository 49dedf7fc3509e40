"""Gates of the pairs' LSTMs and their saliency, as curves over the words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import streamlit as st

from seer.charts.gates import COLOURS, Curves, gate_curves
from seer.charts.verdicts import help_html
from seer.pairs import DIRECTIONS, GATES, LAYERS
from seer.traces import FloatArray
from seer.ui import state
from seer.ui.pairs.pictures import Scene
from seer.ui.pairs.shared import Reader

HELP = {
    "gate signal": "Gate signal: how far each gate opens, from its own least to its own largest value. Compare shapes; "
    "numbers are on hover.",
    "gate saliency": "Gate saliency: how much the score hangs on each gate, drawn alike. A gate fully open or shut "
    "hides, as a full softmax does.",
}
_ARROWS = dict(zip(DIRECTIONS, "→←", strict=True))
_LAYER_NAMES = dict(zip(LAYERS, ("encoding", "inference"), strict=True))
_LANES = [f"{_LAYER_NAMES[layer]} {_ARROWS[way]}" for layer in LAYERS for way in DIRECTIONS]


def gates_panel(scene: Scene) -> None:
    """Gate signal beside gate saliency, for one of the hypotheses; with two models, the models beside each other."""
    st.subheader(
        "Gates, word by word",
        help="The encoding LSTM reads each sentence by itself, the inference LSTM after they have seen each other. → "
        "reads from left to right, ← from right to left. Deleting the word with the most salient inference gates "
        "changes a prediction more often than deleting any word does.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        place = _chosen_pair(scene)
        gates = _chosen_gates()
    if not gates:
        st.info("Choose a gate above.", icon=":material/checklist:")
        return
    if not any(scene.found[0].readings[place].words):
        st.info("Neither sentence has a word.", icon=":material/text_fields:")
        return
    pictures = [(name, reader) for name in HELP for reader in scene.found]
    for begin in range(0, len(pictures), 2):
        for column, (name, reader) in zip(scene.columns(2), pictures[begin : begin + 2], strict=True):
            with column, st.container(gap=None):
                if len(scene.found) > 1:
                    st.markdown(f"**{state.literal(reader.title)}**")
                st.html(help_html(HELP[name]))
                _draw(scene, place, reader, name, gates)


def _draw(scene: Scene, place: int, reader: Reader, name: str, gates: Sequence[str]) -> None:
    reading = reader.readings[place]
    values = reading.gate_signal if name == "gate signal" else reading.gate_saliency
    curves = Curves(
        words=scene.words(reader, place),
        lanes=_LANES,
        values={gate: list(_lanes(values, gate, scene.parts)) for gate in gates},
        measure=name,
        deleted=scene.deleted(place),
        first=scene.begins,
    )
    alt = f"{name.capitalize()} of {', '.join(gates)} at each word, by {reader.name}: encoding and inference LSTM."
    scene.clickable(place, f"{name}-{reader.name}", gate_curves(curves), alt)


def _lanes(values: tuple[tuple[FloatArray, ...], ...], gate: str, parts: tuple[slice, slice]) -> Iterator[FloatArray]:
    """Of each layer and direction the figures of a gate, the premise's words and then the hypothesis's."""
    number = GATES.index(gate)
    for sides in values:
        for way in range(len(DIRECTIONS)):
            yield np.concatenate([side[way, number, part] for side, part in zip(sides, parts, strict=True)])


def _chosen_pair(scene: Scene) -> int:
    """Which hypothesis the gates are of."""
    choices = range(1, len(scene.case.hypotheses) + 1)
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
    every = "".join(gate[0] for gate in COLOURS)
    letters = state.view_option("gates", every)
    chosen = [gate for gate in COLOURS if gate[0] in letters]

    def pick(gates: Sequence[str]) -> None:
        letters = "".join(gate[0] for gate in COLOURS if gate in gates)
        state.change_view(gates=None if letters == every else letters)

    st.pills("Gates", list(COLOURS), selection_mode="multi", **state.tied("pairs-gates", chosen, pick))
    return chosen
