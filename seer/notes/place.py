"""Where the notes of a study are kept."""

from __future__ import annotations

import os
from pathlib import Path

FILE = "notes.sqlite"
"""Name of the file in a study's folder."""
NOTES_VARIABLE = "SEER_NOTES"
"""Names a folder for the notes of all studies, where the studies themselves are read-only."""


def notes_path(folder: Path, name: str) -> Path:
    """Where the notes of a study are kept: in the folder that ``SEER_NOTES`` names, else with the study.

    Args:
        folder: of the study.
        name: of the study as the dashboard lists it, the name of its folder.
    """
    chosen = os.environ.get(NOTES_VARIABLE)
    return Path(chosen) / f"{name}.sqlite" if chosen else folder / FILE
