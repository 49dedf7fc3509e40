"""The line of a study in a list says what the opened study says, without opening it."""

import json
import shutil

import numpy as np
import pytest

from seer.errors import StudyError
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
    half = path.read_bytes()[: path.stat().st_size // 2]
    for content in (half, b"", b'{"architecture": 1}', b"[" * 200_000):
        path.write_bytes(content)
        for _ in range(2):  # the second time as in a study of earlier days, whose manifest says nothing of files
            with pytest.raises(StudyError, match=r"The study study (is damaged|mixes files)"):
                glance(folder)
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
            older = {field: value for field, value in manifest.items() if field not in ("files", "check")}
            (folder / "manifest.json").write_text(json.dumps(older), encoding="utf-8")


def test_another_accuracy_is_not_said_of_altered_traces(small_study, tmp_path):
    folder = tmp_path / "study"
    shutil.copytree(small_study.folder, folder)
    path = folder / small_study.version.name / "traces" / "predicted.npy"
    np.save(path, 1 - np.load(path))
    with pytest.raises(StudyError, match="mixes files"):
        glance(folder)
