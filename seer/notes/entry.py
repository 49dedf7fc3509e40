"""What a file says of a row: a change of the history, or those fields of a note that a person wrote down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from seer.errors import NotesError, shown
from seer.notes.record import NOTE_FIELDS, Change, Note, clean, derived_id, iso, row_key
from seer.storage import canonical

NOBODY = "import"
"""Author of a change whose file names none."""

_LAST_YEAR = 9000  # leaves room for a later change
_FIELDS = ", ".join(NOTE_FIELDS)


@dataclass(frozen=True)
class Entry:
    """What a file says of a row at one place.

    Attributes:
        change: as the file has it; id, batch, time and author are empty where it names none. Its note is an empty one
            with the given fields set, ``None`` when the note is taken away.
        given: the fields of the note that the file names; the others stay as they are on the row.
        line: where it stands in the file, from 1.
    """

    change: Change
    given: frozenset[str] = frozenset(NOTE_FIELDS)
    line: int = 0

    @property
    def whole(self) -> bool:
        """Whether it says all of a note, or that there is none."""
        return self.change.note is None or len(self.given) == len(NOTE_FIELDS)

    def onto(self, note: Note | None) -> Note | None:
        """The note that comes of it where another one stands, or none."""
        own = self.change.note
        if own is None or self.whole:
            return own
        nothing = note is None and own == Note()
        return None if nothing else replace(note or Note(), **self._fields(own))

    def content(self, before: int) -> str:
        """A UUID of what it says, for an entry without an id.

        Args:
            before: how many entries of the file before it say the same.
        """
        own, change = self.change.note, self.change
        said = None if own is None else canonical(self._fields(own))
        return derived_id(change.row_id, said, change.author, change.time, str(before))

    def _fields(self, note: Note) -> dict[str, Any]:
        return {name: value for name, value in asdict(note).items() if name in self.given}


@dataclass(frozen=True)
class NotesFile:
    """A file of notes as it was read.

    Attributes:
        entries: in the order of the file.
        told: how it was read and what was left out, a sentence each.
    """

    entries: tuple[Entry, ...]
    told: tuple[str, ...] = ()


def entry_from_record(record: Mapping[str, Any], note: Any, line: int) -> Entry:
    """Check what a file says at a line.

    Args:
        record: row id, and what else of a change the file names.
        note: the fields of the note that it names, ``None`` to take the note away.
        line: from 1.

    Raises:
        NotesError: a value is missing or not as it should be; the sentence names the line.
    """
    try:
        if note is not None and not isinstance(note, dict):
            raise NotesError(f"Expected a note with {_FIELDS}, got {shown(note)}.")
        if strange := [name for name in note or () if name not in NOTE_FIELDS]:
            raise NotesError(f"Expected a note with {_FIELDS}, got one with {shown(strange[0])}.")
        own = _uuid(record, "id")
        change = Change(
            own,
            row_key(record.get("row_id") or ""),
            None if note is None else Note(**note),
            clean("author", record.get("author") or ""),
            _checked_time(record.get("time") or ""),
            _uuid(record, "batch") or own,
            _uuid(record, "replaces") or None,
            _uuid(record, "undoes") or None,
            _uuid(record, "restores") or None,
            clean("study", record.get("study") or ""),
            clean("corpus", record.get("corpus") or ""),
        )
    except NotesError as error:
        raise NotesError(f"Line {line:,} of the file: {error}") from error
    return Entry(change, frozenset(NOTE_FIELDS if note is None else note), line)


def left_out(lines: int) -> tuple[str, ...]:
    """The sentence about lines that name a row and say nothing of its note."""
    if not lines:
        return ()
    return ("1 line without a note was left out." if lines == 1 else f"{lines:,} lines without a note were left out.",)


def _uuid(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name) or ""
    if value == "":
        return ""
    try:
        return str(UUID(value))
    except (ValueError, AttributeError, TypeError) as error:
        raise NotesError(f"The {name} of a change must be a UUID or empty, got {shown(value)}.") from error


def _checked_time(value: Any) -> str:
    if value == "":
        return ""
    try:
        moment = datetime.fromisoformat(value)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, TypeError, OverflowError) as error:
        raise NotesError(f"The time of a change must look like 2025-01-31T09:30:00Z, got {shown(value)}.") from error
    if moment.year > _LAST_YEAR:
        raise NotesError(f"The time of a change must lie before the year {_LAST_YEAR}, got {shown(value)}.")
    return iso(moment)
