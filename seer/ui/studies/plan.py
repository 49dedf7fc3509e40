"""What the third step settles: which command is to run, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seer.jobs.commands import classify_command, data_command, import_command
from seer.listing import studies_root, study_folders
from seer.ui.studies.draft import Draft


@dataclass(frozen=True)
class Plan:
    """A command, all but the name of the study.

    Attributes:
        kind: train, import, classify or import-states.
        line: the model in words.
        options: beyond those of the data.
        file: of a model from elsewhere, or of its states.
        base: the study whose model reads the data.
        study: the study that is written, where it is there already.
        shown: what a new study would be called after.
        time: how long it may take, in words.
    """

    kind: str
    line: str
    options: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    base: str | None = None
    study: str | None = None
    shown: str = ""
    time: str = ""

    def argv(self, data: Draft, name: str) -> tuple[str, ...]:
        """What follows ``python -m seer``.

        Args:
            data: what is read.
            name: of the study that is written.
        """
        out, source = studies_root() / name, str(data.data)
        given = {**data.options, **self.options}
        if self.base is not None:
            given.pop("pairs", None)  # a study knows what it reads
            copy = None if self.study is not None else out
            return classify_command(study_folders()[self.base], source, {"out": copy, **given})
        if self.file:
            return import_command(self.kind, self.file, source, out, given)
        return data_command(self.kind, source, out, given)
