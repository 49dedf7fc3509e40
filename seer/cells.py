"""Cells of a table for spreadsheets: none of them may run as a formula."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

FORMULA = "^('*)([=+\\-@\t\r＝＋－＠])"
"""What a spreadsheet takes for a formula, after any number of quotes."""


def guarded(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The texts with a ``'`` before each that a spreadsheet would take for a formula."""
    return pc.replace_substring_regex(texts, FORMULA, r"'\1\2")


def unguarded(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The texts that ``guarded`` was given."""
    return pc.replace_substring_regex(texts, FORMULA.replace("('*)", "'('*)"), r"\1\2")
