"""Labelled text in: built-in sets, folders, files and hub sets, as one ``Corpus``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seer.corpus.assemble import Labelled, assemble, finish
from seer.corpus.builtin import BUILTIN, CorpusInfo, builtin_corpora, read_builtin
from seer.corpus.columns import Asked, Columns
from seer.corpus.files import SUFFIXES, read_files
from seer.corpus.folders import FOLDERS, folder_files
from seer.corpus.hub import HUB_NAME, read_hub
from seer.corpus.pairs import read_pairs
from seer.corpus.record import SCHEMA, TEST, TRAIN, UNLABELLED, VALIDATION, Corpus
from seer.corpus.trees import Tree, read_trees, training_phrases
from seer.errors import DataError, SettingError

__all__ = ["SCHEMA", "UNLABELLED", "Corpus", "CorpusInfo", "builtin_corpora", "load_corpus", "reload_corpus"]


def load_corpus(
    name: str | Path,
    *,
    text: str | None = None,
    label: str | None = None,
    second: str | None = None,
    pairs: bool = False,
    validation: str | Path | None = None,
    test: str | Path | None = None,
    config: str | None = None,
    revision: str | None = None,
    delimiter: str | None = None,
    data: str | Path | None = None,
    phrases: bool = False,
    split: str | None = None,
    seed: int = 0,
    limit: int | None = None,
) -> Corpus:
    """Load labelled texts.

    A set without splits is split 80/10/10, stratified by class; one without a validation split gets a tenth of its
    training rows as such. Row ids are the set's own column ``id`` where it is complete and unique, else row numbers of
    the source from 0, with the source's split before them (``test-12``) where it has several.

    Args:
        name: a set known by name (see ``builtin_corpora``), a file (CSV, TSV, JSON, JSONL, Parquet), or a hub name.
        text: text column; by default the first common name, such as text, sentence, review.
        label: label column; by default the first common name, such as label, class, sentiment.
        second: column of the hypothesis, when rows are sentence pairs and ``text`` is the premise's.
        pairs: rows are sentence pairs; without names the columns are guessed, such as premise and hypothesis.
        validation: file of the validation split, when ``name`` is the file of the training split.
        test: file of the test split, likewise.
        config: configuration of a hub set.
        revision: branch, tag or commit of a hub set.
        delimiter: between the fields of a CSV or TSV file; found by default.
        data: folder of a set that is read from one, such as sst5.
        phrases: train on the labelled phrases inside the training sentences too, where the set has them. They become
            the corpus' ``extra`` texts; rows are the sentences alone.
        split: put all rows of a single file into this split instead of sharing them out, such as test for rows that
            no model was trained on.
        seed: of the split and of the subset; not negative.
        limit: take so many rows only, with the same mix of classes, before splitting.

    A pair with one side without text stays: the model reads the other side, and its prediction counts. A notice says
    how many such pairs there are, and how many have no text at all, which get no prediction.

    Raises:
        DataError: the set cannot be found, reached or read.
        SettingError: a setting is out of range or does not go with this kind of set.
    """
    if seed < 0 or (limit is not None and limit < 1):
        raise SettingError(f"The seed must be 0 or more and the limit 1 or more; got seed {seed}, limit {limit}.")
    if delimiter is not None and (len(delimiter) != 1 or delimiter.isalnum() or delimiter in '"\r\n'):
        raise SettingError(f"The delimiter must be one character, neither letter, digit nor quote; got {delimiter!r}.")
    name = str(name)
    kind = _kind(name)
    columns = {"text": text, "label": label, "second": second, "pairs": pairs or None}
    asked = Asked(text, label, second, pairs)
    held_out = {key: str(Path(value).resolve()) for key, value in (("validation", validation), ("test", test)) if value}
    hub = {"config": config, "revision": revision}
    single_file = {"delimiter": delimiter, "split": split}
    folder: dict[str, Any] = {"data": str(Path(data).resolve()) if data else None, "phrases": phrases or None}
    everything = columns | held_out | hub | single_file | folder
    given = {key: value for key, value in everything.items() if value is not None}
    allowed = {
        "builtin": set(),
        "folder": FOLDERS[name].options if kind == "folder" else set(),
        "file": {*columns, *held_out, *single_file},
        "hub": {*columns, *hub},
    }
    stray = sorted(given.keys() - allowed[kind])
    if stray:
        kinds = {"builtin": "built-in set", "folder": "set read from a folder", "file": "file", "hub": "hub data set"}
        raise SettingError(f"{name} is a {kinds[kind]}, which takes no {' and no '.join(stray)}; leave it out.")
    if split is not None and (held_out or not split.strip()):
        raise SettingError("One split for all rows needs a name, and goes with no file of another split; leave it out.")
    source: dict[str, Any] = {"kind": kind, "name": name, **given, "seed": seed, "limit": limit}
    if kind == "builtin":
        rows, notices = _builtin(name)
    elif kind == "folder":
        files = folder_files(name, given.get("data"))
        if FOLDERS[name].pairs is not None:
            rows, source["sha256"], notices = read_pairs(FOLDERS[name], files["all"])
            return finish(name, rows, seed=seed, limit=limit, source=source, notices=notices)
        rows, trees, source["sha256"], notices = read_trees(files, FOLDERS[name].classes)
        corpus = finish(name, rows, seed=seed, limit=limit, source=source, notices=notices)
        return _with_phrases(corpus, trees) if phrases else corpus
    elif kind == "file":
        path = Path(name).resolve()
        paths = {TRAIN: path, **{split: Path(held_out[split]) for split in (VALIDATION, TEST) if split in held_out}}
        parts, hashes, notices = read_files(paths, asked, delimiter)
        source |= {"name": str(path), "sha256": hashes}
        name = path.name
        rows, found, said = assemble(parts, asked, name)
        notices += said
        source |= _read_from(found)
    else:
        parts, commit, notices = read_hub(name, asked, config, revision)
        source |= {"revision": commit} if commit else {}
        rows, found, said = assemble(parts, asked, name)
        notices += said
        source |= _read_from(found)
    return finish(name, rows, seed=seed, limit=limit, source=source, notices=notices, split=split)


def _read_from(columns: Columns) -> dict[str, Any]:
    """The columns as they are noted in a corpus' source."""
    named = {"text": columns.text, "label": columns.label, "second": columns.second}
    return {role: name for role, name in named.items() if name is not None}


def reload_corpus(source: Mapping[str, Any]) -> Corpus:
    """Load a corpus again from its ``source``, with the same columns, seed, limit and revision.

    Raises:
        DataError: the set cannot be found or read any more.
    """
    return load_corpus(**{key: value for key, value in source.items() if key not in ("kind", "sha256")})


def _kind(name: str) -> str:
    """``builtin``, ``folder``, ``file`` or ``hub``."""
    if name in BUILTIN:
        return "builtin"
    if name in FOLDERS:
        return "folder"
    path = Path(name)
    if path.suffix.lower() in SUFFIXES or path.exists():
        return "file"
    if HUB_NAME.fullmatch(name):
        return "hub"
    raise DataError(
        f"{name!r} is no data set: name a known one ({', '.join((*BUILTIN, *FOLDERS))}), a file that is there "
        f"({', '.join(SUFFIXES)}), or a hub set as owner/name."
    )


def _with_phrases(corpus: Corpus, trees: Mapping[str, Tree]) -> Corpus:
    extra = training_phrases(trees, frozenset(corpus.ids))
    said = (
        f"{len(extra):,} labelled phrases inside the training sentences are trained on too; they are no sentences of "
        "the study."
    )
    return replace(corpus, extra=extra, notices=(*corpus.notices, said))


def _builtin(name: str) -> tuple[Labelled, list[str]]:
    texts, labels, classes, notices = read_builtin(name)
    ids = pa.array(np.arange(len(texts))).cast(pa.string())
    return Labelled(ids, texts, labels, classes, np.zeros(len(texts), dtype=np.int64), (TRAIN,)), notices
