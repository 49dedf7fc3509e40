"""Files that can be read to their end: a pipe may wait for ever, and a device such as ``/dev/zero`` never ends."""

from __future__ import annotations

import os
from pathlib import Path

from seer.errors import ModelError


def check_file(path: Path, what: str) -> None:
    """Stop before a pipe or a device is opened; what is not there, or a folder, is for the reader to tell.

    Args:
        path: of a file that is to be read.
        what: is expected in it, for the message.

    Raises:
        ModelError: it is no ordinary file.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise ModelError(f"Expected {what} in {path.name}, found no ordinary file; copy what it gives into one.")
