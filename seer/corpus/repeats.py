"""Texts that stand in a corpus more than once: in one split, with several labels, in several splits."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from seer.corpus.record import UNLABELLED, Corpus, IntArray

MOST_TEXTS = 200
"""Texts that are listed; all are counted."""
_MOST_ROWS = 20
_CUT = 300


@dataclass(frozen=True)
class Repeated:
    """A text that stands in several rows; the first rows of it.

    Attributes:
        text: as written, cut.
        rows: how many rows have it.
        ids: ids of the first of them.
        splits: their splits.
        labels: their class names, ``None`` without a label.
    """

    text: str
    rows: int
    ids: tuple[str, ...]
    splits: tuple[str, ...]
    labels: tuple[str | None, ...]


@dataclass(frozen=True)
class Repeats:
    """Rows with the same text: the same characters, but for blanks at the ends. Empty texts are left aside.

    Attributes:
        count: rows that are concerned; what that means says the function that counted them.
        texts: different texts among them.
        rows: the first ``MOST_TEXTS`` of these texts, the most frequent first, each with its rows.
    """

    count: int = 0
    texts: int = 0
    rows: tuple[Repeated, ...] = ()

    def record(self) -> dict[str, Any]:
        """JSON-able."""
        return asdict(self)


@dataclass(frozen=True)
class AllRepeats:
    """What is repeated in a corpus.

    Attributes:
        duplicates: rows whose text stands in an earlier row of the same split.
        conflicts: labelled rows whose text stands with another label too, in any split.
        overlaps: rows whose text stands in an earlier split too; train, validation and test come in this order.
    """

    duplicates: Repeats
    conflicts: Repeats
    overlaps: Repeats


def find_repeats(corpus: Corpus) -> AllRepeats:
    """Count and list repeated texts; vector code over the rows."""
    trimmed = pc.utf8_trim_whitespace(corpus.table["text"])
    filled = pc.greater(pc.binary_length(trimmed), 0).to_numpy()
    text: IntArray = pc.rank(trimmed, tiebreaker="dense").to_numpy().astype(np.int64) - 1  # no copy of the texts
    texts = int(text.max()) + 1
    split = pc.index_in(corpus.table["split"], pa.array(corpus.splits)).to_numpy().astype(np.int64)
    place = np.arange(len(corpus))
    label = corpus.labels.astype(np.int64)

    first_in_split = _first(text * len(corpus.splits) + split)
    copies = filled & (place > first_in_split)

    lowest, highest = _extremes(text, label, label != UNLABELLED, texts)
    torn = filled & (label != UNLABELLED) & (lowest < highest)[text]

    earliest = np.full(texts, len(corpus.splits))
    np.minimum.at(earliest, text, split)
    across = filled & (split > earliest[text])

    def rows(chosen: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_]) -> Repeats:
        return _listed(corpus, text, chosen, among)

    same_split = _count(text * len(corpus.splits) + split) > 1
    latest = np.full(texts, -1)
    np.maximum.at(latest, text, split)
    return AllRepeats(
        rows(copies, filled & same_split), rows(torn, torn), rows(across, filled & (earliest < latest)[text])
    )


def _first(key: IntArray) -> IntArray:
    """(n,) position of the first row with the same key."""
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return first[inverse]


def _count(key: IntArray) -> IntArray:
    """(n,) how many rows have the same key."""
    _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    return counts[inverse]


def _extremes(
    text: IntArray, label: IntArray, labelled: npt.NDArray[np.bool_], texts: int
) -> tuple[IntArray, IntArray]:
    """(texts,) lowest and highest label of each text; lowest above highest where none is labelled."""
    lowest, highest = np.full(texts, np.iinfo(np.int64).max), np.full(texts, -1)
    np.minimum.at(lowest, text[labelled], label[labelled])
    np.maximum.at(highest, text[labelled], label[labelled])
    return lowest, highest


def _listed(corpus: Corpus, text: IntArray, chosen: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_]) -> Repeats:
    """The chosen rows counted, and the texts of them with all rows ``among`` those that share it."""
    texts = np.unique(text[chosen])
    if not len(texts):
        return Repeats()
    members = np.flatnonzero(among)
    order = members[np.argsort(text[members], kind="stable")]
    begins = np.searchsorted(text[order], texts)
    sizes = np.searchsorted(text[order], texts, side="right") - begins
    shown = np.lexsort((order[begins], -sizes))[:MOST_TEXTS]
    return Repeats(
        int(chosen.sum()),
        len(texts),
        tuple(_repeated(corpus, order[begins[i] : begins[i] + sizes[i]]) for i in shown.tolist()),
    )


def _repeated(corpus: Corpus, rows: IntArray) -> Repeated:
    first = rows[:_MOST_ROWS]
    written = corpus.text(int(first[0]))
    return Repeated(
        written if len(written) <= _CUT else f"{written[: _CUT - 1]}…",
        len(rows),
        tuple(corpus.ids[first].tolist()),
        tuple(corpus.table["split"].take(pa.array(first)).to_pylist()),
        tuple(None if label == UNLABELLED else corpus.classes[label] for label in corpus.labels[first].tolist()),
    )
