"""Plan, notes and report as files, and notes read back from files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from seer.charts.captions import counted
from seer.corpus import Corpus
from seer.errors import NotesError
from seer.hosting import notes_read_only
from seer.notes import CLOSED, Merged, NotesFile, csv_bytes, jsonl_bytes, read_notes, readable_csv
from seer.report import report_html
from seer.ui import state
from seer.ui.frame import View
from seer.ui.notes.notebook import Notebook
from seer.ui.notes.plan import plan_text
from seer.ui.notes.writing import attempt, tell
from seer.ui.selection import shortened

_NAMED = 5
"""Row ids named in a sentence."""


def download_buttons(view: View, book: Notebook) -> None:
    """Plan, notes and report as files."""
    name, nothing = view.study.name, not book.current

    def file(label: str, make: Callable[[], str | bytes], ending: str, guide: str, empty: bool = nothing) -> None:
        st.download_button(
            label,
            make,
            f"{name}-{ending}",
            key=f"plan-{ending}",
            icon=":material/download:",
            on_click="ignore",
            help=guide,
            disabled=empty,
        )

    with st.container(horizontal=True, gap="small"):
        file("Plan", partial(plan_text, view, book), "plan.md", "Markdown, of the notes that pass the filter.")
        file(
            "Notes CSV",
            partial(readable_csv, view.study, book.current),
            "notes.csv",
            "All notes of the study as they stand, each beside its sentence. Edit them in a spreadsheet and bring them "
            "back below.",
        )
        file(
            "History CSV",
            lambda: csv_bytes(book.notes.history()),
            "history.csv",
            "All notes of the study with every change, who made it and when: a full copy.",
        )
        file(
            "History JSONL",
            lambda: jsonl_bytes(book.notes.history()),
            "history.jsonl",
            "The same full copy for programs, one JSON record a row.",
        )
        file(
            "Report",
            partial(report_html, view.study, view.split, book.current),
            "report.html",
            "One page that opens without this program: figures, machine, patterns, errors with traces, notes.",
            empty=False,
        )


def import_panel(view: View, book: Notebook) -> None:
    """Notes from a file: what would come of it, and the button that joins them with those that are here."""
    if notes_read_only():
        st.caption(CLOSED)
    uploaded = st.file_uploader(
        "CSV or JSON lines, as downloaded here, edited since, or made by hand",
        ("csv", "jsonl"),
        key="plan-upload",
        disabled=book.closed,
        help="Nothing here is lost: what the file says is added to the history, and the later note stands. A file made "
        "by hand needs a column row_id and one of cause, text, action, label or status; what it leaves out stays.",
    )
    if uploaded is None or book.closed:
        return
    try:
        read = read_notes(uploaded.getvalue())
        expected = book.notes.preview(read.entries)
    except NotesError as error:
        st.error(state.literal(str(error)), icon=":material/error:")
        return
    with st.container(border=True):
        lines = preview_lines(read, expected, view.study.corpus)
        st.markdown("\n".join(f"- {state.literal(line)}" for line in lines))
        st.button(
            merge_label(expected),
            key="plan-merge",
            type="primary",
            disabled=not expected.added,
            on_click=_merge,
            args=(book, read),
        )


def preview_lines(read: NotesFile, expected: Merged, corpus: Corpus) -> list[str]:
    """What a file holds and what would come of it, a sentence each."""
    rows = dict.fromkeys(entry.change.row_id for entry in read.entries)
    fresh, altered = expected.fresh, expected.altered
    same, strange = len(rows) - len(fresh) - len(altered), [row for row in rows if row not in corpus]
    lines = [f"The file has {counted(len(read.entries), 'change')} on {counted(len(rows), 'sentence')}."]
    if fresh:
        gets = _verb(len(fresh), "gets", "get")
        lines.append(f"New: {counted(len(fresh), 'sentence')} without a note here {gets} one.")
    if altered:
        has, changes = _verb(len(altered), "has", "have"), _verb(len(altered), "it changes", "they change")
        lines.append(
            f"Changed: {counted(len(altered), 'sentence')} {has} another note here, and {changes}: {_named(altered)}. "
            "What stands now stays in the history."
        )
    if same:
        lines.append(f"Known: on {counted(same, 'sentence')} the note stays as it is.")
    if expected.older:
        past, are = counted(expected.older, "change"), _verb(expected.older, "is", "are")
        lines.append(f"History: {past} of the past {are} added.")
    if strange:
        kept, them = _verb(len(strange), "its note is", "their notes are"), _verb(len(strange), "it", "them")
        rows_said = f"{counted(len(strange), 'row')} ({_named(strange)})"
        lines.append(f"Not in this study: {rows_said}; {kept} kept, but no page shows {them}.")
    return [*lines, *read.told]


def merge_label(expected: Merged) -> str:
    """What the button does."""
    fresh, altered = len(expected.fresh), len(expected.altered)
    parts = [f"add {counted(fresh, 'note')}"] if fresh else []
    parts += [f"change {counted(altered, 'note')}"] if altered else []
    if not parts:
        return f"Add {counted(expected.added, 'change')} to the history" if expected.added else "Nothing to bring back"
    return " and ".join(parts).capitalize()


def merged_line(merged: Merged) -> str:
    """What came of an import, in words."""
    line = f"{counted(merged.added, 'change')} added, {merged.known:,} known already"
    if merged.edited:
        line += f", {merged.edited:,} of the added edited in the file"
    if merged.conflicts:
        rows = f"{counted(len(merged.conflicts), 'sentence')} changed in the file and here ({_named(merged.conflicts)})"
        line += f". {rows}: the later note stands, the other is in the history"
    return f"{line}."


def _merge(book: Notebook, read: NotesFile) -> None:
    merged = attempt(lambda: book.notes.merge(read.entries))
    if merged is not None:
        tell("warning" if merged.conflicts else "done", merged_line(merged))


def _named(rows: Sequence[str]) -> str:
    more = len(rows) - _NAMED
    return ", ".join(map(shortened, rows[:_NAMED])) + (f" and {counted(more, 'other')}" if more > 0 else "")


def _verb(number: int, one: str, many: str) -> str:
    return one if number == 1 else many
