"""Files of a study as they were written: plain, of the shape that this program writes, with the hash that is stated.

Errors call a study by its folder's name, and no library's words are in them.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from seer.errors import StudyError

MOST_BYTES = 16 << 20
"""Bytes of a JSON file that a study may bring: it is read whenever a page is drawn."""

_KINDS = {str: "text", int: "whole number", dict: "object", list: "list"}


def study_name(folder: Path) -> str:
    """What an error calls the study in a folder: never by its path, which is the server's own affair."""
    return os.path.basename(os.path.abspath(folder)).encode("utf-8", "replace").decode()


def damaged(folder: Path, fault: str) -> StudyError:
    """The error of a study that cannot be used as it lies there."""
    return StudyError(f"The study {study_name(folder)} is damaged: {fault}; restore it, or train or import it again.")


def mixed(folder: Path, fault: str) -> StudyError:
    """The error of a study whose files do not belong to each other."""
    return StudyError(f"The study {study_name(folder)} mixes files: {fault}; restore it, or train or import it again.")


def read_json(folder: Path, path: Path) -> Any:
    """The JSON in a file of a study, of text that can be shown.

    Raises:
        StudyError: there is no such file, it is too large, or holds something else.
    """
    try:
        if not path.is_file():  # a pipe or a device would keep the reader waiting
            raise damaged(folder, f"its {path.name} is missing or no plain file")
        if path.stat().st_size > MOST_BYTES:
            raise damaged(
                folder, f"its {path.name} has {path.stat().st_size:,} bytes, expected {MOST_BYTES:,} at the most"
            )
        found = json.loads(path.read_text(encoding="utf-8"))
        json.dumps(
            found, ensure_ascii=False
        ).encode()  # half a surrogate pair cannot be shown, and what is nested too deep not be written
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(folder, f"its {path.name} cannot be read") from error
    return found


def check_fields(folder: Path, file: str, found: Any, needed: Mapping[str, type], optional: Mapping[str, type]) -> None:
    """Refuse JSON of another shape than this program writes.

    Args:
        folder: of the study.
        file: name of the JSON file.
        found: what it holds.
        needed: types of what it must hold by its place: ``a.b`` is the field b of a, ``a.*`` each value in a; what
            holds something stands before what it holds.
        optional: types of what it may hold.

    Raises:
        StudyError: a field is missing or of another type.
    """
    if type(found) is not dict:
        raise damaged(folder, f"its {file} is no object")
    for path, kind in {**needed, **optional}.items():
        for value in _values(found, path.split("."), path in needed):
            if type(value) is not kind:
                field = f"a value in {path[:-2]}" if path.endswith(".*") else path
                raise damaged(folder, f"in its {file}, {field} is missing or no {_KINDS[kind]}")


def _values(found: Any, path: Sequence[str], needed: bool) -> Iterator[Any]:
    """What stands at a path; ``None`` for a needed field that is not there."""
    if not path:
        yield found
    elif path[0] == "*":
        yield from found.values() if isinstance(found, dict) else found
    elif path[0] in found or (needed and len(path) == 1):
        yield from _values(found.get(path[0]), path[1:], needed)


def plain_file(folder: Path, path: Path, name: str) -> Path:
    """The path of a file that can be read to its end: of no folder, pipe or device.

    Args:
        folder: of the study.
        path: of the file.
        name: what an error calls it.

    Raises:
        StudyError: it is missing, or something else.
    """
    try:
        if path.is_file():
            return path
    except OSError as error:
        raise damaged(folder, f"its {name} cannot be read") from error
    raise damaged(folder, f"its {name} is missing or no plain file")


def check_hash(folder: Path, path: Path, name: str, stated: str) -> None:
    """Refuse a file that is not the one which was written; the arguments are those of ``plain_file``.

    Raises:
        StudyError: its SHA-256 is not the stated one.
    """
    try:
        found = _file_hash(path)
    except OSError as error:
        raise damaged(folder, f"its {name} cannot be read") from error
    if found != stated:
        raise mixed(folder, f"its {name} does not match what its manifest says")


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_hashes(version: Path) -> dict[str, str]:
    """SHA-256 of each file in a folder by its name there; none of what is neither file nor folder."""
    return {
        str(path.relative_to(version)): _file_hash(path) if stat.S_ISREG(path.lstat().st_mode) else ""
        for path in sorted(version.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }
