"""Labelled text in: built-in sets, files and hub sets, as one ``Corpus``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seer.corpus.assemble import Labelled, assemble, finish
from seer.corpus.builtin import BUILTIN, CorpusInfo, builtin_corpora, read_builtin
from seer.corpus.files import SUFFIXES, read_files
from seer.corpus.hub import HUB_NAME, read_hub
from seer.corpus.record import SCHEMA, TEST, TRAIN, UNLABELLED, VALIDATION, Corpus
from seer.errors import DataError, SettingError

__all__ = ["SCHEMA", "UNLABELLED", "Corpus", "CorpusInfo", "builtin_corpora", "load_corpus", "reload_corpus"]


def load_corpus(
    name: str | Path,
    *,
    text: str | None = None,
    label: str | None = None,
    validation: str | Path | None = None,
    test: str | Path | None = None,
    config: str | None = None,
    revision: str | None = None,
    delimiter: str | None = None,
    seed: int = 0,
    limit: int | None = None,
) -> Corpus:
    """Load labelled texts.

    A set without splits is split 80/10/10, stratified by class; one without a validation split gets a tenth of its
    training rows as such. Row ids are the set's own column ``id`` where it is complete and unique, else row numbers of
    the source from 0, with the source's split before them (``test-12``) where it has several.

    Args:
        name: a built-in set (see ``builtin_corpora``), a file (CSV, TSV, JSON, JSONL, Parquet), or a hub name.
        text: text column; by default the first common name, such as text, sentence, review.
        label: label column; by default the first common name, such as label, class, sentiment.
        validation: file of the validation split, when ``name`` is the file of the training split.
        test: file of the test split, likewise.
        config: configuration of a hub set.
        revision: branch, tag or commit of a hub set.
        delimiter: between the fields of a CSV or TSV file; found by default.
        seed: of the split and of the subset; not negative.
        limit: take so many rows only, with the same mix of classes, before splitting.

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
    columns = {"text": text, "label": label}
    held_out = {key: str(Path(value).resolve()) for key, value in (("validation", validation), ("test", test)) if value}
    hub = {"config": config, "revision": revision}
    delimited = {"delimiter": delimiter}
    allowed = {"builtin": {}, "file": columns | held_out | delimited, "hub": columns | hub}[kind]
    given = {key: value for key, value in (columns | held_out | hub | delimited).items() if value is not None}
    stray = sorted(given.keys() - allowed.keys())
    if stray:
        kinds = {"builtin": "built-in set", "file": "file", "hub": "hub data set"}
        raise SettingError(f"{name} is a {kinds[kind]}, which takes no {' and no '.join(stray)}; leave it out.")
    source: dict[str, Any] = {"kind": kind, "name": name, **given, "seed": seed, "limit": limit}
    if kind == "builtin":
        rows, notices = _builtin(name)
    elif kind == "file":
        path = Path(name).resolve()
        paths = {TRAIN: path, **{split: Path(held_out[split]) for split in (VALIDATION, TEST) if split in held_out}}
        parts, hashes, notices = read_files(paths, text, label, delimiter)
        source |= {"name": str(path), "sha256": hashes}
        name = path.name
        rows, (source["text"], source["label"]), said = assemble(parts, text, label, name)
        notices += said
    else:
        parts, commit, notices = read_hub(name, text, label, config, revision)
        source |= {"revision": commit} if commit else {}
        rows, (source["text"], source["label"]), said = assemble(parts, text, label, name)
        notices += said
    return finish(name, rows, seed=seed, limit=limit, source=source, notices=notices)


def reload_corpus(source: Mapping[str, Any]) -> Corpus:
    """Load a corpus again from its ``source``, with the same columns, seed, limit and revision.

    Raises:
        DataError: the set cannot be found or read any more.
    """
    return load_corpus(**{key: value for key, value in source.items() if key not in ("kind", "sha256")})


def _kind(name: str) -> str:
    """``builtin``, ``file`` or ``hub``."""
    if name in BUILTIN:
        return "builtin"
    path = Path(name)
    if path.suffix.lower() in SUFFIXES or path.exists():
        return "file"
    if HUB_NAME.fullmatch(name):
        return "hub"
    raise DataError(
        f"{name!r} is no data set: name a built-in one ({', '.join(BUILTIN)}), a file that is there "
        f"({', '.join(SUFFIXES)}), or a hub set as owner/name."
    )


def _builtin(name: str) -> tuple[Labelled, list[str]]:
    texts, labels, classes, notices = read_builtin(name)
    ids = pa.array(np.arange(len(texts))).cast(pa.string())
    return Labelled(ids, texts, labels, classes, np.zeros(len(texts), dtype=np.int64), (TRAIN,)), notices
