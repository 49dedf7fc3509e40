"""The parts that a study is made of, as they lie in its version folder: read, and checked against each other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors
import safetensors.numpy
import torch
from torch import nn

from seer.abstraction import StateAbstraction
from seer.errors import ModelError, StudyError
from seer.models import AnyArchitecture, AnyModel
from seer.models.checkpoint import load_model, read_architecture
from seer.models.recorded import OwnModule, Recorded
from seer.quality import Quality
from seer.storage import array_hash, canonical, content_hash, version_name
from seer.text import Tokenizer
from seer.traces import FloatArray

WEIGHTS, CHECKPOINT, TOKENIZER = "model.safetensors", "model.json", "tokenizer.json"
ABSTRACTION, CORPUS, TRACES = "abstraction.safetensors", "corpus.parquet", "traces"

STATES, SPANS = "states.npy", "spans.npy"
"""Of a study whose model is not stored: hidden states (N, H), and where words stand in their texts (N, 2) where the
tokenizer cannot tell."""

MALFORMED = (ValueError, KeyError, TypeError, AttributeError)
"""What reading a JSON value of another shape than expected ends in."""


@dataclass(frozen=True)
class Parts:
    """What a study's numbers follow from, beside its sentences.

    Attributes:
        checkpoint: what ``model.json`` says: architecture, class names, tokenizer hash, and where the weights are from.
        tokenizer: gives words their numbers.
        architecture: of the model.
        model: in eval mode; ``None`` where only its states are stored.
        abstraction: the states.
        quality: of the abstraction, on held-out sentences.
        sweep: the quality for other numbers of states.
    """

    checkpoint: dict[str, Any]
    tokenizer: Tokenizer
    architecture: AnyArchitecture
    model: AnyModel | None
    abstraction: StateAbstraction
    quality: Quality
    sweep: tuple[Quality, ...]


def read_parts(folder: Path, manifest: Mapping[str, Any], module: nn.Module | None = None) -> Parts:
    """The parts of a study's current version.

    Args:
        folder: of the study.
        manifest: what its ``manifest.json`` says.
        module: that the study was made with, where it was a module of one's own.

    Raises:
        StudyError: a file is missing or damaged, or not the one that the manifest speaks of.
        ModelError: the module is not the one that the study was made with, or the study has its own model.
    """
    version = folder / version_name(manifest)
    try:
        checkpoint: dict[str, Any] = dict(json.loads((version / CHECKPOINT).read_text(encoding="utf-8")))
        tokenizer = Tokenizer.load(version / TOKENIZER)
        architecture = read_architecture(checkpoint["architecture"])
        model = _model(version, architecture, module)
        abstraction = StateAbstraction.from_arrays(
            safetensors.numpy.load_file(version / ABSTRACTION), manifest["abstraction"]
        )
        found = content_hashes(tokenizer, architecture, checkpoint["classes"], abstraction)
        quality = Quality.from_record(manifest["quality"])
        sweep = tuple(Quality.from_record(record) for record in manifest["sweep"])
    except (OSError, *MALFORMED, safetensors.SafetensorError) as error:
        raise StudyError(f"The study in {folder} is damaged ({reason(error)}); train it again.") from error
    stated = manifest["hashes"]
    if isinstance(model, OwnModule):
        _check_module(model, stated)
    elif model is not None:
        found |= {"weights": weights_hash(model)}
    _check(folder, manifest, architecture, tokenizer, found)
    return Parts(checkpoint, tokenizer, architecture, model, abstraction, quality, sweep)


def _model(version: Path, architecture: AnyArchitecture, module: nn.Module | None) -> AnyModel | None:
    if isinstance(architecture, Recorded):
        if module is not None and not architecture.module:
            raise ModelError("The study was made of states alone, without any model; leave the model out.")
        return None if module is None else OwnModule(module, architecture)
    if module is not None:
        raise ModelError(f"The study has its own model, a {architecture.describe()}; leave the model out.")
    return load_model(version / WEIGHTS, architecture)


def _check_module(model: OwnModule, stated: Mapping[str, str]) -> None:
    found = weights_hash(model.inner)
    if found != stated.get("weights"):
        raise ModelError(
            f"The {model.name} given is not the one that the study was made with: expected weights of the hash "
            f"{str(stated.get('weights'))[:12]}…, got {found[:12]}…; load the weights that it had."
        )


def _check(
    folder: Path,
    manifest: Mapping[str, Any],
    architecture: AnyArchitecture,
    tokenizer: Tokenizer,
    found: Mapping[str, str],
) -> None:
    """Refuse files that are not those the manifest speaks of: they would be answered with wrong numbers."""
    if not isinstance(architecture, Recorded) and tokenizer.size != architecture.vocabulary:
        raise StudyError(
            f"The study in {folder} mixes files: its weights were made for {architecture.vocabulary} "
            f"words, its tokenizer has {tokenizer.size}; train it again."
        )
    stated = manifest["hashes"]
    odd = [part for part, value in found.items() if stated.get(part) != value]
    if odd or study_hash(stated) != manifest["hash"]:
        raise StudyError(
            f"The study in {folder} mixes files: its {' and '.join(odd or ['hash'])} do not match what its "
            "manifest says; train it again."
        )


def reason(error: Exception) -> str:
    """What is wrong, in words."""
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def content_hashes(
    tokenizer: Tokenizer, architecture: AnyArchitecture, classes: Sequence[str], abstraction: StateAbstraction
) -> dict[str, str]:
    """SHA-256 of each small part that a study's numbers follow from."""
    made_of = {"architecture": architecture.as_dict(), "classes": list(classes), "tokenizer": tokenizer.hash}
    return {
        "tokenizer": tokenizer.hash,
        "checkpoint": content_hash(canonical(made_of)),
        "abstraction": array_hash(abstraction.to_arrays()),
    }


def weights_hash(model: nn.Module) -> str:
    """SHA-256 of a model's state dict; bfloat16, which numpy lacks, counts as the float32 of the same value."""
    state = {name: weight.detach().cpu() for name, weight in model.state_dict().items()}
    return array_hash(
        {name: (weight.float() if weight.dtype == torch.bfloat16 else weight).numpy() for name, weight in state.items()}
    )


def states_hash(states: FloatArray, probability: FloatArray) -> str:
    """SHA-256 of stored hidden states (N, H) and the predictions (N, C) that came with them."""
    return array_hash({"states": states, "probability": probability})


def study_hash(parts: Mapping[str, str]) -> str:
    """SHA-256 over named content hashes; the order of the names does not matter."""
    return content_hash(canonical(dict(parts)))
