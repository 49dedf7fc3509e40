"""A study: one data set, one classifier, its states and traces, in a folder on disk."""

from __future__ import annotations

import os
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from torch import nn

from seer.corpus import Corpus, reload_corpus
from seer.corpus.record import TRAIN
from seer.errors import DataError, StudyError
from seer.intact import damaged, mixed
from seer.machine import StateMachine
from seer.models.recorded import OwnModule, Recorded
from seer.parts import CORPUS, MALFORMED, SPANS, STATES, TRACES, read_traces, reading, states_hash
from seer.patterns.words import state_words
from seer.profile import StepReader, StoredReader
from seer.rates import Accuracy
from seer.reading import TextReader
from seer.storage import part, read_manifest, version_name
from seer.traces import FloatArray, IntArray, SentenceTrace, Traces

_DATA = Path(__file__).resolve().parent.parent / "data"
DEMO = _DATA / "demo"
DEMOS = {"demo": DEMO, "demo-pairs": _DATA / "demo-pairs"}
"""The studies that come with the program, by name: of sentences, and of sentence pairs."""

TRAINED_ON = "trained_on"
"""Field of a manifest whose model came from another study: name and fingerprint of the corpus it was trained on."""

ADDED = "added"
"""Field of a manifest: names of the splits that were added after the model was made."""


def first_to_see(splits: tuple[str, ...]) -> str:
    """The split to look at first: test, else validation, else whatever there is."""
    return next((split for split in ("test", "validation") if split in splits), splits[0])


class Study(TextReader):
    """An opened study: sentences, their traces and machines over a ``TextReader``.

    Everything is read or computed when first asked for, then kept.
    """

    @classmethod
    def open(cls, where: str | Path, *, model: nn.Module | None = None) -> Study:
        """Open a study.

        Args:
            where: its folder, or ``"demo"`` or ``"demo-pairs"`` for those that come with the program.
            model: the module of one's own that the study was made with, which is not stored; without it the study
                shows what is, and reads no text.

        Raises:
            StudyError: there is none, or it is damaged.
            ModelError: the module is not the one that the study was made with, or the study has its own model.
        """
        folder = DEMOS[where] if isinstance(where, str) and where in DEMOS else Path(where)
        manifest = read_manifest(folder)
        if not (folder / version_name(manifest)).is_dir():  # replaced between the two looks: look once more
            manifest = read_manifest(folder)
        return cls(folder, manifest, model)

    def reopened(self, folder: Path) -> Study:
        """The study in a folder, with this one's model where that is a module of one's own."""
        return Study.open(folder, model=self._model.inner if isinstance(self._model, OwnModule) else None)

    @cached_property
    def corpus(self) -> Corpus:
        """The sentences: stored in the study, or read again from where they came.

        Raises:
            StudyError: they are not what the study was made of.
        """
        if os.path.lexists(self.version / CORPUS):
            with reading(self.folder, CORPUS):
                corpus = Corpus.load(part(self.folder, self.manifest, CORPUS))
                found = corpus.fingerprint
        else:
            corpus = self._loaded_again()
            found = corpus.fingerprint
        if found != self.manifest["hashes"].get("corpus"):
            raise StudyError(
                f"The sentences of {corpus.name} are not those that the study {self.name} was made of; "
                "install the package versions of requirements.txt, or train the study again."
            )
        return corpus

    def _loaded_again(self) -> Corpus:
        try:
            return reload_corpus(self.manifest["corpus"]["source"])
        except MALFORMED as error:
            raise damaged(
                self.folder, f"it has no {CORPUS}, and its manifest does not say where its sentences are from"
            ) from error

    @cached_property
    def hidden(self) -> FloatArray | None:
        """(N, H) the hidden states of all sentences, mapped from their file, where the study stores them.

        Raises:
            StudyError: the file is damaged, or not the one that was written.
        """
        if not isinstance(self.architecture, Recorded):
            return None
        found: FloatArray = self._stored(
            part(self.folder, self.manifest, STATES, checked=False), self.architecture.hidden
        )
        if states_hash(found, self.traces.probability) != self.manifest["hashes"].get("states"):
            raise mixed(self.folder, f"{STATES} does not match what its manifest says")
        return found

    @property
    def own_reader(self) -> StepReader:
        """The study's own sentences: their stored hidden states, or the model over them."""
        if self.hidden is None:
            return self.reader(self.corpus.texts())
        return StoredReader(self.traces.offsets, self.traces.token, self.hidden, self.traces.probability)

    def _stored(self, file: Path, width: int) -> Any:
        """An array (N, width) of the version folder, mapped into memory."""
        with reading(self.folder, file.name):
            found = np.load(file, mmap_mode="r", allow_pickle=False)
            if found.shape != (self.traces.steps, width):
                needed = (self.traces.steps, width)
                raise mixed(self.folder, f"{file.name} has the shape {found.shape}, its traces need {needed}")
        return found

    @cached_property
    def traces(self) -> Traces:
        """The traces of all sentences in the order of the corpus: stored in the study, or made now.

        Raises:
            StudyError: those that are stored are damaged, or not those that were written.
        """
        if not os.path.lexists(self.version / TRACES):
            return self.read(self.corpus.texts())
        traces = read_traces(self.folder, self.manifest)
        if traces.sentences != len(self.corpus):
            raise mixed(self.folder, f"it has traces of {traces.sentences:,} sentences for {len(self.corpus):,}")
        fault = traces.fault(self.states, len(self.classes), self.tokenizer.size)
        if fault is not None:
            raise damaged(self.folder, fault)
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
        """Positions of the sentences that the model was trained on; none where that is not known to be any."""
        corpus = self.corpus
        elsewhere = isinstance(self.architecture, Recorded) or "imported" in self.checkpoint
        unknown = elsewhere and TRAIN not in corpus.splits
        if TRAINED_ON in self.manifest or unknown:
            return corpus.rows()[:0]
        added = [corpus.rows(split) for split in self.manifest.get(ADDED, ()) if split in corpus.splits]
        return np.setdiff1d(corpus.fitting_rows, np.concatenate(added)) if added else corpus.fitting_rows

    @cached_property
    def reference(self) -> tuple[str, StateMachine]:
        """What new sentences are held against: those that were trained on, else those not added later.

        Their name in words, and their machine.
        """
        rows, said = self.trained_rows, "the training sentences"
        if not len(rows):
            added = [self.rows(split) for split in self.manifest.get(ADDED, ())]
            rows = np.setdiff1d(self.rows(), np.concatenate(added)) if added else self.rows()
            said = "the sentences that were there first" if added else "all sentences"
        return said, StateMachine.count(self.traces.select(rows), self.corpus.labels[rows], self.states, self.classes)

    @property
    def usual_split(self) -> str:
        """The split to look at first: test, else validation, else whatever there is."""
        return first_to_see(self.corpus.splits)

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

    def accuracy(self, split: str | None = None) -> Accuracy:
        """Right predictions among a split's labelled sentences with a word, with the Wilson interval."""
        machine = self.machine(split)
        return Accuracy.of(int(machine.labelled[0] - machine.errors[0]), int(machine.labelled[0]))

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

    def sentence(self, row: int) -> SentenceTrace:
        """The trace of the corpus row at a position.

        Raises:
            DataError: there is no such position.
        """
        if not 0 <= row < len(self.corpus):
            raise DataError(f"Expected a row from 0 to {len(self.corpus) - 1}, got {row}.")
        return self._sentence_trace(self.corpus.text(row), self.traces.select(np.array([row])), self._spans(row))

    @cached_property
    def _stored_spans(self) -> IntArray | None:
        if not os.path.lexists(self.version / SPANS):
            return None
        return self._stored(part(self.folder, self.manifest, SPANS), 2)  # type: ignore[no-any-return]

    def _spans(self, row: int) -> IntArray | None:
        """Where a row's words stand in its text, where that is stored."""
        return None if self._stored_spans is None else np.asarray(self._stored_spans[self.traces.steps_of(row)])
