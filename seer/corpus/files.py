"""Files on disk: CSV, TSV, JSON, JSONL and Parquet, packed or not, one file or one file a split."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from pyarrow import parquet

from seer.corpus.asked import Asked, Written
from seer.corpus.assemble import Part
from seer.corpus.bounds import check_parquet
from seer.corpus.bridge import arrow_table, check_names, class_names, quiet_reader, repaired
from seer.corpus.columns import Columns
from seer.corpus.delimited import USUAL_DELIMITER, read_delimited
from seer.corpus.json_file import read_json
from seer.corpus.plain import GZIP, read_bytes
from seer.corpus.reading import Reading, table_read, table_sample
from seer.errors import DataError, shown

PARQUET = ".parquet"
KINDS = (*USUAL_DELIMITER, ".json", ".jsonl", ".ndjson", PARQUET)
SUFFIXES = (*KINDS, *(f"{kind}{GZIP}" for kind in KINDS))
"""File name endings that can be read."""


def file_kind(path: Path) -> str | None:
    """The ending that says what a file is, without .gz; ``None`` when it is none of ``SUFFIXES``."""
    name = path.name.lower().removesuffix(GZIP)
    return next((kind for kind in KINDS if name.endswith(kind)), None)


def read_files(
    paths: Mapping[str, Path], asked: Asked, written: Written, reading: Reading
) -> tuple[list[Part], Columns, dict[str, str]]:
    """Read one file a split.

    Args:
        paths: file of each split.
        asked: what is known of the columns; those found in the first file are looked for in the others.
        written: what is known of the files.
        reading: told what is understood.

    Returns:
        a part a file, the columns, the sha256 of each file.

    Raises:
        DataError: a file cannot be read as its ending says.
    """
    parts: list[Part] = []
    columns = None
    for split, path in paths.items():
        kind = file_kind(path)
        if not os.path.isfile(path):  # of a path that is too long pathlib raises
            raise DataError(f"{path} is a folder; name a file in it." if os.path.isdir(path) else _no_file(path))
        if kind is None:
            raise DataError(f"{path.name}: files must end in {', '.join(KINDS)}, or that with {GZIP}.")
        wanted = asked if columns is None else asked.settled(columns)
        if kind in USUAL_DELIMITER:
            part, columns = read_delimited(split, path, kind, wanted, written, reading)
        elif kind == PARQUET:
            part, columns = _read_parquet(split, path, wanted, reading)
        else:
            part, columns = read_json(split, path, kind, wanted, written.encoding, reading)
        parts.append(part)
    assert columns is not None
    hashes = {split: file_hash(path) for split, path in paths.items()}
    reading.notices += _same_file_notices(hashes)
    return parts, columns, hashes


def whole_path(path: str | Path) -> Path:
    """The absolute path of a file, links followed.

    Raises:
        DataError: it can be none, as where links lead in a circle.
    """
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise DataError(f"The file {shown(str(path))} cannot be opened: {error}.") from error


def _no_file(path: Path) -> str:
    there = f"{path} is no ordinary file; copy what it gives into one."
    return there if os.path.exists(path) else f"There is no file {path}."


def _same_file_notices(hashes: Mapping[str, str]) -> list[str]:
    """A sentence about each split whose file is that of an earlier one."""
    first = {digest: split for split, digest in reversed(list(hashes.items()))}
    return [
        f"The {split} split is the same file as {first[digest]}: its figures say nothing about texts that are new to a "
        "model."
        for split, digest in hashes.items()
        if first[digest] != split
    ]


def file_hash(path: Path) -> str:
    """The sha256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_parquet(split: str, path: Path, asked: Asked, reading: Reading) -> tuple[Part, Columns]:
    with quiet_reader(path) as (datasets, copy, options):
        if path.suffix.lower() == GZIP:
            copy.write_bytes(read_bytes(path))
        else:
            copy.symlink_to(path.resolve())
        check_parquet(copy, path.name, reading.most_rows)
        _refuse_odd_table(copy, path.name)
        dataset = datasets.Dataset.from_parquet(str(copy), **options)
        names = class_names(dataset)
        table, said = repaired(arrow_table(dataset), path.name)
    reading.notices += said
    reading.note(table_read(split, path.name, table))
    return Part(split, table, path.name, names), asked.choose(
        table.column_names, path.name, lambda: table_sample(table)
    )


def _refuse_odd_table(path: Path, called: str) -> None:
    """Stop at a Parquet file that ``datasets`` does not read, for a reason that it does not say well.

    Raises:
        DataError: it has no rows, or two columns of one name.
    """
    with parquet.ParquetFile(path) as file:
        rows, names = file.metadata.num_rows, file.schema_arrow.names
    check_names(names, called)
    if not rows:
        raise DataError(f"{called} has no rows; at least one is needed.")
