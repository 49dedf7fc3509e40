"""Attention of a sentence pair, or its saliency, as a heat map (Altair).

Colours are one hue as strong as the value over the page's own colour, so that a light and a dark page both show them.
Words stand where their numbers are: repeated words are kept apart, and a word is data, never part of an expression.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from seer.charts.palette import DIVERGING, NO_VALUE
from seer.traces import FloatArray

PICK = "pick"
"""Name of the selection: whatever is clicked, its field ``take`` has the code of ``word_code`` or ``cell_code``."""

STRONG = "#8A63D2"
"""How strong something is, whatever its sign."""
AGAINST, FOR = DIVERGING[1], DIVERGING[5]
"""The blue and the orange of the diverging scale that a light and a dark page both show."""

SENTENCES = ("premise", "hypothesis")

INK = "currentColor"
"""The page's own text colour: what is drawn in it can be read on a light and on a dark page."""
_MARKED = 0.3
"""Share of the strongest value from which on a cell bears its sign."""
_DARK_INK = 0.55
"""Share of the strongest value from which on a cell is itself so strong that black reads best on it."""
_LETTERS = 14
_LETTER, _SLANT, _REACH, _EDGE = 6.6, 0.77, 0.64, 14
"""Pixels of a letter, sine and cosine of the slanting words, pixels round the words."""
PADDING = {"left": 2, "top": 2, "right": 2, "bottom": 2}
"""Streamlit adds 20 pixels at the bottom unless all are given."""
ANGLE = -50


def cell_code(premise: int, hypothesis: int) -> str:
    """What a click on a pair of words reports, by their places from 0: ``c3.4``."""
    return f"c{premise}.{hypothesis}"


def word_code(side: int, place: int) -> str:
    """What a click on a word reports, by its place from 0: ``p3`` of the premise, ``h3`` of the hypothesis."""
    return f"{'ph'[side]}{place}"


@dataclass(frozen=True)
class Grid:
    """P words down, Q words across, and a value for each pair of them.

    Attributes:
        words: the P words of the premise and the Q of the hypothesis.
        value: (P, Q).
        limit: the absolute value that takes the strongest colour.
        signed: draw the sign of the value; without it only its size.
        others: named (P, Q) figures for the tooltip.
        hidden: (P, Q) whether a pair hides from the value; such a cell bears a ring.
        taken: the pair whose attention is taken out.
        deleted: the words that are deleted, of each sentence.
        first: of each sentence, the place of its first word here; ``taken`` and ``deleted`` count from 0 all the same.
    """

    words: tuple[Sequence[str], Sequence[str]]
    value: FloatArray
    limit: float
    signed: bool
    others: dict[str, FloatArray]
    hidden: npt.NDArray[np.bool_] | None = None
    taken: tuple[int, int] | None = None
    deleted: tuple[Collection[int], Collection[int]] = ((), ())
    first: tuple[int, int] = (0, 0)


def heat_map(grid: Grid, row: int = 26) -> alt.LayerChart:
    """A cell for each pair of words, the premise from top to bottom, the hypothesis from left to right.

    A click on a cell or on a word selects ``PICK``.

    Args:
        grid: what is drawn.
        row: pixels of a row.
    """
    down, across = grid.words
    y = alt.Y("premise:O", scale=alt.Scale(domain=list(range(len(down)))), axis=_room("left", down))
    x = alt.X("hypothesis:O", scale=alt.Scale(domain=list(range(len(across)))), axis=_room("top", across))
    figures = [alt.Tooltip(f"figure{place}:Q", title=name, format=".4~g") for place, name in enumerate(grid.others)]
    base = alt.Chart(_cells(grid)).encode(x=x, y=y)
    cells = (
        base.mark_rect(cursor="pointer", cornerRadius=2)
        .encode(
            color=alt.Color("colour:N", scale=None),
            fillOpacity=alt.FillOpacity("strength:Q", scale=None),
            stroke=alt.Stroke("edge:N", scale=None),
            strokeWidth=alt.StrokeWidth("edge_width:Q", scale=None),
            strokeOpacity=alt.StrokeOpacity("edge_strength:Q", scale=None),
            description="about:N",
            tooltip=[
                alt.Tooltip("premise_word:N", title="premise"),
                alt.Tooltip("hypothesis_word:N", title="hypothesis"),
                *figures,
            ],
        )
        .add_params(pick())
    )
    signs = base.mark_text(fontSize=13, fontWeight=700).encode(text="mark:N", color=alt.Color("ink:N", scale=None))
    layers = [
        cells,
        signs.transform_filter("datum.mark != ''"),
        _words(grid, 0).encode(y=y),
        _words(grid, 1).encode(x=x),
    ]
    height = max(1, len(down)) * row + depth(across)
    return alt.LayerChart(layer=layers, height=height, padding={**PADDING, "right": _beyond(across)})


def _cells(grid: Grid) -> pd.DataFrame:
    down, across = (np.array(list(words), dtype=object) for words in grid.words)
    value = np.asarray(grid.value, dtype=np.float64)
    premise, hypothesis = (places.ravel() for places in np.indices(value.shape))
    strength = np.clip(np.abs(value) / grid.limit, 0, 1).ravel() if grid.limit else np.zeros(value.size)
    negative = (value < 0).ravel()
    places = [
        (i + grid.first[0], j + grid.first[1]) for i, j in zip(premise.tolist(), hypothesis.tolist(), strict=True)
    ]
    taken = np.array([place == grid.taken for place in places], dtype=np.bool_)
    hidden = np.zeros(value.size, dtype=np.bool_) if grid.hidden is None else grid.hidden.ravel()
    signs = np.where(negative, "−", "+") if grid.signed and negative.any() else np.full(value.size, "")
    return pd.DataFrame(
        {
            "premise": premise,
            "hypothesis": hypothesis,
            "take": [cell_code(*place) for place in places],
            "premise_word": down[premise],
            "hypothesis_word": across[hypothesis],
            "strength": strength,
            "colour": np.where(negative, AGAINST, FOR) if grid.signed else np.full(value.size, STRONG),
            "mark": np.select([taken, hidden, strength >= _MARKED], ["✕", "○", signs], ""),
            "ink": np.where(strength >= _DARK_INK, "#000000", INK),
            "edge": np.where(taken, INK, NO_VALUE),
            "edge_width": np.where(taken, 3, 0.5),
            "edge_strength": np.where(taken, 1, 0.35),
            "about": [
                f"{down[i]} – {across[j]}: {number:+.3g}" if grid.signed else f"{down[i]} – {across[j]}: {number:.3g}"
                for i, j, number in zip(premise, hypothesis, value.ravel(), strict=True)
            ],
            **{f"figure{place}": np.ravel(figure) for place, figure in enumerate(grid.others.values())},
        }
    )


def _words(grid: Grid, side: int) -> alt.Chart:
    """The words at an axis as marks, since an axis' own labels cannot be clicked."""
    words = grid.words[side]
    places = range(grid.first[side], grid.first[side] + len(words))
    gone = [place in grid.deleted[side] for place in places]
    data = pd.DataFrame(
        {
            SENTENCES[side]: range(len(words)),
            "take": [word_code(side, place) for place in places],
            "word": list(words),
            "label": [f"✕ {cut(word)}" if out else cut(word) for word, out in zip(words, gone, strict=True)],
            "strength": [0.6 if out else 1.0 for out in gone],
            "click": ["takes it back" if out else "deletes it" for out in gone],
        }
    )
    look: dict[str, Any] = {"baseline": "middle", "fontSize": 12, "cursor": "pointer", "fill": INK}
    if side == 0:
        drawn = alt.Chart(data).mark_text(align="right", **look).encode(x=alt.value(-6))
    else:
        drawn = alt.Chart(data).mark_text(align="left", angle=360 + ANGLE, **look).encode(y=alt.value(-7))
    encoded: alt.Chart = drawn.encode(
        text="label:N",
        opacity=alt.Opacity("strength:Q", scale=None),
        tooltip=[alt.Tooltip("word:N"), alt.Tooltip("click:N", title="a click")],
    )
    return encoded


def pick() -> alt.Parameter:
    """One selection for all layers: Vega lets the selection of a layer answer to clicks on the others too."""
    return alt.selection_point(name=PICK, fields=["take"], empty=False, toggle=False)


def _room(side: Literal["left", "top"], words: Sequence[str]) -> alt.Axis:
    """An axis that keeps the room of the words."""
    longest = max((len(cut(word)) for word in words), default=0) + 2
    size = longest * _LETTER + _EDGE if side == "left" else depth(words)
    return alt.Axis(
        orient=side,
        title=None,
        labels=False,
        ticks=False,
        domain=False,
        grid=False,
        minExtent=size,
        maxExtent=size,
    )


def depth(words: Sequence[str]) -> float:
    """Pixels that slanting words take above the cells."""
    return (max((len(cut(word)) for word in words), default=0) + 2) * _LETTER * _SLANT + _EDGE


def _beyond(words: Sequence[str]) -> float:
    """Pixels by which the last of the slanting words reaches beyond the cells."""
    return max(2.0, len(cut(words[-1])) * _LETTER * _REACH - 14) if words else 2.0


def cut(word: str, most: int = _LETTERS) -> str:
    """A word as it stands at an axis: long ones are cut."""
    return word if len(word) <= most else word[: most - 1] + "…"
