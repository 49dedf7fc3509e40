"""Colours with one meaning each: a class keeps its colour, signed values share one scale, so do error rates.

Class colours are the colour-blind safe set of Okabe & Ito (2002, "Color universal design"), its black and yellow
replaced by a grey and a darker yellow, which a white and a dark page both show. Nobody tells forty colours apart: of
more classes than colours those that a picture is about have one, and the others share the grey. Contrast is WCAG 2.2's
ratio of relative luminances.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

OKABE_ITO = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#A39A00", "#767676")
"""Vermilion, blue, green, purple, orange, sky, dark yellow, grey: the first two are furthest apart."""

COLOURED = len(OKABE_ITO) - 1
"""Classes with a colour of their own where there are more classes than colours."""
OTHER = OKABE_ITO[-1]
"""The colour that all other classes share there."""

DIVERGING = ("#08519C", "#4A90C9", "#A9CFE8", "#FFFFFF", "#FBCF9D", "#E98A2B", "#A64B00")
"""Negative blue, 0 white, positive orange; a Vega range as it stands (with ``domainMid`` 0)."""
DIVERGING_DARK = ("#6FB7F2", "#3F83BD", "#274F73", "#1C222C", "#6E4520", "#BF7422", "#FFA94D")
"""The same scale for a dark page: 0 is the page's own colour."""

SEQUENTIAL = ("#FEEBD0", "#FDC98A", "#F99B4A", "#E0660F", "#B04503", "#7A2E04")
"""Error rate, low to high."""

NO_VALUE = "#9AA0A6"
"""A rate nobody could compute, a state nobody visited."""


def class_colours(classes: Sequence[str], leading: Iterable[int] = ()) -> dict[str, str]:
    """The colour of each class, by its place in the stored order of classes.

    Of more classes than there are colours, ``COLOURED`` have one and the others are ``OTHER``: first the leading ones,
    then those first in the stored order. Each takes the colour of its place, or the next that is free, so that a class
    mostly keeps its colour from one picture to the next.

    Args:
        classes: C class names in their stored order.
        leading: places of those that a picture is about, the most important first; of no effect for few classes.

    Returns:
        Name -> ``#RRGGBB``, in the stored order.
    """
    if not many(classes):
        return dict(zip(classes, OKABE_ITO, strict=False))
    free, found = list(range(COLOURED)), dict.fromkeys(classes, OTHER)
    for place in list(dict.fromkeys((*leading, *range(COLOURED))))[:COLOURED]:
        nearest = min(free, key=lambda colour: (colour - place) % COLOURED)
        free.remove(nearest)
        found[classes[place]] = OKABE_ITO[nearest]
    return found


def many(classes: Sequence[str]) -> bool:
    """Whether there are more classes than colours."""
    return len(classes) > len(OKABE_ITO)


def diverging(value: float, limit: float = 1.0, dark: bool = False) -> str:
    """Colour of a signed value: blue below 0, the page's white (or dark) at 0, orange above.

    Args:
        value: the value; NaN gives ``NO_VALUE``.
        limit: the absolute value that takes the strongest colour; larger ones are clipped.
        dark: for a dark page.
    """
    scaled = value / limit if limit else 0.0
    return _scale(DIVERGING_DARK if dark else DIVERGING, (scaled + 1) / 2)


def sequential(value: float) -> str:
    """Colour of an error rate in 0..1; NaN gives ``NO_VALUE``."""
    return _scale(SEQUENTIAL, value)


def vega_diverging(limit: float) -> dict[str, Any]:
    """The diverging scale for Altair: ``alt.Scale(**vega_diverging(limit))``."""
    return {"domain": [-limit, 0, limit], "domainMid": 0, "range": list(DIVERGING), "clamp": True}


def vega_classes(colours: Mapping[str, str]) -> dict[str, Any]:
    """The class colours for Altair: ``alt.Scale(**vega_classes(class_colours(classes)))``."""
    return {"domain": list(colours), "range": list(colours.values())}


def tint(colour: str, strength: float, page: str = "#FFFFFF") -> str:
    """The colour mixed into the page's: strength 0 is the page, 1 the colour, for a word as strong as p(class)."""
    share = min(max(strength, 0.0), 1.0)
    return _hex(tuple(a + (b - a) * share for a, b in zip(_rgb(page), _rgb(colour), strict=True)))


def text_on(background: str) -> str:
    """Black or white, whichever reads better; at least 4.58 : 1 on any colour."""
    return max("#000000", "#FFFFFF", key=lambda text: contrast(text, background))


def contrast(first: str, second: str) -> float:
    """WCAG contrast ratio of two colours, 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in _rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _scale(stops: Sequence[str], position: float) -> str:
    if math.isnan(position):
        return NO_VALUE
    place = min(max(position, 0.0), 1.0) * (len(stops) - 1)
    left = min(bisect_right(range(len(stops)), place) - 1, len(stops) - 2)
    return tint(stops[left + 1], place - left, stops[left])


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def _hex(rgb: Sequence[float]) -> str:
    return "#" + "".join(f"{round(c * 255):02X}" for c in rgb)
