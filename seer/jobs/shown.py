"""Commands and logs as people see them: with the names of files and studies, not with the places of this server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from seer.jobs.record import Job, command_line
from seer.listing import studies_root
from seer.study import DEMOS
from seer.uploads import uploads_folder

_PROJECT = Path(__file__).resolve().parents[2]
_CALLED, _DATA = "--called=", "--data="


def shown_command(argv: tuple[str, ...], names: Mapping[str, str]) -> str:
    """A command line for a person who has the same files, each under its own name, and studies in ``studies``.

    What the data are called is left out: their file bears that name there.

    Args:
        argv: what follows ``python -m seer``.
        names: what an upload's owner calls it, by the name under which it is kept.
    """
    return command_line(tuple(shown_text(word, names) for word in argv if not word.startswith(_CALLED)))


def job_command(job: Job) -> str:
    """The command line of a job; files beside the data are called as they are kept, by their hash."""
    called = _value(job.argv, _CALLED)
    data = _value(job.argv, _DATA) or job.argv[-1]
    return shown_command(job.argv, {} if called is None else {Path(data).name: called})


def shown_text(text: str, names: Mapping[str, str] | None = None) -> str:
    """A text without the folders of this server.

    Args:
        text: such as a log.
        names: see ``shown_command``.
    """
    uploads = re.compile(re.escape(f"{uploads_folder()}/") + r"[0-9a-f]{64}/(upload-[0-9a-f]{8}[.\w]*)")
    text = uploads.sub(lambda found: _plain((names or {}).get(found[1], found[1])), text)
    for name, folder in DEMOS.items():
        text = re.sub(re.escape(str(folder)) + r"(?![\w-])", name, text)
    return text.replace(f"{studies_root()}/", "studies/").replace(f"{_PROJECT}/", "")


def _value(argv: tuple[str, ...], option: str) -> str | None:
    return next((word.removeprefix(option) for word in argv if word.startswith(option)), None)


def _plain(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]
