"""Where pairs go wrong: error rates by class, by shared words and by length."""

from __future__ import annotations

import streamlit as st

from seer.charts.captions import counted
from seer.charts.error_rates import rate_chart
from seer.pair_errors import PairMeasures, errors_by_class, errors_by_length, errors_by_overlap, pair_measures
from seer.slices import slice_accuracy
from seer.study import Study
from seer.traces import IntArray
from seer.ui.frame import View


def pair_errors_panel(view: View, rows: IntArray) -> None:
    """Three small charts of the rows (m,); nothing where none is labelled.

    Args:
        view: of the page, with a study of sentence pairs.
        rows: positions of the slice's pairs, right and wrong.
    """
    study, whole = view.study, slice_accuracy(view.study, rows)
    if not whole.labelled:
        return
    measures = _measures(study, study.hash)
    groups = {
        "true class": errors_by_class(study, rows),
        "shared words": errors_by_overlap(study, rows, measures),
        "words": errors_by_length(study, rows, measures),
    }
    base = whole.errors / whole.labelled
    most = min(1.0, 1.05 * max([base, *(group.high for found in groups.values() for group in found)]))
    st.subheader(
        "Where pairs go wrong",
        help="Share of wrong pairs in each group of the slice, with Wilson's 95 % interval; the dashed line is the "
        "whole slice. Shared words: how many of the hypothesis's words the premise has too. Words: of both sentences.",
    )
    for column, (title, found) in zip(st.columns(3, gap="medium"), groups.items(), strict=True):
        with column:
            worst = max(found, key=lambda group: group.rate, default=None)
            alt = "" if worst is None else f"; the most in “{worst.name}”, {worst.rate:.0%}"
            st.altair_chart(
                rate_chart(found, base, title, most),
                key=f"pair-errors-{title}",
                alt=f"Share of wrong pairs by {title}, {counted(len(found), 'group')}{alt}.",
            )


@st.cache_resource(max_entries=6, show_spinner="Counting shared words…")
def _measures(_study: Study, version: str) -> PairMeasures:
    return pair_measures(_study)
