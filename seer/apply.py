"""A study's classifier and states on another corpus: no training, new sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seer.corpus import UNLABELLED, Corpus
from seer.errors import DataError
from seer.manifest import identity
from seer.progress import Progress, silent
from seer.storage import check_free, link_or_copy, write_version
from seer.study import ABSTRACTION, CHECKPOINT, CORPUS, TOKENIZER, TRACES, TRAINED_ON, WEIGHTS, Study

_COPIED = ("seed", "analysis", "abstraction", "quality", "sweep")  # what the manifest says of the model and the states


def apply_study(
    study: Study, corpus: Corpus, folder: Path, *, name: str | None = None, progress: Progress = silent
) -> Study:
    """Read another corpus with a study's classifier and states, and write that as a study of its own.

    Nothing is trained and no state is found anew: model, tokenizer, states, their figures of quality and the classes
    with their order are the study's. The manifest says what the model was trained on. Sentences are always stored.

    Args:
        study: gives the model, the tokenizer and the states.
        corpus: sentences, labelled or not, or pairs for a study of pairs. A label that is no class of the study's
            makes its rows unlabelled, with a notice.
        folder: of the new study; an older study there is replaced once the new one is whole.
        name: of the new study, by default the folder's.
        progress: told how far the model has read.

    Raises:
        DataError: pairs for a classifier of single sentences, or the other way round.
        StudyError: the folder cannot be written.
    """
    check_free(folder)
    if corpus.paired != study.paired:
        kinds = ("single sentences", "sentence pairs")
        raise DataError(
            f"The study {study.name} reads {kinds[study.paired]}; {corpus.name} holds {kinds[corpus.paired]}. "
            "Load it with the columns that fit."
        )
    corpus = with_classes(corpus, study.classes)
    traces = study.read(corpus.texts(), progress)

    def fill(version: Path) -> None:
        for file in (WEIGHTS, CHECKPOINT, TOKENIZER, ABSTRACTION):
            link_or_copy(study.version / file, version / file)
        corpus.save(version / CORPUS)
        traces.save(version / TRACES)

    write_version(folder, _manifest(study, corpus, name or folder.resolve().name), fill)
    return Study.open(folder)


def with_classes(corpus: Corpus, classes: Sequence[str]) -> Corpus:
    """The corpus with the given classes in the given order, without texts to train on.

    A class of the corpus is the one of the same name, else the only one whose name differs in case and outer blanks
    alone. Rows of any other class become unlabelled. Notices say what was matched, left out, or has no row.
    """
    exact = {name: number for number, name in enumerate(classes)}
    plain = Counter(map(_plain, classes))
    loose = {_plain(name): number for name, number in exact.items() if plain[_plain(name)] == 1}
    numbers = [exact.get(name, loose.get(_plain(name), UNLABELLED)) for name in corpus.classes]
    counts = np.bincount(corpus.labels[corpus.labels >= 0], minlength=len(numbers)).tolist()
    # The unlabelled rows' index −1 takes the last place.
    labels = np.array([*numbers, UNLABELLED], dtype=np.int32)[corpus.labels]
    table = corpus.table.set_column(corpus.table.schema.get_field_index("label"), "label", pa.array(labels))
    notices = []
    for name, number, count in zip(corpus.classes, numbers, counts, strict=True):
        if number == UNLABELLED:
            rows = "1 row is" if count == 1 else f"{count:,} rows are"
            notices.append(f"“{name}” is not a class of this model: {rows} taken as unlabelled.")
        elif name != classes[number]:
            notices.append(f"The class “{name}” is taken as the model's “{classes[number]}”.")
    if (labels >= 0).any():
        absent = np.flatnonzero(np.bincount(labels[labels >= 0], minlength=len(classes)) == 0).tolist()
        notices += [f"No row is labelled “{classes[number]}”." for number in absent]
    return replace(
        corpus,
        table=table,
        classes=tuple(classes),
        notices=(*corpus.notices, *notices),
        extra=corpus.extra.slice(0, 0),
    )


def _plain(name: str) -> str:
    return name.strip().casefold()


def _manifest(study: Study, corpus: Corpus, name: str) -> dict[str, Any]:
    old = study.manifest
    parts = {part: value for part, value in old["hashes"].items() if part != "corpus"}
    first: Mapping[str, Any] = old.get(TRAINED_ON) or {
        "name": study.trained_on,
        "corpus": old["hashes"]["corpus"],
        "study": study.name,
        "study_hash": study.hash,
    }
    quality_split = str(old.get("quality_split", "–"))
    if TRAINED_ON not in old:
        quality_split += f" of {first['name']}"
    said = (
        f"The classifier was trained on {first['name']}, and its states and their quality were found there; "
        f"the sentences here are those of {corpus.name}."
    )
    return {
        **identity(name, corpus, parts),
        **{field: old[field] for field in _COPIED if field in old},
        "quality_split": quality_split,
        "notices": [said, *corpus.notices],
        TRAINED_ON: dict(first),
    }
