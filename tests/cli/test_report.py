"""``seer report``: with the notes that the dashboard wrote, under whatever name it lists the study."""

from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from seer import listing
from seer.cli import app
from seer.errors import DataError, NotesError, SeerError, SettingError
from seer.notes import NOTES_VARIABLE, Note, Notes, notes_path
from seer.study import Study

SAID = "because of the irony"


def report(study: Path, out: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["report", str(study), "--out", str(out), "--errors", "0", *arguments])


@pytest.fixture
def listed(small_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of studies that holds the study through a link with another name, and notes in a folder of their own."""
    studies = tmp_path / "studies"
    studies.mkdir()
    (studies / "alias").symlink_to(small_study.folder.resolve())
    monkeypatch.setenv(listing.STUDIES_VARIABLE, str(studies))
    monkeypatch.setenv(NOTES_VARIABLE, str(tmp_path / "notes"))
    assert "alias" in listing.study_folders()
    notes = Notes(notes_path(studies / "alias", "alias"), small_study.hash, small_study.corpus.fingerprint)
    notes.put("r3", Note("irony", SAID), "Ann")
    return studies


def test_notes_are_found_by_the_name_the_dashboard_lists(
    listed: Path, small_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "report.html"
    monkeypatch.chdir(listed / "alias")
    for study in (listed / "alias", small_study.folder, Path()):
        done = report(study, out)
        assert (done.exit_code, done.stderr) == (0, "")
        assert SAID in out.read_text(encoding="utf-8")
    monkeypatch.setenv(listing.STUDIES_VARIABLE, str(tmp_path / "nowhere"))
    done = report(small_study.folder, out)
    assert SAID not in out.read_text(encoding="utf-8")
    assert "There is no note on this study in" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        (("--notes", "n" * 300), NotesError, "cannot be kept in"),
        (("--notes", "none.sqlite"), NotesError, "There are no notes in none.sqlite"),
        (("--out", "n" * 300 + ".html"), SettingError, "cannot be written to .*File name too long"),
        (("--split", ""), DataError, "has no split ''"),
        (("--errors", "-1"), SettingError, "0 errors or more"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    small_study: Study,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    kind: type[SeerError],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = report(small_study.folder, tmp_path / "report.html", *arguments)
    assert isinstance(done.exception, kind)
    with pytest.raises(kind, match=said):
        raise done.exception
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_the_folder_of_notes_should_be_is_said(
    small_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").write_text("x")
    monkeypatch.setenv(NOTES_VARIABLE, str(tmp_path / "notes"))
    done = report(small_study.folder, tmp_path / "report.html")
    assert isinstance(done.exception, NotesError)
    assert "Not a directory" in str(done.exception)
