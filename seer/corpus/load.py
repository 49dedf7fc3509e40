"""Loading a data set: what may be asked for, and the way from a name to a corpus."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seer.corpus.asked import Asked, Written
from seer.corpus.assemble import Labelled, assemble
from seer.corpus.builtin import BUILTIN, read_builtin
from seer.corpus.columns import Columns
from seer.corpus.encodings import codec_named
from seer.corpus.files import KINDS, file_kind, read_files, whole_path
from seer.corpus.folders import FOLDERS, folder_files
from seer.corpus.hub import HUB_NAME, read_hub
from seer.corpus.pairs import read_pairs
from seer.corpus.reading import HEAD, FileRead, Reading
from seer.corpus.record import TEST, TRAIN, VALIDATION, Corpus
from seer.corpus.splits import finish
from seer.corpus.trees import Tree, read_trees, training_phrases
from seer.errors import DataError, SettingError, shown

_CALLED = {"builtin": "built-in set", "folder": "set read from a folder", "file": "file", "hub": "hub data set"}

MOST_CALLED = 200
"""Characters of what a set may be called."""


@dataclass(frozen=True)
class Request:
    """What ``load_corpus`` is asked for, checked.

    Raises:
        DataError: ``name`` is no data set.
        SettingError: a setting is out of range or does not go with this kind of set.
    """

    name: str
    called: str | None = None
    text: str | None = None
    label: str | None = None
    second: str | None = None
    pairs: bool = False
    labelled: bool | None = True
    validation: str | Path | None = None
    test: str | Path | None = None
    config: str | None = None
    revision: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    data: str | Path | None = None
    phrases: bool = False
    split: str | None = None
    like: Mapping[str, Any] | None = None
    seed: int = 0
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.seed < 0 or (self.limit is not None and self.limit < 1):
            raise SettingError(
                f"The seed must be 0 or more and the limit 1 or more; got seed {self.seed}, limit {self.limit}."
            )
        called = self.called
        if called is not None and not (called.strip() and called.isprintable() and len(called) <= MOST_CALLED):
            raise SettingError(
                f"Data are called by 1 to {MOST_CALLED} printable characters in one line; got {shown(called)}."
            )
        mark = self.delimiter
        if mark in ("tab", "\\t"):  # as a person types it in a shell or in a form
            object.__setattr__(self, "delimiter", mark := "\t")
        if mark is not None and (len(mark) != 1 or mark.isalnum() or mark in '"\r\n'):
            raise SettingError(f"The delimiter must be one character, neither letter, digit nor quote; got {mark!r}.")
        if self.encoding is not None:
            codec_named(self.encoding)
        stray = sorted(self.given.keys() - self._allowed())
        if "labelled" in stray:
            raise SettingError(
                f"{self.name} is a {_CALLED[self.kind]}, whose rows have labels of their own; leave --no-label out (in "
                "Python labelled=False)."
            )
        if "pairs" in stray:
            raise SettingError(f"{self.name} holds single sentences, and sentence pairs are needed; name another set.")
        if stray:
            raise SettingError(
                f"{self.name} is a {_CALLED[self.kind]}, which takes no {' and no '.join(stray)}; leave it out."
            )
        if self.split is not None and (self.held_out or not self.split.strip()):
            raise SettingError(
                "One split for all rows needs a name, and goes with no file of another split; leave it out."
            )

    @property
    def kind(self) -> str:
        """``builtin``, ``folder``, ``file`` or ``hub``."""
        if self.name in BUILTIN:
            return "builtin"
        if self.name in FOLDERS:
            return "folder"
        path = Path(self.name)
        if file_kind(path) is not None or os.path.exists(path):  # of a name that is too long pathlib raises
            return "file"
        if HUB_NAME.fullmatch(self.name):
            return "hub"
        raise DataError(
            f"{shown(self.name)} is no data set: name a known one ({', '.join((*BUILTIN, *FOLDERS))}), a file that is "
            f"there ({', '.join(KINDS)}, or one of these and .gz), or a hub set as owner/name."
        )

    @property
    def asked(self) -> Asked:
        """What is said of the columns."""
        roles = {} if self.like is None else self.like
        like = {role: roles[role] for role in ("text", "second", "label") if role in roles}
        return Asked(self.text, self.label, self.second, self.pairs, self.labelled, like)

    @property
    def held_out(self) -> dict[str, str]:
        """Whole path of the file of each other split."""
        files = {VALIDATION: self.validation, TEST: self.test}
        return {split: str(whole_path(path)) for split, path in files.items() if path}

    @property
    def given(self) -> dict[str, Any]:
        """All that was said but seed and limit, JSON-able, to be said again."""
        single = {name: getattr(self, name) for name in ("text", "label", "second", "config", "revision", "split")}
        single |= {name: getattr(self, name) for name in ("called", "delimiter", "encoding", "header")}
        flags = {"pairs": self.pairs or None, "phrases": self.phrases or None}
        folder = {"data": str(Path(self.data).resolve()) if self.data else None}
        everything = single | flags | folder | self.held_out
        known = {name: value for name, value in everything.items() if value is not None}
        own = self.labelled is None and self.kind in ("builtin", "folder")  # their labels are known
        return known if self.labelled is True or own else known | {"labelled": self.labelled}

    def _allowed(self) -> set[str]:
        columns = {"called", "text", "label", "second", "pairs", "labelled"}
        if self.kind == "file":
            return {*columns, VALIDATION, TEST, "delimiter", "encoding", "header", "split"}
        if self.kind == "hub":
            return {*columns, "config", "revision"}
        return {"called", *(FOLDERS[self.name].options if self.kind == "folder" else ("split",))}


def load_request(request: Request, reading: Reading) -> Corpus:
    """Load a data set.

    Args:
        request: what is asked for.
        reading: told what is understood, also when it has to stop.

    Raises:
        DataError: the set cannot be found, reached or read.
    """
    asked, kind, name = request.asked, request.kind, request.name
    source: dict[str, Any] = {"kind": kind, "name": name, **request.given}
    source |= {"seed": request.seed, "limit": request.limit}
    trees: Mapping[str, Tree] = {}
    if kind == "builtin":
        rows = _builtin(name, reading)
    elif kind == "folder":
        files = folder_files(name, request.given.get("data"))
        if FOLDERS[name].pairs is not None:
            rows, source["sha256"] = read_pairs(FOLDERS[name], files["all"], reading)
        else:
            rows, trees, source["sha256"] = read_trees(files, FOLDERS[name].classes, reading)
    else:
        if kind == "file":
            path = whole_path(name)
            paths = {TRAIN: path, **{split: Path(file) for split, file in request.held_out.items()}}
            written = Written(request.delimiter, request.encoding, request.header)
            parts, columns, hashes = read_files(paths, asked, written, reading)
            source |= {"name": str(path), "sha256": hashes}
            name = path.name
        else:
            parts, columns, commit = read_hub(name, asked, request.config, request.revision, reading)
            source |= {"revision": commit} if commit else {}
        _note_columns(columns, asked, reading)
        needed = asked.labelled is not None
        rows = assemble(parts, columns, name, reading, paired=asked.paired, needed=needed)
        source |= {role: found for role, found in columns.record().items() if found is not None}
        source |= {"labelled": False} if columns.label is None else {}
    if request.called is not None:
        reading.call(name, request.called)
        name = request.called
    corpus = finish(
        name, rows, seed=request.seed, limit=request.limit, source=source, notices=reading.notices, split=request.split
    )
    return _with_phrases(corpus, trees) if request.phrases else corpus


def _note_columns(columns: Columns, asked: Asked, reading: Reading) -> None:
    reading.columns = columns
    found = columns.record()
    guessed = {role for role, name in asked.named.items() if name is None and found[role] is not None}
    reading.guessed |= guessed
    if guessed and not columns.usual:
        reading.notices.append(columns.guess_notice())


def _builtin(name: str, reading: Reading) -> Labelled:
    texts, labels, classes, notices = read_builtin(name)
    reading.notices += notices
    reading.columns = Columns("text", "label")
    head = zip(texts[:HEAD].to_pylist(), (classes[label] for label in labels[:HEAD]), strict=True)
    reading.note(FileRead(TRAIN, name, ("text", "label"), tuple(head), unit="row", records=len(texts), read=len(texts)))
    return Labelled(
        pa.array(np.arange(len(texts))).cast(pa.string()),
        texts,
        labels,
        classes,
        np.zeros(len(texts), dtype=np.int64),
        (TRAIN,),
    )


def _with_phrases(corpus: Corpus, trees: Mapping[str, Tree]) -> Corpus:
    extra = training_phrases(trees, frozenset(corpus.ids))
    said = (
        f"{len(extra):,} labelled phrases inside the training sentences are trained on too; they are no sentences of "
        "the study."
    )
    return replace(corpus, extra=extra, notices=(*corpus.notices, said))
