"""The classifiers: recurrent nets over sentences, ESIM over sentence pairs, and modules of one's own."""

from __future__ import annotations

from typing import Any, Protocol

from torch import Tensor

from seer.models.classifier import Architecture, RNNClassifier
from seer.models.esim import ESIM, PairArchitecture
from seer.models.recorded import OwnModule, Recorded


class TextModel(Protocol):
    """What an analysis asks of a model, whatever it is made of."""

    @property
    def rereads(self) -> bool:
        """Whether it is re-run on every prefix to know what it predicts after each word."""

    @property
    def classes(self) -> int:
        """Number of classes."""

    def hidden_states(self, batch: Any) -> Tensor:
        """(B, T, H) the state after each word of a ``Batch`` (or ``PairBatch``)."""

    def predict_steps(self, batch: Any, states: Tensor | None = None) -> Tensor:
        """(B, T, C) class probabilities after each word; ``states`` are those of ``hidden_states``."""


BuiltModel = RNNClassifier | ESIM
BuiltArchitecture = Architecture | PairArchitecture
"""Those that can be built, trained and stored here."""

AnyModel = BuiltModel | OwnModule
AnyArchitecture = BuiltArchitecture | Recorded


def build_model(architecture: BuiltArchitecture) -> BuiltModel:
    """A model with random weights."""
    return ESIM(architecture) if isinstance(architecture, PairArchitecture) else RNNClassifier(architecture)
