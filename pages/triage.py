"""Page: the sentences of a slice one by one, the surest errors first."""

from dataclasses import replace

import streamlit as st

from seer.charts.captions import counted
from seer.charts.figures import CELL, confusion_chart, probability_chart
from seer.charts.reading import flips_line, verdict_html
from seer.charts.sentence import legend_html, sentence_html
from seer.slices import Filter, confusion_matrix, matching_rows, slice_accuracy
from seer.table import csv_bytes, jsonl_bytes, order_rows, page_rows, place_of
from seer.traces import IntArray
from seer.ui import state
from seer.ui.filters import filter_fields, query_error, shown_outcome
from seer.ui.frame import current_view, empty, header
from seer.ui.panels import marked_steps, open_trace, percent
from seer.ui.selection import PAGE
from seer.ui.sentences import SIZE, chosen_order, order_field, sentence_table, step_buttons

BESIDE = 6  # most classes whose confusion matrix has room beside the filters
WORDS = 400  # words of the chosen sentence that are drawn


def pick_cell(key: str) -> None:
    points = st.session_state[key].selection[CELL]
    if not points:
        return
    chosen, true, predicted = state.current(), points[0]["true"], points[0]["predicted"]
    if (chosen.true, chosen.predicted) == (true, predicted):
        state.change(true=None, predicted=None)
    else:
        against = {"right": true != predicted, "wrong": true == predicted}.get(str(chosen.outcome), False)
        state.change(true=true, predicted=predicted, outcome=None if against else chosen.outcome)


def matrix_panel(height: int) -> None:
    wanted = view.filter()
    cell = None if wanted.true is None or wanted.predicted is None else (wanted.true, wanted.predicted)
    # A widget for each choice: a second click on the same cell must count as a click.
    key = f"triage-cell-{cell}"
    st.altair_chart(
        confusion_chart(matrix, study.classes, cell).properties(height=height),
        key=key,
        on_select=lambda: pick_cell(key),
        selection_mode=CELL,
        alt=f"Confusion matrix of the slice, {len(study.classes)} classes: {matrix.trace():,} of {matrix.sum():,} right. "
        "A click on a cell chooses its true and predicted class.",
    )


def slice_line() -> str:
    """How many sentences pass the filter, and how good the model is on the slice against the split."""
    count = f"**{len(rows):,} of {counted(len(everything), 'sentence')}**"
    chosen = view.selection
    if chosen.true is not None and chosen.predicted is not None:
        labelled = int(matrix[study.classes.index(chosen.true)].sum())
        share = percent(len(rows) / labelled) if labelled else "–"
        return f"{count} · {share} of the {labelled:,} that are {state.literal(chosen.true)}"
    part, whole = slice_accuracy(study, judged), slice_accuracy(study, everything)
    if not part.labelled:
        return f"{count} · no label among them, so no accuracy"
    interval = f"95 %: {percent(part.low)} – {percent(part.high)}"
    return f"{count} · slice accuracy **{percent(part.value)}** ({interval}) against {percent(whole.value)} of {view.split_name}"


def download(label: str, kind: str, mime: str, guide: str) -> None:
    make = {"csv": csv_bytes, "jsonl": jsonl_bytes}[kind]
    st.download_button(
        label,
        lambda: make(study, rows),
        f"{study.name}-sentences.{kind}",
        mime,
        key=f"triage-{kind}",
        icon=":material/download:",
        on_click="ignore",
        help=guide,
        disabled=not len(rows),
    )


def sentence_panel(row: int) -> None:
    """The shown sentence: where it stands, what was read and what it is, its words and its curve."""
    trace, place = study.sentence(row), place_of(rows, row)
    where = f"{place + 1:,} of {len(rows):,}" if place is not None else "outside the filter"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        step_buttons(view, rows, row)
        st.space("stretch")
        if st.button("Full trace", icon=":material/timeline:", key="triage-trace", type="tertiary"):
            open_trace(str(study.corpus.ids[row]))
    st.markdown(f"**Sentence {state.literal(str(study.corpus.ids[row]))}** · {where}")
    if place is None:
        st.info("The chosen sentence does not pass the filter; it stays open until you choose another.", icon=":material/filter_alt_off:")
    label = int(study.corpus.labels[row])
    st.html(verdict_html(trace, None if label < 0 else study.classes[label], unlabelled=label < 0))
    st.html(sentence_html(trace, states=True, marked=marked_steps(view, row), most=WORDS))
    if len(trace):
        st.altair_chart(probability_chart(trace).properties(height=230), key="triage-curve", alt=flips_line(trace))
        st.html(legend_html(study.classes, states=True))


view = current_view()
study, fault = view.study, query_error(view)
header(
    replace(view, gone=tuple(sentence for sentence in view.gone if sentence != fault)),
    "Misprediction triage",
    "The sentences of a slice, the surest errors first. Narrow the slice, pick a sentence, and see where it went wrong.",
    guide="A click on a cell of the matrix keeps its sentences, a second click lets the others in again. The matrix "
    "counts the slice whatever classes and outcome are chosen.",
)
everything = study.rows(view.split)
slice_filter: Filter = view.filter(true=None, predicted=None, outcome=None)
matrix = confusion_matrix(study, matching_rows(study, slice_filter))
judged = view.rows(outcome=None)
rows: IntArray = order_rows(study, view.rows(outcome=shown_outcome(view)), chosen_order())

beside = len(study.classes) <= BESIDE and matrix.sum() > 0
if beside:
    left, right = st.columns([2, 5] if len(study.classes) <= 3 else [3, 5], gap="medium")
    with left:
        matrix_panel(170 if len(study.classes) <= 3 else 230)
else:
    right = st.container()
with right:
    filter_fields(view)
st.markdown(slice_line(), help="The accuracy is of all sentences that pass the other filters, right or wrong.")

left, right = st.columns([3, 2], gap="medium")
with left:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        order_field()
        st.space("stretch")
        download("CSV", "csv", "text/csv", "All sentences of the slice. A ' stands before a text that a spreadsheet would take for a formula (it begins with = + - or @).")
        download("JSONL", "jsonl", "application/jsonl", "All sentences of the slice, the texts untouched.")
    shown = view.row if view.row is not None or not len(rows) else int(page_rows(rows, state.view_option(PAGE, 1), SIZE)[0])
    if len(rows):
        sentence_table(view, rows, shown, "triage-table")
    else:
        empty("No sentence passes these filters. Remove one, or show right and wrong ones.")
with right:
    if shown is not None:
        sentence_panel(shown)

if not beside and matrix.sum() > 0:
    st.subheader("Where the slice is right and wrong")
    matrix_panel(min(760, 120 + 17 * len(study.classes)))
