"""The options that say which data to read and how: declared once, taken by every command that reads data."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from seer.cli.options import Command, takes
from seer.corpus import Corpus, DataCheck, builtin_corpora, check_data, load_corpus


class Task(StrEnum):
    """What a row of the data is."""

    single = "single"
    pairs = "pairs"


@dataclass(frozen=True)
class DataOptions:
    """What a person said about the data, option by option; see ``load_corpus``."""

    data: Annotated[str, typer.Argument(metavar="DATA", help="Set known by name, file, or hub set (owner/name).")]
    called: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the data set is called; the file's name by default.")
    ] = None
    text: Annotated[str | None, typer.Option(help="Text column; A+B joins two. Guessed by default.")] = None
    label: Annotated[str | None, typer.Option(help="Label column. Guessed by default.")] = None
    second: Annotated[str | None, typer.Option(help="Hypothesis column of pairs; --text is the premise.")] = None
    task: Annotated[Task, typer.Option(help="Rows are single sentences or pairs of them.")] = Task.single
    validation: Annotated[Path | None, typer.Option(help="File of the validation split.")] = None
    test: Annotated[Path | None, typer.Option(help="File of the test split.")] = None
    delimiter: Annotated[str | None, typer.Option(help="Between the fields of a CSV; found by default.")] = None
    encoding: Annotated[str | None, typer.Option(help="Of text files, such as latin-1; found by default.")] = None
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="The first line of a CSV names the columns, or not.")
    ] = None
    no_label: Annotated[bool, typer.Option("--no-label", help="There is no label column.")] = False
    config: Annotated[str | None, typer.Option(help="Configuration of a hub set.")] = None
    revision: Annotated[str | None, typer.Option(help="Revision of a hub set.")] = None
    folder: Annotated[Path | None, typer.Option("--data", help="Folder of a set read from one, such as sst5.")] = None
    phrases: Annotated[bool, typer.Option("--phrases", help="Train on labelled phrases too (sst5).")] = False
    limit: Annotated[int | None, typer.Option(help="Use this many rows only.")] = None
    seed: Annotated[int, typer.Option(help="Seed of the split, and of what is made of it.")] = 0

    @property
    def labels_if_any(self) -> bool | None:
        """``labelled`` for data that need no labels: whether there is a label column, ``None`` to see."""
        return False if self.no_label else None if self.label is None else True

    @property
    def one_file(self) -> bool:
        """Whether the data are one file of a person's own, so that all rows can go into one split."""
        alone = self.validation is None and self.test is None
        return alone and os.path.isfile(self.data)  # of a name that is too long pathlib raises

    @property
    def packaged(self) -> bool:
        """Whether the data are a set that comes in a package, in one piece."""
        return any(self.data == info.name and info.package is not None for info in builtin_corpora())

    def named(self) -> dict[str, Any]:
        """The options as keywords of ``load_corpus`` and ``check_data``."""
        same = ("called", "text", "label", "second", "validation", "test", "delimiter", "encoding", "header", "config")
        return {name: getattr(self, name) for name in (*same, "revision", "phrases", "limit", "seed")} | {
            "pairs": self.task is Task.pairs,
            "labelled": not self.no_label,
            "data": self.folder,
        }

    def load(self, **more: Any) -> Corpus:
        """The corpus; ``more`` are further keywords of ``load_corpus``."""
        return load_corpus(self.data, **self.named() | more)

    def check(self) -> DataCheck:
        """What was understood of the data."""
        return check_data(self.data, **self.named())


def reads_data(
    *, without: Collection[str] = (), optional: bool = False, **changed: Any
) -> Callable[[Command], Command]:
    """Give a command the options of ``DataOptions``; see ``takes``. ``optional``: the data may be left out."""
    return takes(DataOptions, without=without, optional=optional, **changed)
