"""AppTest runs the app as a server does after its first run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.pages_manager import PagesManager


@pytest.fixture(autouse=True)
def nothing_fails(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A page that fails says so in a sentence and in the log: no test may leave such a record there."""
    yield
    assert [record.getMessage() for record in caplog.get_records("call") if record.exc_info] == []


@pytest.fixture(autouse=True)
def notes_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the notes of one test, so that none are written beside the demo."""
    monkeypatch.setenv("SEER_NOTES", str(tmp_path / "notes"))
    return tmp_path / "notes"


@pytest.fixture(autouse=True)
def app_navigates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what a server learns once, that app.py has a navigation of its own; AppTest forgets it before every run.

    Without it a click would run the page file alone, which then starts over through app.py and has lost the click.
    """
    make = PagesManager.__init__

    def made(self: PagesManager, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", made)
