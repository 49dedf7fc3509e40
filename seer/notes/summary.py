"""What the notes say together. Each function takes ``Notes.current()``, or a part of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from seer.notes.record import ACTIONS, CAUSES, Action, Change, Note

NO_CAUSE = "no cause yet"
"""Stands for the cause of a note that names none."""

Current = Mapping[str, Change]


@dataclass(frozen=True)
class Checked:
    """How far the work is.

    Attributes:
        checked: rows whose note has the status ``checked``.
        noted: rows with a note.
        total: all rows asked about.
    """

    checked: int
    noted: int
    total: int


@dataclass(frozen=True)
class Standing:
    """How the notes fit the sentences of today.

    Attributes:
        noted: rows with a note.
        present: those whose row still exists.
        elsewhere: those of the present that are known to be written on other data (another corpus fingerprint), where
            the row of that id may hold another text.
    """

    noted: int
    present: int
    elsewhere: int

    def sentence(self) -> str | None:
        """What to tell a person, ``None`` when every note fits."""
        parts = []
        if self.present < self.noted:
            belong = "belongs" if self.present == 1 else "belong"
            parts.append(f"{self.present:,} of {_notes_counted(self.noted)} {belong} to a sentence that is still there")
        if self.elsewhere:
            those = f"{self.elsewhere:,} of them" if parts else _notes_counted(self.elsewhere)
            were = "was" if self.elsewhere == 1 else "were"
            parts.append(f"{those} {were} written on another version of the data: compare the text first")
        return f"{'; '.join(parts)}." if parts else None


def checked_of(notes: Current, row_ids: Iterable[str]) -> Checked:
    """Progress among the given rows."""
    asked = set(row_ids)
    found = [note for row_id, note in _notes(notes) if row_id in asked]
    return Checked(sum(note.status == "checked" for note in found), len(found), len(asked))


def standing(notes: Current, row_ids: Collection[str], corpus: str) -> Standing:
    """How many notes still have their row.

    Args:
        notes: the notes.
        row_ids: all ids of the corpus.
        corpus: its fingerprint.
    """
    ids = set(row_ids)
    present = [change for row_id, change in notes.items() if row_id in ids]
    return Standing(len(notes), len(present), sum(change.corpus not in ("", corpus) for change in present))


def cause_counts(notes: Current, confusions: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Causes × confusions: notes of each cause, the missing one last, by confusion, the most frequent first.

    Args:
        notes: the notes.
        confusions: row id → what was taken for what; rows without one are left out.
    """
    pairs = [(note.cause or NO_CAUSE, confusions[row_id]) for row_id, note in _notes(notes) if row_id in confusions]
    columns = [name for name, _ in _ranked(Counter(confusion for _, confusion in pairs))]
    counts = Counter(pairs)
    used = {cause for cause, _ in pairs}
    return {
        cause: {column: counts[cause, column] for column in columns} for cause in (*CAUSES, NO_CAUSE) if cause in used
    }


def action_counts(notes: Current) -> dict[Action, int]:
    """Notes of each action planned, in the order of ``ACTIONS``; actions nobody planned are left out."""
    counts = Counter(note.action for _, note in _notes(notes) if note.action)
    return {action: counts[action] for action in ACTIONS if counts[action]}


def cause_patterns(
    notes: Current, patterns: Mapping[str, Iterable[str]], most: int = 3
) -> dict[str, list[tuple[str, int]]]:
    """The patterns that most sentences of a cause hold, with their number; causes without a pattern are left out.

    Args:
        notes: the notes.
        patterns: row id → the patterns its sentence holds.
        most: patterns of a cause.
    """
    counts: dict[str, Counter[str]] = {}
    for row_id, note in _notes(notes):
        counts.setdefault(note.cause or NO_CAUSE, Counter()).update(set(patterns.get(row_id, ())))
    return {cause: _ranked(counts[cause])[:most] for cause in (*CAUSES, NO_CAUSE) if counts.get(cause)}


def _notes_counted(number: int) -> str:
    return f"{number:,} {'note' if number == 1 else 'notes'}"


def _notes(notes: Current) -> Iterable[tuple[str, Note]]:
    return ((row_id, change.note) for row_id, change in notes.items() if change.note)


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    """By count, then by name: the order does not hang on which row came first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
