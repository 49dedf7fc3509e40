"""Composition: how a negation or an amplifier and the polar word after it are read."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.relevance import words_html
from seer.charts.scale import NONE, Line
from seer.evaluation.composition import Composition, Example, Reading, composition
from seer.evaluation.means import Mean
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.relevance.evaluations import (
    choice,
    measured_split,
    result_of,
    settings_button,
    settings_key,
    split_line,
    told,
)
from seer.ui.relevance.shared import RELEVANCE_PAGE, chosen_settings, explained, quick_methods, title_of

_WINDOW = 8
"""Words drawn on either side of an example's two."""


def composition_panel(view: View) -> None:
    """Settings, the run, and what it found."""
    st.caption(
        "How a modifier and the polar word after it are read: negated (not bad), amplified (very good). Polar words "
        f"are those that the labels of the training sentences tie to a class. {split_line(view)}"
    )
    study, present = view.study, quick_methods(view.study)
    classes = study.classes
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        method = choice("Method", "compmethod", present[0], present, width=200, format_func=title_of)
        positive = choice("Positive class", "positive", classes[-1], classes)
        negative = choice("Negative class", "negative", classes[0], classes)
        most = choice(
            "At most", "compmost", 2000, (500, 2000, 10000), 180, format_func=lambda most: f"{most:,} sentences"
        )
        settings_button([method], "composition")
    if positive == negative:
        empty("Choose two different classes.", ":material/rule:")
        return
    found = result_of(
        "composition",
        (study.hash, measured_split(view), method, positive, negative, most, settings_key([method])),
        lambda progress: composition(
            study,
            method=method,
            split=measured_split(view),
            positive=positive,
            negative=negative,
            most=most,
            progress=progress,
            **dict(chosen_settings(method)),
        ),
        "Explains the sentences that hold such a pair, for both classes; a few seconds. The training split has more.",
    )
    if found is not None:
        told([method], {method: found.settings}, {method: found.strain}, "composition")
        _composition_result(view, found)


def _readings_table(readings: tuple[Reading, ...], found: Composition, key: str, name: str) -> None:
    def column(part: str) -> list[float]:
        return [getattr(reading, part).median for reading in readings]

    def note(part: str) -> list[str | None]:
        return [_mean_line(getattr(reading, part)) for reading in readings]

    table = pd.DataFrame(
        {
            name: [reading.phrase or reading.composition for reading in readings],
            **({"composition": [reading.composition for reading in readings]} if name == "pair" else {}),
            "times": [reading.count for reading in readings],
            "sentences": [reading.sentences for reading in readings],
            **{part: column(part) for part in _PARTS},
            **({f"{part} mean": note(part) for part in _PARTS} if name != "pair" else {}),
        }
    )
    number = partial(st.column_config.NumberColumn, format="%+.2f", width=106)
    who = {"positive": found.positive, "negative": found.negative}
    config: dict[str, Any] = {
        part: number(f"{part.split('_')[0]} → {who[part.split('_')[1]]}", help=help_) for part, help_ in _PARTS.items()
    }
    config |= {
        f"{part} mean": st.column_config.TextColumn("mean ± error", width=104, help="A few odd sentences may move it.")
        for part in _PARTS
    }
    ordered = [name, *(["composition"] if name == "pair" else []), "times", "sentences"]
    for part in _PARTS:
        ordered += [part, *([f"{part} mean"] if name != "pair" else [])]
    st.dataframe(
        table[ordered],
        hide_index=True,
        height=min(400, 38 + 35 * len(table)),
        placeholder=NONE,
        column_config={
            name: st.column_config.TextColumn(width=146),
            "times": st.column_config.NumberColumn(format="localized", width=56),
            "sentences": st.column_config.NumberColumn(format="localized", width=80),
            **config,
        },
        key=key,
    )


def _mean_line(mean: Mean) -> str | None:
    if not np.isfinite(mean.value):
        return None
    error = f" ± {mean.error:.2f}" if np.isfinite(mean.error) else ""
    return f"{mean.value:+.2f}{error}".replace("-", "−")


_PARTS = {
    "modifier_positive": "Median relevance of the modifier for the positive class.",
    "word_positive": "Median relevance of the polar word for the positive class.",
    "modifier_negative": "Median relevance of the modifier for the negative class.",
    "word_negative": "Median relevance of the polar word for the negative class.",
}


def _composition_result(view: View, found: Composition) -> None:
    st.caption(
        state.literal(
            f"{found.sentences:,} sentences explained by {title_of(found.method)}. Words for {found.positive}: "
            f"{', '.join(found.positive_words[:8])}. For {found.negative}: {', '.join(found.negative_words[:8])}."
        )
    )
    _readings_table(found.readings, found, "evaluate-readings", "group")
    st.caption(
        "How to read it: a model that understands “not bad” gives “bad” less for the negative class than where it "
        "stands alone, or gives “not” something against it. The median stands first, the mean and its standard error "
        "beside it; few times say little."
    )
    if found.phrases:
        st.subheader("The commonest pairs")
        _readings_table(found.phrases, found, "evaluate-pairs", "pair")
    kinds = list(dict.fromkeys(example.composition for example in found.examples))
    if not kinds:
        empty("No sentence here holds such a pair. Choose another split at the left.")
        return
    st.subheader("Examples", help="Wrong sentences first, those in which the modifier tells most before others.")
    kind = choice("Examples of", "composed", kinds[0], kinds, width=220)
    for example in found.examples:
        if example.composition == kind:
            _example(view, found, example)


def _example(view: View, found: Composition, example: Example) -> None:
    pair = [explained(view, example.text, found.method, name) for name in (found.positive, found.negative)]
    limit = max(float(np.abs(explanation.relevance).max()) for explanation in pair)
    lines = [
        Line(f"for {explanation.target[:14]}", explanation.target[:5], explanation.relevance, limit=limit)
        for explanation in pair
    ]
    first = max(0, example.place - _WINDOW)
    sign = "✕ wrong" if example.wrong else "✓ right" if example.label is not None else "unlabelled"
    label = "" if example.label is None else f" · is {example.label}"
    with st.container(border=True, gap="small"):
        st.html(
            words_html(
                pair[0].words,
                lines,
                known=pair[0].known.tolist(),
                framed=(example.place, example.place + 1),
                first=first,
                most=2 * _WINDOW + 2,
            )
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(
                state.literal(
                    f"{example.composition} “{example.phrase}” · {sign} · read as {example.prediction}{label}"
                )
            )
            st.space("stretch")
            query = state.link_query(state.current().with_view(tab=None), row=example.id)
            st.page_link(RELEVANCE_PAGE, label="All methods", icon=":material/format_color_text:", query_params=query)
