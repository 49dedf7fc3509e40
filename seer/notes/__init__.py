"""Triage notes: what is wrong with a sentence, what to do about it, and who said so when; nothing is ever lost."""

from seer.notes.entry import Entry, NotesFile
from seer.notes.exchange import jsonl_bytes, read_jsonl, read_notes
from seer.notes.merge import Merged
from seer.notes.place import FILE, NOTES_VARIABLE, notes_path
from seer.notes.plan import plan_markdown
from seer.notes.record import ACTIONS, CAUSES, STATUSES, Action, Cause, Change, Note, NoteFields, Status
from seer.notes.spreadsheet import csv_bytes, read_csv, readable_csv
from seer.notes.store import CLOSED, WAIT, Batch, Notes, Saved, Undone
from seer.notes.summary import (
    NO_CAUSE,
    Checked,
    Standing,
    action_counts,
    cause_counts,
    cause_patterns,
    checked_of,
    standing,
)

__all__ = [
    "ACTIONS",
    "CAUSES",
    "CLOSED",
    "FILE",
    "NOTES_VARIABLE",
    "NO_CAUSE",
    "STATUSES",
    "WAIT",
    "Action",
    "Batch",
    "Cause",
    "Change",
    "Checked",
    "Entry",
    "Merged",
    "Note",
    "NoteFields",
    "Notes",
    "NotesFile",
    "Saved",
    "Standing",
    "Status",
    "Undone",
    "action_counts",
    "cause_counts",
    "cause_patterns",
    "checked_of",
    "csv_bytes",
    "jsonl_bytes",
    "notes_path",
    "plan_markdown",
    "read_csv",
    "read_jsonl",
    "read_notes",
    "readable_csv",
    "standing",
]
