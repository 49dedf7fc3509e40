"""Making a study: train a classifier on a corpus, find its states, write it all down."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from seer.abstraction import StateAbstraction
from seer.analysis import AnalysisSettings, fit_states, measure, read_traces, sweep_states
from seer.corpus import Corpus
from seer.errors import SettingError
from seer.manifest import identity, kept
from seer.models import AnyArchitecture, AnyModel
from seer.models.checkpoint import save_weights
from seer.models.classifier import Architecture
from seer.models.esim import PairArchitecture
from seer.models.training import Sentences, TrainingSettings, train, usual_training
from seer.progress import Progress, silent
from seer.quality import Quality
from seer.storage import check_free, link_or_copy, write_version
from seer.study import ABSTRACTION, CHECKPOINT, CORPUS, TOKENIZER, TRACES, WEIGHTS, Study, content_hashes
from seer.text import Tokenizer
from seer.traces import IntArray, Traces


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
    tokenizer = Tokenizer.train(
        corpus.texts(corpus.fitting_rows), lowercase=lowercase, min_count=min_count or (1 if corpus.paired else 2)
    )
    family = PairArchitecture if corpus.paired else Architecture
    made_of = family(tokenizer.size, len(corpus.classes), **_fields(family, architecture or {}))
    encoded, fitting = _encode(tokenizer, corpus), corpus.fitting_rows
    model, history = train(
        made_of,
        _sentences(corpus, encoded, fitting).joined(_extra(corpus, tokenizer)),
        _sentences(corpus, encoded, _rows_of(corpus, "validation")),
        training,
        progress,
    )
    return model_study(
        model,
        tokenizer,
        corpus,
        folder,
        name=name,
        origin={"training": training.as_dict(), "history": history},
        seed=training.seed,
        analysis=analysis,
        notices=_cut_notices(encoded.lengths[fitting], training.max_words),
        keep_sentences=keep_sentences,
        sweep=sweep,
        progress=progress,
    )


def model_study(
    model: AnyModel,
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
    found = _analyse(model, corpus, _encode(tokenizer, corpus), analysis or AnalysisSettings(), sweep, progress)
    checkpoint = {
        "architecture": model.architecture.as_dict(),
        "classes": list(corpus.classes),
        "tokenizer": tokenizer.hash,
        **origin,
    }

    def fill(version: Path) -> None:
        save_weights(model, version / WEIGHTS)
        (version / CHECKPOINT).write_text(json.dumps(checkpoint, indent=2, ensure_ascii=False), encoding="utf-8")
        tokenizer.save(version / TOKENIZER)
        if keep_sentences:
            corpus.save(version / CORPUS)
        found.save(version, keep_traces=keep_sentences)

    said = (*corpus.notices, *notices)
    manifest = _manifest(name or folder.resolve().name, corpus, tokenizer, model, seed, said, found)
    write_version(folder, manifest, fill)
    return Study.open(folder)


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
    corpus = study.corpus
    encoded = _encode(study.tokenizer, corpus)
    found = _analyse(study.model, corpus, encoded, analysis, sweep, progress)
    old = study.version

    def fill(version: Path) -> None:
        for file in (WEIGHTS, CHECKPOINT, TOKENIZER, CORPUS):
            if (old / file).exists():
                link_or_copy(old / file, version / file)
        found.save(version, keep_traces=(old / TRACES).exists())

    name = folder.resolve().name if folder else study.name
    notices = tuple(study.manifest.get("notices", ()))
    manifest = _manifest(name, corpus, study.tokenizer, study.model, study.manifest["seed"], notices, found)
    write_version(target, manifest | kept(study.manifest), fill)
    return Study.open(target)


def held_out_rows(corpus: Corpus) -> tuple[IntArray, str]:
    """The rows that quality is measured on, and the name of their split: test, else validation, else training."""
    split = next((split for split in ("test", "validation", "train") if split in corpus.splits), corpus.splits[0])
    return corpus.rows(split), split


class _Found:
    """What an analysis found; a private bundle between analysing and writing."""

    def __init__(
        self,
        settings: AnalysisSettings,
        abstraction: StateAbstraction,
        quality: Quality,
        split: str,
        sweep: list[Quality],
        traces: Traces,
    ) -> None:
        self.settings, self.abstraction, self.quality = settings, abstraction, quality
        self.split, self.sweep, self.traces = split, sweep, traces

    def save(self, version: Path, *, keep_traces: bool) -> None:
        safetensors.numpy.save_file(dict(sorted(self.abstraction.to_arrays().items())), version / ABSTRACTION)
        if keep_traces:
            self.traces.save(version / TRACES)


def _analyse(
    model: AnyModel,
    corpus: Corpus,
    encoded: Sentences,
    settings: AnalysisSettings,
    with_sweep: bool,
    progress: Progress,
) -> _Found:
    held_out, split = held_out_rows(corpus)
    if not encoded.lengths[held_out].any():
        held_out, split = corpus.fitting_rows, "train"
    offsets, ids, first = encoded.offsets, encoded.ids, encoded.first
    abstraction, sample = fit_states(
        model, offsets, ids, corpus.fitting_rows, held_out, settings, progress, first=first
    )
    quality = measure(abstraction, sample, progress)
    sweep = sweep_states(abstraction, sample, progress) if with_sweep else []
    traces = read_traces(model, abstraction, offsets, ids, progress, first=first)
    return _Found(settings, abstraction, quality, split, sweep, traces)


def _fields(family: type[AnyArchitecture], asked: Mapping[str, Any]) -> dict[str, Any]:
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


def _manifest(
    name: str,
    corpus: Corpus,
    tokenizer: Tokenizer,
    model: AnyModel,
    seed: int,
    notices: Sequence[str],
    found: _Found,
) -> dict[str, Any]:
    return {
        **identity(name, corpus, content_hashes(tokenizer, model, corpus.classes, found.abstraction)),
        "seed": seed,
        "notices": list(notices),
        "analysis": found.settings.as_dict(),
        "abstraction": found.abstraction.settings(),
        "quality": found.quality.record(),
        "quality_split": found.split,
        "sweep": [quality.record() for quality in found.sweep],
    }
