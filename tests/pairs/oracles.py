"""The oracle arrays for pairs and an ESIM with their weights; a test that calls for them skips where they are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from seer.models.batches import Batch, PairBatch
from seer.models.esim import ESIM, PairArchitecture

FOLDER = Path(__file__).parents[3] / "shared" / "oracles" / "pairs"

Arrays = dict[str, np.ndarray]


def arrays(name: str) -> Arrays:
    """The arrays of a file, ``weights`` or ``values``."""
    path = FOLDER / f"{name}.npz"
    if not path.exists():
        pytest.skip("the oracle arrays for pairs are not here")
    with np.load(path, allow_pickle=False) as found:
        return {key: found[key] for key in found.files}


def esim() -> tuple[ESIM, PairBatch, Arrays]:
    """A float64 ESIM with the oracle's weights, its pairs, and what is right for them."""
    weights, values = arrays("weights"), arrays("values")
    words, embedding = weights["emb"].shape
    classes, hidden = weights["f2_weight"].shape
    model = ESIM(PairArchitecture(words, classes, embedding, hidden, dropout=0.5)).double().eval()
    with torch.no_grad():
        model.embedding.weight.copy_(_tensor(weights["emb"]))
        for net, name in ((model.encoder, "enc"), (model.inference, "comp")):
            for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                for ours, theirs in (("_l0", ""), ("_l0_reverse", "_reverse")):
                    getattr(net, part + ours).copy_(_tensor(weights[f"{name}_{part}{theirs}"]))
        layers: dict[str, nn.Linear] = {"proj": model.projection, "f1": model.combine, "f2": model.head}
        for name, layer in layers.items():
            layer.weight.copy_(_tensor(weights[f"{name}_weight"]))
            layer.bias.copy_(_tensor(weights[f"{name}_bias"]))
    sides = (Batch(_tensor(values[side]), _tensor(values[f"len_{side}"])) for side in ("premise", "hypothesis"))
    return model, PairBatch(*sides), values


def _tensor(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values))
