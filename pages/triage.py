"""Page: the sentences of a slice one by one, the surest errors first."""

from dataclasses import replace
from functools import partial

import streamlit as st

from seer.charts.captions import counted
from seer.charts.curve import probability_chart
from seer.charts.figures import CELL, FEW, confusion_chart, slant_height
from seer.charts.leading import sentence_colours
from seer.charts.reading import flips_line, verdict_html
from seer.charts.sentence import legend_html, sentence_html
from seer.slices import confusion_matrix, slice_accuracy
from seer.table import csv_bytes, jsonl_bytes, order_rows, page_rows, place_of
from seer.ui import state
from seer.ui.confusion import confused_table, shown_classes
from seer.ui.filters import filter_fields, query_error, shown_outcome
from seer.ui.frame import current_view, empty, header
from seer.ui.notes.bulk import bulk_button
from seer.ui.notes.note_keys import first_unchecked, keys_panel
from seer.ui.notes.notebook import note_cell, note_filter_field, open_notebook
from seer.ui.notes.panels import note_panel
from seer.ui.notes.person import author_field
from seer.ui.notes.queue import LIST, queue_panel
from seer.ui.notes.suspects import suspect_panel
from seer.ui.pairs.errors import pair_errors_panel
from seer.ui.pairs.shared import PAIRS_PAGE
from seer.ui.panels import TRACE_PAGE, marked_steps, percent
from seer.ui.sentences import (
    SIZE,
    chosen_order,
    current_page,
    order_field,
    rarest_line,
    sentence_table,
    step_buttons,
)

BESIDE, NARROW = 6, 3  # most classes whose matrix has room beside the filters, and is no higher than they are
LONG = 100  # words of a sentence from which it scrolls in a box of its own
LISTS = ("sentences", "work queue", "suspected labels")
DRAWN = 600  # words of a sentence that are drawn

CSV_GUIDE = (
    "All sentences of the slice, for a spreadsheet. A cell that begins with = + - or @ would be a formula: a ' "
    "stands before it. JSONL has each text as it is."
)


def pick_cell(key: str) -> None:
    """A click on a cell chooses its classes, a second one lets them go; an outcome against the cell goes too."""
    points = st.session_state[key].selection[CELL]
    if points and points[0]["true"] in study.classes and points[0]["predicted"] in study.classes:
        pick_pair(points[0]["true"], points[0]["predicted"])


def pick_pair(true: str, predicted: str) -> None:
    """Choose two classes, or let them go when they are chosen."""
    chosen = state.current()
    if (chosen.true, chosen.predicted) == (true, predicted):
        state.change(true=None, predicted=None)
    else:
        outcome = "right" if true == predicted else "wrong"
        state.change(true=true, predicted=predicted, outcome=outcome if chosen.outcome == outcome else None)


def matrix_panel() -> None:
    """The confusion matrix of the slice, whatever classes and outcome are chosen."""
    wanted, count = view.filter(), len(study.classes)
    cell = None if wanted.true is None or wanted.predicted is None else (wanted.true, wanted.predicted)
    # A widget for each choice: a second click on the same cell must count as a click.
    key = f"triage-cell-{cell}"
    places = shown_classes(view, matrix)
    height = 170 + slant_height(study.classes) if count <= NARROW else 110 + (32 if count <= BESIDE else 17) * count
    chart = confusion_chart(matrix, study.classes, cell, places)
    st.altair_chart(
        chart.properties(height=height) if places is None else chart,
        key=key,
        on_select=lambda: pick_cell(key),
        selection_mode=CELL,
        alt=f"Confusion matrix of the slice, {count} classes: {matrix.trace():,} of {matrix.sum():,} are right.",
    )


def cell_line(true: str, predicted: str) -> str:
    """How many sentences of a class in the slice are read as another, or rightly."""
    row, column = study.classes.index(true), study.classes.index(predicted)
    count, total = int(matrix[row, column]), int(matrix[row].sum())
    line = f"**{count:,} read as “{state.literal(predicted)}”** of the {total:,} “{state.literal(true)}” in this slice"
    return f"{line}: {percent(count / total)}" if total else line


def slice_line() -> str:
    """How many sentences are right or wrong in the slice, and in the split too where the slice is narrower."""
    chosen, inside = view.selection, view.rows(outcome=None)
    if chosen.true is not None and chosen.predicted is not None:
        return cell_line(chosen.true, chosen.predicted)
    part, narrowed = slice_accuracy(study, inside), view.filtered(outcome=None)
    split = state.literal(view.split_name)
    place = "in this slice" if narrowed else f"of {split}"
    sentences = f"**{counted(len(inside), view.noun)}** {place}"
    if not part.labelled:
        return f"{sentences}, none with a label and a word: none is right or wrong"
    partly = " labelled" if part.labelled < len(inside) else ""
    judged = f"of the {part.labelled:,}{partly} {view.noun}{'s' if part.labelled != 1 else ''} {place}"
    line = {
        "wrong": f"**{part.errors:,} wrong** {judged}",
        "right": f"**{part.right:,} right** {judged}",
        "all": f"{sentences}, {part.errors:,} wrong" + (f" of {part.labelled:,} labelled" if partly else ""),
    }[shown_outcome(view) or "all"]
    line += f": **{percent(part.value)} right** (95 %: {percent(part.low)}–{percent(part.high)})"
    return f"{line}; the whole of {split}: {percent(whole.value)}" if narrowed else line


def sentence_panel(row: int) -> None:
    """The shown sentence: where it stands, what was read and what it is, its words and its curve."""
    trace, place = study.sentence(row), place_of(rows, row)
    row_id, label = str(study.corpus.ids[row]), int(study.corpus.labels[row])
    where = "outside the filter" if place is None else f"{place + 1:,} of {len(rows):,}"
    with st.container(gap="small"):
        with st.container(horizontal=True, gap="small"):
            step_buttons(view, rows, row)
        keys_panel(view, book, rows, row)
    query = state.link_query(row=row_id)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{view.noun.capitalize()} {state.literal(row_id)}** · {where}", width="stretch")
        st.page_link(TRACE_PAGE, label="Full trace", icon=":material/timeline:", query_params=query)
    if study.paired:
        name = "Attention and gates of this pair"
        st.page_link(PAIRS_PAGE, label=name, icon=":material/compare_arrows:", query_params=query)
    marks, asked = marked_steps(view, row), () if label < 0 else (label,)
    colours = sentence_colours(trace, asked=asked)
    if (rarest := rarest_line(view, row)) is not None:
        st.caption(state.literal(rarest))
    if place is None:
        empty(
            f"This {view.noun} does not pass the filter. It stays until you choose another.",
            ":material/filter_alt_off:",
        )
    st.html(verdict_html(trace, None if label < 0 else study.classes[label], unlabelled=label < 0, colours=colours))
    with st.container(height=430 if len(trace) > LONG else "content", border=False):
        st.html(sentence_html(trace, states=True, marked=marks, most=DRAWN, colours=colours))
    note_panel(view, book, rows, row)
    if len(trace):
        curve = probability_chart(trace, most=DRAWN, height=210, named=18, legend=False, asked=asked, colours=colours)
        st.altair_chart(curve, key="triage-curve", alt=flips_line(trace))
        told = [study.classes[index] for index in (*asked, *trace.predicted.tolist())]
        only = None if len(study.classes) <= BESIDE else told
        marked = "chosen above" if marks else None
        st.html(legend_html(study.classes, only=only, states=True, marked=marked, colours=colours))
    else:
        st.caption("The text has no word, so the model reads nothing and no prediction is counted.")


def sentences_panel() -> None:
    """The listed sentences in a table, and what can be done with all of them."""
    with st.container(horizontal=True, gap="small"):
        order_field()
        note_filter_field()
    if len(rows) and shown is not None:
        sentence_table(view, rows, page, shown, "triage-table", lambda row_id: note_cell(book.note(row_id)))
    elif shown_outcome(view) == "wrong" and not len(listed) and not view.filtered(outcome=None):
        empty(f"No {view.noun} of {view.split_name} is wrong. Show “all” to see those that are right.")
    else:
        empty(f"No {view.noun} passes these filters. Remove one above, or show “all”.")
    # Below the table: its tools lie over what stands above its right end.
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        bulk_button(view, book, rows)
        st.caption("Download the slice", width="content")
        for label, make, guide in (
            ("CSV", csv_bytes, CSV_GUIDE),
            ("JSONL", jsonl_bytes, f"All {view.noun}s of the slice, one JSON record a line."),
        ):
            st.download_button(
                label,
                partial(make, study, rows),
                f"{study.name}-{view.selection.split}.{label.lower()}",
                key=f"triage-{label}",
                icon=":material/download:",
                on_click="ignore",
                help=guide,
                disabled=not len(rows),
            )


view = current_view()
study, fault = view.study, query_error(view)
header(
    replace(view, gone=tuple(sentence for sentence in view.gone if sentence != fault)),
    "Misprediction triage",
    f"The {view.noun}s of a slice, the surest errors first. Narrow the slice, pick one, see where it went wrong.",
    guide=f"A click on a cell of the matrix keeps its {view.noun}s, a second click lets the others in again. The "
    "matrix counts the slice whatever classes and outcome are chosen.",
)
whole = slice_accuracy(study, study.rows(view.split))
matrix = confusion_matrix(study, view.rows(true=None, predicted=None, outcome=None))
book = open_notebook(view)
author_field()
listed = order_rows(study, view.rows(outcome=shown_outcome(view)), chosen_order())
rows = book.kept(listed)
page = current_page(view, rows, first_unchecked(book, rows))

labelled = whole.labelled
beside = len(study.classes) <= BESIDE
left, right = st.columns([1, 2], gap="medium") if beside else (None, st.container())
if left is not None:
    with left:
        if labelled:
            matrix_panel()
        else:
            empty(
                "Nothing here has a label, so nothing is right or wrong. Sort by “rarest path first” to see what is "
                "new to the model, or choose another split.",
                ":material/label_off:",
            )
with right:
    filter_fields(view)
with st.container() if len(study.classes) <= NARROW else right, st.container(horizontal=True, gap="small"):
    st.markdown(slice_line(), help=f"The share is of all {view.noun}s that pass the other filters, right or wrong.")
    st.caption(book.progress(listed), width="content", help=f"Of the {view.noun}s listed, whatever their note.")

if study.paired:
    pair_errors_panel(view, view.rows(outcome=None))

left, right = st.columns([5, 3], gap="medium")
shown = view.row
if shown is None and len(rows):
    on_page = page_rows(rows, page, SIZE)
    shown = int(on_page[first_unchecked(book, on_page)])
with right:  # first, so that the keys work as soon as there is something to see
    if shown is not None:
        sentence_panel(shown)
with left:
    st.segmented_control(
        "List",
        LISTS,
        required=True,
        label_visibility="collapsed",
        **state.bound("triage-list", f"view.{LIST}", empty=LISTS[0], choices=LISTS),
    )
    chosen_list = state.view_option(LIST, LISTS[0])
    if chosen_list == "work queue":
        queue_panel(view, book)
    elif chosen_list == "suspected labels":
        suspect_panel(view, book, shown)
    else:
        sentences_panel()

if labelled and not beside:
    if len(study.classes) > FEW:
        st.subheader("Confused most often in this slice", help=f"Click two classes to keep their {view.noun}s.")
        confused_table(view, matrix, "triage-confused", pick_pair)
    st.subheader("Right and wrong in this slice")
    matrix_panel()
