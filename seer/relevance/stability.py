"""Whether a method's numbers hold: where a single word gets many times the logit, they do not."""

from __future__ import annotations

UNSTABLE = 20
"""Times the logit that a word gets, from which on a method is called unstable."""


def is_unstable(size: float, logit: float) -> bool:
    """Whether a word gets too much.

    Args:
        size: the largest |relevance| of a word.
        logit: size of the logit of its sentence; one below 1 counts as 1.
    """
    return size > UNSTABLE * max(logit, 1.0)


def unstable_line(title: str, size: float, logit: float) -> str:
    """The same in a sentence that names the method."""
    return f"{title} is unstable here: it gives single words up to {size:,.3g} of a logit of {logit:.2g}."
