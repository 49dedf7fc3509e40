"""What was expected of a model's weights against what was found, as one short sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from seer.errors import ModelError

_MOST = 6  # differences that are listed


def shape_of(tensor: Tensor) -> str:
    """Such as ``192 × 64``."""
    return shape_text(tuple(tensor.shape))


def shape_text(shape: tuple[int, ...]) -> str:
    """Such as ``192 × 64``."""
    return " × ".join(map(str, shape)) or "one number"


@dataclass
class Mismatch:
    """Gathers differences; nothing is loaded while there is one."""

    lines: list[str] = field(default_factory=list)

    def compare(self, name: str, expected: tuple[int, ...], found: Tensor | None) -> None:
        """Note a tensor that is missing or of another shape."""
        if found is None:
            self.lines.append(f"expected {name} ({shape_text(expected)}), found none")
        elif tuple(found.shape) != expected:
            self.lines.append(f"expected {name} ({shape_text(expected)}), found {shape_of(found)}")

    def left_over(self, name: str, tensor: Tensor) -> None:
        """Note a tensor that has no place."""
        self.lines.append(f"found {name} ({shape_of(tensor)}), expected no such weights")

    def stop(self) -> None:
        """Raise what was noted, if anything.

        Raises:
            ModelError: a difference was noted.
        """
        if self.lines:
            more = len(self.lines) - _MOST
            listed = "; ".join(self.lines[:_MOST]) + (f"; and {more} more" if more > 0 else "")
            raise ModelError(f"The weights do not fit an embedding, a recurrent net and a head: {listed}.")
