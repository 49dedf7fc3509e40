"""The characters of an uploaded text file."""

from __future__ import annotations

import codecs

from seer.errors import NotesError


def decoded(content: bytes) -> tuple[str, tuple[str, ...]]:
    """The text of a file in UTF-8, or in UTF-16 with a mark as spreadsheets write it, and how it was read.

    Raises:
        NotesError: it is neither; the sentence names the line.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return content.decode("utf-16"), ("The file is UTF-16 and was read as such.",)
        except UnicodeDecodeError as error:
            raise NotesError(
                f"The file begins like UTF-16 and breaks off at byte {error.start:,}; save it as UTF-8."
            ) from error
    try:
        return content.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        line, byte = content.count(b"\n", 0, error.start) + 1, content[error.start]
        raise NotesError(
            f"Expected notes in UTF-8, got the byte 0x{byte:02X} in line {line:,} of the file; save it as “CSV UTF-8” "
            "where the spreadsheet offers that, else as UTF-8."
        ) from error
