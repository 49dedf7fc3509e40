"""What the person looks at, as one frozen record that goes to a URL's query and back without loss.

The record knows nothing of Streamlit; ``seer.ui.state`` keeps the session's one Selection.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple

DEFAULT_STUDY = "demo"
DEFAULT_SPLIT = "test"
ALL_SPLITS = "all"
Outcome = Literal["right", "wrong"]

VIEW_PREFIX = "v."
PACKED_PREFIX = "z"
PACK_FROM = 300
"""Longer strings travel deflated: a server answers no request line above 64 KiB, and percent-encoding triples them."""
UNPACKED_LIMIT = 2_000_000
_QUOTED = 32
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Selection:
    """One view of a study. Class names, not class numbers, so that a link outlives a renumbering.

    Attributes:
        study: name of the study.
        split: name of a split, or ``ALL_SPLITS``.
        state: abstract state, 0 is the start.
        transition: (source, target) states.
        pattern: states in their order.
        true: name of the true class.
        predicted: name of the predicted class.
        outcome: whether the model was right or wrong.
        query: text, or a regular expression when ``regex``.
        regex: how to read ``query``.
        confidence: (lowest, highest) probability of the predicted class, in 0..1.
        length: (fewest, most) words.
        row: id of a sentence of the corpus.
        text: a typed sentence; ``row`` and ``text`` exclude each other in ``change``.
        edited: an edited copy of the sentence.
        view: what a page keeps in its link: colouring, sorting, page number. Not a filter, never a chip.
    """

    study: str = DEFAULT_STUDY
    split: str = DEFAULT_SPLIT
    state: int | None = None
    transition: tuple[int, int] | None = None
    pattern: tuple[int, ...] | None = None
    true: str | None = None
    predicted: str | None = None
    outcome: Outcome | None = None
    query: str | None = None
    regex: bool = False
    confidence: tuple[float, float] | None = None
    length: tuple[int, int] | None = None
    row: str | None = None
    text: str | None = None
    edited: str | None = None
    view: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        # Half a surrogate pair cannot be written to a URL: it becomes U+FFFD here, so that the way back is exact.
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, str):
                object.__setattr__(self, item.name, _whole(value))
        view = {_whole(key): _whole(value) for key, value in sorted(self.view.items())}
        object.__setattr__(self, "view", view)

    @property
    def corpus_split(self) -> str | None:
        """The split as ``Corpus.rows`` wants it: None for all of them."""
        return None if self.split == ALL_SPLITS else self.split

    def change(self, **values: Any) -> Selection:
        """A copy with other fields.

        A new ``row`` or ``text`` replaces the other of the two and drops the edited copy, unless they are given too.

        Raises:
            TypeError: for a name that is no field.
        """
        fresh = dict(values)
        for name, other in (("row", "text"), ("text", "row")):
            if name in values and values[name] != getattr(self, name):
                fresh.setdefault("edited", None)
                if values[name] is not None:
                    fresh.setdefault(other, None)
        return replace(self, **fresh)

    def with_view(self, **options: str | None) -> Selection:
        """A copy with other view options; None removes one."""
        merged = {**self.view, **options}
        return replace(self, view={key: value for key, value in merged.items() if value is not None})

    def without(self, name: str) -> Selection:
        """A copy with one field back at its default; the query takes its reading as a regular expression along."""
        values = {name: _DEFAULTS[name]}
        if name == "query":
            values["regex"] = False
        return self.change(**values)

    def cleared(self) -> Selection:
        """The same study, split and view options with no filter and no sentence."""
        return Selection(study=self.study, split=self.split, view=self.view)

    def chips(self) -> list[Chip]:
        """The filters in force, in reading order, as (field, label)."""
        chips = []
        for name, label in _LABELS.items():
            value = getattr(self, name)
            if value is not None and value != _DEFAULTS[name]:
                chips.append(Chip(name, label(self, value)))
        return chips

    def to_query(self) -> dict[str, str]:
        """The fields that differ from their default, as the keys and values of a URL's query (not yet escaped)."""
        query: dict[str, str] = {}
        for name, (key, write, _) in _CODECS.items():
            value = getattr(self, name)
            if value is not None and value != _DEFAULTS[name]:
                query |= _packed(key, write(value))
        for option, value in self.view.items():
            query |= _packed(VIEW_PREFIX + option, value)
        return query

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[Selection, tuple[str, ...]]:
        """Read a URL's query. Whatever it holds, nothing is raised.

        Args:
            query: unescaped keys and values.

        Returns:
            The selection, and one sentence for each part that could not be read and was left out.
        """
        values: dict[str, Any] = {}
        view: dict[str, str] = {}
        ignored: list[str] = []
        for key, raw in query.items():
            try:
                plain, value = _unpacked(str(key), str(raw))
                if plain.startswith(VIEW_PREFIX):
                    view[plain.removeprefix(VIEW_PREFIX)] = value
                elif plain in _FIELDS:
                    name = _FIELDS[plain]
                    values[name] = _CODECS[name][2](value)
                else:
                    ignored.append(f"The link's “{shortened(plain)}” is not known here and was left out.")
            except ValueError as error:
                ignored.append(f"The link's {shortened(str(key))} “{shortened(str(raw))}” was left out: {error}.")
        return cls(**values, view=view), tuple(ignored)


class Chip(NamedTuple):
    """One removable filter: the field that ``Selection.without`` takes, and what to write on it."""

    field: str
    label: str


def shortened(text: str, length: int = _QUOTED) -> str:
    """The text on one line, cut at ``length`` characters with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def state_name(state: int) -> str:
    """How a state is called everywhere: ``S7``, and ``start`` for state 0."""
    return f"S{state}" if state else "start"


def path_name(states: tuple[int, ...]) -> str:
    """A sequence of states in words: ``S3 → S7``."""
    return " → ".join(map(state_name, states))


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _packed(key: str, value: str) -> dict[str, str]:
    if len(value) < PACK_FROM:
        return {key: value}
    deflated = zlib.compress(value.encode(), 9)
    return {PACKED_PREFIX + key: base64.urlsafe_b64encode(deflated).decode().rstrip("=")}


def _unpacked(key: str, value: str) -> tuple[str, str]:
    plain = key.removeprefix(PACKED_PREFIX)
    if plain == key or not (plain in _FIELDS or plain.startswith(VIEW_PREFIX)):
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


_CODECS: dict[str, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    "study": ("study", str, _read_name),
    "split": ("split", str, _read_name),
    "state": ("state", str, _read_number),
    "transition": ("edge", _join, _read_transition),
    "pattern": ("path", _join, _read_states),
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

_FIELDS = {key: name for name, (key, _, _) in _CODECS.items()}
_DEFAULTS: dict[str, Any] = {
    item.name: {} if item.default is MISSING else item.default for item in fields(Selection)
}
_LABELS: dict[str, Callable[[Selection, Any], str]] = {
    "split": lambda _, value: "all splits" if value == ALL_SPLITS else f"split: {value}",
    "state": lambda _, value: state_name(value),
    "transition": lambda _, value: path_name(value),
    "pattern": lambda _, value: f"pattern {path_name(value)}",
    "true": lambda _, value: f"true: {shortened(value)}",
    "predicted": lambda _, value: f"predicted: {shortened(value)}",
    "outcome": lambda _, value: str(value),
    "query": lambda selection, value: f"{'matches' if selection.regex else 'contains'} “{shortened(value)}”",
    "confidence": lambda _, value: f"confidence {value[0]:.2f}–{value[1]:.2f}",
    "length": lambda _, value: f"{value[0]}–{value[1]} words",
    "row": lambda _, value: f"sentence {shortened(value)}",
    "text": lambda _, value: f"typed “{shortened(value)}”",
    "edited": lambda _, value: f"edited “{shortened(value)}”",
}
