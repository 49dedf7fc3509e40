"""A model from elsewhere as a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from seer.analysis import AnalysisSettings
from seer.build import model_study
from seer.corpus import Corpus
from seer.imports.check import ImportCheck, check_import
from seer.imports.infer import Choices
from seer.imports.reading import Reading
from seer.progress import Progress, silent
from seer.storage import check_free
from seer.study import Study


def import_study(
    weights: Path,
    vocabulary: Path,
    corpus: Corpus,
    folder: Path,
    *,
    choices: Choices | None = None,
    reading: Reading | None = None,
    classes: Sequence[str] | None = None,
    expect: float | None = None,
    name: str | None = None,
    analysis: AnalysisSettings | None = None,
    keep_sentences: bool = True,
    sweep: bool = False,
    progress: Progress = silent,
) -> Study:
    """Read a model from elsewhere, measure it on labelled data, analyse it, and write the study.

    Args:
        weights: as in ``check_import``, like the next five.
        vocabulary: its file.
        corpus: sentences.
        folder: of the study; an older study there is replaced once the new one is whole.
        choices: on the model.
        reading: on the texts.
        classes: in the order of the model's outputs.
        expect: accuracy that the model is known to have; another one stops before anything is analysed.
        name: of the study, by default the folder's.
        analysis: how to find the states.
        keep_sentences: as in ``train_study``.
        sweep: measure the quality for other numbers of states too.
        progress: told how far it is.

    Raises:
        ModelError: a file is not what it should be, the parts do not fit, or the accuracy is not the expected one.
        SettingError: a choice that contradicts the files.
        DataError: sentence pairs, or no sentence has a word.
        StudyError: the folder cannot be written.
    """
    check_free(folder)
    check = check_import(
        weights, vocabulary, corpus, choices=choices, reading=reading, classes=classes, progress=progress
    )
    if expect is not None:
        check.expect(expect)
    return write_import(
        check,
        folder,
        name=name,
        analysis=analysis,
        keep_sentences=keep_sentences,
        sweep=sweep,
        progress=progress,
    )


def write_import(
    check: ImportCheck,
    folder: Path,
    *,
    name: str | None = None,
    analysis: AnalysisSettings | None = None,
    keep_sentences: bool = True,
    sweep: bool = False,
    progress: Progress = silent,
) -> Study:
    """Analyse a model that was checked, and write the study; the arguments are those of ``import_study``."""
    analysis = analysis or AnalysisSettings()
    return model_study(
        check.model,
        check.vocabulary.tokenizer,
        check.corpus,
        folder,
        name=name,
        origin={"imported": check.record()},
        seed=analysis.seed,
        analysis=analysis,
        notices=(*check.warnings, *check.notes),
        keep_sentences=keep_sentences,
        sweep=sweep,
        progress=progress,
    )
