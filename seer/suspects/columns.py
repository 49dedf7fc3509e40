"""What is told of a row wherever it is listed."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from seer.corpus import Corpus
from seer.traces import IntArray


def row_columns(corpus: Corpus, rows: IntArray) -> dict[str, list[Any]]:
    """Row, id, split and text of rows (m,), as lists."""
    part = corpus.table.take(pa.array(rows, pa.int64()))
    return {"row": rows.tolist(), **{name: part[name].to_pylist() for name in ("id", "split", "text")}}
