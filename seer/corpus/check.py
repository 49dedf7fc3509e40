"""A data set checked before anything is made of it: how it is read, what is left out, what is odd about it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from seer.cells import guarded
from seer.corpus.columns import Columns
from seer.corpus.load import Request, load_request
from seer.corpus.reading import FileRead, Reading, Rejected
from seer.corpus.record import UNLABELLED, Corpus
from seer.corpus.repeats import Repeats, find_repeats
from seer.errors import SeerError


@dataclass(frozen=True, eq=False)
class DataCheck:
    """What a data set is, seen before it is used.

    Attributes:
        name: of the set.
        corpus: the rows; ``None`` when it cannot be loaded as asked.
        fault: why it cannot, in a sentence.
        files: how each file was read, as far as that went.
        columns: the columns that were chosen.
        guessed: which of delimiter, encoding, header, text, label and second were guessed, not given.
        rejected: records that were left out.
        unlabelled: rows that are kept without a label, where there is a label column.
        counts: rows by class, then by split.
        duplicates: rows whose text stands earlier in the same split.
        conflicts: rows whose text stands with another label too.
        overlaps: rows whose text stands in an earlier split too.
        notices: what was decided while loading, a sentence each.
    """

    name: str
    corpus: Corpus | None
    fault: str | None
    files: tuple[FileRead, ...] = ()
    columns: Columns | None = None
    guessed: frozenset[str] = frozenset()
    rejected: tuple[Rejected, ...] = ()
    unlabelled: tuple[Rejected, ...] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    duplicates: Repeats = field(default_factory=Repeats)
    conflicts: Repeats = field(default_factory=Repeats)
    overlaps: Repeats = field(default_factory=Repeats)
    notices: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """All of it but the rows themselves, JSON-able."""
        corpus = self.corpus
        splits = {} if corpus is None else {split: len(corpus.rows(split)) for split in corpus.splits}
        return {
            "name": self.name,
            "fault": self.fault,
            "rows": sum(splits.values()),
            "splits": splits,
            "classes": [] if corpus is None else list(corpus.classes),
            "paired": corpus is not None and corpus.paired,
            "fingerprint": None if corpus is None else corpus.fingerprint,
            "files": [asdict(file) for file in self.files],
            "columns": None if self.columns is None else self.columns.record(),
            "guessed": sorted(self.guessed),
            "rejected": [asdict(row) for row in self.rejected],
            "unlabelled": [asdict(row) for row in self.unlabelled],
            "counts": {name: dict(parts) for name, parts in self.counts.items()},
            "duplicates": self.duplicates.record(),
            "conflicts": self.conflicts.record(),
            "overlaps": self.overlaps.record(),
            "notices": list(self.notices),
        }

    def rejected_csv(self) -> str:
        """A table of the rows left out and the rows left unlabelled, for a spreadsheet; no cell runs as a formula."""
        rows = [("left out", row) for row in self.rejected] + [("no label", row) for row in self.unlabelled]
        columns = {
            "file": guarded(pa.array([row.file for _, row in rows], pa.string())),
            "line": pa.array([row.line for _, row in rows], pa.int64()),
            "what": pa.array([what for what, _ in rows], pa.string()),
            "reason": guarded(pa.array([row.reason for _, row in rows], pa.string())),
            "content": guarded(pa.array([row.content for _, row in rows], pa.string())),
        }
        out = io.BytesIO()
        csv.write_csv(pa.table(columns), out)
        return out.getvalue().decode()


def check_data(name: str | Path, *, most_rows: int | None = None, **options: Any) -> DataCheck:
    """Load a data set and say what was understood, also when it cannot be loaded as asked.

    Args:
        name: as for ``load_corpus``.
        most_rows: that this server takes; a file that tells beforehand that it has more is not read.
        options: those of ``load_corpus``.
    """
    reading = Reading(most_rows=most_rows)
    corpus, fault = None, None
    try:
        corpus = load_request(Request(str(name), **options), reading)
    except SeerError as error:
        fault = str(error)
    found: dict[str, Any] = {
        "files": tuple(reading.files),
        "columns": reading.columns,
        "guessed": frozenset(reading.guessed),
        "rejected": tuple(reading.rejected),
        "unlabelled": tuple(reading.unlabelled),
        "notices": tuple(reading.notices),
    }
    if corpus is None:
        return DataCheck(str(name), None, fault, **found)
    repeats = find_repeats(corpus)
    return DataCheck(
        corpus.name,
        corpus,
        None,
        **found | {"notices": (*corpus.notices, *_one_class(corpus))},
        counts=_counts(corpus),
        duplicates=repeats.duplicates,
        conflicts=repeats.conflicts,
        overlaps=repeats.overlaps,
    )


def _one_class(corpus: Corpus) -> list[str]:
    """A sentence when there is nothing to tell apart."""
    present = np.unique(corpus.labels[corpus.labels != UNLABELLED])
    if len(present) != 1:
        return []
    count, name = int((corpus.labels != UNLABELLED).sum()), corpus.classes[int(present[0])]
    have = "The only labelled row has" if count == 1 else f"All {count:,} labelled rows have"
    return [f"{have} the class “{name}”; a classifier needs two classes to train on."]


def _counts(corpus: Corpus) -> dict[str, dict[str, int]]:
    """Rows of each class in each split."""
    split = pc.index_in(corpus.table["split"], pa.array(corpus.splits)).to_numpy()
    table = np.zeros((len(corpus.classes) + 1, len(corpus.splits)), dtype=np.int64)
    np.add.at(table, (corpus.labels, split), 1)  # no label is -1, the last row
    return {
        name: dict(zip(corpus.splits, row, strict=True))
        for name, row in zip(corpus.classes, table[: len(corpus.classes)].tolist(), strict=True)
    }
