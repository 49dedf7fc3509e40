"""A model from elsewhere on labelled data: what was understood of it, and how often it is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from seer.corpus import Corpus
from seer.corpus.classes import with_classes
from seer.errors import DataError, ModelError, SettingError
from seer.imports.infer import Choices, Inferred, infer
from seer.imports.reading import SAMPLE, FoundVocabulary, Reading
from seer.imports.vocabulary import read_vocabulary
from seer.imports.weights import FoundWeights, read_weights
from seer.models.batches import by_length, make_batch, one_thread
from seer.models.classifier import RNNClassifier
from seer.progress import Progress, silent
from seer.text import UNKNOWN_ID
from seer.traces import IntArray

_FEW_KNOWN = 0.5
"""With a smaller share of known words, the vocabulary may be another one."""

TOLERANCE = 0.005
"""How far the accuracy may be from the one that is expected."""


@dataclass(frozen=True)
class SplitAccuracy:
    """Right predictions among the labelled rows with a word of a split, and the share of their largest class."""

    split: str
    right: int
    labelled: int
    largest: float

    @property
    def value(self) -> float:
        """Share of right predictions."""
        return self.right / self.labelled


@dataclass(frozen=True)
class ImportCheck:
    """What an import would make, and how well it does on the labelled data; nothing is written yet.

    Attributes:
        weights: what the weights' file is.
        vocabulary: what the vocabulary's file is.
        inferred: the model as its tensors tell it.
        model: filled in, in eval mode.
        corpus: the data, with the model's classes in the order of its outputs.
        accuracies: of each split with labelled rows; empty where nothing is labelled.
        notes: what was decided on the way, a sentence each.
    """

    weights: FoundWeights
    vocabulary: FoundVocabulary
    inferred: Inferred
    model: RNNClassifier
    corpus: Corpus
    accuracies: tuple[SplitAccuracy, ...]
    notes: tuple[str, ...]

    @property
    def usual(self) -> SplitAccuracy | None:
        """The accuracy to go by: on the test split, else validation, else the first; ``None`` without labels."""
        by_split = {each.split: each for each in self.accuracies}
        return next((by_split[name] for name in ("test", "validation", *by_split) if name in by_split), None)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against the import, a sentence each."""
        found = self.usual
        if found is None:
            return ("The data has no label to check the model with: whether it was read right is not known.",)
        if found.value > found.largest:
            return ()
        return (
            f"The model is right on {found.value:.1%} of {found.split}, no more than always naming the largest class "
            f"({found.largest:.1%}): the vocabulary, the order of the classes, the activation or the read-out may be "
            "another than the model was trained with.",
        )

    def expect(self, accuracy: float) -> None:
        """Stop where the accuracy is another than the one that is known of the model.

        Raises:
            ModelError: it differs by more than ``TOLERANCE``, or nothing is labelled.
            SettingError: it is no share.
        """
        if not 0 <= accuracy <= 1:
            raise SettingError(f"An accuracy lies from 0 to 1, such as 0.873; got {accuracy}.")
        found = self.usual
        if found is None:
            raise ModelError(f"Expected an accuracy of {accuracy:.4f}, but the data has no label to measure it with.")
        if abs(found.value - accuracy) > TOLERANCE:
            raise ModelError(
                f"Expected an accuracy of {accuracy:.4f}, found {found.value:.4f} on {found.labelled:,} rows of "
                f"{found.split}; the vocabulary, the order of the classes, the activation or the read-out may be "
                "another."
            )

    def record(self) -> dict[str, Any]:
        """JSON-able."""
        return {
            "weights": self.weights.kind,
            "vocabulary": self.vocabulary.kind,
            "words": self.vocabulary.size,
            "model": self.model.architecture.describe(),
            "architecture": self.model.architecture.as_dict(),
            "outputs": self.inferred.outputs,
            "classes": list(self.corpus.classes),
            "data": self.corpus.name,
            "rows": len(self.corpus),
            "data_notes": list(self.corpus.notices),
            "tensors": [asdict(use) | {"shape": list(use.shape)} for use in self.inferred.uses],
            "accuracy": [asdict(each) | {"value": each.value} for each in self.accuracies],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }


def check_import(
    weights: Path,
    vocabulary: Path,
    corpus: Corpus,
    *,
    choices: Choices | None = None,
    reading: Reading | None = None,
    classes: Sequence[str] | None = None,
    progress: Progress = silent,
) -> ImportCheck:
    """Read a model from elsewhere and measure it on labelled data; nothing is written.

    Args:
        weights: a safetensors file or a PyTorch file of plain weights; no code in it runs.
        vocabulary: ``tokenizer.json``, ``vocab.txt`` or a word list.
        corpus: sentences, labelled or not.
        choices: on the model, what the weights do not say.
        reading: on the texts, what the vocabulary does not say.
        classes: names in the order of the model's outputs (of a sigmoid: the class of 0, then of 1); by default the
            corpus' own order.
        progress: told how many rows are read.

    Raises:
        ModelError: a file is not what it should be, the parts do not fit, or no word of the data is in the
            vocabulary; nothing is ever half loaded.
        SettingError: a choice that contradicts the files.
        DataError: sentence pairs.
    """
    if corpus.paired:
        raise DataError(f"Imported models read single sentences; {corpus.name} holds pairs. Name one text column.")
    choices, reading = choices or Choices(), reading or Reading()
    if choices.length is not None:
        reading = replace(reading, length=choices.length)
    found = read_weights(weights)
    inferred = infer(found.tensors, choices)
    words = read_vocabulary(vocabulary, corpus.texts(corpus.fitting_rows[:SAMPLE]), reading)
    check_words(inferred.architecture.vocabulary, words.size)
    corpus, said = _with_outputs(corpus, inferred.architecture.classes, classes)
    model = _filled(inferred, words)
    accuracies, cut = _measure(model, words, corpus, progress)
    notes = (*found.notes, *inferred.notes, *words.notes, *said, *cut)
    return ImportCheck(found, words, inferred, model, corpus, accuracies, notes)


def check_words(rows: int, words: int) -> None:
    """Stop where the embedding has another number of rows than the vocabulary has words.

    Raises:
        ModelError: with both numbers.
    """
    if rows == words:
        return
    hint = "give the vocabulary that the model was trained with"
    if rows - words == 1:
        hint += "; where row 0 or the last row is only padding or the unknown word, write [PAD] or [UNK] at its line"
    raise ModelError(f"The embedding has {rows:,} rows, the vocabulary {words:,} words: {hint}.")


def _with_outputs(corpus: Corpus, outputs: int, classes: Sequence[str] | None) -> tuple[Corpus, list[str]]:
    """The corpus with the model's classes, and what is to be said of it."""
    if classes is not None:
        if len(classes) != outputs:
            raise SettingError(
                f"The model tells {outputs} classes apart, {len(classes)} are named: {', '.join(classes)}."
            )
        return with_classes(corpus, classes).corpus, []
    if len(corpus.classes) != outputs:
        named = ", ".join(corpus.classes) or "none"
        raise SettingError(
            f"The model tells {outputs} classes apart, the data has {len(corpus.classes)} ({named}); name the model's "
            "classes in the order of its outputs (on the command line: --classes)."
        )
    return corpus, [f"The model's outputs are taken to be {', '.join(corpus.classes)}, in this order."]


def _filled(inferred: Inferred, words: FoundVocabulary) -> RNNClassifier:
    """The classifier with all weights; the word vectors in the order of the tokenizer, zeros for words it added."""
    table, order = inferred.state["embedding.weight"], words.tokenizer.order
    there = (order >= 0) & (order < len(table))
    vectors = torch.zeros(len(order), table.shape[1])
    vectors[torch.from_numpy(there)] = table[torch.from_numpy(order[there])]
    with torch.random.fork_rng(devices=[]):
        model = RNNClassifier(replace(inferred.architecture, vocabulary=len(order)))
    model.load_state_dict(inferred.state | {"embedding.weight": vectors})
    return model.eval()


@torch.inference_mode()
def _measure(
    model: RNNClassifier, words: FoundVocabulary, corpus: Corpus, progress: Progress
) -> tuple[tuple[SplitAccuracy, ...], list[str]]:
    """The accuracy of each split with labelled rows; how many texts are cut, and whether few words are known."""
    tokenizer, texts = words.tokenizer, corpus.texts()
    offsets, ids = tokenizer.encode(texts)
    lengths, notes = np.diff(offsets), _known_notes(ids, corpus.name)
    used = (lengths > 0) & (corpus.labels >= 0)
    right = np.zeros(len(corpus), dtype=bool)
    done, total = 0, int(used.sum())
    with one_thread():
        for rows in by_length(np.where(used, lengths, 0)):
            predicted = model(make_batch(offsets, ids, rows)).argmax(1).numpy()
            right[rows] = predicted == corpus.labels[rows]
            done += len(rows)
            progress("accuracy", done, total)
    found = []
    for split in corpus.splits:
        rows = corpus.rows(split)
        rows = rows[used[rows]]
        if len(rows):
            largest = float(np.bincount(corpus.labels[rows]).max() / len(rows))
            found.append(SplitAccuracy(split, int(right[rows].sum()), len(rows), largest))
    notes += cut_notes(tokenizer.length, tokenizer.whole_lengths(texts) if tokenizer.length else lengths)
    return tuple(found), notes


def _known_notes(ids: IntArray, data: str) -> list[str]:
    """What is said where most words of the data are unknown.

    Raises:
        ModelError: all are: the vocabulary is another model's, or is written in another way than it was taken for.
    """
    share = float((ids != UNKNOWN_ID).mean()) if len(ids) else 1.0
    if not share:
        raise ModelError(
            f"No word of {data} is in the vocabulary: give the one that the model was trained with, as a plain word a "
            "line, or texts in its language."
        )
    return [f"Only {share:.1%} of the words of {data} are in the vocabulary."] if share < _FEW_KNOWN else []


def cut_notes(most: int | None, lengths: np.typing.NDArray[np.integer]) -> list[str]:
    """What is said of texts that are cut: how many, and the longest.

    Args:
        most: words that are read, ``None`` for all.
        lengths: (n,) words of each text before it is cut.
    """
    longer = 0 if most is None else int((lengths > most).sum())
    if not longer:
        return []
    are = "text is" if longer == 1 else "texts are"
    return [f"{longer:,} {are} cut to {most:,} words; of the longest, {most:,} of {int(lengths.max()):,} are used."]
