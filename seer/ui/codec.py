"""How the fields of a Selection are written in a URL. Every reader raises ValueError with a clause to show."""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from collections.abc import Callable, Collection
from typing import Any, Literal

Outcome = Literal["right", "wrong"]

VIEW_PREFIX = "v."
PACKED_PREFIX = "z"
PACK_FROM = 300
"""Longer strings travel deflated: percent-encoding triples them, and proxies often refuse an address above 8 kB."""
UNPACKED_LIMIT = 2_000_000
_NUMBER = re.compile(r"[0-9]{1,9}")


def packed(key: str, value: str) -> dict[str, str]:
    """The value under its key, or deflated under the key with ``PACKED_PREFIX`` when it is long."""
    if len(value) < PACK_FROM:
        return {key: value}
    deflated = zlib.compress(value.encode(), 9)
    return {PACKED_PREFIX + key: base64.urlsafe_b64encode(deflated).decode().rstrip("=")}


def unpacked(key: str, value: str, known: Collection[str]) -> tuple[str, str]:
    """The other way round.

    Args:
        key: key of the URL.
        value: its value.
        known: keys that may be packed, beside those of view options.

    Raises:
        ValueError: the packed value is damaged or longer than ``UNPACKED_LIMIT`` characters.
    """
    plain = key.removeprefix(PACKED_PREFIX)
    if plain == key or not (plain in known or plain.startswith(VIEW_PREFIX)):
        return key, value
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)), UNPACKED_LIMIT).decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError, ValueError):
        raise ValueError("it is damaged") from None
    if not unpacker.eof:
        raise ValueError("it is cut off or too long")
    return plain, text


def _read_number(raw: str) -> int:
    if not _NUMBER.fullmatch(raw):
        raise ValueError("a whole number is expected")
    return int(raw)


def _read_states(raw: str) -> tuple[int, ...]:
    parts = raw.split("-")
    if not all(_NUMBER.fullmatch(part) for part in parts):
        raise ValueError("states joined by “-” are expected, such as 3-7")
    return tuple(map(int, parts))


def _read_transition(raw: str) -> tuple[int, int]:
    states = _read_states(raw)
    if len(states) != 2:
        raise ValueError("two states joined by “-” are expected, such as 3-7")
    return states[0], states[1]


def _read_range(raw: str, read: Callable[[str], float], example: str) -> tuple[float, float]:
    low, separator, high = raw.partition("..")
    try:
        values = read(low), read(high)
    except ValueError:
        values = math.nan, math.nan
    if not separator or not 0 <= values[0] <= values[1]:  # NaN fails here too
        raise ValueError(f"a range is expected, such as {example}")
    return values


def _read_confidence(raw: str) -> tuple[float, float]:
    values = _read_range(raw, float, "0.5..0.9")
    if values[1] > 1:
        raise ValueError("confidence lies between 0 and 1")
    return values


def _read_length(raw: str) -> tuple[int, int]:
    low, high = _read_range(raw, _read_number, "3..20")
    return int(low), int(high)


def _read_outcome(raw: str) -> Outcome:
    if raw == "right":
        return "right"
    if raw == "wrong":
        return "wrong"
    raise ValueError("right or wrong is expected")


def _read_flag(raw: str) -> bool:
    if raw not in ("0", "1"):
        raise ValueError("0 or 1 is expected")
    return raw == "1"


def _read_name(raw: str) -> str:
    if not raw:
        raise ValueError("a name is expected")
    return raw


def _join(states: tuple[int, ...]) -> str:
    return "-".join(map(str, states))


def _join_range(values: tuple[float, float]) -> str:
    return f"{values[0]!r}..{values[1]!r}"


CODECS: dict[str, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    "study": ("study", str, _read_name),
    "split": ("split", str, _read_name),
    "state": ("state", str, _read_number),
    "transition": ("edge", _join, _read_transition),
    "pattern": ("path", _join, _read_states),
    "word": ("word", str, _read_name),
    "true": ("true", str, str),
    "predicted": ("pred", str, str),
    "outcome": ("outcome", str, _read_outcome),
    "query": ("q", str, str),
    "regex": ("regex", lambda flag: str(int(flag)), _read_flag),
    "confidence": ("conf", _join_range, _read_confidence),
    "length": ("len", _join_range, _read_length),
    "row": ("row", str, str),
    "text": ("text", str, str),
    "edited": ("edited", str, str),
}
"""Field -> (key in the URL, writer, reader). Keys are in people's links: add, never rename."""
