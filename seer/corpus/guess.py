"""What a table without names tells by its cells: whether it has a header, which column is a label, which a text."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

SAMPLE = 1000
"""Records that are looked at."""

_FEW = 20
"""With fewer records than this, every label may be another one."""
_LONG_NAME = 60
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


def _column(names: Sequence[str], sample: Sequence[Sequence[str]], name: str) -> list[str]:
    at = names.index(name)
    return [row[at].strip() for row in sample if at < len(row)]


def _is_sentence(cell: str, words: int) -> bool:
    return len(cell) > _LONG_NAME or len(cell.split()) > words or cell.endswith((".", "!"))


def _all_numbers(cells: Collection[str]) -> bool:
    return all(map(_is_number, cells))


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None
