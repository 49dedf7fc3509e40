"""A study's folder on disk.

::

    STUDY/
      manifest.json        the only entry point: what the study is, and which version is current
      3f0c9d…/             one folder a version, named by the study's hash; never changed once made
      3f0c9d…-2/           the same study in other files, as after one was damaged, or without its sentences

A version is written beside the old one under a temporary name and renamed, then the manifest is replaced in one step:
whoever opens the study at any moment, even after a killed run, finds the old version or the new one, whole.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from seer.errors import StudyError, shown
from seer.intact import check_fields, check_hash, damaged, file_hashes, plain_file, read_json, study_name
from seer.processes import birth

SCHEMA = 1
MANIFEST = "manifest.json"
_TEMPORARY = ".writing-"
_VERSION = re.compile(r"[0-9a-f]{16}(-[1-9]\d{0,5})?")
_HASH = re.compile(r"[0-9a-f]{64}")
_LEFTOVER = re.compile(r"\.writing-(\d+)-.*")
_LOCK = ".lock"

FILES, CHECK, VERSION = "files", "check", "version"
"""Fields of a manifest that ``write_version`` adds: SHA-256 of each file of the version, by its name; SHA-256 over all
other fields but the name, which a person may change; the version's folder, where that is not named by the hash alone.
Studies of earlier days lack them."""

NEEDED: dict[str, type] = {
    "name": str,
    "hash": str,
    "hashes": dict,
    "hashes.*": str,
    "seed": int,
    "corpus": dict,
    "corpus.name": str,
    "corpus.source": dict,
    "abstraction": dict,
    "quality": dict,
    "sweep": list,
    "sweep.*": dict,
}
"""What a manifest must hold, by type: ``a.b`` is the field b of a, ``a.*`` each value in a."""

OPTIONAL: dict[str, type] = {
    "made": str,
    "libraries": dict,
    "libraries.*": str,
    "analysis": dict,
    "abstraction.notices": list,
    "abstraction.notices.*": str,
    "quality_split": str,
    "notices": list,
    "notices.*": str,
    "trained_on": dict,
    "trained_on.*": str,
    "added": list,
    "added.*": str,
    FILES: dict,
    f"{FILES}.*": str,
    CHECK: str,
    VERSION: str,
}
"""What a manifest may hold, by type."""


def content_hash(*parts: bytes | str) -> str:
    """SHA-256 over the parts, each preceded by its length so that no two lists of parts collide."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def array_hash(arrays: Mapping[str, Any]) -> str:
    """SHA-256 over names, types, shapes and bytes of arrays, in the order of the names."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a study.

    Raises:
        StudyError: no study there, damaged, or of another schema version.
    """
    if not os.path.lexists(folder / MANIFEST):
        raise StudyError(f"There is no study in {folder}: expected a file {MANIFEST} there; train one first.")
    manifest = read_json(folder, folder / MANIFEST)
    found = manifest.get("schema") if isinstance(manifest, dict) else None
    if found != SCHEMA:
        raise StudyError(
            f"Expected a study of schema version {SCHEMA} in {study_name(folder)}, got {shown(found)}; train it again."
        )
    check_fields(folder, MANIFEST, manifest, NEEDED, OPTIONAL)
    version_name(manifest)
    if CHECK in manifest and manifest[CHECK] != _check(manifest):
        raise damaged(folder, f"its {MANIFEST} was changed after it was written")
    return dict(manifest)


def part(folder: Path, manifest: Mapping[str, Any], name: str, *, checked: bool = True) -> Path:
    """A file of a study's current version.

    Args:
        folder: of the study.
        manifest: of it.
        name: of the file, below the version's folder.
        checked: hold it against the hash in the manifest, where there is one; needless where its content is.

    Raises:
        StudyError: it is missing, no plain file, or not the one that was written.
    """
    path = plain_file(folder, folder / version_name(manifest) / name, name)
    stated = manifest.get(FILES, {}).get(name) if checked else None
    if stated is not None:
        check_hash(folder, path, name, stated)
    return path


def _check(manifest: Mapping[str, Any]) -> str:
    return content_hash(canonical({field: value for field, value in manifest.items() if field not in (CHECK, "name")}))


def write_version(
    folder: Path, manifest: Mapping[str, Any], fill: Callable[[Path], None], *, replaces: str | None = None
) -> None:
    """Make a new version current.

    Args:
        folder: the study, made when absent.
        manifest: JSON-able; its ``hash`` names the version.
        fill: writes the version's files into the folder it is given.
        replaces: hash of the version that this one was made from, and that must still be the current one.

    Raises:
        StudyError: the folder holds something else than a study, or cannot be written, or its study was replaced.
    """
    check_free(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        clear_leftovers(folder)
        check_current(folder, replaces)
        temporary = Path(tempfile.mkdtemp(prefix=f"{_TEMPORARY}{os.getpid()}-", dir=folder))
        try:
            fill(temporary)
            _make_readable(temporary)
            files = file_hashes(temporary)
            # One writer at a time from here on: another's clean-up would take this version for an old one.
            with FileLock(folder / _LOCK):
                check_current(folder, replaces)
                _publish(folder, manifest, temporary, files)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise _unwritten(folder, error) from error


def _unwritten(folder: Path, error: OSError) -> StudyError:
    name = study_name(folder)
    if error.errno == errno.ENOENT:
        return StudyError(f"The study {name} was not written: its folder was removed meanwhile. Start again.")
    # Arrays that do not fit on a disk come without a number of the error.
    reason = os.strerror(error.errno) if error.errno else "not all of it found room on the disk"
    return StudyError(
        f"The study {name} could not be written ({reason}); what was there before is unchanged. Start again once that "
        "is mended."
    )


def check_current(folder: Path, version: str | None) -> None:
    """Refuse to build on a version that was replaced.

    Args:
        folder: of the study.
        version: its hash; ``None`` when that does not matter.

    Raises:
        StudyError: another version is the current one.
    """
    if version is not None and read_manifest(folder)["hash"] != version:
        raise StudyError(
            f"The study {study_name(folder)} was changed in the meantime; open it again, and do this once more."
        )


def _publish(folder: Path, manifest: Mapping[str, Any], temporary: Path, files: Mapping[str, str]) -> None:
    version = _place(folder, version_name({"hash": manifest["hash"]}), files)
    written = {field: value for field, value in manifest.items() if field not in (FILES, CHECK, VERSION)}
    written[FILES] = dict(files)
    if version.name != version_name(written):
        written[VERSION] = version.name
    written = json.loads(json.dumps(written))  # as whoever reads it finds it
    written[CHECK] = _check(written)
    new = not version.exists()
    if new:
        os.replace(temporary, version)
    try:
        _replace_text(folder / MANIFEST, json.dumps(written, indent=2, ensure_ascii=False) + "\n")
    except OSError:
        if new:
            os.replace(version, temporary)
        raise
    for other in folder.iterdir():
        if _VERSION.fullmatch(other.name) and other != version:
            _remove(other)


def _place(folder: Path, name: str, files: Mapping[str, str]) -> Path:
    """Where a version lies: the folder that holds these very files already, else one that is free."""
    for number in count(1):
        place = folder / (name if number == 1 else f"{name}-{number}")
        if not os.path.lexists(place) or _holds(place, files):
            return place
    raise AssertionError("count never ends")


def _holds(version: Path, files: Mapping[str, str]) -> bool:
    try:
        return not version.is_symlink() and version.is_dir() and file_hashes(version) == files
    except OSError:  # damaged in a way that keeps it from being read, so it is not to be kept
        return False


def _remove(version: Path) -> None:
    if version.is_symlink() or not version.is_dir():
        version.unlink(missing_ok=True)
    else:
        shutil.rmtree(version, ignore_errors=True)


def check_free(folder: Path) -> None:
    """Refuse a place where a study would lie among other things; call it before long work.

    Raises:
        StudyError: the folder holds other files and no study, or is a file.
    """
    try:
        if folder.is_file():
            raise StudyError(f"{folder} is a file; name a new folder for the study.")
        taken = folder.exists() and not (folder / MANIFEST).exists() and any(_foreign(folder))
    except OSError as error:
        raise StudyError(f"A study cannot lie in {folder}: {error.strerror}.") from error
    if taken:
        raise StudyError(f"{folder} holds other files and no study; name a new folder, so that nothing is overwritten.")


def version_name(manifest: Mapping[str, Any]) -> str:
    """Folder of the version that a manifest makes current.

    Raises:
        StudyError: the manifest's hash is none, or its folder not named by it; neither becomes another path.
    """
    found = str(manifest.get("hash"))
    if not _HASH.fullmatch(found):
        raise StudyError(f"The study's manifest is damaged: expected a SHA-256 as its hash, got {shown(found)}.")
    name = str(manifest.get(VERSION, found[:16]))
    if not _VERSION.fullmatch(name) or name[:16] != found[:16]:
        raise StudyError(f"The study's manifest is damaged: expected a folder named by its hash, got {shown(name)}.")
    return name


def link_or_copy(source: Path, target: Path) -> None:
    """Take a file over from the version before, without a second copy where the file system can."""
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copyfile(source, target)


def clear_leftovers(folder: Path) -> None:
    """Remove what runs that are no longer there were writing into a study's folder."""
    for path in folder.iterdir():
        writer = _LEFTOVER.fullmatch(path.name)
        if writer is None or birth(int(writer[1])) is not None:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _make_readable(folder: Path) -> None:
    """Give others the right to read, which the temporary folder and some writers withhold."""
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)


def _foreign(folder: Path) -> list[Path]:
    """What lies in the folder beside a study's own files, whole or being written by others."""
    return [
        path
        for path in folder.iterdir()
        if not (path.name.startswith((_TEMPORARY, _LOCK, MANIFEST)) or _VERSION.fullmatch(path.name))
    ]


def _replace_text(path: Path, content: str) -> None:
    handle, name = tempfile.mkstemp(prefix=f"{_TEMPORARY}{os.getpid()}-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
