"""Labels that may be wrong, and texts that have two: a list that opens sentences and writes notes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.notes import NoteFields
from seer.study import Study
from seer.suspects import Conflicts, Suspects, conflicting_texts, unseen_suspects
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.notes.judging import judged, judging_panel
from seer.ui.notes.notebook import Notebook, note_cell
from seer.ui.notes.writing import take
from seer.ui.selection import shortened
from seer.ui.sentences import NOTE_WIDTH, ROW_HEIGHT
from seer.ui.tables import frame_csv, pick_table

SHOWN = 200
"""Rows in a list; the file has all."""
_TEXT = 240
_BOTH, _HEADER, _WIDEST, _LETTER, _EDGES = 312, 138, 200, 7, 20
"""Pixels: classes and text together, the classes at least and at most, a letter, the edges of a cell."""

RANKED = (
    "Confident learning on sentences that the model did not train on: the label's own probability ranks them, lowest "
    "first."
)
CROSSED = "The training sentences were judged by models that had not seen them (cross-validation)."
OF_TWO = "With two classes that is nearly the plain list of the surest errors; what it adds is where to stop."


@st.cache_resource(max_entries=4, show_spinner="Judging the labels…")
def suspects(_study: Study, version: str) -> Suspects:
    """The suspected labels of all sentences that the model did not train on."""
    return unseen_suspects(_study)


@st.cache_resource(max_entries=4, show_spinner="Comparing the texts…")
def conflicts(_study: Study, version: str) -> Conflicts:
    """Pairs of texts that are the same, or nearly, with different labels."""
    return conflicting_texts(_study.corpus.texts(), _study.corpus.labels)


def suspect_panel(view: View, book: Notebook, shown: int | None) -> None:
    """The suspected labels within the filter, the button that takes one up, and the texts with two labels.

    Args:
        view: of the page.
        book: the notes.
        shown: position of the sentence whose detail is open.
    """
    study, rows = view.study, view.rows()
    whole, found = all_suspects(study), all_suspects(study).within(rows)
    waiting = not_judged(study, rows)
    if len(found):
        _suspect_table(view, book, found, whole, shown)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _mark_button(view, book, found, shown)
            _download(view, book, found)
        crossed = f"{CROSSED} " if judged(study) is not None else ""
        st.caption(f"{RANKED} {crossed}{OF_TWO if len(study.classes) == 2 else ''}".rstrip())
    elif len(waiting) < len(rows):
        empty(found.note or "None of these sentences has a suspected label.", ":material/verified:")
    if len(waiting):
        judging_panel(study, len(waiting))
    st.markdown("**Same text, other label**", help="In all splits: the same words, or at least three quarters of them.")
    pairs = conflicts(study, study.hash)
    if len(pairs):
        _conflict_table(view, pairs, shown)
    if pairs.note:
        st.caption(state.literal(pairs.note))


def all_suspects(study: Study) -> Suspects:
    """The suspected labels of the unseen sentences and, once these are judged, of the training sentences."""
    unseen, training = suspects(study, study.hash), judged(study)
    if training is None:
        return unseen
    fields = ("row", "given", "suggested", "confidence", "self_confidence")
    both = {name: np.concatenate([getattr(unseen, name), getattr(training, name)]) for name in fields}
    order = np.argsort(both["self_confidence"], kind="stable")
    return replace(
        unseen,
        **{name: values[order] for name, values in both.items()},
        judged=unseen.judged + training.judged,
        note=None if len(order) else unseen.note,
    )


def not_judged(study: Study, rows: IntArray) -> IntArray:
    """Those of the rows that the model trained on, while they are not judged by cross-validation."""
    if judged(study) is not None:
        return rows[:0]
    trained = np.intersect1d(rows, study.trained_rows)
    found: IntArray = trained[(study.corpus.labels[trained] >= 0) & (study.traces.lengths[trained] > 0)]
    return found


def _suspect_table(view: View, book: Notebook, found: Suspects, whole: Suspects, shown: int | None) -> None:
    records = found.records(view.study.corpus, SHOWN)
    frame = pd.DataFrame(
        {
            "label → suggested": [f"{record['given']} → {record['suggested']}" for record in records],
            "text": [view.line(record["text"], _TEXT) for record in records],
            "confidence": [record["confidence"] for record in records],
            "self": [record["self_confidence"] for record in records],
            "note": pd.Series([note_cell(book.note(record["id"])) for record in records], dtype=object),
        }
    )
    more = f", the first {SHOWN:,} shown" if len(found) > SHOWN else ""
    st.markdown(
        f"**{counted(len(found), 'label')} may be wrong** among the sentences that pass the filter{more}; "
        f"{len(whole):,} of the {whole.judged:,} judged in the study."
    )
    study = view.selection.study
    names = min(max(_LETTER * int(frame["label → suggested"].str.len().max()) + _EDGES, _HEADER), _WIDEST)
    pick_table(
        frame,
        [(study, record["id"]) for record in records],
        None if shown is None else (study, str(view.study.corpus.ids[shown])),
        lambda picked: state.change(row=picked[1]) if picked else None,
        key="suspects",
        height=min(38 + ROW_HEIGHT * len(records), 480),
        row_height=ROW_HEIGHT,
        placeholder="–",
        alt=f"{counted(len(found), 'suspected label')}, the least probable label first.",
        column_config={
            "label → suggested": st.column_config.TextColumn(width=names, pinned=True),
            "text": st.column_config.TextColumn(width=_BOTH - names),
            "confidence": st.column_config.NumberColumn(
                "conf.", format="%.2f", width=54, help="Probability of the suggested class."
            ),
            "self": st.column_config.NumberColumn(
                "label p", format="%.2f", width=62, help="Probability of the given label."
            ),
            "note": st.column_config.TextColumn(width=NOTE_WIDTH),
        },
    )


def _download(view: View, book: Notebook, found: Suspects) -> None:
    st.download_button(
        f"All {len(found):,} as CSV",
        lambda: suspects_csv(view, book, found),
        f"{view.study.name}-{view.selection.split}-suspected-labels.csv",
        "text/csv",
        key="suspects-csv",
        icon=":material/download:",
        on_click="ignore",
    )


def suspects_csv(view: View, book: Notebook, found: Suspects) -> bytes:
    """All suspected labels as CSV, with the text and the note on each."""
    records = found.records(view.study.corpus)
    names = ["id", "split", "given", "suggested", "confidence", "self_confidence", "text"]
    frame = pd.DataFrame(records, columns=names)
    frame.insert(6, "note", pd.Series([note_cell(book.note(str(row_id))) for row_id in frame["id"]], dtype=object))
    return frame_csv(frame)


def _mark_button(view: View, book: Notebook, found: Suspects, shown: int | None) -> None:
    place = next(iter((found.row == shown).nonzero()[0].tolist()), None)
    classes, ids = view.study.classes, view.study.corpus.ids
    if place is None:
        st.caption("Open one of these sentences to mark its label as an error.")
        return
    suggested = classes[int(found.suggested[place])]
    after = str(ids[found.row[place + 1]]) if place + 1 < len(found) else None
    fields: NoteFields = {"cause": "label error", "action": "relabel", "label": suggested, "status": "checked"}
    st.button(
        f"Label error: relabel as {state.literal(shortened(suggested))}",
        key=f"suspects-mark-{ids[shown]}",
        icon=":material/label:",
        help="Writes a note on the open sentence, checks it, and opens the next suspect. The data stays as it is.",
        disabled=book.closed,
        on_click=take,
        args=(book, str(ids[shown]), fields, after, str(ids[shown])),
    )


def _conflict_table(view: View, pairs: Conflicts, shown: int | None) -> None:
    records = pairs.records(view.study.corpus, SHOWN)
    lines = [
        {"pair": number, "same": record["similarity"], **record[side]}
        for number, record in enumerate(records, 1)
        for side in ("first", "second")
    ]
    ids = [(view.selection.study, line["pair"], line["id"]) for line in lines]
    open_id = None if shown is None else str(view.study.corpus.ids[shown])
    frame = pd.DataFrame(
        {
            "pair": [line["pair"] for line in lines],
            "label": [line["label"] for line in lines],
            "text": [view.line(line["text"], _TEXT) for line in lines],
            "same": [line["same"] for line in lines],
            "split": [line["split"] for line in lines],
        }
    )
    pick_table(
        frame,
        ids,
        next((key for key in ids if key[2] == open_id), None),
        lambda picked: state.change(row=picked[2]) if picked else None,
        key="conflicts",
        height=min(38 + 35 * len(lines), 440),
        alt=f"{counted(pairs.total, 'pair')} of texts with different labels, the most similar first.",
        column_config={
            "pair": st.column_config.NumberColumn(width=44),
            "label": st.column_config.TextColumn(width=80),
            "text": st.column_config.TextColumn(width=250),
            "same": st.column_config.NumberColumn(format="percent", width=60, help="Words in common (Jaccard)."),
            "split": st.column_config.TextColumn(width=80),
        },
    )
