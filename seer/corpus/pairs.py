"""Sentence pairs in one tab-separated file whose splits are runs of rows, as SICK comes (Marelli et al., LREC 2014)."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from seer.corpus.assemble import Labelled, Part, assemble
from seer.corpus.files import file_hash
from seer.corpus.folders import FolderSet
from seer.corpus.plain import read_plain
from seer.corpus.reading import Reading, table_read
from seer.errors import DataError


def read_pairs(found: FolderSet, path: Path, reading: Reading) -> tuple[Labelled, dict[str, str]]:
    """Read all pairs of a set.

    Returns:
        the rows, named by split and number in it from 0; the sha256 of the file.

    Raises:
        DataError: the file is no such table, or has fewer rows than its splits.
    """
    assert found.pairs is not None
    plain = read_plain(path)
    reading.notices += plain.notices
    try:
        table = pacsv.read_csv(
            io.BytesIO(plain.text.encode()),
            parse_options=pacsv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(found.pairs.names, pa.string()), include_columns=list(found.pairs.names)
            ),
        )
    except (ValueError, KeyError) as error:
        names = ", ".join(found.pairs.names)
        raise DataError(f"{path.name}: expected a tab-separated table with the columns {names}; {error}.") from error
    ends = np.cumsum(list(found.shares.values()))
    if len(table) <= ends[-1]:
        raise DataError(f"{path.name} has {len(table):,} rows; more than {ends[-1]:,} are needed for its splits.")
    ends[-1] = len(table)
    begins = [0, *ends[:-1].tolist()]
    parts = [
        Part(split, table.slice(begin, end - begin))
        for split, begin, end in zip(found.shares, begins, ends.tolist(), strict=True)
    ]
    for part in parts:
        reading.note(replace(table_read(part.split, path.name, part.table), encoding=plain.encoding, delimiter="\t"))
    reading.columns = found.pairs
    return assemble(parts, found.pairs, path.name, reading, paired=True), {"all": file_hash(path)}
