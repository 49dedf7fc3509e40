"""The list of studies: what it says of each, page by page where there are many."""

import json
import os
import shutil
from pathlib import Path

import pytest

from seer.study import Study
from seer.ui.studies.shelf import SIZE
from tests.pages.test_notes import opened, said


@pytest.fixture
def studies(small_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As many studies as fill a page, beside the demos."""
    folder = tmp_path / "studies"
    for number in range(SIZE):
        shutil.copytree(small_study.folder, folder / f"s{number:02}", copy_function=os.link)
    monkeypatch.setenv("SEER_STUDIES", str(folder))
    return folder


def test_many_studies_come_page_by_page(studies: Path, small_study: Study) -> None:
    (studies / "s01" / "manifest.json").unlink()  # a link: the others keep theirs
    (studies / "s01" / "manifest.json").write_text("{}", encoding="utf-8")
    test = opened("studies", study="s00")
    first = test.dataframe[0].value
    assert len(first) == SIZE
    line = first[first["study"] == "s00"].iloc[0]
    accuracy = small_study.accuracy("test")
    assert (line["data"], line["rows"], line["split"]) == ("small", len(small_study.corpus), "test")
    assert line["accuracy"] == pytest.approx(100 * accuracy.value)
    assert line["model"] == small_study.architecture.describe()
    assert line["made"] == json.dumps(small_study.manifest["made"])[1:17].replace("T", " ")
    assert "Expected a study of schema version" in first[first["study"] == "s01"].iloc[0]["data"]

    last = opened("studies", study=f"s{SIZE - 1}")  # the page of the study that is chosen
    assert list(last.dataframe[0].value["study"]) == [f"s{SIZE - 2}", f"s{SIZE - 1}"]
    assert not last.exception
    assert f"Open s{SIZE - 1}" in [link.proto.label for link in last.get("page_link")]
    assert said(last)
