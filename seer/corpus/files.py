"""Files on disk: CSV, TSV, JSON, JSONL and Parquet, one file or one file a split."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seer.corpus.assemble import Part
from seer.corpus.bridge import arrow_table, class_names, quiet_reader
from seer.corpus.columns import Asked
from seer.corpus.json_file import read_json
from seer.corpus.plain import read_plain, sniff
from seer.errors import DataError

_USUAL_DELIMITER = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
SUFFIXES = (*_USUAL_DELIMITER, ".json", ".jsonl", ".ndjson", ".parquet")
"""File name endings that can be read."""


def read_files(
    paths: Mapping[str, Path], asked: Asked, delimiter: str | None
) -> tuple[list[Part], dict[str, str], list[str]]:
    """Read one file a split.

    Args:
        paths: file of each split.
        asked: what is known of the columns.
        delimiter: of CSV and TSV files, or None to find it.

    Returns:
        a part a file, the sha256 of each file, notices.

    Raises:
        DataError: a file cannot be read as its ending says.
    """
    parts, hashes, notices = [], {}, []
    for split, path in paths.items():
        suffix = path.suffix.lower()
        if not path.is_file():
            raise DataError(f"{path} is a folder; name a file in it." if path.is_dir() else f"There is no file {path}.")
        if suffix not in SUFFIXES:
            raise DataError(f"{path.name}: files must end in {', '.join(SUFFIXES)}.")
        if suffix in _USUAL_DELIMITER:
            part, said = _read_delimited(split, path, asked, delimiter)
        else:
            part, said = _read_parquet(split, path) if suffix == ".parquet" else read_json(split, path, asked)
        parts.append(part)
        notices += said
        hashes[split] = file_hash(path)
    return parts, hashes, notices


def file_hash(path: Path) -> str:
    """The sha256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_delimited(split: str, path: Path, asked: Asked, delimiter: str | None) -> tuple[Part, list[str]]:
    content, notices = read_plain(path)
    dialect = sniff(content, path.name, delimiter, _USUAL_DELIMITER[path.suffix.lower()])
    columns = asked.choose(dialect.header, path.name)
    if not dialect.lines:
        raise DataError(f"{path.name} has a header but no rows; at least one is needed.")
    with quiet_reader(path) as (datasets, copy, options):
        copy.write_text(content, encoding="utf-8", newline="")
        dataset = datasets.Dataset.from_csv(
            str(copy),
            features=datasets.Features({name: datasets.Value("string") for name in dialect.header}),
            names=list(dialect.header),
            header=0,
            index_col=False,
            sep=dialect.delimiter,
            quoting=0 if dialect.quoted else 3,
            encoding="utf-8",
            keep_default_na=False,  # "NA", "null" and "None" are words
            **options,
        )
        table = arrow_table(dataset)
    if len(table) != len(dialect.lines):
        raise DataError(
            f"{path.name} holds {len(dialect.lines):,} records, but {len(table):,} were read; check its quotes."
        )
    if dialect.quoted:
        _refuse_swallowed(table, columns.label, dialect.delimiter, dialect.lines, path.name)
    return Part(split, table), notices + dialect.notices


def _refuse_swallowed(table: pa.Table, label: str, delimiter: str, lines: list[int], name: str) -> None:
    """Stop when a quoted field holds whole records, each with a label of its own: a stray quote swallowed them."""
    labels = set(table[label].unique().to_pylist()) - {""}
    width, at = table.num_columns, table.column_names.index(label)
    for column in table.columns:
        suspects = pc.and_(pc.match_substring(column, "\n"), pc.match_substring(column, delimiter))
        for row in np.flatnonzero(suspects.to_numpy()):
            records = (line.split(delimiter) for line in column[int(row)].as_py().split("\n"))
            if any(len(record) == width and record[at].strip() in labels for record in records):
                raise DataError(
                    f"{name}, the record that ends on line {lines[row]}: a quoted field runs over whole records. "
                    "Double or remove the quote that opens it."
                )


def _read_parquet(split: str, path: Path) -> tuple[Part, list[str]]:
    with quiet_reader(path) as (datasets, copy, options):
        copy.symlink_to(path.resolve())
        dataset = datasets.Dataset.from_parquet(str(copy), **options)
        return Part(split, arrow_table(dataset), class_names(dataset)), []
