"""What a server's owner may switch off or limit."""

import pytest

from seer.errors import NotesError, SettingError
from seer.hosting import Limits, check_writable, limits, notes_read_only, read_only
from seer.notes import Note, Notes


@pytest.mark.parametrize(("given", "closed"), [("1", True), ("true", True), ("On", True), ("0", False), ("", False)])
def test_switches_are_read_when_asked(monkeypatch, given, closed):
    for variable, switch in (("SEER_READ_ONLY", read_only), ("SEER_NOTES_READ_ONLY", notes_read_only)):
        monkeypatch.setenv(variable, given)
        assert switch() == closed


def test_the_two_switches_stand_alone(monkeypatch):
    monkeypatch.setenv("SEER_READ_ONLY", "1")
    assert not notes_read_only()
    with pytest.raises(SettingError, match="only shows studies"):
        check_writable()


@pytest.mark.parametrize("field", ["upload_mb", "rows", "job_minutes", "studies", "text_length", "upload_days"])
def test_a_limit_is_set_by_its_variable(monkeypatch, field):
    assert limits() == Limits()
    monkeypatch.setenv(f"SEER_MAX_{field.upper()}", "12")
    assert getattr(limits(), field) == 12


@pytest.mark.parametrize("given", ["0", "-1", "many", "1.5", "²"])
def test_a_limit_that_is_no_number_is_refused(monkeypatch, given):
    monkeypatch.setenv("SEER_MAX_ROWS", given)
    with pytest.raises(SettingError, match=f"SEER_MAX_ROWS must be a whole number from 1, got '{given}'"):
        limits()


def test_closed_notes_are_read_and_not_written(monkeypatch, tmp_path):
    notes = Notes(tmp_path / "notes.sqlite")
    notes.put("7", Note(cause="negation"), "Ann")
    monkeypatch.setenv("SEER_NOTES_READ_ONLY", "1")
    writes = (
        lambda: notes.put("7", Note(cause="irony"), "Ann"),
        lambda: notes.put_many(["8"], {"text": "x"}, "Ann"),
        lambda: notes.undo("Ann"),
        lambda: notes.merge([]),
    )
    for write in writes:
        with pytest.raises(NotesError, match="takes none"):
            write()
    assert notes.current()["7"].note == Note(cause="negation")
