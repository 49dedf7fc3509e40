"""Second step of a new study: what was understood of the data, each guess changeable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.corpus import DataCheck, check_data
from seer.corpus.delimited import USUAL_DELIMITER
from seer.corpus.files import PARQUET, file_kind
from seer.corpus.reading import FileRead, Rejected
from seer.corpus.repeats import Repeats
from seer.hosting import limits
from seer.jobs.commands import data_command
from seer.jobs.record import command_line
from seer.ui import state
from seer.ui.selection import shortened
from seer.ui.studies.draft import NO_LABEL, Draft, choices, choose, draft, forget_reading, held, keeping

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
ENCODINGS = ["utf-8", "utf-16", "cp1252", "latin-1", "iso8859-15", "cp1251", "gb18030", "shift_jis"]
_LISTED = 200
"""Rows of a list that are drawn; downloads have all."""
_CELL = 300
"""Characters of a cell of the first rows that are sent to the browser."""
_HUB_SECONDS = 600


def understood(chosen: Draft) -> DataCheck | None:
    """What was understood of the data, ``None`` while none is chosen; kept by content and options."""
    if chosen.data is None:
        return None
    # Data without labels is read too: what needs them says so when a model is chosen.
    usual = {} if chosen.source == "builtin" else {"labelled": None}
    options = tuple(sorted((usual | dict(chosen.options)).items()))
    return _moving(chosen.data, options) if chosen.source == "hub" else _fixed(chosen.data, options)


# A file's path holds its content's hash, and a built-in set never changes: the key says all.
@st.cache_resource(max_entries=6, show_spinner="Reading the data…")
def _fixed(data: str, options: tuple[tuple[str, Any], ...]) -> DataCheck:
    return check_data(data, **dict(options))


@st.cache_resource(max_entries=3, ttl=_HUB_SECONDS, show_spinner="Asking the hub…")
def _moving(data: str, options: tuple[tuple[str, Any], ...]) -> DataCheck:
    return check_data(data, **dict(options))


def fault_of(found: DataCheck) -> str | None:
    """Why the data cannot be used, ``None`` when it can."""
    if found.fault is not None:
        return found.fault
    most, rows = limits().rows, len(found.corpus or ())
    if most is not None and rows > most:
        return f"This server takes {most:,} rows (SEER_MAX_ROWS), the data has {rows:,}; use fewer of them below."
    return None


def preview_step(found: DataCheck) -> None:
    """How the data is read, with a widget for each guess, and what came of it."""
    chosen = draft()
    _choices(chosen, found)
    fault = fault_of(found)
    if fault is not None:
        st.error(state.literal(fault), icon=":material/error:")
        if chosen.source == "hub":
            st.button("Ask again", icon=":material/refresh:", key="new-again", on_click=_moving.clear)
    if found.files:
        _first_rows(found)
    if found.corpus is not None:
        _counts(found)
    _lists(found)
    with st.expander("The same on the command line", icon=":material/terminal:"):
        unlabelled = {"labelled": False} if found.columns is not None and found.columns.label is None else {}
        argv = data_command("check", str(chosen.data), None, {**chosen.options, **unlabelled})
        st.code(command_line(argv), language="bash", wrap_lines=True)


def preview_line(found: DataCheck) -> str:
    """What was understood in this step, in words."""
    if found.corpus is None:
        return "The data cannot be read yet."
    corpus, left = found.corpus, len(found.rejected)
    parts = [
        f"{counted(len(corpus), 'pair' if corpus.paired else 'sentence')}",
        f"{len(corpus.classes):,} classes" if corpus.classes else "no labels",
        f"{left:,} left out" if left else "none left out",
    ]
    return ", ".join(parts)


def _choices(chosen: Draft, found: DataCheck) -> None:
    columns = list(dict.fromkeys(name for file in found.files for name in file.columns))
    pairs = bool(held("pairs"))
    if chosen.source == "upload":
        _file_choices(chosen.uploads["train"].path, found.files[0] if found.files else None)
    if columns:
        _column_choices(columns, found, pairs)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        st.number_input(
            "Use so many rows only",
            min_value=1,
            value=None,
            step=1000,
            placeholder="all",
            help="A part with the same mix of classes.",
            **keeping("limit"),
        )
    if columns or pairs:
        with right, st.container(horizontal=True, vertical_alignment="center"):
            st.toggle(
                "Rows are pairs of texts",
                help="Premise and hypothesis, question and answer: the model then reads both.",
                **keeping("pairs"),
            )
            st.button(
                "Guess all again", key="new-guess", type="tertiary", disabled=not choices(), on_click=forget_reading
            )


def _column_choices(columns: list[str], found: DataCheck, pairs: bool) -> None:
    read = found.columns
    cells = st.columns(3 if pairs else 2)
    with cells[0]:
        _choice("text", "First text column" if pairs else "Text column", columns, None if read is None else read.text)
    if pairs:
        with cells[1]:
            _choice("second", "Second text column", columns, None if read is None else read.second)
    with cells[-1]:
        label = None if read is None else read.label or NO_LABEL
        _choice("label", "Label column", [*columns, NO_LABEL], label, {NO_LABEL: "no label"})


def _file_choices(path: Path, file: FileRead | None) -> None:
    """How the bytes of the first file are read, as far as its kind leaves that open."""
    kind = file_kind(path)
    delimited = kind in USUAL_DELIMITER
    cells = st.columns(3) if delimited else [st.container()]
    if delimited:
        with cells[1]:
            _choice("delimiter", "Delimiter", list(DELIMITERS), file and file.delimiter, DELIMITERS)
        with cells[2]:
            _choice("header", "First line", [True, False], file and file.header, {True: "names", False: "a row"})
    if kind != PARQUET:
        with cells[0]:
            _choice("encoding", "Encoding", ENCODINGS, file and file.encoding)


def _choice(
    name: str, label: str, values: Sequence[Any], guess: Any, names: Mapping[Any, str] = MappingProxyType({})
) -> None:
    """A choice that shows the guess until the person makes one.

    Streamlit knows a choice again by what it shows: the entries must read the same whatever was found.
    """
    given = choices().get(name, guess)
    offered = list(values) if given is None or given in values else [*values, given]
    key = f"new-{name}"
    if key not in st.session_state or st.session_state[key] != given:
        st.session_state[key] = given
    st.selectbox(
        f"{label} · {'chosen' if name in choices() else 'found' if given is not None else 'not found'}",
        offered,
        index=None,
        format_func=lambda value: shortened(names.get(value, str(value))),
        key=key,
        placeholder="choose",
        on_change=choose,
        args=(name,),
    )


def _first_rows(found: DataCheck) -> None:
    for file in found.files[:3]:
        read = f"{file.read:,} of {counted(file.records, 'record')} read" + (
            f", {file.rejected:,} left out" if file.rejected else ""
        )
        st.caption(state.literal(f"First rows of {file.file}{f' · {read}' if file.records else ''}"))
        width = max([len(file.columns), *map(len, file.head)], default=0)
        names = [*file.columns, *(f"beyond the header {extra + 1}" for extra in range(width - len(file.columns)))]
        rows = [[cell[:_CELL] for cell in row] + [""] * (width - len(row)) for row in file.head]
        # Names with dots or brackets would be taken for paths by some charts; a table takes them as they are.
        st.dataframe(pd.DataFrame(rows, columns=names), hide_index=True, key=f"new-head-{file.split}")


def _counts(found: DataCheck) -> None:
    corpus = found.corpus
    if corpus is None:
        return
    splits = list(corpus.splits)
    counts = {name: [found.counts[name].get(split, 0) for split in splits] for name in corpus.classes}
    without = [len(corpus.rows(split)) - sum(row[at] for row in counts.values()) for at, split in enumerate(splits)]
    names, rows = [*corpus.classes], [*counts.values()]
    if any(without):
        names, rows = [*names, "(no label)"], [*rows, without]
    if rows:
        st.caption("Rows of each class in each split")
        st.dataframe(
            pd.DataFrame({"class": names} | {split: [row[at] for row in rows] for at, split in enumerate(splits)}),
            hide_index=True,
            key="new-counts",
            column_config={split: st.column_config.NumberColumn(format="localized") for split in splits},
        )


def _lists(found: DataCheck) -> None:
    for notice in found.notices:
        st.caption(f":material/info: {state.literal(notice)}")
    if found.rejected or found.unlabelled:
        said = [
            f"{number:,} {what}"
            for number, what in ((len(found.rejected), "left out"), (len(found.unlabelled), "without a label"))
            if number
        ]
        with st.expander(f"Rows: {' and '.join(said)}", icon=":material/playlist_remove:"):
            _reasons((*found.rejected, *found.unlabelled))
            st.download_button(
                "Download as CSV",
                lambda: found.rejected_csv().encode("utf-8-sig"),
                "rows-left-out.csv",
                key="new-rejected",
                icon=":material/download:",
                on_click="ignore",
            )
    for repeats, title, guide in (
        (
            found.duplicates,
            "a text that stands in the same split before",
            "A model learns a text that stands there often by heart.",
        ),
        (found.conflicts, "a text that stands with another label too", "One of the labels is likely wrong."),
        (
            found.overlaps,
            "a text that stands in another split too",
            "The model is tested on texts that it has learned from.",
        ),
    ):
        if repeats.count:
            with st.expander(f"{counted(repeats.count, 'row')}: {title}", icon=":material/content_copy:"):
                st.caption(guide)
                _repeated(repeats, title)


def _reasons(rows: Sequence[Rejected]) -> None:
    shown = [
        {"file": row.file, "line": row.line, "reason": row.reason, "content": row.content} for row in rows[:_LISTED]
    ]
    st.dataframe(shown, hide_index=True, key="new-reasons")
    if len(rows) > _LISTED:
        st.caption(f"The first {_LISTED} of {len(rows):,}; the download has all.")


def _repeated(repeats: Repeats, key: str) -> None:
    st.dataframe(
        [
            {
                "rows": row.rows,
                "text": row.text,
                "labels": ", ".join(dict.fromkeys(label or "–" for label in row.labels)),
                "splits": ", ".join(dict.fromkeys(row.splits)),
                "ids": ", ".join(row.ids),
            }
            for row in repeats.rows[:_LISTED]
        ],
        hide_index=True,
        key=f"new-{key}",
    )
    if repeats.texts > _LISTED:
        st.caption(f"The first {_LISTED} of {repeats.texts:,} texts.")
