"""Studies of a model that is not stored: of its states and predictions alone, or of a module of one's own.

Both keep the hidden states, so that other states can be found in them, and open without the model as a study that shows
its own sentences and reads no other text.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from torch import nn

from seer.analysis import AnalysisSettings, analyse
from seer.corpus import Corpus
from seer.corpus.classes import with_classes
from seer.corpus.record import TRAIN
from seer.errors import DataError
from seer.manifest import Made
from seer.models.recorded import OwnModule, Recorded
from seer.parts import SPANS, STATES, states_hash, weights_hash
from seer.profile import ModelReader, StoredReader
from seer.progress import Progress, silent
from seer.recorded.steps import Steps, checked_steps
from seer.recorded.words import GivenWords, given_words
from seer.storage import check_free
from seer.study import Study
from seer.text import Tokenizer
from seer.traces import IntArray


def study_of_states(
    folder: str | Path,
    corpus: Corpus,
    *,
    states: npt.ArrayLike,
    lengths: npt.ArrayLike,
    probability: npt.ArrayLike,
    tokens: Sequence[Sequence[str]] | None = None,
    name: str | None = None,
    analysis: AnalysisSettings | None = None,
    sweep: bool = False,
    progress: Progress = silent,
) -> Study:
    """Make a study of n sentences whose hidden states and predictions are there already, and of no model.

    Args:
        folder: of the study; an older study there is replaced once the new one is whole.
        corpus: the n sentences, with the model's classes in the order of its outputs. What is in the split ``train``
            counts as trained on, all else as not.
        states: (N, H) hidden state after each word, sentence by sentence; stored as float32.
        lengths: (n,) words of each sentence, N in all.
        probability: (N, C) class probabilities after each word.
        tokens: the words of each sentence; without them the texts are split as seer splits them, where that gives as
            many words as there are states.
        name: of the study, by default the folder's.
        analysis: how to find the states.
        sweep: measure the quality for other numbers of states too.
        progress: told how far it is.

    Raises:
        DataError: the parts do not fit each other, or a number is not finite; the sentence names the row.
        StudyError: the folder cannot be written.
    """
    folder = Path(folder)
    check_free(folder)
    steps = checked_steps(corpus, states, lengths, probability)
    if not steps.offsets[-1]:
        raise DataError(f"{corpus.name}: no row has a step, so there are no states to group; check the lengths.")
    words = _own_words(corpus, steps.offsets) if tokens is None else given_words(corpus, tokens, steps.offsets)
    made_of = Recorded(len(corpus.classes), int(steps.states.shape[1]))
    return _write(folder, words, steps, made_of, {}, name, analysis or AnalysisSettings(), sweep, progress)


def study_of_module(
    module: nn.Module,
    tokenizer: Tokenizer,
    corpus: Corpus,
    folder: str | Path,
    *,
    classes: Sequence[str] | None = None,
    name: str | None = None,
    analysis: AnalysisSettings | None = None,
    sweep: bool = False,
    progress: Progress = silent,
) -> Study:
    """Make a study of any module that tells its hidden state and its prediction after each word.

    Methods of word relevance that need no more than predictions work on it (word removal, LIME, the random control);
    the others say that they do not. The module is not stored, only its states, its predictions and the hash of its
    weights: ``Study.open(folder)`` shows the study, and ``Study.open(folder, model=module)`` reads new texts too.

    Args:
        module: with ``hidden_states(batch)`` → (B, T, H) and ``predict_steps(batch)`` → (B, T, C) probabilities, where
            ``batch.ids`` (B, T) are word ids, 0 at padding, ``batch.lengths`` (B,) the words of each sentence, and
            ``batch.mask`` (B, T) true at words; on the CPU. What it gives at padding is not read.
        tokenizer: whose ids the module reads.
        corpus: sentences. What is in the split ``train`` counts as trained on, all else as not.
        folder: of the study; an older study there is replaced once the new one is whole.
        classes: in the order of the module's outputs, by default the corpus'.
        name: of the study, by default the folder's.
        analysis: how to find the states.
        sweep: measure the quality for other numbers of states too.
        progress: told how far it is.

    Returns:
        The study, with the module.

    Raises:
        ModelError: the module has not the two methods, or they give something else.
        DataError: no sentence has a word, or the sentences are pairs.
        StudyError: the folder cannot be written.
    """
    folder = Path(folder)
    check_free(folder)
    if corpus.paired:
        raise DataError(f"{corpus.name} holds sentence pairs; a module of one's own reads single sentences.")
    corpus = corpus if classes is None else with_classes(corpus, classes).corpus
    offsets, ids = tokenizer.encode(corpus.texts())
    if not len(ids):
        raise DataError("No sentence has a word to read, so there are no states to find; check the text column.")
    made_of = Recorded(len(corpus.classes), _width(module, len(corpus.classes), offsets, ids), type(module).__name__)
    with tempfile.TemporaryDirectory() as scratch:
        kept = np.lib.format.open_memmap(
            Path(scratch) / STATES, mode="w+", dtype=np.float32, shape=(len(ids), made_of.hidden)
        )
        probability = np.zeros((len(ids), made_of.classes), dtype=np.float32)
        for part in ModelReader(OwnModule(module, made_of), offsets, ids).steps(progress=progress):
            kept[part.steps], probability[part.steps] = part.states, part.probability
        steps, words = Steps(offsets, kept, probability), GivenWords(corpus, tokenizer, ids)
        hashes = {"weights": weights_hash(module)}
        _write(folder, words, steps, made_of, hashes, name, analysis or AnalysisSettings(), sweep, progress)
    return Study.open(folder, model=module)


def _width(module: nn.Module, classes: int, offsets: IntArray, ids: IntArray) -> int:
    """How many numbers a hidden state has: found on the shortest sentence."""
    lengths = np.diff(offsets)
    shortest = int(np.where(lengths > 0, lengths, lengths.max() + 1).argmin())
    reader = ModelReader(OwnModule(module, Recorded(classes, 1, type(module).__name__)), offsets, ids)
    return int(next(iter(reader.steps(np.array([shortest])))).states.shape[1])


def _write(
    folder: Path,
    words: GivenWords,
    steps: Steps,
    made_of: Recorded,
    hashes: Mapping[str, str],
    name: str | None,
    analysis: AnalysisSettings,
    sweep: bool,
    progress: Progress,
) -> Study:
    reader = StoredReader(steps.offsets, words.ids, steps.states, steps.probability)
    found = analyse(reader, words.corpus, analysis, with_sweep=sweep, progress=progress)

    def fill(place: Path) -> None:
        np.save(place / STATES, steps.states, allow_pickle=False)
        if words.spans is not None:
            np.save(place / SPANS, words.spans, allow_pickle=False)

    notices = [*words.corpus.notices]
    if TRAIN not in words.corpus.splits:
        notices.append("No split is named train, so no sentence counts as one that the model was trained on.")
    made = Made(
        words.corpus,
        words.tokenizer,
        made_of,
        found,
        analysis.seed,
        {},
        notices,
        hashes={**hashes, "states": states_hash(steps.states, steps.probability)},
        fill=fill,
    )
    return made.write(folder, name)


def _own_words(corpus: Corpus, offsets: IntArray) -> GivenWords:
    """The words as seer splits texts, where they are as many as the states.

    Raises:
        DataError: they are not.
    """
    tokenizer = Tokenizer.train(corpus.texts(), min_count=1)
    found, ids = tokenizer.encode(corpus.texts())
    wrong = np.flatnonzero(np.diff(found) != np.diff(offsets))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"{corpus.name}, row {corpus.ids[row]}: its text has {np.diff(found)[row]:,} words as seer splits it, and "
            f"there are {np.diff(offsets)[row]:,} states; give the tokens that the states belong to. "
            f"{len(wrong):,} of {len(corpus):,} rows differ so."
        )
    return GivenWords(corpus, tokenizer, ids)
