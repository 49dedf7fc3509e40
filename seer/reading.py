"""What reads texts: a model with its words, its classes and its states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from seer.analysis import read_traces
from seer.errors import ModelError
from seer.models import AnyArchitecture, AnyModel
from seer.models.classifier import RNNClassifier
from seer.models.esim import ESIM, PairArchitecture
from seer.models.prefixes import prefix_stride
from seer.models.recorded import OwnModule, Recorded
from seer.parts import read_parts
from seer.patterns.words import stop_word_ids
from seer.profile import ModelReader
from seer.progress import Progress, silent
from seer.storage import version_name
from seer.text import PAD_ID, UNKNOWN_ID
from seer.traces import FloatArray, IntArray, SentenceTrace, Traces


class TextReader:
    """A study without its sentences. Without a model it knows words and states, and reads no text.

    Attributes:
        folder: where it lies.
        manifest: what ``manifest.json`` says.
        version: the folder inside it that holds the files of this version.
        checkpoint: what ``model.json`` says: architecture, class names, tokenizer hash, training and its history.
        tokenizer: gives words their numbers.
        architecture: of the model, or what is known of one that is not stored.
        abstraction: the states.
        quality: how faithful and repeatable the abstraction is, on held-out sentences.
        sweep: the quality for other numbers of states, empty when no sweep was asked for.
    """

    def __init__(self, folder: Path, manifest: Mapping[str, Any], model: nn.Module | None = None) -> None:
        self.folder = folder
        self.manifest = manifest
        self.version = folder / version_name(manifest)
        parts = read_parts(folder, manifest, model)
        self.checkpoint, self.tokenizer, self.abstraction = parts.checkpoint, parts.tokenizer, parts.abstraction
        self.architecture: AnyArchitecture = parts.architecture
        self.quality, self.sweep = parts.quality, parts.sweep
        self._model = parts.model

    @property
    def name(self) -> str:
        """What a person calls it."""
        return str(self.manifest["name"])

    @property
    def hash(self) -> str:
        """SHA-256 over the corpus, the tokenizer, the weights and the abstraction."""
        return str(self.manifest["hash"])

    @property
    def has_model(self) -> bool:
        """Whether it can read texts that it has not stored."""
        return self._model is not None

    @property
    def model(self) -> AnyModel:
        """The model, in eval mode.

        Raises:
            ModelError: the study holds none.
        """
        if self._model is None:
            raise ModelError(self.why_no_model)
        return self._model

    @property
    def why_no_model(self) -> str:
        """What a study without a model cannot do, and why, in a sentence."""
        module = self.architecture.module if isinstance(self.architecture, Recorded) else ""
        if module:
            return (
                f"The module {module} is not stored with the study {self.name}, so it reads no new text; open it in "
                "Python with Study.open(folder, model=module) to do so."
            )
        return (
            f"The study {self.name} holds no model, only stored states and predictions: it shows its own sentences, "
            "and can read or explain no text."
        )

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names in their stored order."""
        return tuple(self.checkpoint["classes"])

    @property
    def states(self) -> int:
        """Number of abstract states K."""
        return self.abstraction.states_

    @property
    def paired(self) -> bool:
        """Whether its rows are sentence pairs: a premise, a line break and a hypothesis."""
        return isinstance(self.architecture, PairArchitecture)

    @property
    def noun(self) -> str:
        """What a row is called: pair or sentence."""
        return "pair" if self.paired else "sentence"

    @property
    def sentence_model(self) -> RNNClassifier | OwnModule:
        """The model, for what is defined on single sentences alone.

        Raises:
            ModelError: it reads sentence pairs, or the study holds none.
        """
        if isinstance(self.model, ESIM):
            raise ModelError(
                f"This needs a classifier of single sentences; the study {self.name} reads sentence pairs."
            )
        return self.model

    @property
    def classifier(self) -> RNNClassifier:
        """The model, for what needs its word vectors and layers.

        Raises:
            ModelError: it reads sentence pairs, is a module of one's own, or the study holds none.
        """
        model = self.sentence_model
        if isinstance(model, OwnModule):
            raise ModelError(
                f"This needs the word vectors and layers of a net that seer knows; {model.name} gives states and "
                "predictions only."
            )
        return model

    @property
    def pair_model(self) -> ESIM:
        """The model, for what is defined on sentence pairs alone.

        Raises:
            ModelError: it reads single sentences, or the study holds none.
        """
        if not isinstance(self.model, ESIM):
            raise ModelError(
                f"This needs a classifier of sentence pairs; the study {self.name} reads single sentences."
            )
        return self.model

    def reader(self, texts: Sequence[str]) -> ModelReader:
        """The model over any texts; a pair is a premise, a line break and a hypothesis.

        Raises:
            ModelError: the study holds no model.
        """
        if self.paired:
            return ModelReader(self.model, *self.tokenizer.encode_pairs(texts))
        return ModelReader(self.model, *self.tokenizer.encode(texts))

    def read(self, texts: Sequence[str], progress: Progress = silent) -> Traces:
        """The traces of any texts; a pair is a premise, a line break and a hypothesis.

        Raises:
            ModelError: the study holds no model.
        """
        return read_traces(self.reader(texts), self.abstraction, progress)

    def trace(self, text: str) -> SentenceTrace:
        """Read any text word by word; a pair is a premise, a line break and a hypothesis."""
        return self._sentence_trace(text, self.read([text]))

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

    def as_traces(self, trace: SentenceTrace) -> Traces:
        """The trace of one sentence as ``Traces``, for searches."""
        offsets = np.array([0, len(trace)])
        return Traces(offsets, trace.token, trace.state, trace.predicted, trace.probability)

    def _sentence_trace(self, text: str, traces: Traces, spans: IntArray | None = None) -> SentenceTrace:
        if spans is None:
            spans = self.tokenizer.pair_spans(text) if self.paired else self.tokenizer.spans(text)
        return SentenceTrace(
            text,
            self.classes,
            spans,
            traces.token != UNKNOWN_ID,
            traces.state,
            traces.predicted,
            traces.probability,
            prefix_stride(traces.steps) if self._model is not None and self._model.rereads else 1,
            int(self.tokenizer.encode_pairs([text])[2][0]) if self.paired else None,
            traces.token,
            self._whole_length(text, len(traces.token)),
        )

    def _whole_length(self, text: str, read: int) -> int | None:
        """Words of a text that is cut, ``None`` where all of it is read."""
        if self.tokenizer.length is None:
            return None
        whole = int(self.tokenizer.whole_lengths([text])[0])
        return whole if whole > read else None
