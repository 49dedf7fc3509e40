"""What every architecture checks of itself."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from seer.errors import SettingError

_MOST = {"vocabulary": 10_000_000, "embedding": 8192, "hidden": 8192, "layers": 32}
_FLAGS = {"bidirectional", "same_word"}


@dataclass(frozen=True)
class Sized:
    """The fields that every architecture begins with.

    Raises:
        SettingError: a size out of range, a dropout outside [0, 1), fewer than two classes.
    """

    vocabulary: int
    classes: int

    def __post_init__(self) -> None:
        fields = self.as_dict()
        for name in _MOST.keys() & fields.keys():
            if not 1 <= fields[name] <= _MOST[name]:
                raise SettingError(f"The model's {name} must lie between 1 and {_MOST[name]:,}, got {fields[name]:,}.")
        for name in _FLAGS & fields.keys():
            if not isinstance(fields[name], bool):  # the text "False" would count as true
                raise SettingError(f"The model's {name} must be true or false, got {fields[name]!r}.")
        if self.classes < 2:
            raise SettingError(
                f"A classifier needs two classes or more, got {self.classes}; add labelled rows of another class."
            )
        if not 0 <= fields.get("dropout", 0) < 1:
            raise SettingError(f"Dropout must lie in [0, 1), got {fields['dropout']}.")

    @classmethod
    def optional(cls) -> tuple[str, ...]:
        """Fields that a checkpoint may leave out, for which then their defaults stand."""
        return ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-able fields."""
        return asdict(self)
