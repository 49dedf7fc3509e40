"""Sentences as table rows: their order, one page of them, and the whole of them as CSV or JSON lines."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from seer.cells import guarded
from seer.rare import rare_paths
from seer.study import Study
from seer.traces import NO_CLASS, IntArray, Traces

Order = Literal["errors", "unsure", "sure", "rare", "short", "long", "id"]

ORDERS: tuple[Order, ...] = ("errors", "unsure", "sure", "rare", "short", "long", "id")

_CHUNK = 2000


@dataclass(frozen=True)
class Record:
    """One sentence in a table; ``true`` is ``None`` without a label, ``predicted`` and ``confidence`` without a word.

    Attributes:
        id: of the corpus row.
        split: its split.
        text: as written.
        true: name of its class.
        predicted: name of the class after the last word.
        confidence: probability of that class.
        words: number of words.
        states: (words,) the states in order.
    """

    id: str
    split: str
    text: str
    true: str | None
    predicted: str | None
    confidence: float | None
    words: int
    states: tuple[int, ...]

    @property
    def right(self) -> bool | None:
        """Whether the prediction is the label, ``None`` where either is missing."""
        return None if self.true is None or self.predicted is None else self.true == self.predicted


def order_rows(study: Study, rows: IntArray, order: Order) -> IntArray:
    """The same rows (m,) in another order; ties keep the order of the corpus, rows without a word come last.

    Args:
        study: the study.
        rows: positions in the corpus.
        order: ``errors`` from the surest error over the least sure one to the right predictions, the least sure first;
            ``unsure`` and ``sure`` by confidence; ``rare`` by the step that the training sentences took least (see
            ``rare_paths``); ``short`` and ``long`` by words; ``id`` with its number read as such.
    """
    rows = np.sort(rows)
    if order == "id":
        return rows[_natural(study.corpus.table["id"].take(pa.array(rows)))]
    lengths = study.traces.lengths[rows]
    if order == "rare":
        return np.concatenate([rare_paths(study, rows=rows).row, rows[lengths == 0]])
    confidence = np.nan_to_num(study.traces.confidence[rows].astype(np.float64))
    if order == "errors":
        labels, prediction = study.corpus.labels[rows], study.traces.prediction[rows]
        wrong = (labels != prediction) & (labels != NO_CLASS)
        key = np.where(wrong, -confidence, 1 + confidence + 2 * (labels == NO_CLASS))
    else:
        key = {"unsure": confidence, "sure": -confidence, "short": lengths, "long": -lengths}[order]
    return rows[np.lexsort((key, lengths == 0))]


def place_of(rows: IntArray, row: int | None) -> int | None:
    """Where a row stands in an order, from 0; ``None`` when it is not there."""
    found = np.flatnonzero(rows == row)
    return int(found[0]) if len(found) else None


def page_count(total: int, size: int) -> int:
    """Number of pages of ``size`` rows, at least 1."""
    return max(1, -(-total // size))


def page_of(place: int, size: int) -> int:
    """The page, from 1, that holds the row at a place of the order, from 0."""
    return place // size + 1


def page_rows(rows: IntArray, page: int, size: int) -> IntArray:
    """The rows of one page, from 1; a page beyond the ends is the nearest one."""
    begin = (min(max(page, 1), page_count(len(rows), size)) - 1) * size
    return rows[begin : begin + size]


def records(study: Study, rows: IntArray) -> list[Record]:
    """The given rows in the given order. Makes Python objects: for a page or a chunk, not for a corpus."""
    if not len(rows):
        return []
    traces, part, classes = study.traces, study.corpus.table.take(pa.array(rows)), study.classes
    state, ends = _states(traces, rows)
    facts = zip(
        *(part[name].to_pylist() for name in ("id", "split", "text", "label")),
        traces.prediction[rows].tolist(),
        traces.confidence[rows].tolist(),
        np.split(state, ends),
        strict=True,
    )
    return [
        Record(
            row_id,
            split,
            text,
            None if label == NO_CLASS else classes[label],
            None if predicted == NO_CLASS else classes[predicted],
            None if predicted == NO_CLASS else confidence,
            len(states),
            tuple(states.tolist()),
        )
        for row_id, split, text, label, predicted, confidence, states in facts
    ]


def csv_bytes(study: Study, rows: IntArray) -> bytes:
    """The rows as CSV for spreadsheets: UTF-8 with a byte-order mark, the states joined by blanks.

    A cell that a spreadsheet would run as a formula (it begins with = + - @, a tab or a carriage return) gets one
    ``'`` in front, also after quotes of its own; ``unguarded`` takes exactly these away again.
    """
    traces, part = study.traces, study.corpus.table.take(pa.array(rows))
    classes = pa.array(study.classes, pa.string())
    prediction = traces.prediction[rows]
    unread = prediction == NO_CLASS
    state, ends = _states(traces, rows)
    names = pa.array([f"S{number}" for number in range(study.states + 1)])
    paths = pa.LargeListArray.from_arrays(
        np.concatenate([[0], ends, [len(state)]])[: len(rows) + 1].astype(np.int64), names.take(pa.array(state))
    )
    labels = part["label"].to_numpy()
    columns = {
        "id": guarded(part["id"]),
        "split": guarded(part["split"]),
        "text": guarded(part["text"]),
        "true": guarded(classes.take(pa.array(labels, mask=labels == NO_CLASS))),
        "predicted": guarded(classes.take(pa.array(prediction, mask=unread))),
        "confidence": pa.array(np.round(traces.confidence[rows].astype(np.float64), 6), mask=unread),
        "words": pa.array(traces.lengths[rows]),
        "states": pc.binary_join(paths, " "),
    }
    out = io.BytesIO()
    out.write(b"\xef\xbb\xbf")
    csv.write_csv(pa.table(columns), out)
    return out.getvalue()


def jsonl_bytes(study: Study, rows: IntArray) -> bytes:
    """The rows as JSON lines in UTF-8: the text untouched, ``states`` a list of numbers, what is missing ``null``."""
    lines = (
        json.dumps(_json_record(record), ensure_ascii=False, allow_nan=False)
        for begin in range(0, len(rows), _CHUNK)
        for record in records(study, rows[begin : begin + _CHUNK])
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _json_record(record: Record) -> dict[str, Any]:
    facts = dict(vars(record))
    if record.confidence is not None:
        facts["confidence"] = round(record.confidence, 6)
    return facts


def _states(traces: Traces, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The states (M,) of the rows (m,) one after another, and (m-1,) where each but the first begins."""
    lengths = traces.lengths[rows]
    ends = np.cumsum(lengths)
    steps = np.repeat(traces.offsets[:-1][rows] - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
    return np.asarray(traces.state[steps]), ends[:-1]


def _natural(ids: pa.ChunkedArray) -> IntArray:
    """(m,) the order of ids by what stands before their last number, then by the number: test-2 before test-10."""
    stem = pc.replace_substring_regex(ids, r"\d+$", "")
    keys = pa.table({"stem": stem, "length": pc.utf8_length(ids), "id": ids})
    order: IntArray = pc.sort_indices(keys, [(name, "ascending") for name in keys.column_names]).to_numpy()
    return order.astype(np.int64)
