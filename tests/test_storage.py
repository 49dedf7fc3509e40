import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from seer.analysis import AnalysisSettings, Found
from seer.errors import StudyError
from seer.manifest import save_found
from seer.models.checkpoint import save_weights
from seer.storage import (
    CHECK,
    MANIFEST,
    SCHEMA,
    check_free,
    content_hash,
    link_or_copy,
    read_manifest,
    version_name,
    write_version,
)
from seer.study import Study


def whole(digit: str) -> dict:
    parts = {"corpus": {"name": "x", "source": {}}, "abstraction": {}, "quality": {}, "hashes": {}}
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


# --- what a manifest may hold


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[" * 200_000, "its manifest.json cannot be read"),
        (b"\xff\xfe", "its manifest.json cannot be read"),
        (json.dumps(whole("a") | {"name": "\ud800"}), "its manifest.json cannot be read"),
        (" " * ((16 << 20) + 1), r"has 16,777,217 bytes, expected 16,777,216 at the most"),
        (json.dumps(whole("a") | {"notices": [1]}), "a value in notices is missing or no text"),
        (json.dumps(whole("a") | {"libraries": []}), "libraries is missing or no object"),
        (json.dumps(whole("a") | {"analysis": "x"}), "analysis is missing or no object"),
        (json.dumps(whole("a") | {"quality_split": 3}), "quality_split is missing or no text"),
        (json.dumps(whole("a") | {"seed": True}), "seed is missing or no whole number"),
        (json.dumps(whole("a") | {"sweep": [3]}), "a value in sweep is missing or no object"),
        (json.dumps(whole("a") | {"corpus": {"name": "x"}}), "corpus.source is missing or no object"),
        (json.dumps(whole("a") | {"hashes": {"corpus": 3}}), "a value in hashes is missing or no text"),
        (json.dumps(whole("a") | {"abstraction": {"notices": "x"}}), "abstraction.notices is missing or no list"),
        (json.dumps(whole("a") | {CHECK: "0" * 64}), "its manifest.json was changed after it was written"),
    ],
)
def test_an_odd_manifest_is_refused_by_its_field_and_the_study_s_name(tmp_path: Path, content, fault: str) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / MANIFEST).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(StudyError, match=f"The study odd is damaged: .*{fault}; restore it") as caught:
        read_manifest(tmp_path / "odd")
    assert str(tmp_path) not in str(caught.value)


def test_a_pipe_in_the_place_of_a_manifest_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / MANIFEST)
    with pytest.raises(StudyError, match="no plain file"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("name", ["../../etc", "b" * 16, "a" * 16 + "/..", "", 7])
def test_a_version_s_name_never_becomes_another_path(tmp_path: Path, name: object) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps(whole("a") | {"version": name}), encoding="utf-8")
    with pytest.raises(StudyError, match="damaged"):
        read_manifest(tmp_path)


def test_a_changed_manifest_is_noticed(tmp_path: Path) -> None:
    write_version(tmp_path / "s", whole("a"), fill_with("a"))
    written = read_manifest(tmp_path / "s")
    (tmp_path / "s" / MANIFEST).write_text(json.dumps(written | {"seed": 1}), encoding="utf-8")
    with pytest.raises(StudyError, match="was changed after it was written"):
        read_manifest(tmp_path / "s")
    (tmp_path / "s" / MANIFEST).write_text(json.dumps(written | {"name": "what I call it"}), encoding="utf-8")
    assert read_manifest(tmp_path / "s")["name"] == "what I call it"


# --- the same version once more


@pytest.mark.parametrize("damage", ["other", "gone", "more", "pipe", "link"])
def test_a_version_that_is_damaged_is_written_anew(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "study"
    write_version(folder, whole("a"), fill_with("a"))
    old = folder / ("a" * 16)
    if damage == "link":
        old.rename(tmp_path / "elsewhere")
        old.symlink_to(tmp_path / "elsewhere")
    elif damage == "more":
        (old / "more").write_text("sentences")
    else:
        (old / "file").unlink()
    if damage == "other":
        (old / "file").write_text("b")
    if damage == "pipe":
        os.mkfifo(old / "file")
    write_version(folder, whole("a"), fill_with("a"))
    manifest = read_manifest(folder)
    assert manifest["hash"] == "a" * 64
    assert {path.name: path.read_text() for path in (folder / version_name(manifest)).iterdir()} == {"file": "a"}
    assert sorted(path.name for path in folder.iterdir()) == [".lock", version_name(manifest), MANIFEST]
    assert damage != "link" or (tmp_path / "elsewhere" / "file").read_text() == "a"


def test_a_whole_version_stays_where_it_is_for_those_who_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    write_version(folder, whole("a"), fill_with("a"))
    before = (folder / ("a" * 16)).stat().st_ino
    write_version(folder, whole("a"), fill_with("a"))
    assert (folder / version_name(read_manifest(folder))).stat().st_ino == before


def test_links_are_neither_followed_nor_made_readable(tmp_path: Path) -> None:
    secret, link = tmp_path / "secret", tmp_path / "link"
    secret.write_text("x")
    secret.chmod(0o600)
    link.symlink_to(secret)
    write_version(tmp_path / "study", whole("a"), lambda version: (version / "file").symlink_to(secret))
    assert secret.stat().st_mode & 0o777 == 0o600
    link_or_copy(link, tmp_path / "taken")
    assert not (tmp_path / "taken").is_symlink()


# --- writing fails


@contextmanager
def full_disk() -> Iterator[None]:
    """No file grows beyond a hundred bytes: for a moment only, since that holds for the test run's own output too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def found_in(study: Study) -> Found:
    return Found(AnalysisSettings(), study.abstraction, study.quality, "test", (), study.traces)


WRITERS: dict[str, Callable[[Study, Path], object]] = {
    "weights": lambda study, place: save_weights(study.model, place / "x"),  # type: ignore[arg-type]
    "tokenizer": lambda study, place: study.tokenizer.save(place / "x"),
    "states": lambda study, place: save_found(found_in(study), place, keep_traces=False),
    "corpus": lambda study, place: study.corpus.save(place / "x"),
    "traces": lambda study, place: study.traces.save(place / "x"),
    "array": lambda _, place: np.save(place / "x.npy", np.zeros(1000)),
    "nothing but the manifest": lambda *_: None,
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_is_said_in_a_sentence_and_the_old_study_stays(
    small_study: Study, tmp_path: Path, writer: str
) -> None:
    (tmp_path / "s" / ("a" * 16)).mkdir(parents=True)
    (tmp_path / "s" / MANIFEST).write_text("old")
    before = sorted(tmp_path.rglob("*"))
    assert small_study.traces.steps  # read before
    with (
        pytest.raises(StudyError, match=r"study s could not be written \(.+\); what was there .* unchanged") as caught,
        full_disk(),
    ):
        write_version(tmp_path / "s", whole("b"), lambda place: WRITERS[writer](small_study, place))
    assert str(tmp_path) not in str(caught.value)
    assert "Errno" not in str(caught.value)
    assert (tmp_path / "s" / MANIFEST).read_text() == "old"
    assert [path for path in sorted(tmp_path.rglob("*")) if path.name != ".lock"] == before


@pytest.mark.parametrize("writer", WRITERS)
def test_a_folder_that_goes_while_it_is_written_is_said_and_stays_gone(
    small_study: Study, tmp_path: Path, writer: str
) -> None:
    def fill(place: Path) -> None:
        shutil.rmtree(tmp_path / "s")
        WRITERS[writer](small_study, place)

    with pytest.raises(StudyError, match="The study s was not written: its folder was removed meanwhile"):
        write_version(tmp_path / "s", whole("b"), fill)
