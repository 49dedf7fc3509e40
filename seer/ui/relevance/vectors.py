"""Sentence vectors: whether word vectors weighted by relevance draw the classes apart."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.relevance_figures import map_chart
from seer.evaluation.vectors import SentenceVectors, sentence_vectors
from seer.ui import state
from seer.ui.frame import View
from seer.ui.relevance.evaluations import measured, methods_row, split_line

NEIGHBOURS = 5


def vectors_panel(view: View) -> None:
    """Settings, the run, and what it found."""
    st.caption(
        "Each sentence as one vector: the sum of its word vectors, plain or weighted by relevance for the predicted "
        f"class. {split_line(view)}"
    )
    methods, most = methods_row(view, "vecmethods", ("lrp", "gradient_input"), "vectors")
    found: SentenceVectors | None = measured(
        view,
        "vectors",
        methods,
        sentence_vectors,
        "Explains every sentence by each method; a few seconds.",
        most=most or len(view.study.corpus),
        neighbours=NEIGHBOURS,
    )
    if found is not None:
        _vectors_result(found)


def _vectors_result(found: SentenceVectors) -> None:
    names, right = [found.classes[label] for label in found.label], (found.label == found.prediction).tolist()
    for begin in range(0, len(found.maps), 2):
        for column, kind in zip(st.columns(2, gap="medium"), found.maps[begin : begin + 2], strict=False):
            with column:
                st.markdown(f"**{state.literal(kind.title)}**")
                st.caption(
                    f"{kind.label_agreement:.0%} of the {found.neighbours} nearest have the same class, "
                    f"{kind.prediction_agreement:.0%} the same prediction."
                )
                st.altair_chart(
                    map_chart(kind.places, names, right, found.ids, found.classes),
                    key=f"evaluate-vectors-{kind.kind}",
                    alt=f"{len(found.rows):,} sentences on two principal components of {kind.title}.",
                )
    table = pd.DataFrame(
        {
            "vector": [kind.title for kind in found.maps],
            "class": [100 * kind.label_agreement for kind in found.maps],
            "prediction": [100 * kind.prediction_agreement for kind in found.maps],
            "variance": [100 * float(np.sum(kind.explained)) for kind in found.maps],
        }
    )
    share = partial(st.column_config.NumberColumn, format="%.1f", width=150)
    st.dataframe(
        table,
        hide_index=True,
        height="content",
        column_config={
            "class": share("same class, %", help=f"Of the {found.neighbours} nearest neighbours; the mean."),
            "prediction": share("same prediction, %"),
            "variance": share("on the map, %", help="Share of the variance that the two axes show."),
        },
        key="evaluate-vectors-table",
    )
    st.caption(
        f"How to read it: {len(found.rows):,} sentences; by chance {found.label_chance:.0%} of the neighbours have the "
        f"same class and {found.prediction_chance:.0%} the same prediction. Relevance that names the right words draws "
        "the classes apart. A triangle is a sentence read wrongly; the farthest hundredth stand at the edge."
    )
