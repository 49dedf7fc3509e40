"""A checkpoint: ``model.safetensors`` for the weights, and beside it JSON for everything that gives them meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from seer.errors import ModelError, SettingError
from seer.models import AnyArchitecture, BuiltArchitecture, BuiltModel, build_model
from seer.models.classifier import Architecture
from seer.models.esim import PairArchitecture
from seer.models.recorded import Recorded


def save_weights(model: BuiltModel, path: Path) -> None:
    """Write the weights; the same weights give the same bytes."""
    tensors = {name: tensor.detach().contiguous() for name, tensor in sorted(model.state_dict().items())}
    path.write_bytes(safetensors.torch.save(tensors))  # through Python, whose errors of a full disk are an OSError


def read_architecture(description: Mapping[str, Any]) -> AnyArchitecture:
    """The architecture a checkpoint's JSON describes.

    Raises:
        ModelError: a field is missing, unknown or out of range.
    """
    family: type[AnyArchitecture] = Architecture
    for other, mark in ((PairArchitecture, "same_word"), (Recorded, "module")):
        if mark in description:
            family = other
    known = {field.name for field in fields(family)}
    odd = sorted((set(description) ^ known) - (set(family.optional()) - set(description)))
    if odd:
        raise ModelError(f"Expected the architecture fields {', '.join(sorted(known))}; check {', '.join(odd)}.")
    try:
        return family(**description)
    except (SettingError, TypeError) as error:
        raise ModelError(f"The checkpoint's architecture is not usable: {error}") from error


def load_model(path: Path, architecture: BuiltArchitecture) -> BuiltModel:
    """Build the classifier and fill in its weights, all of them or none.

    Returns:
        The model in eval mode on the CPU.

    Raises:
        ModelError: no safetensors file, or its tensors do not fit the architecture.
    """
    try:
        tensors = safetensors.torch.load_file(path, device="cpu")
    except (OSError, safetensors.SafetensorError) as error:
        raise ModelError(f"Expected model weights as a safetensors file in {path.name}, got: {error}.") from error
    with torch.random.fork_rng(devices=[]):
        model = build_model(architecture)
    expected = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if expected != found:
        name = next(name for name in sorted(expected.keys() | found.keys()) if expected.get(name) != found.get(name))
        raise ModelError(
            f"The weights do not fit the architecture: expected {name} of shape {expected.get(name, 'none')}, "
            f"found {found.get(name, 'none')}; use the files of one and the same checkpoint."
        )
    model.load_state_dict(tensors)
    return model.eval()
