"""One note on a sentence, and one change of it in the history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Literal, TypedDict, get_args
from uuid import NAMESPACE_OID, uuid4, uuid5

from seer.errors import NotesError, shown
from seer.storage import canonical
from seer.text import readable

Cause = Literal[
    "label error",
    "negation",
    "contrast or mixed",
    "irony",
    "rare or unknown words",
    "name or topic cue",
    "spurious cue",
    "too little signal",
    "other",
]
Action = Literal["relabel", "collect more like it", "augment", "clean", "change the model", "leave"]
Status = Literal["to do", "checked"]

CAUSES: tuple[Cause, ...] = get_args(Cause)
ACTIONS: tuple[Action, ...] = get_args(Action)
STATUSES: tuple[Status, ...] = get_args(Status)

LONGEST = 32_000
"""Characters of a cell; a spreadsheet cuts what is longer than 32,767."""

_SHORTEST_STEP = timedelta(microseconds=1)


@dataclass(frozen=True)
class Note:
    """What a person says about a sentence.

    In the text every line end becomes a newline, and half a surrogate pair and NUL become U+FFFD.

    Attributes:
        cause: root cause of the error.
        text: in the person's own words.
        action: what to do about it.
        label: new label, with the action ``relabel`` or without.
        status: whether the person is through with the sentence.

    Raises:
        NotesError: a value that is none of those listed, or a text that is too long.
    """

    cause: Cause | None = None
    text: str = ""
    action: Action | None = None
    label: str | None = None
    status: Status = "to do"

    def __post_init__(self) -> None:
        one_of("cause", self.cause, (None, *CAUSES))
        one_of("action", self.action, (None, *ACTIONS))
        one_of("status", self.status, STATUSES)
        text = clean("text of a note", self.text).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "label", None if self.label is None else clean("new label", self.label) or None)


NOTE_FIELDS = tuple(field.name for field in fields(Note))


class NoteFields(TypedDict, total=False):
    """Those fields of a note that a bulk change sets; the others stay as they are on each row."""

    cause: Cause | None
    text: str
    action: Action | None
    label: str | None
    status: Status


@dataclass(frozen=True)
class Change:
    """One entry of the history, never changed itself. The last one of a row, by time and then id, is what stands.

    Attributes:
        id: a UUID, the same in every copy of the notes.
        row_id: of the corpus.
        note: the whole new note; ``None`` when the row has none any more.
        author: who made it.
        time: when, UTC, ISO 8601 with microseconds; later than that of the change it replaces, whatever the clock says.
        batch: a UUID that all changes of one action share.
        replaces: id of the change that stood when this one was made.
        undoes: batch that this change takes back.
        restores: id of the change that stands again by it, ``None`` when the row had no note before.
        study: hash of the study that was looked at.
        corpus: fingerprint of its sentences.
    """

    id: str
    row_id: str
    note: Note | None
    author: str
    time: str
    batch: str
    replaces: str | None = None
    undoes: str | None = None
    restores: str | None = None
    study: str = ""
    corpus: str = ""

    @property
    def order(self) -> tuple[str, str]:
        """Which of two changes of a row stands: the greater."""
        return self.time, self.id

    @property
    def meaning(self) -> str | None:
        """Id of the change whose note this one puts in force: its own, or the one that an undo restores."""
        return self.id if self.undoes is None else self.restores


def edited(note: Note | None, fields: NoteFields) -> Note:
    """The note, or an empty one, with some fields set."""
    return replace(note or Note(), **fields)


def note_json(note: Note | None) -> str | None:
    """The note as JSON with sorted keys."""
    return None if note is None else canonical(asdict(note))


def note_from_json(text: str | None) -> Note | None:
    """The note that ``note_json`` was given."""
    return None if text is None else Note(**json.loads(text))


def by_row(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """The changes of each row by row id, the earliest first."""
    ordered = sorted(changes, key=lambda change: (change.row_id, change.order))
    return (list(group) for _, group in groupby(ordered, key=lambda change: change.row_id))


def new_id() -> str:
    """A random UUID, dashed: a spreadsheet could take bare hexadecimal digits for a number."""
    return str(uuid4())


def derived_id(*parts: str | None) -> str:
    """A UUID that is the same for the same parts, so that reading a file twice makes no second change."""
    return str(uuid5(NAMESPACE_OID, canonical(parts)))


def time_after(earlier: str | None, now: datetime | None = None) -> str:
    """The time now, or a microsecond after an earlier change when a clock is behind."""
    moment = now or datetime.now(UTC)
    if earlier:
        moment = max(moment, datetime.fromisoformat(earlier) + _SHORTEST_STEP)
    return iso(moment)


def row_key(row_id: str) -> str:
    """The id of a row as notes keep it.

    Raises:
        NotesError: it is empty or too long.
    """
    if not row_id:
        raise NotesError("Expected a row id for each note, got an empty one; take the ids from the study's tables.")
    return clean("row id", row_id)


def clean(name: str, value: str) -> str:
    """The text in whole characters.

    Raises:
        NotesError: it is no text, or too long.
    """
    if not isinstance(value, str):
        raise NotesError(f"The {name} must be a text, got {shown(value)}.")
    if len(value) > LONGEST:
        raise NotesError(f"The {name} must be at most {LONGEST:,} characters, got {len(value):,}; shorten it.")
    return readable(value)


def one_of(name: str, value: str | None, allowed: tuple[str | None, ...]) -> None:
    """Refuse a value that is not allowed.

    Raises:
        NotesError: so.
    """
    if value not in allowed:
        listed = ", ".join(option for option in allowed if option)
        raise NotesError(f"The {name} of a note must be one of {listed}; got {shown(value)}.")


def iso(moment: datetime) -> str:
    """A moment as the notes write it: UTC, with microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
