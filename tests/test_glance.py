"""The line of a study in a list says what the opened study says, without opening it."""

import json
import shutil

import pytest

from seer.errors import SeerError
from seer.glance import glance
from seer.parts import CORPUS
from seer.study import Study


@pytest.mark.parametrize("name", ["small_study", "forty_study", "demo"])
def test_it_says_what_the_study_says(request, name):
    study: Study = request.getfixturevalue(name)
    line = glance(study.folder)
    assert (line.data, line.rows, line.split) == (study.corpus.name, len(study.corpus), study.usual_split)
    assert line.accuracy == study.accuracy(study.usual_split)
    assert line.model == study.architecture.describe()
    assert line.made == study.manifest["made"]


def test_no_model_is_read(small_study, tmp_path):
    folder = tmp_path / "study"
    shutil.copytree(small_study.folder, folder)
    (folder / small_study.version.name / "model.safetensors").write_bytes(b"")
    assert glance(folder).accuracy == small_study.accuracy("test")


@pytest.mark.parametrize("broken", ["traces/predicted.npy", "traces/offsets.npy", CORPUS, "model.json"])
def test_a_damaged_study_is_told_in_a_sentence(small_study, tmp_path, broken):
    folder = tmp_path / "study"
    shutil.copytree(small_study.folder, folder)
    path = folder / small_study.version.name / broken
    for content in (path.read_bytes()[: path.stat().st_size // 2], b"", json.dumps({"architecture": 1}).encode()):
        path.write_bytes(content)
        with pytest.raises(SeerError, match=r"damaged|cannot be read"):
            glance(folder)
