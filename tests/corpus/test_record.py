"""The corpus as a record: what it refuses, saves and hashes."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seer.corpus import SCHEMA, Corpus
from seer.errors import DataError
from tests.corpus.shared import corpus


def test_corpus_gives_rows_texts_and_positions() -> None:
    small = corpus()
    assert small.splits == ("train", "test", "odd")
    assert small.rows("test").tolist() == [0]
    assert small.rows().tolist() == [0, 1, 2]
    assert small.text(2) == "ü"
    assert small.texts([2, 0, 2]) == ["ü", "x", "ü"]
    assert small.texts(np.array([], dtype=int)) == []
    assert small.ids.dtype == object
    assert small.labels.dtype == np.int32
    assert small.position("c") == 2
    with pytest.raises(DataError, match="no row with the id 'z'"):
        small.position("z")
    with pytest.raises(DataError, match="no split 'dev'; it has train, test, odd"):
        small.rows("dev")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": ["a", "a", "b"]}, "unique"),
        ({"id": ["a", "", "b"]}, "empty"),
        ({"split": ["a", "", "b"]}, "empty"),
        ({"text": ["a", None, "b"]}, "text are missing"),
        ({"label": [0, 2, -1]}, "between -1 and 1; got -1 to 2"),
        ({"label": [0, 1, -2]}, "between -1 and 1"),
        ({"classes": ("no", "no")}, "unique"),
        ({"classes": ("no", "")}, "not empty"),
        ({"table": SCHEMA.empty_table()}, "no rows"),
        ({"table": pa.table({"id": ["a"]})}, "needs the columns id"),
    ],
)
def test_corpus_refuses_what_contradicts_itself(changes: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        corpus(**changes)


def test_saved_corpus_comes_back_whole(tmp_path: Path) -> None:
    small = corpus(source={"kind": "file", "limit": None}, notices=("One.", "Zwei ü."))
    small.save(tmp_path / "split=x.parquet")
    back = Corpus.load(tmp_path / "split=x.parquet")
    assert back.table.equals(small.table)
    assert (back.name, back.classes, back.source, back.notices) == (
        small.name,
        small.classes,
        small.source,
        small.notices,
    )
    assert back.fingerprint == small.fingerprint


def test_loading_what_is_no_saved_corpus_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    with pytest.raises(DataError, match="cannot be read"):
        Corpus.load(path)
    path.write_bytes(b"PAR1 but cut")
    with pytest.raises(DataError, match="cannot be read"):
        Corpus.load(path)
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(DataError, match="not a saved corpus"):
        Corpus.load(path)


def test_fingerprint_ignores_chunks_and_sees_every_part() -> None:
    small = corpus()
    rows = [small.table.slice(i, 1) for i in range(3)]
    chunked = pa.concat_tables([rows[0], SCHEMA.empty_table(), *rows[1:]])
    assert chunked["text"].num_chunks == 4
    assert corpus(table=chunked).fingerprint == small.fingerprint
    padded = pa.concat_tables([small.table, small.table]).combine_chunks().slice(3, 3)
    assert corpus(table=padded).fingerprint == small.fingerprint
    others = [
        corpus(id=["a", "b", "d"]),
        corpus(text=["", "x", "ü"]),
        corpus(label=[0, 1, 0]),
        corpus(split=["test", "test", "odd"]),
        corpus(classes=("no", "yes", "maybe")),
    ]
    assert len({small.fingerprint, *(other.fingerprint for other in others)}) == 6
    assert corpus(source={"a": 1}, name="other").fingerprint == small.fingerprint
