"""Damaged studies in the folder of studies: said in the list and in a notice, and no other study is touched."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from seer.study import Study
from seer.ui.facts import MOST
from tests.pages.test_notes import opened, said


@pytest.fixture
def folder(small_study: Study, studies: Path) -> Path:
    """A good study among damaged ones."""
    version = small_study.version.name
    damage: dict[str, tuple[str, bytes]] = {
        "deep": ("manifest.json", b"[" * 200_000),
        "demo": ("manifest.json", b"{"),
        "model": (f"{version}/model.json", b"[" * 200_000),
        "gone": (f"{version}/model.json", b""),
        "odd": ("manifest.json", json.dumps({**small_study.manifest, "notices": [1]}).encode()),
    }
    for name, (file, content) in damage.items():
        shutil.copytree(small_study.folder, studies / name)
        (studies / name / file).write_bytes(content)
    (studies / "gone" / version / "model.json").unlink()
    shutil.copytree(small_study.folder, studies / "good")
    shutil.copytree(small_study.folder, os.fsdecode(os.fsencode(studies) + b"/bad\xff"))
    return studies


def test_damaged_studies_are_marked_in_the_list_and_stop_nothing(folder: Path, small_study: Study) -> None:
    test = opened("studies")
    assert not test.exception
    assert not test.error
    lines = test.dataframe[0].value.set_index("study")
    assert list(lines.index) == ["demo", "demo-pairs", "deep", "gone", "good", "model", "odd"]
    assert lines.loc["good", "rows"] == len(small_study.corpus)
    assert lines.loc["deep", "data"].startswith("The study deep is damaged: its manifest.json cannot be read;")
    assert lines.loc["gone", "data"].startswith("The study gone is damaged: its model.json is missing or no plain file")
    assert lines.loc["model", "data"].startswith("The study model mixes files: its model.json does not match")
    assert "a value in notices is missing or no text" in lines.loc["odd", "data"]
    shutil.copytree(small_study.folder, folder / "gone", dirs_exist_ok=True)  # mended: no error is remembered
    assert opened("studies").dataframe[0].value.set_index("study").loc["gone", "data"] == "small"


@pytest.mark.parametrize("name", ["deep", "model", "gone"])
def test_a_damaged_study_is_named_and_the_demo_shown(folder: Path, name: str) -> None:
    test = opened(study=name)
    assert not test.error
    assert f"The study {name} " in said(test)
    assert "The demo is shown instead." in said(test)
    assert str(folder.parent) not in said(test)


def test_altered_traces_are_not_shown_and_a_study_made_again_is(folder: Path, small_study: Study) -> None:
    path = folder / "good" / small_study.version.name / "traces" / "predicted.npy"
    whole = path.read_bytes()
    np.save(path, 1 - np.load(path))
    assert "The study good mixes files: its traces/predicted.npy does not match" in said(opened(study="good"))
    path.write_bytes(whole)
    assert "is shown instead" not in said(opened(study="good"))


def test_many_notices_are_not_all_drawn(folder: Path, small_study: Study) -> None:
    older = {field: value for field, value in small_study.manifest.items() if field not in ("files", "check")}
    notices = [f"notice {number}" for number in range(5000)]
    (folder / "good" / "manifest.json").write_text(json.dumps({**older, "notices": notices}))
    page = said(opened("overview", study="good"))
    assert f"notice {MOST - 1}" in page
    assert f"notice {MOST}" not in page
    assert "4,980 more such notes stand in the study's manifest.json." in page
