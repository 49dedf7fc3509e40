"""Seeds that every part of an experiment takes."""

from __future__ import annotations

from seer.errors import SettingError, shown
from seer.relevance.record import is_whole

MOST_SEED = 2**32 - 2


def checked_seed(seed: int) -> int:
    """The seed.

    Raises:
        SettingError: some part could not take it.
    """
    if not is_whole(seed) or not 0 <= seed <= MOST_SEED:
        raise SettingError(f"The seed must lie between 0 and {MOST_SEED}; got {shown(seed)}.")
    return int(seed)
