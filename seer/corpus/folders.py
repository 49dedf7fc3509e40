"""Data sets that a person has as files in a folder, by the names that their publishers gave those files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from seer.corpus.columns import Columns
from seer.corpus.record import TEST, TRAIN, VALIDATION
from seer.errors import DataError, SettingError


@dataclass(frozen=True)
class FolderSet:
    """A data set that cannot come with a package.

    Attributes:
        description: one line about it.
        classes: class names in the order of their numbers.
        files: name of each split's file.
        home: where a person gets them.
        phrases: whether it labels the phrases inside its sentences too.
        pairs: columns of a tab-separated file of sentence pairs; ``None`` for a set of trees.
        shares: how many rows each split has, where one file holds them in this order; the last takes the rest.
    """

    description: str
    classes: tuple[str, ...]
    files: Mapping[str, str]
    home: str
    phrases: bool = False
    pairs: Columns | None = None
    shares: Mapping[str, int] = field(default_factory=dict)

    @property
    def options(self) -> set[str]:
        """What can be said when it is loaded."""
        return {"data", *(["phrases"] if self.phrases else []), *(["pairs"] if self.pairs else [])}


FOLDERS: dict[str, FolderSet] = {
    "sst5": FolderSet(
        "11,855 movie review sentences as trees, a label on every phrase (Stanford Sentiment Treebank)",
        ("very negative", "negative", "neutral", "positive", "very positive"),
        {TRAIN: "train.txt", VALIDATION: "dev.txt", TEST: "test.txt"},
        "https://nlp.stanford.edu/sentiment/",
        phrases=True,
    ),
    "sick": FolderSet(
        "9,927 sentence pairs: entailment, neutral or contradiction (SICK)",
        ("CONTRADICTION", "ENTAILMENT", "NEUTRAL"),
        {"all": "SICK.txt"},
        "https://zenodo.org/records/2787612",
        pairs=Columns("sentence_A", "entailment_judgment", "sentence_B"),
        shares={TRAIN: 4500, VALIDATION: 500, TEST: 0},
    ),
}
"""The sets by name."""


def folder_files(name: str, data: str | None) -> dict[str, Path]:
    """The file of each split of a set.

    Args:
        name: a key of ``FOLDERS``.
        data: the folder.

    Raises:
        SettingError: no folder was named.
        DataError: it is no folder, or lacks a file.
    """
    found = FOLDERS[name]
    names = ", ".join(found.files.values())
    if data is None:
        raise SettingError(
            f"{name} is read from a folder that you have: name it with --data (in Python data=…). It needs {names} "
            f"from {found.home}"
        )
    folder = Path(data)
    if not folder.is_dir():
        raise DataError(f"There is no folder {data}; name the one with {name}'s files {names}.")
    missing = [file for file in found.files.values() if not (folder / file).is_file()]
    if missing:
        raise DataError(f"{data} lacks {', '.join(missing)}; {name} needs {names} from {found.home}")
    return {split: folder / file for split, file in found.files.items()}
