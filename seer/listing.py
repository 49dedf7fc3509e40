"""The studies that the dashboard lists, and the names it gives them."""

from __future__ import annotations

import os
from pathlib import Path

from seer.errors import SeerError
from seer.models.esim import PairArchitecture
from seer.parts import read_checkpoint
from seer.storage import MANIFEST, read_manifest
from seer.study import DEMOS

STUDIES_VARIABLE = "SEER_STUDIES"
DEMO_NAME = "demo"


def studies_root() -> Path:
    """The folder of studies that ``SEER_STUDIES`` names, ``studies`` by default; absolute."""
    return Path(os.environ.get(STUDIES_VARIABLE) or "studies").absolute()


def study_folders() -> dict[str, Path]:
    """Name → folder: the demos, then every study in the folder of studies; no folder whose name begins with a dot.

    What may not be read is left out, and so is a folder with the name of a demo, or with one that is no text.
    """
    root = studies_root()
    try:
        inside = sorted(root.iterdir()) if root.is_dir() else []
    except OSError:
        inside = []
    return DEMOS | {path.name: path for path in inside if path.name not in DEMOS and _holds_study(path)}


def listed_name(folder: Path) -> str:
    """The name under which the dashboard lists a study's folder, also through a link; else the folder's own name.

    Of several names for one folder the one that was asked for counts.
    """
    own = Path(os.path.abspath(folder)).name
    names = [name for name, listed in study_folders().items() if _same(listed, folder)]
    return own if own in names or not names else names[0]


def reads_pairs(folder: Path) -> bool:
    """Whether a study reads sentence pairs, without opening it; not so where that cannot be told."""
    try:
        return isinstance(read_checkpoint(folder, read_manifest(folder))[1], PairArchitecture)
    except SeerError:
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _holds_study(folder: Path) -> bool:
    try:
        folder.name.encode()  # a file system also takes bytes that are no text, which no page can show
        return not folder.name.startswith(".") and (folder / MANIFEST).is_file()
    except (OSError, UnicodeEncodeError):
        return False
