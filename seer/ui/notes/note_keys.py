"""Triage by keyboard: what the browser must know to give each key its sentence, and what a key does to the notes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from seer.charts.captions import counted
from seer.notes import CAUSES, Cause, NoteFields
from seer.table import Record, place_of, records
from seer.traces import IntArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.notes.drafts import keep
from seer.ui.notes.keys import Press, keys_strip
from seer.ui.notes.notebook import Notebook
from seer.ui.notes.writing import open_row, save, tell, undo, undoable
from seer.ui.selection import shortened

STEP = "step"
"""View option: whether a cause checks the sentence and goes on to the next."""

HELP = "Keys: 1–9 cause, 0 no cause, N next, P previous, U takes back."
AHEAD, AROUND = 40, 8
"""Sentences that the browser knows: those next to be checked, and those at both sides."""
_TEXT = 90

_BY_KEY: dict[str, Cause | None] = {str(number): cause for number, cause in enumerate(CAUSES, 1)} | {"0": None}


def cause_fields(cause: Cause | None, step: bool | None = None) -> NoteFields:
    """What a cause sets: itself and, where it goes on, that the sentence is checked."""
    going_on = state.view_option(STEP, True) if step is None else step
    return {"cause": cause, "status": "checked"} if going_on and cause is not None else {"cause": cause}


def after(view: View, book: Notebook, rows: IntArray, row: int) -> str | None:
    """Id of the next sentence of the list that is not checked, from the top again after the last."""
    ahead = _unchecked(book, rows, row, 1)
    return str(view.study.corpus.ids[rows[ahead[0]]]) if len(ahead) else None


def first_unchecked(book: Notebook, rows: IntArray) -> int:
    """Place of the first row that is not checked, 0 when all are."""
    return int(np.argmin(book.columns.checked[rows])) if len(rows) else 0


def keys_panel(view: View, book: Notebook, rows: IntArray, row: int) -> None:
    """The line that shows which keys are waiting; from when it is drawn on, keys are taken.

    Args:
        view: of the page.
        book: the notes.
        rows: positions of the list, in its order.
        row: position of the shown sentence.
    """
    row_id, place = str(view.study.corpus.ids[row]), place_of(rows, row)
    note, ahead = book.note(row_id), _unchecked(book, rows, row, AHEAD)
    around = np.arange(max(0, (place or 0) - AROUND), min(len(rows), (place or 0) + AROUND + 1))
    places = np.union1d(around, ahead)
    keys_strip(
        {
            "study": view.study.hash,
            "row": row_id,
            "place": -1 if place is None else place,
            "here": {"open": note is None or note.status != "checked", "cause": note.cause if note else None},
            "rows": [
                _entry(view, book, int(at), record)
                for at, record in zip(places, records(view.study, rows[places]), strict=True)
            ],
            "total": len(rows),
            "all": len(ahead) < AHEAD,
            "step": state.view_option(STEP, True),
            "undo": [mine.row for mine in undoable(book)[-AHEAD:]],
            "causes": _BY_KEY,
            "off": "The notes cannot be read now, so the key did nothing." if book.fault else None,
            "help": HELP,
        },
        partial(_take, view, book, row_id),
    )


def _unchecked(book: Notebook, rows: IntArray, row: int, most: int) -> IntArray:
    """Places of the next rows that are not checked, from the top again after the last; without the row itself."""
    place, count = place_of(rows, row), len(rows)
    turned = (np.arange(count) + (0 if place is None else place + 1)) % max(count, 1)
    found: IntArray = turned[~book.columns.checked[rows[turned]] & (rows[turned] != row)][:most]
    return found


def _entry(view: View, book: Notebook, place: int, record: Record) -> dict[str, Any]:
    note = book.note(record.id)
    read = "no word" if record.predicted is None else shortened(record.predicted, 20)
    true = "no label" if record.true is None else shortened(record.true, 20)
    return {
        "id": record.id,
        "place": place,
        "open": note is None or note.status != "checked",
        "cause": note.cause if note else None,
        "about": f"{'✓ ' if record.right else '✕ ' if record.right is False else ''}{true} → {read}",
        "text": view.line(record.text, _TEXT),
    }


def _take(view: View, book: Notebook, drawn: str, presses: list[Press], confirm: Callable[[Press], None]) -> None:
    """Do what the keys say, each to its own sentence, and open the last one's next.

    They are confirmed when all is done: a run that ends before does them once more, which changes nothing.
    """
    here = state.current().row or drawn
    known = [press for press in presses if press.study == view.study.hash and press.row in view.study.corpus]
    if len(known) < len(presses):
        tell("warning", f"{counted(len(presses) - len(known), 'key')} for another study did nothing.")
    failed = False
    for press in known:
        if press.key == "u":  # rather not taken back than twice
            confirm(press)
        failed = not _press(book, press, write=not failed) or failed
        # Whoever opened another sentence since stays there. Nothing moves on from what could not be saved.
        if here == press.row and not failed and press.then in view.study.corpus:
            here = press.then
    open_row(here)
    confirm(presses[-1])


def _press(book: Notebook, press: Press, write: bool) -> bool:
    """Whether a key is done; what it sets is kept for later where it cannot be saved."""
    if press.key in ("n", "p"):
        return True
    if press.key == "u":
        if write:
            undo(book)
        else:
            tell("error", "The undo was left out, since the key before it could not be saved.")
        return write
    fields = cause_fields(_BY_KEY.get(press.key), press.checks)
    if write and save(book, [press.row], fields):
        return True
    keep(book, press.row, fields)
    return False
