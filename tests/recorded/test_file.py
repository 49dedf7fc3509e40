"""Files of states and predictions: what is read, and every mismatch named."""

from __future__ import annotations

import io
import pickle
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seer.corpus import bounds
from seer.errors import DataError
from seer.recorded import corpus_of_rows, read_states, study_of_states
from seer.recorded.file import StatesFile
from seer.study import Study
from tests.conftest import make_corpus

TEXTS = ["not good", "bad", "", "fine"]
TOKENS = ["not", "good", "bad", "fine"]
LOGITS = np.array([[0.0, 1.0], [2.0, 1.0], [3.0, 0.0], [-1.0, 1.0]])
PROBABILITY = np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True)
STATES = np.arange(12, dtype=np.float64).reshape(4, 3)


def npz(path: Path, **changes: Any) -> Path:
    """An archive of four rows and four words; ``None`` leaves an array out."""
    arrays: dict[str, Any] = {
        "states": STATES,
        "lengths": [2, 1, 0, 1],
        "probability": PROBABILITY,
        "texts": TEXTS,
        "labels": ["pos", "neg", "", "pos"],
    }
    file = path / "states.npz"
    np.savez(file, **{name: value for name, value in (arrays | changes).items() if value is not None})
    return file


def parquet(path: Path, **changes: Any) -> Path:
    columns: dict[str, Any] = {
        "text": TEXTS,
        "label": ["pos", "neg", None, "pos"],
        "states": [STATES[:2].tolist(), STATES[2:3].tolist(), [], STATES[3:].tolist()],
        "predictions": [PROBABILITY[:2].tolist(), PROBABILITY[2:3].tolist(), [], PROBABILITY[3:].tolist()],
    }
    file = path / "states.parquet"
    pq.write_table(pa.table({name: value for name, value in (columns | changes).items() if value is not None}), file)
    return file


def study_of(found: StatesFile, folder: Path) -> Study:
    parts = {"states": found.states, "lengths": found.lengths, "probability": found.probability}
    return study_of_states(folder, found.corpus, tokens=found.tokens, **parts)


@pytest.mark.parametrize("write", [npz, parquet])
def test_both_formats_say_the_same(tmp_path: Path, write: Any) -> None:
    found = read_states(write(tmp_path))
    assert found.corpus.texts() == TEXTS
    assert found.corpus.classes == ("neg", "pos")
    assert found.corpus.labels.tolist() == [1, 0, -1, 1]
    assert found.corpus.ids.tolist() == ["0", "1", "2", "3"]
    assert found.corpus.splits == ("data",)
    assert found.lengths.tolist() == [2, 1, 0, 1]
    assert np.allclose(found.states, STATES)
    assert np.allclose(found.probability, PROBABILITY)
    assert "The columns of the predictions are taken as neg, pos, in this order." in found.corpus.notices
    study = study_of(found, tmp_path / "s")
    assert study.sentence(0).words == ("not", "good")
    assert study.accuracy("data").labelled == 3


def test_offsets_logits_tokens_splits_ids_and_numbered_labels(tmp_path: Path) -> None:
    file = npz(
        tmp_path,
        lengths=None,
        offsets=[0, 2, 3, 3, 4],
        probability=None,
        logits=LOGITS,
        texts=None,
        tokens=TOKENS,
        labels=[1, 0, -1, 1],
        splits=["train", "train", "test", "test"],
        ids=[11, 12, 13, 14],
        classes=["bad", "good"],
    )
    found = read_states(file)
    assert found.tokens == [["not", "good"], ["bad"], [], ["fine"]]
    assert found.corpus.texts() == ["not good", "bad", "", "fine"]
    assert found.corpus.classes == ("bad", "good")
    assert found.corpus.labels.tolist() == [1, 0, -1, 1]
    assert found.corpus.splits == ("train", "test")
    assert found.corpus.ids.tolist() == ["11", "12", "13", "14"]
    assert np.allclose(found.probability, PROBABILITY)


def test_without_labels_the_classes_are_numbers_or_named(tmp_path: Path) -> None:
    file = npz(tmp_path, labels=None)
    assert read_states(file).corpus.classes == ("0", "1")
    named = read_states(file, classes=("neg", "pos")).corpus
    assert (named.classes, named.labels.tolist()) == (("neg", "pos"), [-1] * 4)


def test_numbers_with_one_missing_are_still_numbers(tmp_path: Path) -> None:
    found = read_states(npz(tmp_path, labels=[1.0, 0.0, np.nan, 1.0])).corpus
    assert (found.classes, found.labels.tolist()) == (("0", "1"), [1, 0, -1, 1])
    assert read_states(npz(tmp_path, labels=[-1, -1, -1, -1])).corpus.labels.tolist() == [-1] * 4


def test_rows_of_one_s_own_lists() -> None:
    corpus = corpus_of_rows(["a", "b"], labels=["x", None], splits=["train", "test"], ids=[7, 8])
    assert (corpus.classes, corpus.labels.tolist(), corpus.splits) == (("x",), [0, -1], ("train", "test"))
    assert corpus_of_rows(["a"], classes=("x", "y")).labels.tolist() == [-1]
    with pytest.raises(DataError, match="name the classes"):
        corpus_of_rows(["a"])
    with pytest.raises(DataError, match="all names or all whole numbers"):
        corpus_of_rows(["a", "b"], labels=["x", 1])


def test_named_classes_give_the_columns_their_order(tmp_path: Path) -> None:
    assert read_states(npz(tmp_path), classes=("pos", "neg")).corpus.labels.tolist() == [0, 1, -1, 0]


def test_texts_and_labels_from_elsewhere(tmp_path: Path) -> None:
    file = npz(tmp_path, texts=None, labels=None)
    rows = make_corpus([(text, place % 2, "test") for place, text in enumerate(TEXTS)])
    assert read_states(file, rows=rows).corpus.labels.tolist() == [0, 1, 0, 1]
    assert read_states(file, rows=rows, classes=("pos", "neg")).corpus.labels.tolist() == [1, 0, 1, 0]
    with pytest.raises(DataError, match=r"states of 4 rows, and small has 3 rows"):
        read_states(file, rows=make_corpus([("a", 0, "test")] * 3))
    with pytest.raises(DataError, match=r"2 columns, and small has 3 classes \(a, b, c\); .*--classes"):
        read_states(file, rows=make_corpus([("a", 0, "test")] * 4, ("a", "b", "c")))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"states": None}, "holds no states or hidden_states or hidden; it holds"),
        ({"probability": None}, "holds no probability or probabilities or predictions or logits"),
        ({"lengths": None}, "no lengths and no offsets"),
        ({"lengths": None, "offsets": [1, 2, 3]}, "offsets must be whole numbers that begin with 0"),
        ({"texts": None}, "neither texts nor tokens; give the file with the texts too"),
        ({"texts": TEXTS[:3]}, "expected texts of 4 rows, got 3"),
        ({"labels": ["a", "b", "c", "a"]}, r"2 columns, and states.npz has 3 classes \(a, b, c\)"),
        ({"labels": [0, 1, 2, 0]}, "a label is 2"),
        ({"classes": ["a"]}, "2 columns, and 1 classes are named"),
        ({"classes": ["a", "b"]}, "the label 'neg' is none of the classes a, b"),
        ({"tokens": TOKENS[:3]}, "add up to 4, and there are 3 tokens"),
        ({"text": TEXTS}, "holds both texts and text; keep one"),
        ({"probability": None, "logits": [1.0, 2.0]}, "expected the logits as rows of numbers"),
        ({"texts": np.array([["a"], "b"], dtype=object)}, "the array texts cannot be read"),
    ],
)
def test_every_mismatch_of_an_npz_is_named(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_states(npz(tmp_path, **changes))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"states": None}, "holds no states"),
        ({"states": [[[1.0]], None, [], [[2.0]]]}, "row 1: its states are missing"),
        ({"states": [[[1.0], [2.0, 3.0]], [[1.0]], [], [[1.0]]]}, "row 0: a word has 2 numbers as states"),
        ({"states": [[None, [2.0]], [[1.0]], [], [[1.0]]]}, "row 0: a word has no states"),
        ({"states": [[[1.0], [2.0]], [None], [], [[1.0]]]}, "row 1: a word has no states"),
        ({"states": [[[1.0]], [[1.0]], [], [[1.0]]]}, "row 0: 1 states and 2 predictions"),
        ({"states": ["a", "b", "c", "d"]}, "the column states holds string; it needs a list of numbers a word"),
        ({"states": [[["a"]], [["b"]], [], [["c"]]]}, "the states are string; they must be numbers"),
    ],
)
def test_every_mismatch_of_a_parquet_file_is_named(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_states(parquet(tmp_path, **changes))


def test_a_column_that_is_there_twice_is_told(tmp_path: Path) -> None:
    table = pq.read_table(parquet(tmp_path))
    pq.write_table(table.append_column("states", table["states"]), tmp_path / "twice.parquet")
    with pytest.raises(DataError, match=r"twice\.parquet has 2 columns 'states'; give each column its own name"):
        read_states(tmp_path / "twice.parquet")


def test_numbers_missing_in_a_parquet_file_are_told_with_their_row(tmp_path: Path) -> None:
    found = read_states(parquet(tmp_path, states=[[[1.0], [None]], [[1.0]], [], [[1.0]]]))
    parts = {"states": found.states, "lengths": found.lengths, "probability": found.probability}
    with pytest.raises(DataError, match="row 0, word 2: its states hold NaN"):
        study_of_states(tmp_path / "s", found.corpus, **parts)


class Canary:
    """Would leave a file behind if it were unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.hard_inputs(38)
def test_no_code_runs_from_a_booby_trapped_file_of_states(tmp_path: Path) -> None:
    """A pickle in an array, a pickle alone, a cut file, an empty one, and something else under the name."""
    trap = tmp_path / "trap"
    np.savez(tmp_path / "object.npz", states=np.array([Canary(trap)], dtype=object))
    (tmp_path / "pickle.npz").write_bytes(pickle.dumps(Canary(trap)))
    whole = npz(tmp_path).read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "picture.npz").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    (tmp_path / "pickle.parquet").write_bytes(pickle.dumps(Canary(trap)))
    for name in ("object.npz", "pickle.npz", "cut.npz", "empty.npz", "picture.npz", "pickle.parquet"):
        with pytest.raises(DataError, match="cannot be read"):
            read_states(tmp_path / name)
    assert not trap.exists()
    with pytest.raises(DataError, match=r"ends in \.npz or \.parquet"):
        read_states(tmp_path / "states.pkl")
    with pytest.raises(DataError, match="There is no file"):
        read_states(tmp_path / "none.npz")


def header(shape: tuple[int, ...], kind: str = "<f4", body: bytes = b"") -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"shape": shape, "fortran_order": False, "descr": kind})
    return out.getvalue() + body


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("states", header((10**9, 100)), "the array states is not all there"),
        ("texts", header((10**12,), "<U0"), "unpacks to more than 1,000,000,000 bytes"),
        ("texts", header((4,), "<U1", b"\xff\xff\xff\x7f" * 4), "the array texts holds what is no text"),
        ("states", header((-3, 4), body=bytes(48)), "cannot be read as a .npz file"),
        ("states", b"\x93NUMPY\x01\x00\x10\x00{'descr': import}", "cannot be read as a .npz file"),
        ("states", b"\x93NUMPY\x03\x00" + bytes(14), "cannot be read as a .npz file"),
        ("probability", header((), body=bytes(4)), "predictions as rows of numbers; got an array of the shape"),
        ("lengths", header((), "<i8", bytes(8)), "expected the lengths as one list"),
        ("lengths", header((4,), "<f8", bytes(32)), "the lengths must be whole numbers"),
        ("labels", header((4,), "<f8", np.array([np.inf, 1, 1e300, 0]).tobytes()), "all names or all whole numbers"),
        ("labels", header((4,), "<u8", b"\xff" * 32), "all names or all whole numbers"),
    ],
)
def test_a_false_array_is_refused_before_it_is_made(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    file = npz(tmp_path, **{name: None})
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(f"{name}.npy", content)
    with pytest.raises(DataError, match=said) as error:
        read_states(file)
    assert not re.search("Error|struct|syntax|descr", str(error.value))


def test_packed_states_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed(tmp_path / "s.npz", states=np.zeros((1000, 100), np.float32), lengths=[1000])
    monkeypatch.setattr(bounds, "MOST_UNPACKED", 100_000)
    with pytest.raises(DataError, match=r"s\.npz unpacks to more than 100,000 bytes"):
        read_states(tmp_path / "s.npz")
    with pytest.raises(DataError, match=r"states\.parquet unpacks to more than 100,000 bytes"):
        read_states(parquet(tmp_path, text=["x" * 30_000] * 4))
    monkeypatch.setattr("seer.corpus.bounds.MOST_ROWS", 3)
    with pytest.raises(DataError, match=r"states\.npz has 4 rows, and at most 3 can be read"):
        read_states(npz(tmp_path))


def test_half_characters_show_as_such(tmp_path: Path) -> None:
    found = read_states(npz(tmp_path, texts=["not \udcff", "bad", "", "fine"], labels=["p\udcff", "n", "", "n"]))
    assert found.corpus.texts()[0] == "not \ufffd"
    assert found.corpus.classes == ("n", "p\ufffd")
    found = read_states(npz(tmp_path, tokens=["not", "\udcff", "bad", "fine"]))
    with pytest.raises(DataError, match="expected each token to be a text of whole characters"):
        study_of(found, tmp_path / "s")
