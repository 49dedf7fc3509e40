"""What a table without names tells by its cells: whether it has a header, which column is a label, which a text."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

SAMPLE = 1000
"""Records that are looked at."""

_FEW = 20
"""With fewer records than this, every label may be another one."""
_LONG_NAME = 60
_CLEARLY = 1.5
"""A text column that leaves no doubt is so many times as long as the next one with blanks."""
_MOST_COLUMNS = 100
"""Among more columns than this, none leaves no doubt."""
_NAME_WORDS, _LONE_NAME_WORDS = 6, 2
"""Words of a column's name at most, among several columns and alone."""
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def has_header(records: Sequence[Sequence[str]], common: Collection[str], asked: Collection[str]) -> bool:
    """Whether the first record names the columns.

    It does when a name that was asked for stands there, two common names do, or one that does not come again below it,
    or words above numbers. Else it does not when a cell comes again in its column, is a number above numbers, or is a
    sentence.

    Args:
        records: the first records, the one in question first.
        common: common names of columns, in lower case.
        asked: names that a person gave.
    """
    first = [cell.strip() for cell in records[0]]
    below = [{row[at].strip() for row in records[1:] if at < len(row)} for at in range(len(first))]
    if any(cell in asked for cell in first) or sum(cell.lower() in common for cell in first) > 1:
        return True
    if any(cell.lower() in common and cell not in rest for cell, rest in zip(first, below, strict=True)):
        return True
    if any(
        cell and rest and not _is_number(cell) and _all_numbers(rest) for cell, rest in zip(first, below, strict=True)
    ):
        return True
    words = _NAME_WORDS if len(first) > 1 else _LONE_NAME_WORDS
    return not any(
        cell and (cell in rest or (_is_number(cell) and _all_numbers(rest)) or _is_sentence(cell, words))
        for cell, rest in zip(first, below, strict=True)
    )


def guess_label(names: Sequence[str], sample: Sequence[Sequence[str]], taken: Collection[str]) -> str | None:
    """The column with the fewest different values, but two at least where that can be, the shorter ones at a tie.

    ``None`` when all have too many.
    """
    texts = guess_texts(names, sample, [name for name in names if name not in taken])
    kept = 0 if taken else 1  # the longest texts are no label, unless the text is named already
    candidates = []
    for name in texts[kept:]:
        values = _column(names, sample, name)
        different = set(values) - {""}
        few = len(sample) < _FEW or len(different) <= len(sample) // 2
        if different and few and max(map(len, different)) <= _LONG_NAME:
            candidates.append((len(different) < 2, len(different), sum(map(len, values)), names.index(name)))
    return names[min(candidates)[-1]] if candidates else None


def guess_texts(names: Sequence[str], sample: Sequence[Sequence[str]], free: Sequence[str]) -> list[str]:
    """The free columns, those with the longest texts first."""
    return sorted(free, key=lambda name: -sum(map(len, _column(names, sample, name))))


def clear_text(names: Sequence[str], sample: Sequence[Sequence[str]], free: Sequence[str]) -> str | None:
    """The longest free column whose cells mostly hold several words, when clearly longer than the next such one."""
    if len(names) > _MOST_COLUMNS:
        return None
    found = []
    for name in free:
        cells = [cell for cell in _column(names, sample, name) if cell]
        if 2 * sum(len(cell.split()) > 1 for cell in cells) > len(cells):
            found.append((sum(map(len, cells)), name))
    found.sort(reverse=True)
    doubt = not found or (len(found) > 1 and found[0][0] < _CLEARLY * found[1][0])
    return None if doubt else found[0][1]


def clear_label(names: Sequence[str], sample: Sequence[Sequence[str]], free: Sequence[str]) -> str | None:
    """The only free column with two or more different short values that come about twice each; else ``None``.

    Of numbers there are few different ones, or they are counts.
    """
    if len(names) > _MOST_COLUMNS:
        return None
    found = []
    for name in free:
        cells = [cell for cell in _column(names, sample, name) if cell]
        different = set(cells)
        most = min(len(cells) // 2, _FEW) if _all_numbers(different) else len(cells) // 2
        if 2 <= len(different) <= most and max(map(len, different)) <= _LONG_NAME:
            found.append(name)
    return found[0] if len(found) == 1 else None


def _column(names: Sequence[str], sample: Sequence[Sequence[str]], name: str) -> list[str]:
    at = names.index(name)
    return [row[at].strip() for row in sample if at < len(row)]


def _is_sentence(cell: str, words: int) -> bool:
    return len(cell) > _LONG_NAME or len(cell.split()) > words or cell.endswith((".", "!"))


def _all_numbers(cells: Collection[str]) -> bool:
    return all(map(_is_number, cells))


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None
