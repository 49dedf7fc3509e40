"""Class names in little room: cut so that they stay apart, and lists of them that end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def short_names(names: Sequence[str], most: int) -> list[str]:
    """The names cut to ``most`` letters: at the end, or in the middle where two would look alike.

    Names that are alike at both ends get their place (from 1) before them.

    Args:
        names: different names.
        most: letters, 6 at least.
    """
    ends = [_cut(name, most) for name in names]
    middles = [_cut(name, most, most // 2) for name in names]
    seen = Counter(ends)
    chosen = [end if seen[end] == 1 else middle for end, middle in zip(ends, middles, strict=True)]
    seen = Counter(chosen)
    return [
        short if seen[short] == 1 else _cut(f"{place} {name}", most)
        for place, (short, name) in enumerate(zip(chosen, names, strict=True), start=1)
    ]


def listed(names: Sequence[str], most: int = 12, letters: int = 40) -> str:
    """The first names with commas between, and how many more there are."""
    shown = ", ".join(short_names(names, letters)[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def apart(name: str) -> str:
    """A name within a plain sentence; one that may be written from the right is isolated from what stands around it."""
    return name if name.isascii() else f"\u2068{name}\u2069"


def legend_columns(names: Sequence[str], letters: int = 30, width: int = 290) -> int:
    """In how many columns a chart's legend fits a phone: Vega does not wrap one.

    Args:
        names: of its entries.
        letters: at which longer names are cut.
        width: pixels that there are.
    """
    entry = 28 + 6.2 * min(letters, max(map(len, names), default=1))
    return max(1, min(4, int(width / entry)))


def _cut(name: str, most: int, tail: int = 0) -> str:
    line = " ".join(name.split())
    if len(line) <= most:
        return line
    return f"{line[: most - 1 - tail].rstrip()}…{line[len(line) - tail :].lstrip() if tail else ''}"
