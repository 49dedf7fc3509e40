"""What a server's owner may switch off or limit."""

import signal

import pytest
from streamlit.proto.FileUploader_pb2 import FileUploader

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


@pytest.mark.parametrize("given", ["0", "-1", "many", "1.5", "²", "1000000001"])
def test_a_limit_that_is_no_number_is_refused(monkeypatch, given):
    monkeypatch.setenv("SEER_MAX_ROWS", given)
    with pytest.raises(SettingError, match=f"SEER_MAX_ROWS must be a whole number from 1 to 1[0,]+, got '{given}'"):
        limits()


@pytest.mark.parametrize("field", ["upload_mb", "rows", "job_minutes", "studies", "text_length", "upload_days"])
@pytest.mark.parametrize("digits", [11, 400, 5_000])
def test_a_limit_beyond_all_counting_is_refused_in_a_line(monkeypatch, field, digits):
    variable = f"SEER_MAX_{field.upper()}"
    monkeypatch.setenv(variable, "9" * digits)
    with pytest.raises(SettingError, match=f"{variable} must be a whole number from 1 to 1[0,]+, got '9+") as refused:
        limits()
    assert len(str(refused.value)) < 200


def test_the_largest_limits_are_what_the_program_counts_with(monkeypatch):
    monkeypatch.setenv("SEER_MAX_JOB_MINUTES", "10000000")
    monkeypatch.setenv("SEER_MAX_UPLOAD_MB", "10000000")
    try:
        signal.alarm(limits().job_minutes * 60)
    finally:
        signal.alarm(0)
    assert FileUploader(max_upload_size_mb=limits().upload_mb).max_upload_size_mb == 10_000_000


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
