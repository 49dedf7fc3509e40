import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from seer.errors import StudyError
from seer.storage import MANIFEST, SCHEMA, check_free, content_hash, read_manifest, version_name, write_version


def whole(digit: str) -> dict:
    parts = {"corpus": {}, "abstraction": {}, "quality": {}, "hashes": {}}
    return {"schema": SCHEMA, "hash": digit * 64, "name": "x", "seed": 0, "sweep": [], **parts}


def fill_with(content: str):
    def fill(folder: Path) -> None:
        (folder / "file").write_text(content, encoding="utf-8")

    return fill


def test_a_new_version_replaces_the_old_one_whole(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    for digit in "ab":
        write_version(folder, whole(digit), fill_with(digit))
        now = read_manifest(folder)
        assert (folder / version_name(now) / "file").read_text() == digit
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "b" * 16, MANIFEST]


def test_a_failed_run_leaves_the_old_version(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    write_version(folder, whole("a"), fill_with("a"))

    def broken(version: Path) -> None:
        (version / "file").write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_version(folder, whole("b"), broken)
    assert read_manifest(folder)["hash"] == "a" * 64
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "a" * 16, MANIFEST]


def test_leftovers_of_dead_runs_are_cleared_and_those_of_living_ones_kept(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    dead, living = folder / ".writing-99999999-x", folder / f".writing-{os.getpid()}-y"
    dead.mkdir()
    living.mkdir()
    write_version(folder, whole("a"), fill_with("a"))
    assert not dead.exists()
    assert living.exists()


def test_other_peoples_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(StudyError, match="other files and no study"):
        write_version(tmp_path, whole("a"), fill_with("a"))
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


@pytest.mark.parametrize("found", ["../..", "/etc", "", None, "A" * 64])
def test_a_hash_never_becomes_another_path(tmp_path: Path, found: object) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps(whole(digit="a") | {"hash": found}), encoding="utf-8")
    with pytest.raises(StudyError, match="damaged"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("field", ["name", "hash", "hashes", "seed", "corpus", "abstraction", "quality", "sweep"])
def test_a_manifest_without_a_field_is_damaged(tmp_path: Path, field: str) -> None:
    for broken in ({k: v for k, v in whole("a").items() if k != field}, whole("a") | {field: None}):
        (tmp_path / MANIFEST).write_text(json.dumps(broken), encoding="utf-8")
        with pytest.raises(StudyError, match=field):
            read_manifest(tmp_path)


def test_strange_leftovers_do_not_stop_a_writer(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / ".writing-x").mkdir()
    write_version(folder, whole("a"), fill_with("a"))
    assert read_manifest(folder)["hash"] == "a" * 64


def test_writers_in_one_folder_leave_one_whole_study(tmp_path: Path) -> None:
    """Eight at once: the manifest's version is there in the end, whoever came last."""
    folder = tmp_path / "study"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda digit: write_version(folder, whole(digit), fill_with(digit)), "01234567"))
    now = read_manifest(folder)
    assert (folder / version_name(now) / "file").read_text() == now["hash"][0]


def test_a_name_too_long_for_the_disk_is_said_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="cannot lie"):
        check_free(tmp_path / ("n" * 300))
