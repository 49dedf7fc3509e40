"""Models that this program did not build: a module of one's own, or none, where states and predictions are stored."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from seer.errors import ModelError, SettingError
from seer.models.batches import Batch
from seer.models.modes import evaluating

_SUM = 1e-3
"""How far the probabilities of a step may add up to something else than 1."""


@dataclass(frozen=True)
class Recorded:
    """What is known of a model that is not stored; checked when made.

    Attributes:
        classes: number of classes.
        hidden: numbers of a hidden state.
        module: name of the class of the module that gave them, empty where nothing is known.

    Raises:
        SettingError: no hidden number, or fewer than two classes.
    """

    classes: int
    hidden: int
    module: str = ""

    def __post_init__(self) -> None:
        if self.hidden < 1:
            raise SettingError(f"A hidden state needs one number or more, got {self.hidden}.")
        if self.classes < 2:
            raise SettingError(f"Predictions need two classes or more, got {self.classes}; name every class.")

    def as_dict(self) -> dict[str, Any]:
        """JSON-able fields."""
        return asdict(self)

    @classmethod
    def optional(cls) -> tuple[str, ...]:
        """Fields that a checkpoint may leave out."""
        return ()

    def describe(self) -> str:
        """One line for a person, such as ``No model, states of 64 numbers``."""
        return f"{self.module or 'No model'}, states of {self.hidden:,} numbers"


class OwnModule(nn.Module):
    """Any module that has ``hidden_states(batch)`` and ``predict_steps(batch)``, as the rest of the program asks it.

    ``hidden_states`` gives (B, T, H) and ``predict_steps`` (B, T, C) class probabilities, after each of the T words of
    a ``Batch`` of B sentences; what stands at padding is not read. It runs on the CPU, in eval mode, and what it
    returns is checked every time.

    Args:
        inner: the module.
        architecture: what is known of it.

    Raises:
        ModelError: the module has not both methods.
    """

    rereads = False

    def __init__(self, inner: nn.Module, architecture: Recorded) -> None:
        super().__init__()
        lacking = [name for name in ("hidden_states", "predict_steps") if not callable(getattr(inner, name, None))]
        if not isinstance(inner, nn.Module) or lacking:
            lacks = f"lacks {' and '.join(lacking)}" if lacking else "is none"
            raise ModelError(
                f"Expected a torch module with the methods hidden_states(batch) and predict_steps(batch); "
                f"{type(inner).__name__} {lacks}."
            )
        self.inner: Any = inner
        self.architecture = architecture

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.architecture.classes

    @property
    def name(self) -> str:
        """Name of the module's class."""
        return self.architecture.module

    def forward(self, batch: Batch) -> Tensor:
        """(B, C) log-probabilities after the last word, in the place of logits."""
        rows = torch.arange(len(batch.lengths))
        return self.predict_steps(batch)[rows, batch.lengths - 1].clamp_min(torch.finfo(torch.float32).tiny).log()

    def logits_of_nothing(self) -> Tensor:
        """(C,) the same for a text without a word, which the module cannot say: all classes alike."""
        return torch.full((self.classes,), 1 / self.classes).log()

    def hidden_states(self, batch: Batch) -> Tensor:
        """(B, T, H) float32.

        Raises:
            ModelError: the module gave something else, or a number that is not finite.
        """
        with evaluating(self.inner):
            return self._checked(self.inner.hidden_states(batch), batch, "hidden_states", "H")

    def predict_steps(self, batch: Batch, states: Tensor | None = None) -> Tensor:
        """(B, T, C) float32 probabilities; ``states`` are not used.

        Raises:
            ModelError: the module gave something else than probabilities of the study's classes.
        """
        with evaluating(self.inner):
            found = self._checked(self.inner.predict_steps(batch), batch, "predict_steps", str(self.classes))
        real = found[batch.mask]
        if found.shape[2] != self.classes:
            raise ModelError(
                f"predict_steps of {self.name} gives {found.shape[2]} numbers a word, and there are {self.classes} "
                "classes; name as many classes as it has outputs, in their order."
            )
        if len(real) and (real.min() < 0 or (real.sum(1) - 1).abs().max() > _SUM):
            raise ModelError(
                f"predict_steps of {self.name} must give probabilities that add up to 1; it gave values from "
                f"{float(real.min()):.3g} to {float(real.max()):.3g}. Apply a softmax to logits."
            )
        return found

    def _checked(self, found: Any, batch: Batch, method: str, last: str) -> Tensor:
        wanted = tuple(batch.ids.shape)
        if not isinstance(found, Tensor) or found.ndim != 3 or tuple(found.shape[:2]) != wanted:
            got = f"the shape {tuple(found.shape)}" if isinstance(found, Tensor) else type(found).__name__
            raise ModelError(
                f"{method} of {self.name} must give a tensor of the shape ({wanted[0]}, {wanted[1]}, {last}) for "
                f"{wanted[0]} sentences of up to {wanted[1]} words, got {got}."
            )
        numbers = found.detach().to("cpu", torch.float32)
        if not torch.isfinite(numbers[batch.mask]).all():
            raise ModelError(f"{method} of {self.name} gave NaN or infinity at a word; its numbers must be finite.")
        return numbers
