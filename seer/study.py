"""A study: one data set, one classifier, its states and traces, in a folder on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from scipy.sparse import csr_array

from seer.abstraction import StateAbstraction
from seer.analysis import read_traces
from seer.corpus import Corpus, reload_corpus
from seer.errors import DataError, ModelError, StudyError
from seer.machine import StateMachine
from seer.models import AnyArchitecture, AnyModel
from seer.models.checkpoint import load_model, read_architecture
from seer.models.classifier import RNNClassifier
from seer.models.esim import ESIM
from seer.models.prefixes import prefix_stride
from seer.patterns.words import state_words, stop_word_ids
from seer.progress import Progress, silent
from seer.quality import Quality
from seer.rates import wilson_interval
from seer.storage import array_hash, canonical, content_hash, read_manifest, version_name
from seer.text import PAD_ID, UNKNOWN_ID, Tokenizer
from seer.traces import FloatArray, IntArray, SentenceTrace, Traces

_DATA = Path(__file__).resolve().parent.parent / "data"
DEMO = _DATA / "demo"
DEMOS = {"demo": DEMO, "demo-pairs": _DATA / "demo-pairs"}
"""The studies that come with the program, by name: of sentences, and of sentence pairs."""

WEIGHTS, CHECKPOINT, TOKENIZER = "model.safetensors", "model.json", "tokenizer.json"
ABSTRACTION, CORPUS, TRACES = "abstraction.safetensors", "corpus.parquet", "traces"

TRAINED_ON = "trained_on"
"""Field of a manifest whose model came from another study: name and fingerprint of the corpus it was trained on."""


@dataclass(frozen=True)
class Accuracy:
    """Right predictions among labelled sentences with a word; the share lies in ``low``–``high`` (Wilson, 95 %)."""

    right: int
    labelled: int
    value: float
    low: float
    high: float

    @property
    def errors(self) -> int:
        """Number of wrong predictions."""
        return self.labelled - self.right


class Study:
    """An opened study. Everything is read or computed when first asked for, then kept.

    Attributes:
        folder: where it lies.
        manifest: what ``manifest.json`` says.
        version: the folder inside it that holds the files of this version.
        checkpoint: what ``model.json`` says: architecture, class names, tokenizer hash, training and its history.
        quality: how faithful and repeatable the abstraction is, on held-out sentences.
        sweep: the quality for other numbers of states, empty when no sweep was asked for.
    """

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest
        self.version = folder / version_name(manifest)
        try:
            self.checkpoint: dict[str, Any] = dict(json.loads((self.version / CHECKPOINT).read_text(encoding="utf-8")))
            self.tokenizer = Tokenizer.load(self.version / TOKENIZER)
            self.model: AnyModel = load_model(
                self.version / WEIGHTS, read_architecture(self.checkpoint["architecture"])
            )
            self.abstraction = StateAbstraction.from_arrays(
                safetensors.numpy.load_file(self.version / ABSTRACTION), manifest["abstraction"]
            )
            found = content_hashes(self.tokenizer, self.model, self.classes, self.abstraction)
            self.quality = Quality.from_record(manifest["quality"])
            self.sweep = tuple(Quality.from_record(record) for record in manifest["sweep"])
        except (OSError, *_MALFORMED, safetensors.SafetensorError) as error:
            raise StudyError(f"The study in {folder} is damaged ({_reason(error)}); train it again.") from error
        self._check(found)

    def _check(self, found: Mapping[str, str]) -> None:
        """Refuse files that are not those the manifest speaks of: they would be answered with wrong numbers."""
        stated = self.manifest["hashes"]
        if self.tokenizer.size != self.architecture.vocabulary:
            raise StudyError(
                f"The study in {self.folder} mixes files: its weights were made for {self.architecture.vocabulary} "
                f"words, its tokenizer has {self.tokenizer.size}; train it again."
            )
        odd = [part for part, value in found.items() if stated.get(part) != value]
        if odd or study_hash(stated) != self.hash:
            raise StudyError(
                f"The study in {self.folder} mixes files: its {' and '.join(odd or ['hash'])} do not match what its "
                "manifest says; train it again."
            )

    @classmethod
    def open(cls, where: str | Path) -> Study:
        """Open a study.

        Args:
            where: its folder, or ``"demo"`` or ``"demo-pairs"`` for those that come with the program.

        Raises:
            StudyError: there is none, or it is damaged.
        """
        folder = DEMOS[where] if isinstance(where, str) and where in DEMOS else Path(where)
        manifest = read_manifest(folder)
        if not (folder / version_name(manifest)).is_dir():  # replaced between the two looks: look once more
            manifest = read_manifest(folder)
        return cls(folder, manifest)

    @property
    def name(self) -> str:
        """What a person calls it."""
        return str(self.manifest["name"])

    @property
    def hash(self) -> str:
        """SHA-256 over the corpus, the tokenizer, the weights and the abstraction."""
        return str(self.manifest["hash"])

    @property
    def architecture(self) -> AnyArchitecture:
        """The model's architecture."""
        return self.model.architecture

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names in their stored order."""
        return tuple(self.checkpoint["classes"])

    @property
    def states(self) -> int:
        """Number of abstract states K."""
        return self.abstraction.states_

    @cached_property
    def corpus(self) -> Corpus:
        """The sentences: stored in the study, or read again from where they came.

        Raises:
            StudyError: they are not what the study was made of.
        """
        path = self.version / CORPUS
        try:
            corpus = Corpus.load(path) if path.exists() else reload_corpus(self.manifest["corpus"]["source"])
        except _MALFORMED as error:
            raise StudyError(f"The study in {self.folder} is damaged ({_reason(error)}); train it again.") from error
        if corpus.fingerprint != self.manifest["hashes"].get("corpus"):
            raise StudyError(
                f"The sentences of {corpus.name} are not those that the study {self.name} was made of; "
                "install the package versions of requirements.txt, or train the study again."
            )
        return corpus

    @property
    def paired(self) -> bool:
        """Whether its rows are sentence pairs: a premise, a line break and a hypothesis."""
        return isinstance(self.model, ESIM)

    @property
    def noun(self) -> str:
        """What a row is called: pair or sentence."""
        return "pair" if self.paired else "sentence"

    @property
    def classifier(self) -> RNNClassifier:
        """The model, for what is defined on single sentences alone.

        Raises:
            ModelError: it reads sentence pairs.
        """
        if isinstance(self.model, ESIM):
            raise ModelError(
                f"This needs a classifier of single sentences; the study {self.name} reads sentence pairs."
            )
        return self.model

    @property
    def pair_model(self) -> ESIM:
        """The model, for what is defined on sentence pairs alone.

        Raises:
            ModelError: it reads single sentences.
        """
        if not isinstance(self.model, ESIM):
            raise ModelError(
                f"This needs a classifier of sentence pairs; the study {self.name} reads single sentences."
            )
        return self.model

    def read(self, texts: Sequence[str], progress: Progress = silent) -> Traces:
        """The traces of any texts; a pair is a premise, a line break and a hypothesis."""
        if self.paired:
            offsets, ids, first = self.tokenizer.encode_pairs(texts)
            return read_traces(self.model, self.abstraction, offsets, ids, progress, first=first)
        return read_traces(self.model, self.abstraction, *self.tokenizer.encode(texts), progress)

    @cached_property
    def traces(self) -> Traces:
        """The traces of all sentences in the order of the corpus: stored in the study, or made now."""
        if not (self.version / TRACES).is_dir():
            return self.read(self.corpus.texts())
        traces = Traces.load(self.version / TRACES)
        if traces.sentences != len(self.corpus) or traces.classes != len(self.classes):
            raise StudyError(
                f"The study in {self.folder} mixes files: traces of {traces.sentences} sentences and {traces.classes} "
                f"classes for {len(self.corpus)} sentences and {len(self.classes)} classes; analyse it again."
            )
        return traces

    def rows(self, split: str | None = None) -> IntArray:
        """Positions of a split's sentences, of all without one.

        Raises:
            DataError: no such split.
        """
        return self.corpus.rows(split)

    @property
    def trained_on(self) -> str:
        """Name of the corpus that the model was trained on: the study's own, unless the model came from another."""
        other = self.manifest.get(TRAINED_ON)
        return str(self.manifest["corpus"]["name"] if other is None else other["name"])

    @cached_property
    def trained_rows(self) -> IntArray:
        """Positions of the sentences that the model was trained on; none where it came from another study."""
        return self.corpus.rows()[:0] if TRAINED_ON in self.manifest else self.corpus.fitting_rows

    @property
    def usual_split(self) -> str:
        """The split to look at first: test, else validation, else whatever there is."""
        splits = self.corpus.splits
        return next((split for split in ("test", "validation") if split in splits), splits[0])

    @lru_cache(maxsize=16)  # noqa: B019 — a study is kept for the life of the process, and its machines are small
    def split_traces(self, split: str | None = None) -> Traces:
        """The traces of one split, of all without one."""
        return self.traces if split is None else self.traces.select(self.rows(split))

    @lru_cache(maxsize=16)  # noqa: B019
    def machine(self, split: str | None = None) -> StateMachine:
        """The state machine of one split, of all sentences without one."""
        labels = self.corpus.labels[self.rows(split)]
        return StateMachine.count(self.split_traces(split), labels, self.states, self.classes)

    @lru_cache(maxsize=16)  # noqa: B019
    def word_counts(self, split: str | None = None) -> csr_array:
        """(K+1, V) how often each word is read into each state, in one split or all sentences."""
        return state_words(self.split_traces(split), self.tokenizer.size, self.states)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Id → word as a person should read it: the unknown word is called so."""
        return "(padding)", "(unknown)", *self.tokenizer.words[2:]

    @cached_property
    def _word_ids(self) -> dict[str, int]:
        return {word: number for number, word in reversed(list(enumerate(self.words)))}

    def phrase_ids(self, phrase: str) -> tuple[int, ...] | None:
        """The ids of words as ``words`` has them, with a blank between; None when one of them is not there."""
        ids = tuple(self._word_ids.get(word, PAD_ID) for word in phrase.split(" "))
        return None if PAD_ID in ids else ids

    def as_phrase(self, text: str) -> str:
        """A text as its words in ``words``, with a blank between: ``It isn't`` → ``it is n't``."""
        _, ids = self.tokenizer.encode([text])
        return " ".join(self.words[number] for number in ids)

    @cached_property
    def stop_words(self) -> frozenset[int]:
        """Ids of stop words, punctuation, padding and the unknown word, which say little about a state."""
        return stop_word_ids(self.tokenizer.words) | {PAD_ID, UNKNOWN_ID}

    @cached_property
    def places(self) -> FloatArray:
        """(K, 2) the states' centres on the first two principal components, for a map; 0 where there is but one."""
        centres = self.abstraction.centers_[:, :2]
        return np.pad(centres, ((0, 0), (0, 2 - centres.shape[1])))

    def accuracy(self, split: str | None = None) -> Accuracy:
        """Right predictions among a split's labelled sentences with a word, with the Wilson interval."""
        machine = self.machine(split)
        labelled, right = int(machine.labelled[0]), int(machine.labelled[0] - machine.errors[0])
        low, high = wilson_interval(right, labelled).tolist()
        return Accuracy(right, labelled, right / labelled if labelled else float("nan"), low, high)

    def summary(self) -> dict[str, Any]:
        """The study in a few figures, JSON-able; accuracy per split, ``None`` where nothing is labelled."""
        quality = self.quality.record()
        accuracies = {split: self.accuracy(split) for split in self.corpus.splits}
        return {
            "name": self.name,
            "dataset": self.corpus.name,
            "classes": list(self.classes),
            "sentences": len(self.corpus),
            "tokens": self.traces.steps,
            "accuracy": {split: a.value if a.labelled else None for split, a in accuracies.items()},
            "states": self.states,
            "components": len(self.abstraction.components_),
            "method": self.abstraction.method,
            "fidelity_step": quality["fidelity_step"],
            "fidelity_final": quality["fidelity_final"],
            "purity": quality["purity"],
            "stability": quality["stability"],
            "majority": quality["majority_step"],
            "seed": self.manifest["seed"],
            "hash": self.hash,
        }

    def trace(self, text: str) -> SentenceTrace:
        """Read any text word by word; a pair is a premise, a line break and a hypothesis."""
        return self._sentence_trace(text, self.read([text]))

    def sentence(self, row: int) -> SentenceTrace:
        """The trace of the corpus row at a position.

        Raises:
            DataError: there is no such position.
        """
        if not 0 <= row < len(self.corpus):
            raise DataError(f"Expected a row from 0 to {len(self.corpus) - 1}, got {row}.")
        return self._sentence_trace(self.corpus.text(row), self.traces.select(np.array([row])))

    def as_traces(self, trace: SentenceTrace) -> Traces:
        """The trace of one sentence as ``Traces``, for searches."""
        texts = [trace.text]
        offsets, token = self.tokenizer.encode_pairs(texts)[:2] if self.paired else self.tokenizer.encode(texts)
        return Traces(offsets, token, trace.state, trace.predicted, trace.probability)

    def _sentence_trace(self, text: str, traces: Traces) -> SentenceTrace:
        stride = prefix_stride(traces.steps) if self.model.rereads else 1
        return SentenceTrace(
            text,
            self.classes,
            self.tokenizer.pair_spans(text) if self.paired else self.tokenizer.spans(text),
            traces.token != UNKNOWN_ID,
            traces.state,
            traces.predicted,
            traces.probability,
            stride,
            int(self.tokenizer.encode_pairs([text])[2][0]) if self.paired else None,
        )


_MALFORMED = (ValueError, KeyError, TypeError, AttributeError)
"""What reading a JSON value of another shape than expected ends in."""


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def content_hashes(
    tokenizer: Tokenizer, model: AnyModel, classes: Sequence[str], abstraction: StateAbstraction
) -> dict[str, str]:
    """SHA-256 of each part that a study's numbers follow from, beside its corpus."""
    made_of = {"architecture": model.architecture.as_dict(), "classes": list(classes), "tokenizer": tokenizer.hash}
    return {
        "tokenizer": tokenizer.hash,
        "checkpoint": content_hash(canonical(made_of)),
        "weights": array_hash({name: weight.numpy() for name, weight in model.state_dict().items()}),
        "abstraction": array_hash(abstraction.to_arrays()),
    }


def study_hash(parts: Mapping[str, str]) -> str:
    """SHA-256 over named content hashes; the order of the names does not matter."""
    return content_hash(canonical(dict(parts)))
