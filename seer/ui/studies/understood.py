"""What was understood of the chosen data, kept by content and options, and why it may not be used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow.compute as pc
import streamlit as st

from seer.charts.captions import counted
from seer.corpus import Corpus, DataCheck, check_data
from seer.corpus.bounds import rows_fault
from seer.hosting import limits
from seer.ui.selection import shortened
from seer.ui.studies.draft import ROLES, Draft

_HUB_SECONDS = 600

ONE_SPLIT = "new split"
"""What the rows of a file without labels are in the preview; the third step names the split."""


def understood(chosen: Draft) -> DataCheck | None:
    """What was understood of the data, ``None`` while none is chosen; kept by content and options.

    A single file without labels is one split: nothing can be trained on it, so none of it is held out.
    """
    if chosen.data is None:
        return None
    found = _read(chosen, chosen.options)
    alone = chosen.source == "upload" and chosen.uploads.keys() & set(ROLES) == {ROLES[0]}
    if alone and unlabelled(found) and "split" not in chosen.options:
        return _read(chosen, {**chosen.options, "split": ONE_SPLIT})
    return found


def unlabelled(found: DataCheck) -> bool:
    """Whether the data can be read and has no label at all."""
    return found.corpus is not None and not found.corpus.classes


def _read(chosen: Draft, given: Mapping[str, Any]) -> DataCheck:
    # Data without labels is read too: what needs them says so when a model is chosen.
    usual = {} if chosen.source == "builtin" else {"labelled": None}
    options = tuple(sorted((usual | dict(given)).items()))
    if chosen.source == "hub":
        return read_hub_set(str(chosen.data), options)
    return _fixed(str(chosen.data), options, None if "limit" in given else limits().rows)


# A file's path holds its content's hash, and a built-in set never changes: the key says all.
@st.cache_resource(max_entries=6, show_spinner="Reading the data…")
def _fixed(data: str, options: tuple[tuple[str, Any], ...], most_rows: int | None) -> DataCheck:
    return check_data(data, most_rows=most_rows, **dict(options))


@st.cache_resource(max_entries=3, ttl=_HUB_SECONDS, show_spinner="Asking the hub…")
def read_hub_set(data: str, options: tuple[tuple[str, Any], ...]) -> DataCheck:
    """What was understood of a hub set, which may move: kept for some minutes; ``read_hub_set.clear`` asks again."""
    return check_data(data, **dict(options))


def fault_of(found: DataCheck) -> str | None:
    """Why the data cannot be used, ``None`` when it can."""
    if found.fault is not None:
        return found.fault
    fault = rows_fault(len(found.corpus or ()), limits().rows)
    if fault is not None:
        return fault
    if limits().text_length is not None and found.corpus is not None:
        return _too_long(found.corpus, limits().text_length)
    return None


def _too_long(corpus: Corpus, most: int | None) -> str | None:
    lengths = pc.utf8_length(corpus.table["text"])
    longest = pc.max(lengths).as_py()
    if most is None or longest is None or longest <= most:
        return None
    row = int(pc.index(lengths, longest).as_py())
    return (
        f"This server takes texts of {most:,} characters (SEER_MAX_TEXT_LENGTH); the longest has {longest:,} and "
        f"begins “{shortened(corpus.text(row), 60)}”; cut it or leave it out."
    )


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
