"""Files that people bring through the dashboard, kept by what is in them.

An upload's own name is only ever shown: the path is made of the content's hash and of an ending from a list, so that no
name can lead anywhere, and two files of one name are two.

::

    STUDIES/.uploads/<sha256>/upload-<first signs of it>.csv
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from seer.corpus.files import SUFFIXES as DATA_SUFFIXES
from seer.errors import DataError
from seer.hosting import check_writable, limits
from seer.listing import studies_root

SHOWN = 8
"""Signs of a hash that tell two files apart for a person."""
_MEGABYTE = 1_000_000
_DAY = 86_400.0
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Upload:
    """A file that was brought here.

    Attributes:
        name: as its owner calls it; never part of a path.
        sha256: of its content.
        size: in bytes.
        path: where it is kept.
    """

    name: str
    sha256: str
    size: int
    path: Path

    @property
    def short(self) -> str:
        """The first signs of the hash, which also stand in the name of the file kept."""
        return self.sha256[:SHOWN]


def store_upload(name: str, content: bytes | memoryview, suffixes: tuple[str, ...] = DATA_SUFFIXES) -> Upload:
    """Keep a file; the same content is kept once.

    Args:
        name: as its owner calls it.
        content: of the file.
        suffixes: endings that are taken.

    Raises:
        DataError: another kind of file, an empty one, one above ``SEER_MAX_UPLOAD_MB``, or no room.
        SettingError: this server is read-only.
    """
    check_writable()
    size, most = len(content), limits().upload_mb
    if size > most * _MEGABYTE:
        raise DataError(
            f"This server takes files up to {most:,} MB (SEER_MAX_UPLOAD_MB), this one has {size / _MEGABYTE:,.1f} MB; "
            "bring a part of it."
        )
    suffix = max((ending for ending in suffixes if name.lower().endswith(ending)), key=len, default=None)
    if suffix is None:
        raise DataError(f"Expected a file whose name ends in {', '.join(suffixes)}; save it as one of these.")
    if not size:
        raise DataError("The file is empty (0 bytes); bring one with content.")
    sha256 = hashlib.sha256(content).hexdigest()
    path = uploads_folder() / sha256 / f"upload-{sha256[:SHOWN]}{suffix}"
    try:
        if path.exists():
            os.utime(path.parent)  # brought anew: its days begin again
        else:
            _write(path, content)
    except OSError as error:
        raise DataError(
            f"The file cannot be kept here ({error.strerror or error}); make room, or tell the owner."
        ) from error
    return Upload(name, sha256, size, path)


def uploads_folder() -> Path:
    """Where uploads are kept, beside the studies; no list of studies shows it."""
    return studies_root() / ".uploads"


def prune_uploads(used: str, days: int) -> None:
    """Remove uploads that nothing needs any more.

    Args:
        used: a text that holds the hashes of those to be kept.
        days: how long others are kept.

    Raises:
        OSError: the folder cannot be read.
    """
    oldest = time.time() - days * _DAY
    for folder in uploads_folder().iterdir() if uploads_folder().is_dir() else ():
        if _HASH.fullmatch(folder.name) and folder.name not in used and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def _write(path: Path, content: bytes | memoryview) -> None:
    """Write a file whole or not at all: what is half written would keep a full disk full."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
