"""A list of words from a text file or from JSON: the word of each row of an embedding."""

from __future__ import annotations

import re
from typing import Any

from seer.errors import ModelError, shown
from seer.text import PAD

_HALF = re.compile("[\ud800-\udfff]")

_INNER = ("itos", "stoi", "vocab", "word2idx", "word_index", "word2index", "token_to_id")
"""Fields under which programs keep their words."""


def word_lines(content: str, name: str) -> list[str]:
    """A word a line; the last line may be empty.

    Raises:
        ModelError: nothing in it, or a word stands twice.
    """
    if "\0" in content:
        raise ModelError(f"Expected a text file with a word a line in {name}, found binary data.")
    words = [line.removesuffix("\r") for line in content.split("\n")]
    while words and not words[-1]:
        words.pop()
    return _unique(words, name)


def numbered(fields: Any, name: str) -> list[str]:
    """The words of a JSON list, or of an object that maps each to its number, in the order of the numbers.

    Numbers from 1 up leave 0 to padding.

    Raises:
        ModelError: another kind of JSON, or numbers with gaps.
    """
    if isinstance(fields, dict):
        inner = [fields[key] for key in _INNER if isinstance(fields.get(key), dict | list)]
        fields = inner[0] if inner else fields
    if isinstance(fields, list) and all(isinstance(word, str) for word in fields):
        return _unique(fields, name)
    if not isinstance(fields, dict) or not fields:
        raise ModelError(f"Expected a list of words, or words with their numbers, in {name}; got {shown(fields)}.")
    for word, number in fields.items():
        if not isinstance(number, int) or isinstance(number, bool):
            raise ModelError(f"Expected a number for each word in {name}; {shown(word)} has {shown(number)}.")
    numbers = sorted(fields.values())
    first = numbers[0]
    if first not in (0, 1) or numbers != list(range(first, first + len(numbers))):
        raise ModelError(
            f"Expected the {len(numbers):,} words of {name} to be numbered from 0, or from 1 with 0 for padding, "
            f"without a gap or a repeat; their numbers go from {first:,} to {numbers[-1]:,}."
        )
    words = sorted(fields, key=fields.__getitem__)
    return _unique([PAD, *words] if first else words, name)


def _unique(words: list[str], name: str) -> list[str]:
    if not words:
        raise ModelError(f"Expected words in {name}, found none.")
    broken = next((word for word in words if _HALF.search(word)), None)
    if broken is not None:
        raise ModelError(f"The word {shown(broken)} of {name} holds half a character; write it whole, or as U+FFFD.")
    seen: dict[str, int] = {}
    for line, word in enumerate(words, start=1):
        if word in seen:
            raise ModelError(
                f"Every word of {name} must stand there once; {shown(word)} stands in lines {seen[word]:,} and "
                f"{line:,}."
            )
        seen[word] = line
    return words
