from pathlib import Path

import pytest

from seer.notes import Notes


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "study" / "notes.sqlite", "s" * 64, "c" * 64)
