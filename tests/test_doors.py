"""Each door through which a file comes in: what would run if it were unpickled does not run, and no path leaves.

The doors of models (``tests/imports/test_weights.py``), of hidden states (``tests/recorded/test_file.py``), of names of
uploads (``tests/test_uploads.py``) and of a manifest's hash (``tests/test_storage.py``) have their tests there.
"""

from __future__ import annotations

import io
import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seer.corpus import check_data
from seer.errors import SeerError
from seer.imports.reading import Reading
from seer.imports.vocabulary import read_vocabulary
from seer.notes import Notes
from seer.notes.exchange import read_notes
from seer.recorded import read_states
from seer.study import Study
from tests.imports.test_weights import Canary

pytestmark = pytest.mark.hard_inputs(38)


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """Appears when code of a file has run."""
    return tmp_path / "canary"


def pickled(canary: Path) -> bytes:
    return pickle.dumps(Canary(canary))


def object_array(canary: Path) -> bytes:
    file = io.BytesIO()
    np.save(file, np.array([Canary(canary)] * 4, dtype=object), allow_pickle=True)
    return file.getvalue()


def extension_table(canary: Path) -> bytes:
    """A Parquet file whose column says how its type is unpickled, as old versions of Arrow did on reading."""
    marks = {"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": pickled(canary)}
    fields = [pa.field("text", pa.string(), metadata=marks), pa.field("label", pa.string())]
    texts = ["a good film", "a bad film"] * 10
    table = pa.table([pa.array(texts), pa.array(["pos", "neg"] * 10)], schema=pa.schema(fields))
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


MAKERS = [pickled, object_array, extension_table]


def test_the_traps_are_traps(canary: Path) -> None:
    np.load(io.BytesIO(object_array(canary)), allow_pickle=True)
    assert canary.exists()
    canary.unlink()
    pickle.loads(pickled(canary))
    assert canary.exists()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.json", "x.jsonl", "x.parquet", "x.csv.gz"])
def test_a_data_file(tmp_path: Path, canary: Path, name: str, make) -> None:
    path = tmp_path / name
    path.write_bytes(make(canary))
    found = check_data(path)
    assert (found.fault is None) == (make is extension_table and name == "x.parquet"), found.fault
    assert not canary.exists()


def one_array(canary: Path) -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros((3, 4)))
    return file.getvalue()


@pytest.mark.parametrize("make", [*MAKERS, one_array])
@pytest.mark.parametrize("name", ["x.npz", "x.parquet"])
def test_a_states_file(tmp_path: Path, canary: Path, name: str, make) -> None:
    path = tmp_path / name
    path.write_bytes(make(canary))
    with pytest.raises(SeerError) as refused:
        read_states(path)
    assert "pickle" not in str(refused.value)  # nor is anybody advised to load it after all
    assert not canary.exists()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", ["tokenizer.json", "vocab.txt", "words.json", "words.pkl"])
def test_a_vocabulary_file(tmp_path: Path, canary: Path, name: str, make) -> None:
    path = tmp_path / name
    path.write_bytes(make(canary))
    with pytest.raises(SeerError):
        read_vocabulary(path, ["a good film"], Reading())
    assert not canary.exists()


@pytest.mark.parametrize("make", MAKERS)
def test_a_note_file(tmp_path: Path, canary: Path, make) -> None:
    with pytest.raises(SeerError):
        read_notes(make(canary))
    path = tmp_path / "notes.sqlite"
    path.write_bytes(make(canary))
    with pytest.raises(SeerError):
        Notes(path).current()
    assert not canary.exists()


def read_all(folder: Path) -> None:
    study = Study.open(folder)
    study.machine(None)
    study.trace("a good film")
    study.traces.confidence.sum()


@pytest.mark.parametrize("make", MAKERS)
def test_each_file_of_a_study(small_study: Study, tmp_path: Path, canary: Path, make) -> None:
    files = [path.relative_to(small_study.folder) for path in small_study.folder.rglob("*") if path.is_file()]
    files = [path for path in files if path.name != ".lock"]
    assert len(files) >= 10
    for number, file in enumerate(files):
        folder = tmp_path / str(number)
        shutil.copytree(small_study.folder, folder)
        (folder / file).write_bytes(make(canary))
        with pytest.raises(SeerError):
            read_all(folder)
        assert not canary.exists(), file


@pytest.mark.parametrize("odd", ["../../etc", "/etc", "a/../../b", "..", "\0", "~"])
def test_names_in_a_manifest_lead_nowhere(small_study: Study, tmp_path: Path, odd: str) -> None:
    folder = tmp_path / "study"
    shutil.copytree(small_study.folder, folder)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest["check"]  # as in a study of earlier days: a later one refuses such a change at once
    before = sorted(tmp_path.rglob("*"))
    path.write_text(json.dumps(manifest | {"name": odd, "corpus": manifest["corpus"] | {"name": odd}}))
    read_all(folder)
    path.write_text(json.dumps(manifest | {"hash": odd}))
    with pytest.raises(SeerError, match="expected a SHA-256 as its hash"):
        Study.open(folder)
    assert sorted(tmp_path.rglob("*")) == before
