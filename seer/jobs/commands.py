"""Command lines made of what a person chose: a value stands in one word with its option, so that none becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_SWITCHES = {
    ("pairs", True): "--task=pairs",
    ("labelled", False): "--no-label",
    ("header", True): "--header",
    ("header", False): "--no-header",
    ("lowercase", False): "--no-lowercase",
    ("sigmoid", False): "--softmax",
}
"""What does not follow the rule; any other ``False`` is no option."""


def options_of(given: Mapping[str, Any]) -> list[str]:
    """Options of the command line for keywords: ``--hidden=32``, ``--bidirectional``; nothing for ``None``.

    Args:
        given: keywords as ``load_corpus`` has them for data, and the options' own names with ``_`` for ``-`` else.
    """
    found = []
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            found += [_SWITCHES[name, value]] if (name, value) in _SWITCHES else [option] * value
        elif value is not None:
            found.append(f"{option}={value}")
    return found


def data_command(kind: str, data: str, out: Path | None, given: Mapping[str, Any]) -> tuple[str, ...]:
    """A command that reads data and writes a study: what follows ``python -m seer``.

    Args:
        kind: such as train.
        data: name of the set or path of the file.
        out: folder of the study, for commands that take one.
        given: see ``options_of``.
    """
    target = [] if out is None else [f"--out={out}"]
    return (kind, *target, *options_of(given), "--", data)


def import_command(kind: str, file: str, data: str, out: Path, given: Mapping[str, Any]) -> tuple[str, ...]:
    """A command that makes a study of what another program left in a file, and of data; see ``data_command``."""
    return (kind, f"--out={out}", *options_of({"data": data, **given}), "--", file)


def classify_command(study: Path, data: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The command that adds data to a study as one more split; see ``data_command``."""
    return ("classify", *options_of(given), "--", str(study), data)
