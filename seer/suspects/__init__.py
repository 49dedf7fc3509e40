"""Labels that may be wrong, and same texts with other labels."""

from seer.suspects.conflicts import Conflicts, conflicting_texts, plain_words
from seer.suspects.labels import (
    Suspects,
    cross_validated_probability,
    find_suspects,
    training_suspects,
    unseen_suspects,
)

__all__ = [
    "Conflicts",
    "Suspects",
    "conflicting_texts",
    "cross_validated_probability",
    "find_suspects",
    "plain_words",
    "training_suspects",
    "unseen_suspects",
]
