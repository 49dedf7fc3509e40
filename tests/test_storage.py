import json
import os
from pathlib import Path

import pytest

from seer.errors import StudyError
from seer.storage import MANIFEST, SCHEMA, content_hash, read_manifest, version_name, write_version


def manifest(digit: str) -> dict:
    return {"schema": SCHEMA, "hash": digit * 64, "name": "x"}


def fill_with(content: str):
    def fill(folder: Path) -> None:
        (folder / "file").write_text(content, encoding="utf-8")

    return fill


def test_a_new_version_replaces_the_old_one_whole(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    for digit in "ab":
        write_version(folder, manifest(digit), fill_with(digit))
        now = read_manifest(folder)
        assert (folder / version_name(now) / "file").read_text() == digit
    assert sorted(path.name for path in folder.iterdir()) == ["b" * 16, MANIFEST]


def test_a_failed_run_leaves_the_old_version(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    write_version(folder, manifest("a"), fill_with("a"))

    def broken(version: Path) -> None:
        (version / "file").write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_version(folder, manifest("b"), broken)
    assert read_manifest(folder)["hash"] == "a" * 64
    assert sorted(path.name for path in folder.iterdir()) == ["a" * 16, MANIFEST]


def test_leftovers_of_dead_runs_are_cleared_and_those_of_living_ones_kept(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    dead, living = folder / ".writing-99999999-x", folder / f".writing-{os.getpid()}-y"
    dead.mkdir()
    living.mkdir()
    write_version(folder, manifest("a"), fill_with("a"))
    assert not dead.exists()
    assert living.exists()


def test_other_peoples_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(StudyError, match="other files and no study"):
        write_version(tmp_path, manifest("a"), fill_with("a"))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "no study"), ("{", "cannot be read"), ("[]", "got None"), (json.dumps({"schema": 99}), "got 99")],
)
def test_what_is_no_study_says_so(tmp_path: Path, content: str | None, reason: str) -> None:
    if content is not None:
        (tmp_path / MANIFEST).write_text(content, encoding="utf-8")
    with pytest.raises(StudyError, match=reason):
        read_manifest(tmp_path)


def test_hashes_tell_lists_of_parts_apart() -> None:
    assert content_hash("ab", "c") != content_hash("a", "bc")
    assert content_hash("ab", b"c") == content_hash("ab", "c")
