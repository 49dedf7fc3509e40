"""Each guess on how the data is read, in a widget that changes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import streamlit as st

from seer.corpus import DataCheck
from seer.corpus.delimited import USUAL_DELIMITER
from seer.corpus.files import PARQUET, file_kind
from seer.corpus.reading import FileRead
from seer.ui import state
from seer.ui.selection import shortened
from seer.ui.studies.draft import NO_LABEL, Draft, choices, choose, forget_reading, held, keeping

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
ENCODINGS = ["utf-8", "utf-16", "cp1252", "latin-1", "iso8859-15", "cp1251", "gb18030", "shift_jis"]


def guess_fields(chosen: Draft, found: DataCheck) -> None:
    """The fields that the kind of data leaves open, each with what was found or chosen."""
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
    st.selectbox(
        f"{label} · {'chosen' if name in choices() else 'found' if given is not None else 'not found'}",
        offered,
        index=None,
        format_func=lambda value: shortened(names.get(value, str(value))),
        placeholder="choose",
        **state.tied(f"new-{name}", given, partial(choose, name)),
    )
