"""What the person looks at, as one frozen record that goes to a URL's query and back without loss.

The record knows nothing of Streamlit; ``seer.ui.state`` keeps the session's one Selection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, NamedTuple

from seer.charts.captions import state_name as state_name
from seer.ui.codec import CODECS, VIEW_PREFIX, Outcome, packed, unpacked

DEFAULT_STUDY = "demo"
DEFAULT_SPLIT = "test"
ALL_SPLITS = "all"
PAGE = "page"
"""View option: the page of a table of sentences."""
COLLAPSE = "collapse"
"""View option: ``1`` where the chosen pattern counts the repeats of a state as one."""

_QUOTED = 32
_NOT_FILTERS = frozenset(("row", "text", "edited", "view"))


@dataclass(frozen=True)
class Selection:
    """One view of a study. Class names, not class numbers, so that a link outlives a renumbering.

    Attributes:
        study: name of the study.
        split: name of a split, or ``ALL_SPLITS``.
        state: abstract state, 0 is the start.
        transition: (source, target) states.
        pattern: states in their order.
        word: words in a row, as the vocabulary has them, with a blank between; the last is read at the pattern's end.
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
    word: str | None = None
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

    @property
    def collapse(self) -> bool:
        """Whether the chosen pattern counts the repeats of a state as one."""
        return self.pattern is not None and self.view.get(COLLAPSE) == "1"

    def change(self, **values: Any) -> Selection:
        """A copy with other fields.

        A new ``row`` or ``text`` replaces the other of the two and drops the edited copy, unless they are given too.
        Another filter leads back to the first page of a table.

        Raises:
            TypeError: for a name that is no field.
        """
        fresh = dict(values)
        for name, other in (("row", "text"), ("text", "row")):
            if name in values and values[name] != getattr(self, name):
                fresh.setdefault("edited", None)
                if values[name] is not None:
                    fresh.setdefault(other, None)
        if any(values[name] != getattr(self, name) for name in (values.keys() & _DEFAULTS.keys()) - _NOT_FILTERS):
            fresh.setdefault("view", _first_page(self.view))
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

    def without_chip(self, name: str) -> Selection:
        """A copy without what a chip stands for: with a pattern its word goes too."""
        chosen = self.without(name)
        return chosen.without("word") if name == "pattern" else chosen

    def cleared(self) -> Selection:
        """The same study, split and view options with no filter and no sentence."""
        return Selection(study=self.study, split=self.split, view=_first_page(self.view))

    def chips(self, noun: str = "sentence") -> list[Chip]:
        """The filters in force, in reading order, as (field, label); a pattern of states with a word is one.

        Args:
            noun: what a row of the study is called.
        """
        chips = []
        for name, label in _LABELS.items():
            value = getattr(self, name)
            if name == "word" and self.pattern is not None:
                continue
            if value is not None and value != _DEFAULTS[name] and not _blank(name, value):
                chips.append(Chip(name, f"{noun} {label(self, value)}" if name == "row" else label(self, value)))
        return chips

    def to_query(self) -> dict[str, str]:
        """The fields that differ from their default, as the keys and values of a URL's query (not yet escaped)."""
        query: dict[str, str] = {}
        for name, (key, write, _) in CODECS.items():
            value = getattr(self, name)
            if value is not None and value != _DEFAULTS[name]:
                query |= packed(key, write(value))
        for option, value in self.view.items():
            query |= packed(VIEW_PREFIX + option, value)
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
                plain, value = unpacked(str(key), str(raw), _FIELDS)
                if plain.startswith(VIEW_PREFIX):
                    view[plain.removeprefix(VIEW_PREFIX)] = value
                elif plain in _FIELDS:
                    name = _FIELDS[plain]
                    values[name] = CODECS[name][2](value)
                else:
                    ignored.append(f"The link's “{shortened(plain)}” is not known here and was left out.")
            except ValueError as error:
                ignored.append(f"The link's {shortened(str(key))} “{shortened(str(raw))}” was left out: {error}.")
        return cls(**values, view=view), tuple(ignored)


class Chip(NamedTuple):
    """One removable filter: what ``Selection.without_chip`` takes, and what to write on it."""

    field: str
    label: str


def shortened(text: str, length: int = _QUOTED) -> str:
    """The text on one line, cut at ``length`` characters with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def path_name(states: tuple[int, ...]) -> str:
    """A sequence of states in words: ``S3 → S7``."""
    return " → ".join(map(state_name, states))


def _blank(name: str, value: Any) -> bool:
    """Whether there is nothing to write on a chip; a query of blanks does filter."""
    return (name in ("text", "edited") and not value.strip()) or (name == "query" and not value)


def _first_page(view: Mapping[str, str]) -> dict[str, str]:
    return {option: value for option, value in view.items() if option != PAGE}


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_FIELDS = {key: name for name, (key, _, _) in CODECS.items()}
_DEFAULTS: dict[str, Any] = {item.name: {} if item.default is MISSING else item.default for item in fields(Selection)}
_LABELS: dict[str, Callable[[Selection, Any], str]] = {
    "split": lambda _, value: "all splits" if value == ALL_SPLITS else f"split: {value}",
    "state": lambda _, value: state_name(value),
    "transition": lambda _, value: path_name(value),
    "pattern": lambda selection, value: (
        f"pattern {path_name(value)}{'' if selection.word is None else f' · “{shortened(selection.word)}”'}"
        f"{', repeats as one' if selection.collapse else ''}"
    ),
    "word": lambda _, value: f"word{'s' if ' ' in value else ''} “{shortened(value)}”",
    "true": lambda _, value: f"true: {shortened(value)}",
    "predicted": lambda _, value: f"predicted: {shortened(value)}",
    "outcome": lambda _, value: str(value),
    "query": lambda selection, value: f"{'matches' if selection.regex else 'contains'} “{shortened(value)}”",
    "confidence": lambda _, value: f"confidence {value[0]:.2f}–{value[1]:.2f}",
    "length": lambda _, value: f"{value[0]:,}–{value[1]:,} words",
    "row": lambda _, value: shortened(value),
    "text": lambda _, value: f"typed “{shortened(value)}”",
    "edited": lambda _, value: f"edited “{shortened(value)}”",
}
