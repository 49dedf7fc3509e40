"""Uploads are kept by content; their names are only shown."""

import errno
import gzip
from pathlib import Path

import pytest

from seer.errors import DataError, SettingError
from seer.listing import study_folders
from seer.uploads import store_upload, uploads_folder

pytestmark = pytest.mark.hard_inputs(34, 38)

ODD = [
    "../../etc/passwd.csv",
    "/abs/x.csv",
    "a\0b.csv",
    "测试_🙂.csv",
    "<img src=x>.csv",
    "x" * 5000 + ".csv",
    "-rf.csv",
]


@pytest.fixture(autouse=True)
def studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEER_STUDIES", str(tmp_path / "studies"))
    return tmp_path / "studies"


@pytest.mark.parametrize("name", ODD)
def test_a_name_never_becomes_a_path(studies: Path, name: str) -> None:
    upload = store_upload(name, b"text,label\n")
    assert upload.name == name
    assert upload.path == uploads_folder() / upload.sha256 / f"upload-{upload.short}.csv"
    assert [path for path in studies.rglob("*") if path.is_file()] == [upload.path]
    assert upload.path.read_bytes() == b"text,label\n"
    assert ".uploads" not in study_folders()


def test_two_files_of_one_name_are_two_and_one_content_is_one() -> None:
    one, two, again = (store_upload(*given) for given in (("a.csv", b"1"), ("a.csv", b"2"), ("b.csv", b"1")))
    assert one.path != two.path
    assert one.path == again.path
    assert (one.name, again.name) == ("a.csv", "b.csv")


def test_the_ending_is_one_of_a_list() -> None:
    assert store_upload("A.CSV.GZ", gzip.compress(b"x", mtime=0)).path.name.endswith(".csv.gz")
    assert store_upload("x.json.csv", b"x").path.name.endswith(".csv")
    for name in ("x.pdf", "x", ".csv/", "csv", "x.csv.exe"):
        with pytest.raises(DataError, match="Expected a file whose name ends in"):
            store_upload(name, b"x")
    with pytest.raises(DataError, match=r"ends in \.pt;"):
        store_upload("x.csv", b"x", (".pt",))


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch, studies: Path) -> None:
    with pytest.raises(DataError, match="0 bytes"):
        store_upload("x.csv", b"")
    monkeypatch.setenv("SEER_MAX_UPLOAD_MB", "2")
    with pytest.raises(DataError, match=r"up to 2 MB \(SEER_MAX_UPLOAD_MB\), this one has 2\.5 MB"):
        store_upload("x.csv", b"x" * 2_500_000)
    monkeypatch.setenv("SEER_READ_ONLY", "1")
    with pytest.raises(SettingError, match="only shows studies"):
        store_upload("x.csv", b"x")
    assert not studies.exists()


def test_a_file_that_does_not_fit_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, studies: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("seer.uploads.os.replace", full)
    with pytest.raises(DataError, match=r"cannot be kept here \(No space left on device\); make room"):
        store_upload("a.csv", b"text,label\n")
    assert [path for path in studies.rglob("*") if path.is_file()] == []
