"""Corpus: labelled sentences as one Arrow table that checks itself when made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from seer.errors import DataError
from seer.text import PAIR_BREAK

IntArray = npt.NDArray[np.integer]

UNLABELLED = -1
"""The label of a row without one. It never indexes a class."""

TRAIN, VALIDATION, TEST = "train", "validation", "test"
SPLITS = (TRAIN, VALIDATION, TEST)

SCHEMA = pa.schema([("id", pa.string()), ("text", pa.string()), ("label", pa.int32()), ("split", pa.string())])

EXTRA_SCHEMA = pa.schema([("text", pa.string()), ("label", pa.int32())])

_METADATA_KEY = b"seer.corpus"
_METADATA_VERSION = 1


@dataclass(frozen=True, eq=False)
class Corpus:
    """n labelled rows. Two corpora are compared by ``fingerprint``.

    Attributes:
        name: what a person calls the data set.
        table: n rows of ``SCHEMA``, without nulls: id (unique), text (may be empty), label (class index or
            ``UNLABELLED``), split.
        classes: C class names; a label is an index into it.
        source: how to load the set again, of JSON values only; see ``reload_corpus``.
        notices: what was decided or left out while loading, one sentence each.
        extra: labelled texts of ``EXTRA_SCHEMA`` that a classifier trains on beside the training rows, such as phrases
            of their sentences. They are no rows: nothing counts them, they have no id, no trace and no state, and
            neither ``save`` nor ``fingerprint`` knows them.
        paired: the rows are sentence pairs; each text is a premise, one line break, and a hypothesis.

    Raises:
        DataError: the parts contradict each other.
    """

    name: str
    table: pa.Table
    classes: tuple[str, ...]
    source: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    extra: pa.Table = field(default_factory=EXTRA_SCHEMA.empty_table)
    paired: bool = False

    def __post_init__(self) -> None:
        if not self.table.schema.equals(SCHEMA):
            raise DataError(f"A corpus needs the columns {_describe(SCHEMA)}; got {_describe(self.table.schema)}.")
        if not len(self.table):
            raise DataError(f"{self.name} has no rows; a corpus needs at least one.")
        for name, column in zip(self.table.column_names, self.table.columns, strict=True):
            if column.null_count:
                raise DataError(f"{self.name}: {column.null_count} values of the column {name} are missing.")
        if len(set(self.classes)) < len(self.classes) or not all(self.classes):
            raise DataError(f"{self.name}: class names must be unique and not empty; got {list(self.classes)}.")
        if self.labels.min() < UNLABELLED or self.labels.max() >= len(self.classes):
            raise DataError(
                f"{self.name}: labels must lie between {UNLABELLED} and {len(self.classes) - 1}; "
                f"got {self.labels.min()} to {self.labels.max()}."
            )
        if not self.extra.schema.equals(EXTRA_SCHEMA) or any(column.null_count for column in self.extra.columns):
            raise DataError(
                f"{self.name}: extra texts need the columns {_describe(EXTRA_SCHEMA)}, without a missing value; "
                f"got {_describe(self.extra.schema)}."
            )
        extra_labels = np.asarray(self.extra["label"])
        if ((extra_labels < 0) | (extra_labels >= len(self.classes))).any():
            raise DataError(f"{self.name}: labels of extra texts must lie between 0 and {len(self.classes) - 1}.")
        if self.paired and not pc.all(pc.equal(pc.count_substring(self.table["text"], PAIR_BREAK), 1)).as_py():
            raise DataError(f"{self.name}: the text of a pair is a premise, one line break and a hypothesis.")
        if pc.count_distinct(self.table["id"]).as_py() < len(self):
            raise DataError(f"{self.name}: row ids must be unique.")
        if "" in self.splits or "" in self._positions:
            raise DataError(f"{self.name}: row ids and split names must not be empty.")

    def __len__(self) -> int:
        """Number of rows n."""
        return int(self.table.num_rows)

    def __contains__(self, row_id: object) -> bool:
        """Whether a row has the id."""
        return row_id in self._positions

    @cached_property
    def ids(self) -> npt.NDArray[np.object_]:
        """(n,) row ids, strings."""
        ids: npt.NDArray[np.object_] = self.table["id"].to_numpy()
        return ids

    @cached_property
    def labels(self) -> npt.NDArray[np.int32]:
        """(n,) class indices, ``UNLABELLED`` where there is none."""
        labels: npt.NDArray[np.int32] = self.table["label"].to_numpy()
        return labels

    @cached_property
    def splits(self) -> tuple[str, ...]:
        """Split names with a row: train, validation, test, then others by first appearance."""
        return splits_of(self.table)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return dict(zip(self.ids.tolist(), range(len(self)), strict=True))

    def rows(self, split: str | None = None) -> IntArray:
        """Positions of a split's rows, or of all rows, in table order.

        Raises:
            DataError: the corpus has no such split.
        """
        if split is None:
            return np.arange(len(self))
        if split not in self.splits:
            raise DataError(f"{self.name} has no split {split!r}; it has {', '.join(self.splits)}.")
        return np.flatnonzero(pc.equal(self.table["split"], split).to_numpy())

    @property
    def fitting_rows(self) -> IntArray:
        """Positions of the rows to fit on: the training split, or all when there is none."""
        return self.rows(TRAIN if TRAIN in self.splits else None)

    def text(self, row: int) -> str:
        """The text of the row at a position, as it was written."""
        return str(self.table["text"][int(row)].as_py())

    def texts(self, rows: IntArray | Sequence[int] | None = None) -> list[str]:
        """The texts of the rows at the given positions, in the given order; all when none are given."""
        column = self.table["text"]
        chosen = column if rows is None else column.take(pa.array(np.asarray(rows, dtype=np.int64)))
        texts: list[str] = chosen.to_pylist()
        return texts

    def position(self, row_id: str) -> int:
        """The position of the row with an id.

        Raises:
            DataError: no row has it (any more).
        """
        try:
            return self._positions[row_id]
        except KeyError:
            raise DataError(
                f"{self.name} has no row with the id {row_id!r}; its {len(self):,} ids look like {self.ids[0]!r}. "
                "Choose another row."
            ) from None

    @cached_property
    def fingerprint(self) -> str:
        """Sha256 (hex) over ids, texts, labels, splits and class names; the same however Arrow chunks the rows."""
        kind = ["pairs"] if self.paired else []
        digest = hashlib.sha256(json.dumps([_METADATA_VERSION, len(self), *kind, *self.classes]).encode())
        for name in ("id", "text", "split"):
            for piece in _string_bytes(self.table[name]):
                digest.update(piece)
        digest.update(np.ascontiguousarray(self.labels, dtype="<i4").data)
        return digest.hexdigest()

    def save(self, path: Path | str) -> None:
        """Write one Parquet file; name, classes, source and notices go into its schema's metadata as JSON."""
        facts = {"version": _METADATA_VERSION, "name": self.name, "classes": self.classes}
        facts |= {"source": self.source, "notices": self.notices, "paired": self.paired}
        metadata = {_METADATA_KEY: json.dumps(facts).encode()}
        pq.write_table(self.table.replace_schema_metadata(metadata), Path(path), compression="zstd")

    @classmethod
    def load(cls, path: Path | str) -> Corpus:
        """Read the file of ``save``.

        Raises:
            DataError: the file is absent, damaged, or was not written by ``save``.
        """
        try:
            # ParquetFile reads this very file; read_table would look for partitions in its path.
            with pq.ParquetFile(Path(path)) as file:
                table = file.read()
            facts = json.loads((table.schema.metadata or {})[_METADATA_KEY])
        except KeyError:
            raise DataError(f"{path} is a Parquet file, but not a saved corpus; load it with load_corpus.") from None
        except (OSError, ValueError) as error:  # pa.ArrowInvalid is a ValueError
            raise DataError(f"The saved corpus {path} cannot be read ({error}); make it again.") from error
        if facts["version"] != _METADATA_VERSION:
            raise DataError(
                f"The saved corpus {path} has the version {facts['version']}, this program reads version "
                f"{_METADATA_VERSION}; make it again."
            )
        table = table.replace_schema_metadata(None)
        return cls(
            facts["name"],
            table,
            tuple(facts["classes"]),
            facts["source"],
            tuple(facts["notices"]),
            paired=facts.get("paired", False),
        )


def splits_of(table: pa.Table) -> tuple[str, ...]:
    """Names in a table's column of splits: train, validation, test, then others by first appearance."""
    present = table["split"].unique().to_pylist()
    return (*(name for name in SPLITS if name in present), *(name for name in present if name not in SPLITS))


def _describe(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in schema)


def _string_bytes(column: pa.ChunkedArray) -> Iterable[Any]:
    """The (n,) lengths of a string column, then its joined bytes, without one Python object a row."""
    yield np.ascontiguousarray(pc.binary_length(column).to_numpy(), dtype="<i8")
    for chunk in column.chunks:
        if len(chunk):
            _, offsets, data = chunk.buffers()
            bounds = np.frombuffer(offsets, dtype=np.int32)[[chunk.offset, chunk.offset + len(chunk)]]
            if data is not None:
                yield memoryview(data)[int(bounds[0]) : int(bounds[1])]
