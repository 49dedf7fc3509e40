"""Making a study: train a classifier on a corpus, find its states, write it all down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from seer.analysis import AnalysisSettings, analyse
from seer.corpus import Corpus
from seer.errors import SettingError
from seer.manifest import Made, found_fields, identity, kept, save_found
from seer.models import BuiltArchitecture, BuiltModel
from seer.models.classifier import Architecture
from seer.models.esim import PairArchitecture
from seer.models.training import Sentences, TrainingSettings, check_classes, train, usual_training
from seer.parts import CHECKPOINT, CORPUS, SPANS, STATES, TOKENIZER, TRACES, WEIGHTS
from seer.profile import ModelReader
from seer.progress import Progress, silent
from seer.storage import array_hash, check_free, link_or_copy, write_version
from seer.study import Study
from seer.text import Tokenizer
from seer.traces import IntArray


def train_study(
    corpus: Corpus,
    folder: Path,
    *,
    name: str | None = None,
    architecture: Mapping[str, Any] | None = None,
    training: TrainingSettings | None = None,
    analysis: AnalysisSettings | None = None,
    lowercase: bool = True,
    min_count: int | None = None,
    keep_sentences: bool = True,
    sweep: bool = False,
    progress: Progress = silent,
) -> Study:
    """Train a classifier on the training split, analyse it, and write the study.

    Args:
        corpus: labelled sentences; its ``extra`` texts are trained on, and neither analysed nor stored.
        folder: of the study; an older study there is replaced once the new one is whole.
        name: of the study, by default the folder's.
        architecture: fields of ``Architecture`` other than the vocabulary and the classes, for pairs of
            ``PairArchitecture``; those that are ``None`` keep their default.
        training: how to train.
        analysis: how to find the states.
        lowercase: read upper case as lower case.
        min_count: words seen less often in the training split are unknown; by default 2, for pairs 1.
        keep_sentences: store sentences and traces in the folder; otherwise they are read and made again when the
            study opens, which needs a corpus that can be loaded again.
        sweep: measure the quality for other numbers of states too.
        progress: told how far it is.

    Raises:
        DataError: too little labelled text to train on.
        SettingError: a setting is out of its range.
        StudyError: the folder cannot be written.
    """
    check_free(folder)
    training = training or usual_training(corpus.paired)
    parts = training_parts(corpus, architecture, lowercase=lowercase, min_count=min_count)
    tokenizer, made_of, fitting, held_out = parts
    model, history = train(made_of, fitting, held_out, training, progress)
    return model_study(
        model,
        tokenizer,
        corpus,
        folder,
        name=name,
        origin={"training": training.as_dict(), "history": history},
        seed=training.seed,
        analysis=analysis,
        notices=_cut_notices(fitting.lengths[corpus.fitting_rows], training.max_words),
        keep_sentences=keep_sentences,
        sweep=sweep,
        progress=progress,
    )


def training_parts(
    corpus: Corpus, architecture: Mapping[str, Any] | None, *, lowercase: bool, min_count: int | None
) -> tuple[Tokenizer, BuiltArchitecture, Sentences, Sentences]:
    """What a training is made of: vocabulary, sizes, training sentences and validation sentences; see ``train_study``.

    Raises:
        DataError: fewer than two classes to train on.
        SettingError: a setting is out of its range.
    """
    tokenizer = Tokenizer.train(
        corpus.texts(corpus.fitting_rows), lowercase=lowercase, min_count=min_count or (1 if corpus.paired else 2)
    )
    encoded = _encode(tokenizer, corpus)
    fitting = _sentences(corpus, encoded, corpus.fitting_rows).joined(_extra(corpus, tokenizer))
    check_classes(fitting, len(corpus.classes), corpus.classes)
    family = PairArchitecture if corpus.paired else Architecture
    made_of = family(tokenizer.size, len(corpus.classes), **_fields(family, architecture or {}))
    return tokenizer, made_of, fitting, _sentences(corpus, encoded, _rows_of(corpus, "validation"))


def model_study(
    model: BuiltModel,
    tokenizer: Tokenizer,
    corpus: Corpus,
    folder: Path,
    *,
    name: str | None = None,
    origin: Mapping[str, Any],
    seed: int,
    analysis: AnalysisSettings | None = None,
    notices: Sequence[str] = (),
    keep_sentences: bool = True,
    sweep: bool = False,
    progress: Progress = silent,
) -> Study:
    """Analyse a model that is there already, and write the study.

    Args:
        model: in eval mode, with as many word vectors as the tokenizer has words.
        tokenizer: whose ids the model reads.
        corpus: sentences, with the model's classes in its order.
        folder: of the study; an older study there is replaced once the new one is whole.
        name: of the study, by default the folder's.
        origin: JSON-able; where the weights come from, for ``model.json``.
        seed: noted in the manifest.
        analysis: how to find the states.
        notices: beyond those of the corpus.
        keep_sentences: as in ``train_study``.
        sweep: measure the quality for other numbers of states too.
        progress: told how far it is.

    Raises:
        DataError: no sentence has a word.
        StudyError: the folder cannot be written.
    """
    encoded = _encode(tokenizer, corpus)
    reader = ModelReader(model, encoded.offsets, encoded.ids, encoded.first)
    found = analyse(reader, corpus, analysis or AnalysisSettings(), with_sweep=sweep, progress=progress)
    said = (*corpus.notices, *notices)
    made = Made(corpus, tokenizer, model.architecture, found, seed, origin, said, model)
    return made.write(folder, name, keep_sentences=keep_sentences)


def analyse_study(
    study: Study,
    analysis: AnalysisSettings,
    *,
    folder: Path | None = None,
    sweep: bool = False,
    progress: Progress = silent,
) -> Study:
    """Find the states of a study's classifier anew, with other settings, and write them down.

    Args:
        study: gives the model and the sentences.
        analysis: how to find the states.
        folder: where to write; by default into the study itself.
        sweep: measure the quality for other numbers of states too.
        progress: told how far it is.

    Raises:
        SettingError: a setting is out of its range.
        StudyError: the folder cannot be written.
    """
    target = folder or study.folder
    check_free(target)
    found = analyse(study.own_reader, study.corpus, analysis, with_sweep=sweep, progress=progress)
    old = study.version

    def fill(version: Path) -> None:
        for file in (WEIGHTS, CHECKPOINT, TOKENIZER, CORPUS, STATES, SPANS):
            if (old / file).exists():
                link_or_copy(old / file, version / file)
        save_found(found, version, keep_traces=(old / TRACES).exists())

    parts = study.manifest["hashes"] | {"abstraction": array_hash(found.abstraction.to_arrays())}
    manifest = {
        **identity(folder.resolve().name if folder else study.name, study.corpus, parts),
        "seed": study.manifest["seed"],
        "notices": list(study.manifest.get("notices", ())),
        **found_fields(found),
        **kept(study.manifest),
    }
    write_version(target, manifest, fill, replaces=study.hash if folder is None else None)
    return study.reopened(target)


def _fields(family: type[BuiltArchitecture], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that were asked for.

    Raises:
        SettingError: the family has no such field.
    """
    given = {name: value for name, value in asked.items() if value is not None}
    odd = sorted(given.keys() - {field.name for field in fields(family)})
    if odd:
        kind = "sentence pairs" if family is PairArchitecture else "single sentences"
        raise SettingError(f"A classifier of {kind} has no {' and no '.join(odd)}; leave it out.")
    return given


def _encode(tokenizer: Tokenizer, corpus: Corpus) -> Sentences:
    """All rows of the corpus."""
    if not corpus.paired:
        return Sentences(*tokenizer.encode(corpus.texts()), corpus.labels)
    offsets, ids, first = tokenizer.encode_pairs(corpus.texts())
    return Sentences(offsets, ids, corpus.labels, first)


def _sentences(corpus: Corpus, encoded: Sentences, rows: IntArray) -> Sentences:
    """The encoded sentences with labels, those outside ``rows`` unlabelled and so unused."""
    labels = np.full(len(corpus), -1, dtype=np.int32)
    labels[rows] = corpus.labels[rows]
    return replace(encoded, labels=labels)


def _extra(corpus: Corpus, tokenizer: Tokenizer) -> Sentences:
    """The corpus' extra texts, encoded."""
    return Sentences(*tokenizer.encode(corpus.extra["text"].to_pylist()), np.asarray(corpus.extra["label"]))


def _rows_of(corpus: Corpus, split: str) -> IntArray:
    return corpus.rows(split) if split in corpus.splits else np.zeros(0, dtype=np.int64)


def _cut_notices(lengths: IntArray, words: int) -> list[str]:
    longer = int((lengths > words).sum())
    if not longer:
        return []
    are = "text is" if longer == 1 else "texts are"
    return [f"{longer:,} {are} longer than {words:,} words: training read up to there, all else reads them whole."]
