"""The parts that a study is made of, as they lie in its version folder: read, and checked against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import safetensors
import safetensors.numpy
import torch
from torch import nn

from seer.abstraction import StateAbstraction
from seer.errors import ModelError, SeerError, StudyError, shown
from seer.intact import check_fields, damaged, mixed, read_json
from seer.models import AnyArchitecture, AnyModel
from seer.models.checkpoint import load_model, read_architecture
from seer.models.recorded import OwnModule, Recorded
from seer.quality import Quality
from seer.storage import MANIFEST, array_hash, canonical, content_hash, part, version_name
from seer.text import Tokenizer
from seer.traces import FloatArray, Traces

WEIGHTS, CHECKPOINT, TOKENIZER = "model.safetensors", "model.json", "tokenizer.json"
ABSTRACTION, CORPUS, TRACES = "abstraction.safetensors", "corpus.parquet", "traces"

STATES, SPANS = "states.npy", "spans.npy"
"""Of a study whose model is not stored: hidden states (N, H), and where words stand in their texts (N, 2) where the
tokenizer cannot tell."""

_NEEDED: dict[str, type] = {"architecture": dict, "classes": list, "classes.*": str, "tokenizer": str}
_OPTIONAL: dict[str, type] = {"training": dict, "history": list, "imported": dict}
"""What ``model.json`` must and may hold, by type; see ``seer.intact.check_fields``."""

_LEAST = {"stability": -1}
"""The least that a figure of quality can be, where that is not 0; none is above 1."""

MALFORMED = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    pa.ArrowException,
    safetensors.SafetensorError,
)
"""What reading a file of another content than expected ends in."""


@contextmanager
def reading(folder: Path, what: str) -> Iterator[None]:
    """Say of what cannot be read what it is, and of which study.

    What failed inside is the error's cause and no part of its sentence: libraries say paths and names of their own.

    Raises:
        StudyError: what is read inside is damaged.
    """
    try:
        yield
    except StudyError:
        raise
    except (SeerError, *MALFORMED) as error:
        raise damaged(folder, f"its {what} cannot be read") from error


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
    checkpoint, architecture = read_checkpoint(folder, manifest)
    with reading(folder, TOKENIZER):
        tokenizer = Tokenizer.load(part(folder, manifest, TOKENIZER, checked=False))
    with reading(folder, ABSTRACTION):
        arrays = safetensors.numpy.load_file(part(folder, manifest, ABSTRACTION, checked=False))
        abstraction = StateAbstraction.from_arrays(arrays, manifest["abstraction"])
    with reading(folder, CHECKPOINT):
        found = content_hashes(tokenizer, architecture, checkpoint["classes"], abstraction)
    quality, *sweep = (_quality(folder, record) for record in (manifest["quality"], *manifest["sweep"]))
    if quality.states != abstraction.states_:
        raise mixed(folder, f"its quality is that of {quality.states:,} states, and it has {abstraction.states_:,}")
    _check(folder, manifest, architecture, tokenizer, found)  # before a model is built of what model.json says
    model = _model(folder, manifest, architecture, module)
    stated = manifest["hashes"].get("weights")
    if isinstance(model, OwnModule):
        _check_module(model, str(stated))
    elif model is not None and weights_hash(model) != stated:
        raise mixed(folder, "its weights do not match what its manifest says")
    return Parts(checkpoint, tokenizer, architecture, model, abstraction, quality, tuple(sweep))


def read_checkpoint(folder: Path, manifest: Mapping[str, Any]) -> tuple[dict[str, Any], AnyArchitecture]:
    """What ``model.json`` of a study's current version says, and the architecture in it.

    Raises:
        StudyError: it is missing or damaged, or not the one that the manifest speaks of.
    """
    checkpoint = read_json(folder, part(folder, manifest, CHECKPOINT))
    check_fields(folder, CHECKPOINT, checkpoint, _NEEDED, _OPTIONAL)
    with reading(folder, CHECKPOINT):
        return checkpoint, read_architecture(checkpoint["architecture"])


def read_traces(folder: Path, manifest: Mapping[str, Any]) -> Traces:
    """The traces that a study's current version stores.

    Raises:
        StudyError: a file is missing or damaged, or not the one that the manifest speaks of.
    """
    for field in fields(Traces):
        part(folder, manifest, f"{TRACES}/{field.name}.npy")
    with reading(folder, "traces"):
        return Traces.load(folder / version_name(manifest) / TRACES)


def _quality(folder: Path, record: dict[str, Any]) -> Quality:
    with reading(folder, f"quality in {MANIFEST}"):
        quality = Quality.from_record(record)
        if type(quality.states) is not int or len(quality.purity_by_state) != quality.states:
            raise damaged(folder, f"in its {MANIFEST}, a quality has not one purity a state")
        figures = {name: [value] for name, value in record.items() if name != "states"}
        for name, values in (figures | {"purity_by_state": record["purity_by_state"]}).items():
            for figure in values:
                if figure is not None and not _LEAST.get(name, 0) <= figure <= 1:
                    raise damaged(
                        folder, f"in its {MANIFEST}, the quality's {name} is {shown(figure)}, expected a share up to 1"
                    )
    return quality


def _model(
    folder: Path, manifest: Mapping[str, Any], architecture: AnyArchitecture, module: nn.Module | None
) -> AnyModel | None:
    if isinstance(architecture, Recorded):
        if module is not None and not architecture.module:
            raise ModelError("The study was made of states alone, without any model; leave the model out.")
        return None if module is None else OwnModule(module, architecture)
    if module is not None:
        raise ModelError(f"The study has its own model, a {architecture.describe()}; leave the model out.")
    with reading(folder, WEIGHTS):
        return load_model(part(folder, manifest, WEIGHTS, checked=False), architecture)


def _check_module(model: OwnModule, stated: str) -> None:
    found = weights_hash(model.inner)
    if found != stated:
        raise ModelError(
            f"The {model.name} given is not the one that the study was made with: expected weights of the hash "
            f"{stated[:12]}…, got {found[:12]}…; load the weights that it had."
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
        raise mixed(
            folder, f"its weights were made for {architecture.vocabulary:,} words, its tokenizer has {tokenizer.size:,}"
        )
    stated = manifest["hashes"]
    odd = [part for part, value in found.items() if stated.get(part) != value]
    if odd or study_hash(stated) != manifest["hash"]:
        raise mixed(folder, f"its manifest speaks of another {' and '.join(odd or ['hash'])}")


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
