"""What the tests of the notes share."""

from seer.notes import Note, Notes

ROUGH = '=1+1 | `x` <img src=x onerror=alert(1)> \u202eאב 🙂 "q", \'-- \ud83d\r\n# a_b_ $5 :red[x]\r\ttab'


def current(notes: Notes) -> dict[str, Note | None]:
    return {row_id: change.note for row_id, change in notes.current().items()}
