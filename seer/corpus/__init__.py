"""Labelled text in: built-in sets, folders, files and hub sets, as one ``Corpus``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seer.corpus.builtin import CorpusInfo, builtin_corpora
from seer.corpus.check import DataCheck, check_data
from seer.corpus.files import SUFFIXES
from seer.corpus.load import Request, load_request
from seer.corpus.reading import FileRead, Reading, Rejected
from seer.corpus.record import SCHEMA, UNLABELLED, Corpus
from seer.corpus.repeats import Repeated, Repeats

__all__ = [
    "SCHEMA",
    "SUFFIXES",
    "UNLABELLED",
    "Corpus",
    "CorpusInfo",
    "DataCheck",
    "FileRead",
    "Rejected",
    "Repeated",
    "Repeats",
    "builtin_corpora",
    "check_data",
    "load_corpus",
    "reload_corpus",
]


def load_corpus(
    name: str | Path,
    *,
    called: str | None = None,
    text: str | None = None,
    label: str | None = None,
    second: str | None = None,
    pairs: bool = False,
    labelled: bool | None = True,
    validation: str | Path | None = None,
    test: str | Path | None = None,
    config: str | None = None,
    revision: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    data: str | Path | None = None,
    phrases: bool = False,
    split: str | None = None,
    like: Mapping[str, Any] | None = None,
    seed: int = 0,
    limit: int | None = None,
) -> Corpus:
    """Load labelled texts.

    A set without splits is split 80/10/10, stratified by class; one without a validation split gets a tenth of its
    training rows as such. Row ids are the set's own column ``id`` where it is complete and unique, else row numbers of
    the source from 0, with the source's split before them (``test-12``) where it has several.

    Args:
        name: a set known by name (see ``builtin_corpora``), a file (CSV, TSV, JSON, JSONL, Parquet, also
            with .gz), or a hub name.
        called: what a person calls the set, as its ``Corpus.name``; by default ``name``, or the file's without folder.
        text: text column; by default the first common name, such as text, sentence, review. ``title+body`` joins
            two columns with a blank. Where no column has a common name, text and label are guessed by what they hold,
            if that leaves no doubt.
        label: label column; by default the first common name, such as label, class, sentiment.
        second: column of the hypothesis, when rows are sentence pairs and ``text`` is the premise's.
        pairs: rows are sentence pairs; without names the columns are guessed, such as premise and hypothesis.
        labelled: False: there is no label column, and no row has a label; None: so it is when none has a common name.
        validation: file of the validation split, when ``name`` is the file of the training split.
        test: file of the test split, likewise.
        config: configuration of a hub set.
        revision: branch, tag or commit of a hub set.
        delimiter: between the fields of a CSV or TSV file; found by default.
        encoding: of text files, such as latin-1 or shift_jis; found by default.
        header: whether the first record of a CSV or TSV file names the columns; found out by default. Without one they
            are called ``column 1``, ``column 2`` and so on, and text and label are guessed by what they hold.
        data: folder of a set that is read from one, such as sst5.
        phrases: train on the labelled phrases inside the training sentences too, where the set has them. They become
            the corpus' ``extra`` texts; rows are the sentences alone.
        split: put all rows of a single file into this split instead of sharing them out, such as test for rows that
            no model was trained on.
        like: the ``source`` of another set: its columns are taken where none is named and they are there.
        seed: of the split and of the subset; not negative.
        limit: take so many rows only, with the same mix of classes, before splitting.

    Records that do not fit are left out with a notice that names the first lines, as long as they are few and it is
    clear where they end. A label that no training row has is none. ``check_data`` lists both, line by line.

    A pair with one side without text stays: the model reads the other side, and its prediction counts. A notice says
    how many such pairs there are, and how many have no text at all, which get no prediction.

    Raises:
        DataError: the set cannot be found, reached or read.
        SettingError: a setting is out of range or does not go with this kind of set.
    """
    request = Request(
        str(name),
        called=called,
        text=text,
        label=label,
        second=second,
        pairs=pairs,
        labelled=labelled,
        validation=validation,
        test=test,
        config=config,
        revision=revision,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        data=data,
        phrases=phrases,
        split=split,
        like=like,
        seed=seed,
        limit=limit,
    )
    return load_request(request, Reading())


def reload_corpus(source: Mapping[str, Any]) -> Corpus:
    """Load a corpus again from its ``source``, with the same columns, seed, limit and revision.

    Raises:
        DataError: the set cannot be found or read any more.
    """
    return load_corpus(**{key: value for key, value in source.items() if key not in ("kind", "sha256")})
