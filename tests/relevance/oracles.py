"""The oracle arrays, and classifiers with their weights; a test that calls for them skips where they are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from seer.models.batches import Batch
from seer.models.classifier import Architecture, RNNClassifier

FOLDER = Path(__file__).parents[3] / "shared" / "oracles" / "relevance"
SHIFT = 2  # the first ids are padding and the unknown word
VARIANTS = ("bi", "bibias", "uni", "sst")

Arrays = dict[str, np.ndarray]


def arrays(name: str) -> Arrays:
    """The arrays of a file, such as ``captum``."""
    path = FOLDER / f"{name}.npz"
    if not path.exists():
        pytest.skip("the oracle arrays are not here")
    with np.load(path, allow_pickle=False) as found:
        return {key: found[key] for key in found.files}


def bilstm(variant: str) -> tuple[RNNClassifier, Batch, Arrays]:
    """A float64 LSTM classifier with the oracle's weights, its sentences, and what is right for them.

    Args:
        variant: ``bi``, ``bibias`` (with an output bias), ``uni`` (left encoder only), or ``sst`` (trained weights).

    Returns:
        The arrays bear their names without the variant, such as ``lrp_b0`` (N, C, T), with NaN at padding.
    """
    found = arrays("bilstm_sst_weights" if variant == "sst" else "bilstm_random")
    sides = {"Left": "_l0"} if variant == "uni" else {"Left": "_l0", "Right": "_l0_reverse"}
    words, embedding = found["E"].shape
    classes, hidden = found["Why_Left"].shape
    architecture = Architecture(words + SHIFT, classes, "lstm", embedding, hidden, 1, len(sides) == 2, dropout=0.5)
    model = RNNClassifier(architecture).double().eval()
    with torch.no_grad():
        model.embedding.weight[SHIFT:] = _tensor(found["E"])
        for side, suffix in sides.items():
            for ours, theirs in (("weight_ih", "Wxh"), ("weight_hh", "Whh"), ("bias_ih", "bxh"), ("bias_hh", "bhh")):
                getattr(model.rnn, ours + suffix).copy_(_reordered(found[f"{theirs}_{side}"]))
        model.head.weight.copy_(_tensor(np.concatenate([found[f"Why_{side}"] for side in sides], axis=1)))
        model.head.bias.copy_(_tensor(found["by"]) if variant == "bibias" else torch.zeros(classes))
    prefix = "bi_" if variant == "sst" else f"{variant}_"
    right = {key.removeprefix(prefix): value for key, value in found.items() if key.startswith(prefix)}
    return model, _batch(found), right


def decomposition() -> tuple[RNNClassifier, Batch, Arrays]:
    """A float64 one-way LSTM classifier, its sentences, and the decompositions of their spans."""
    found = arrays("decomposition")
    words, embedding = found["embed__weight"].shape
    classes, hidden = found["hidden_to_label__weight"].shape
    architecture = Architecture(words + SHIFT, classes, "lstm", embedding, hidden, dropout=0.5)
    model = RNNClassifier(architecture).double().eval()
    with torch.no_grad():
        model.embedding.weight[SHIFT:] = _tensor(found["embed__weight"])
        for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
            getattr(model.rnn, name).copy_(_tensor(found[f"lstm__{name}"]))
        model.head.weight.copy_(_tensor(found["hidden_to_label__weight"]))
        model.head.bias.copy_(_tensor(found["hidden_to_label__bias"]))
    return model, _batch(found), found


def _tensor(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values))


def _reordered(rows: np.ndarray) -> Tensor:
    """Gate blocks from the oracle's order i, g, f, o to i, f, g, o."""
    i, g, f, o = np.split(rows, 4)
    return _tensor(np.concatenate([i, f, g, o]))


def _batch(found: Arrays) -> Batch:
    real = np.arange(found["sent"].shape[1]) < found["length"][:, None]
    return Batch(_tensor(np.where(real, found["sent"] + SHIFT, 0)), _tensor(found["length"]))
