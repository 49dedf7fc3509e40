"""The command that writes the report."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from seer.cli.output import StudyName, UsualSplit, chosen_split, tell
from seer.errors import NotesError, SettingError
from seer.listing import listed_name
from seer.notes import Notes, notes_path
from seer.report import ERRORS, report_html
from seer.study import Study

_TEMPORARY = ".report-"


def report(
    study: StudyName,
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
    split: UsualSplit = None,
    notes: Annotated[Path | None, typer.Option(help="File of notes; the dashboard's by default.")] = None,
    errors: Annotated[int, typer.Option(help="Most wrong sentences shown.")] = ERRORS,
) -> None:
    """Write the study as one HTML file: figures, state machine, patterns, errors with traces, notes and plan."""
    opened = Study.open(study)
    chosen = chosen_split(opened, split)
    book = Notes(notes or notes_path(opened.folder, listed_name(opened.folder)))
    if not book.exists():
        if notes is not None:
            raise NotesError(f"There are no notes in {notes}; name the file that the dashboard wrote.")
        tell([f"There is no note on this study in {book.path}, so the report has no plan."])
    _write(out, report_html(opened, chosen, book.current(), errors=errors))
    print(out)


def _write(path: Path, page: str) -> None:
    """Put the page in place whole, or not at all."""
    temporary = ""
    try:
        if path.is_dir():
            raise SettingError(f"Expected a file to write, got the folder {path}; name a file such as report.html.")
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or error
        raise SettingError(f"The report cannot be written to {path} ({reason}); choose another place.") from error
