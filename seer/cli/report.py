"""The command that writes the report."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from seer.cli.output import StudyName
from seer.errors import NotesError, SettingError
from seer.notes import Notes, notes_path
from seer.report import ERRORS, report_html
from seer.study import Study


def report(
    study: StudyName,
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
    split: Annotated[str | None, typer.Option(help="Split, or all; test by default.")] = None,
    notes: Annotated[Path | None, typer.Option(help="File of notes; the dashboard's by default.")] = None,
    errors: Annotated[int, typer.Option(help="Most wrong sentences shown.")] = ERRORS,
) -> None:
    """Write the study as one HTML file: figures, state machine, patterns, errors with traces, notes and plan."""
    opened = Study.open(study)
    if notes is not None and not notes.exists():
        raise NotesError(f"There are no notes in {notes}; name the file that the dashboard wrote.")
    found = Notes(notes or notes_path(opened.folder, opened.folder.resolve().name)).current()
    chosen = None if split == "all" else split or opened.usual_split
    _write(out, report_html(opened, chosen, found, errors=errors))
    print(out)


def _write(path: Path, page: str) -> None:
    """Put the page in place whole, or not at all."""
    if path.is_dir():
        raise SettingError(f"Expected a file to write, got the folder {path}; name a file such as report.html.")
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise SettingError(f"The report cannot be written to {path} ({error}); choose another place.") from error
