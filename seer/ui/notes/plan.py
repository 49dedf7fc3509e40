"""The plan: what the notes say together, as tables and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.notes import (
    Change,
    Checked,
    action_counts,
    cause_counts,
    cause_patterns,
    checked_of,
    plan_markdown,
    standing,
)
from seer.picks import wrong_rows
from seer.report.subject import Subject
from seer.ui.frame import View
from seer.ui.machine.mined import pattern_name
from seer.ui.notes.notebook import Notebook
from seer.ui.notes.queue import pattern_rows

Current = Mapping[str, Change]


def noted_here(view: View, book: Notebook) -> dict[str, Change]:
    """The notes on the sentences that pass the filter."""
    rows = view.rows()
    ids = view.study.corpus.ids[rows[book.columns.noted[rows]]].tolist()
    return {row_id: book.current[row_id] for row_id in ids}


def progress_of(view: View, book: Notebook) -> Checked:
    """How many of the errors that pass the filter are checked."""
    errors = wrong_rows(view.study, view.rows())
    return checked_of(book.current, [str(row_id) for row_id in view.study.corpus.ids[errors]])


def standing_line(view: View, book: Notebook) -> str | None:
    """What to tell where notes do not fit the sentences of today."""
    corpus = view.study.corpus
    return standing(book.current, corpus.ids.tolist(), corpus.fingerprint).sentence()


def confusions_of(view: View, notes: Current) -> dict[str, str]:
    """Row id → what was taken for what, of the rows that are still there."""
    subject, corpus = Subject(view.study, view.split, notes), view.study.corpus
    return {row_id: subject.confusion(corpus.position(row_id)) for row_id in notes if row_id in corpus}


def patterns_of(view: View, notes: Current) -> dict[str, list[str]]:
    """Row id → the buggy patterns that its sentence holds, of the rows with a note."""
    ids, held = view.study.corpus.ids, dict[str, list[str]]()
    for key, rows in pattern_rows(view).items():
        for row_id in ids[rows].tolist():
            if row_id in notes:
                held.setdefault(row_id, []).append(pattern_name(key))
    return held


def cause_table(view: View, notes: Current) -> None:
    """Causes × confusions."""
    counts = cause_counts(notes, confusions_of(view, notes))
    frame = pd.DataFrame.from_dict(counts, orient="index")
    frame.insert(0, "all", frame.sum(axis=1))
    frame.insert(0, "cause", frame.index)
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        alt=f"Notes by {counted(len(frame), 'cause')} and confusion.",
        column_config={"cause": st.column_config.TextColumn(pinned=True, width=170)},
    )


def action_table(notes: Current) -> None:
    """Actions planned, and how many notes have none."""
    counts = action_counts(notes)
    undecided = len(notes) - sum(counts.values())
    frame = pd.DataFrame({"action": [*counts, "not decided"], "sentences": [*counts.values(), undecided]})
    st.dataframe(frame, hide_index=True, height="content", alt="Notes by planned action.")


def pattern_table(view: View, notes: Current) -> None:
    """The most frequent buggy patterns of each cause."""
    found = cause_patterns(notes, patterns_of(view, notes))
    if not found:
        st.caption("No sentence with a note holds one of the first buggy patterns of this split.")
        return
    said = ["; ".join(f"{name} ×{count:,}" for name, count in patterns) for patterns in found.values()]
    st.dataframe(
        pd.DataFrame({"cause": [*found], "patterns (sentences)": said}),
        hide_index=True,
        height="content",
        alt="The buggy patterns that most sentences of each cause hold.",
        column_config={"cause": st.column_config.TextColumn(pinned=True, width=170)},
    )


def plan_text(view: View, book: Notebook) -> str:
    """The plan as Markdown, for the notes that pass the filter."""
    notes, corpus = noted_here(view, book), view.study.corpus
    return plan_markdown(
        view.study.name,
        notes,
        texts={row_id: corpus.text(corpus.position(row_id)) for row_id in notes},
        confusions=confusions_of(view, notes),
        patterns=patterns_of(view, notes),
        progress=progress_of(view, book),
        scope={"split": view.split_name, "filter": view.filter_line, "data": corpus.fingerprint},
    )
