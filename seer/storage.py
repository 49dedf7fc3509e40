"""A study's folder on disk.

::

    STUDY/
      manifest.json        the only entry point: what the study is, and which version is current
      3f0c9d…/             one folder a version, named by the study's hash; never changed once made

A version is written beside the old one under a temporary name and renamed, then the manifest is replaced in one step:
whoever opens the study at any moment, even after a killed run, finds the old version or the new one, whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from seer.errors import StudyError
from seer.processes import birth

SCHEMA = 1
MANIFEST = "manifest.json"
_TEMPORARY = ".writing-"
_VERSION = re.compile(r"[0-9a-f]{16}")
_HASH = re.compile(r"[0-9a-f]{64}")
_LEFTOVER = re.compile(r"\.writing-(\d+)-.*")
_LOCK = ".lock"

_FIELDS: dict[str, type] = {
    "name": str,
    "hash": str,
    "hashes": dict,
    "seed": int,
    "corpus": dict,
    "abstraction": dict,
    "quality": dict,
    "sweep": list,
}
"""What a manifest must hold, by type; whoever reads a field checks what is inside."""


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
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StudyError(
            f"There is no study in {folder}: expected a file {MANIFEST} there; train one first."
        ) from error
    except (ValueError, OSError) as error:
        raise StudyError(
            f"The study's {path} cannot be read ({error}); restore it or train the study again."
        ) from error
    found = manifest.get("schema") if isinstance(manifest, dict) else None
    if found != SCHEMA:
        raise StudyError(f"Expected a study of schema version {SCHEMA} in {folder}, got {found}; train it again.")
    for field, kind in _FIELDS.items():
        if not isinstance(manifest.get(field), kind):
            raise StudyError(
                f"The study's {path} is damaged: its {field} is missing or no {kind.__name__}; train again."
            )
    version_name(manifest)
    return dict(manifest)


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
            # One writer at a time from here on: another's clean-up would take this version for an old one.
            with FileLock(folder / _LOCK):
                check_current(folder, replaces)
                _publish(folder, manifest, temporary)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise StudyError(f"The study cannot be written to {folder}: {error}.") from error


def check_current(folder: Path, version: str | None) -> None:
    """Refuse to build on a version that was replaced.

    Args:
        folder: of the study.
        version: its hash; ``None`` when that does not matter.

    Raises:
        StudyError: another version is the current one.
    """
    if version is not None and read_manifest(folder)["hash"] != version:
        raise StudyError(f"The study in {folder} was changed in the meantime; open it again, and do this once more.")


def _publish(folder: Path, manifest: Mapping[str, Any], temporary: Path) -> None:
    version = folder / version_name(manifest)
    if not version.exists():
        os.replace(temporary, version)
    _replace_text(folder / MANIFEST, json.dumps(dict(manifest), indent=2, ensure_ascii=False) + "\n")
    for other in folder.iterdir():
        if _VERSION.fullmatch(other.name) and other != version:
            shutil.rmtree(other, ignore_errors=True)


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
        raise StudyError(f"A study cannot lie in {folder}: {error}.") from error
    if taken:
        raise StudyError(f"{folder} holds other files and no study; name a new folder, so that nothing is overwritten.")


def version_name(manifest: Mapping[str, Any]) -> str:
    """Folder of the version that a manifest makes current.

    Raises:
        StudyError: the manifest's hash is none; it never becomes another path.
    """
    found = str(manifest.get("hash"))
    if not _HASH.fullmatch(found):
        raise StudyError(f"The study's manifest is damaged: expected a SHA-256 as its hash, got {found[:80]!r}.")
    return found[:16]


def link_or_copy(source: Path, target: Path) -> None:
    """Take a file over from the version before, without a second copy where the file system can."""
    try:
        os.link(source, target)
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
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(name, 0o644)
    os.replace(name, path)
