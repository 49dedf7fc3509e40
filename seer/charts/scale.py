"""A signed scale for numbers beside text: colours as names of a style sheet, and the numbers as they are written.

Blue is below 0, orange above, the page's own colour is 0, on a light page and on a dark one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seer.charts.palette import DIVERGING, DIVERGING_DARK, diverging, text_on
from seer.traces import FloatArray

LEVELS = 20
"""Steps of the colour on either side of 0."""

NONE = "–"
"""What stands where a number does not exist."""


@dataclass(frozen=True)
class Line:
    """One reading of T words: a method, or a class.

    Attributes:
        name: what stands at its left.
        code: the same where there is little room.
        relevance: (T,) of the words; NaN where a word has none.
        signed: whether its numbers tell for from against.
        limit: the absolute value that takes the strongest colour; the largest of its own by default.
    """

    name: str
    code: str
    relevance: FloatArray
    signed: bool = True
    limit: float | None = None

    @property
    def strongest(self) -> float:
        """The absolute value that takes the strongest colour."""
        return largest(self.relevance) if self.limit is None else self.limit


def largest(relevance: FloatArray) -> float:
    """The largest absolute value; 0 where there is none."""
    finite = np.abs(relevance[np.isfinite(relevance)])
    return float(finite.max()) if len(finite) else 0.0


def level(value: float, limit: float) -> str:
    """The style sheet's name for a value's colour: ``p7``, ``m7``, or nothing near 0.

    Args:
        value: a relevance.
        limit: the absolute value that takes the strongest colour.
    """
    if not limit or not np.isfinite(value):
        return ""
    step = round(float(np.clip(value / limit, -1, 1)) * LEVELS)
    return f"{'p' if step > 0 else 'm'}{abs(step)}" if step else ""


def written(value: float, limit: float, signed: bool = True) -> str:
    """A relevance as it stands under its word, with as many digits as the largest of its line needs.

    Args:
        value: the relevance.
        limit: the largest absolute value beside it.
        signed: write its sign.
    """
    if not np.isfinite(value):
        return NONE
    if 0.005 <= limit < 10_000 or not limit:
        digits = 0 if limit >= 1000 else 1 if limit >= 10 else 2 if limit >= 0.1 or not limit else 3
        text = f"{abs(value):.{digits}f}"
        nothing = not float(text)
    else:
        mantissa, power = f"{abs(value):.0e}".split("e")
        text, nothing = f"{mantissa}e{int(power)}".replace("-", "−") if value else "0", not value
    sign = "" if nothing or not signed else "+" if value > 0 else "−"
    return sign + text


def printed(limit: float, signed: bool = True) -> str:
    """How a table prints relevance of at most that size, as a ``printf`` format."""
    sign = "+" if signed else ""
    if limit and not 0.01 <= limit < 100_000:
        return f"%{sign}.2e"
    return f"%{sign}.4f" if limit < 100 else f"%{sign}.2f"


def exact(value: float) -> str:
    """A relevance with four digits."""
    return f"{value:+.4g}".replace("-", "−") if np.isfinite(value) else "none"


def _colours() -> str:
    """A rule for each level: exactly the palette's colour on a light and on a dark page, and text that reads on it."""
    rules = []
    for step in range(1, LEVELS + 1):
        for name, sign in (("p", 1), ("m", -1)):
            light, dark = (diverging(sign * step / LEVELS, dark=page) for page in (False, True))
            rules.append(
                f".seer-scale .{name}{step} {{ background: {light}; background: light-dark({light}, {dark}); "
                f"color: {text_on(light)}; color: light-dark({text_on(light)}, {text_on(dark)}); }}"
            )
    return "\n".join(rules)


def _gradient() -> str:
    both = ", ".join(f"light-dark({a}, {b})" for a, b in zip(DIVERGING, DIVERGING_DARK, strict=True))
    return f"background: linear-gradient(90deg, {', '.join(DIVERGING)}); background: linear-gradient(90deg, {both});"


SCALE = f"""{_colours()}
.seer-scale .bar {{ width: 8rem; height: .85rem; border-radius: .25rem; {_gradient()}
  outline: 1px solid color-mix(in srgb, currentColor 25%, transparent); }}"""
"""Rules of a style sheet: inside ``.seer-scale`` a level's name is its colour, and ``.bar`` is the whole scale."""
