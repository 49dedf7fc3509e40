"""Records of jobs that cannot be used take no page down."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from seer.jobs import database
from seer.ui.server import begin
from tests.pages.test_notes import opened, said


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    file = tmp_path / "studies" / ".jobs" / database.FILE
    file.parent.mkdir(parents=True)
    file.write_bytes(b"garbage " * 2000)
    monkeypatch.setenv("SEER_STUDIES", str(tmp_path / "studies"))
    begin.clear()
    yield file
    begin.clear()


def test_pages_stand_without_the_records_of_jobs(damaged: Path, caplog: pytest.LogCaptureFixture) -> None:
    test = opened("overview")
    assert not test.error
    assert test.title[0].value == "Overview"
    assert said(test).count("Jobs cannot be shown; the page *Studies* says why.") == 1
    assert "Leftovers in" in caplog.text
    test.switch_page("pages/studies.py").run()
    assert [error.value.replace("\\", "")[:31] for error in test.error] == ["The records of jobs are damaged"]
    assert str(damaged.parent.parent) not in said(test)
    assert "demo" in list(test.dataframe[0].value["study"])
    assert test.file_uploader(key="new-file-train")
    damaged.unlink()
    test.run()
    assert not test.error
    assert "Jobs cannot be shown" not in said(test)


def test_a_full_server_says_so_before_the_first_step(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (studies / name).mkdir(parents=True)
        (studies / name / "manifest.json").write_text("{}")
    monkeypatch.setenv("SEER_MAX_STUDIES", "1")
    test = opened("studies")
    assert "(SEER_MAX_STUDIES) is 1, and 2 are there; delete 2 before another is made." in said(test)
