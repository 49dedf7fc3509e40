"""Triage notes: what is wrong with a sentence, what to do about it, and who said so when; nothing is ever lost."""

from seer.notes.exchange import csv_bytes, jsonl_bytes, read_csv, read_jsonl
from seer.notes.merge import Merged
from seer.notes.plan import plan_markdown
from seer.notes.record import ACTIONS, CAUSES, STATUSES, Action, Cause, Change, Note, NoteFields, Status
from seer.notes.store import FILE, WAIT, Batch, Notes, Saved, Undone, notes_path
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
    "FILE",
    "NO_CAUSE",
    "STATUSES",
    "WAIT",
    "Action",
    "Batch",
    "Cause",
    "Change",
    "Checked",
    "Merged",
    "Note",
    "NoteFields",
    "Notes",
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
    "standing",
]
