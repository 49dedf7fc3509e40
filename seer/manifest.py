"""What a study's manifest says of the study, whatever way it was made, and the writing of its files."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import safetensors.numpy

from seer.analysis import Found
from seer.corpus import Corpus
from seer.models import AnyArchitecture, BuiltModel
from seer.models.checkpoint import save_weights
from seer.parts import (
    ABSTRACTION,
    CHECKPOINT,
    CORPUS,
    TOKENIZER,
    TRACES,
    WEIGHTS,
    content_hashes,
    study_hash,
    weights_hash,
)
from seer.storage import SCHEMA, write_version
from seer.study import ADDED, TRAINED_ON, Study
from seer.text import Tokenizer

LIBRARIES = ("torch", "numpy", "scikit-learn", "tokenizers", "datasets")


def identity(name: str, corpus: Corpus, parts: Mapping[str, str]) -> dict[str, Any]:
    """The fields that say which study this is and where its sentences come from.

    Args:
        name: what a person calls it.
        corpus: its sentences.
        parts: content hashes of all else; see ``content_hashes``. One of another corpus is left aside.
    """
    hashes = {**parts, "corpus": corpus.fingerprint}
    return {
        "schema": SCHEMA,
        "name": name,
        "hash": study_hash(hashes),
        "hashes": hashes,
        "made": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "libraries": {"python": platform.python_version()} | {library: version(library) for library in LIBRARIES},
        "corpus": {"name": corpus.name, "source": dict(corpus.source)},
    }


def found_fields(found: Found) -> dict[str, Any]:
    """The fields that say how the states were found, and how good they are."""
    return {
        "analysis": found.settings.as_dict(),
        "abstraction": found.abstraction.settings(),
        "quality": found.quality.record(),
        "quality_split": found.split,
        "sweep": [quality.record() for quality in found.sweep],
    }


def kept(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a study keeps when it is analysed anew, or gets more sentences."""
    return {field: manifest[field] for field in (TRAINED_ON, ADDED) if field in manifest}


@dataclass(frozen=True)
class Made:
    """A study that is about to be written.

    Attributes:
        corpus: its sentences.
        tokenizer: gives words their numbers.
        architecture: of the model, or what is known of one that is not stored.
        found: what the analysis found.
        seed: noted in the manifest.
        origin: JSON-able; where the model comes from, for ``model.json``.
        notices: a sentence each, for the manifest.
        model: to store; ``None`` where only states are.
        hashes: of what stands in the model's place.
        fill: writes files beyond those of every study into the folder it is given.
    """

    corpus: Corpus
    tokenizer: Tokenizer
    architecture: AnyArchitecture
    found: Found
    seed: int
    origin: Mapping[str, Any]
    notices: Sequence[str]
    model: BuiltModel | None = None
    hashes: Mapping[str, str] | None = None
    fill: Callable[[Path], None] | None = None

    def write(self, folder: Path, name: str | None, *, keep_sentences: bool = True) -> Study:
        """Write it, and open it.

        Args:
            folder: of the study; an older study there is replaced once the new one is whole.
            name: what a person calls it, by default the folder's name.
            keep_sentences: store sentences and traces.

        Raises:
            StudyError: the folder cannot be written.
        """
        classes = list(self.corpus.classes)
        checkpoint = {
            "architecture": self.architecture.as_dict(),
            "classes": classes,
            "tokenizer": self.tokenizer.hash,
            **self.origin,
        }

        def fill(place: Path) -> None:
            if self.model is not None:
                save_weights(self.model, place / WEIGHTS)
            (place / CHECKPOINT).write_text(json.dumps(checkpoint, indent=2, ensure_ascii=False), encoding="utf-8")
            self.tokenizer.save(place / TOKENIZER)
            save_found(self.found, place, keep_traces=keep_sentences)
            if keep_sentences:
                self.corpus.save(place / CORPUS)
            if self.fill is not None:
                self.fill(place)

        hashes = content_hashes(self.tokenizer, self.architecture, classes, self.found.abstraction)
        if self.model is not None:
            hashes["weights"] = weights_hash(self.model)
        manifest = {
            **identity(name or folder.resolve().name, self.corpus, hashes | dict(self.hashes or {})),
            "seed": self.seed,
            "notices": list(self.notices),
            **found_fields(self.found),
        }
        write_version(folder, manifest, fill)
        return Study.open(folder)


def save_found(found: Found, place: Path, *, keep_traces: bool) -> None:
    """Write what an analysis found into a version folder."""
    # Through Python, whose errors of a full disk are an OSError.
    (place / ABSTRACTION).write_bytes(safetensors.numpy.save(dict(sorted(found.abstraction.to_arrays().items()))))
    if keep_traces:
        found.traces.save(place / TRACES)
