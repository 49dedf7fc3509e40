"""Which encoding the bytes of a file are in, and what to say when they are in none."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable
from itertools import islice

import numpy as np

from seer.corpus.bounds import MOST_ROWS
from seer.errors import DataError, SettingError

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
"""Byte-order marks: the bytes, the codec, and what a person calls it."""

_NOT_TEXT = {
    b"\x1f\x8b": "a gzip archive; unpack it",
    b"PK\x03\x04": "an Excel workbook or another archive; save the sheet as CSV in UTF-8",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV in UTF-8",
    b"PAR1": "a Parquet file; let its name end in .parquet",
    b"SQLite format 3": "an SQLite database; save its table as CSV in UTF-8",
    b"\x89PNG": "a PNG picture; name a file of texts",
    b"\xff\xd8\xff": "a JPEG picture; name a file of texts",
    b"%PDF": "a PDF document; save its texts as CSV in UTF-8",
}
"""First bytes of files that are no text, what they are, and what to do."""

_NOT_OF_FILES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")
"""Codecs of addresses and of program text: no file is in one."""

_OTHERS = ("shift_jis", "gb18030", "big5", "euc_kr", "cp1251", "cp1252", "latin-1")
"""Encodings that an error offers where the bytes allow them."""
_ZEROS = ("utf-16-le", "utf-16-be")
"""Others, where there are zero bytes."""


def codec_named(encoding: str) -> str:
    """The codec of an encoding that a person named; UTF-8 is read with and without its mark.

    Raises:
        SettingError: there is none, or it makes no characters.
    """
    try:
        found = codecs.lookup(encoding)
        "a".encode(found.name)  # a codec of bytes refuses
        if found.name in _NOT_OF_FILES:
            raise LookupError
    except (LookupError, ValueError):
        raise SettingError(
            f"There is no encoding {encoding!r}; expected a name such as utf-8, latin-1, cp1252, shift_jis or gb18030."
        ) from None
    return "utf-8-sig" if found.name == "utf-8" else found.name


def refuse_binary(data: bytes, name: str) -> None:
    """Stop at a file that is known not to be text, in whatever encoding.

    Raises:
        DataError: says what it is.
    """
    for start, found in _NOT_TEXT.items():
        if data.startswith(start) and b"\0" in data:
            raise DataError(f"Expected text in {name}, found {found}.")


def lines_of(data: bytes, codec: str, name: str, errors: str = "strict") -> list[str]:
    """Line by line, so that one wide character does not make the whole text four times as large.

    Raises:
        DataError: there are too many.
    """
    return lines_in(io.TextIOWrapper(io.BytesIO(data), codec, errors, newline=""), name)


def lines_in(stream: Iterable[str], name: str) -> list[str]:
    """All lines of a file.

    Raises:
        DataError: there are too many.
    """
    lines = list(islice(stream, MOST_ROWS + 1))
    if len(lines) > MOST_ROWS:
        raise DataError(f"{name} has more than {MOST_ROWS:,} lines, the most that can be read; load a part of it.")
    return lines


def decoded_lines(data: bytes, codec: str, called: str, name: str) -> list[str]:
    """The lines of a file in one encoding, which a person calls ``called``.

    Raises:
        DataError: a byte does not belong to it; gives line and byte.
    """
    try:
        return lines_of(data, codec, name)
    except UnicodeError:
        pass
    try:  # the reader of lines wants a mark where a codec as a whole does without it
        return lines_in(io.StringIO(data.decode(codec), newline=""), name)
    except UnicodeDecodeError as error:
        if error.reason == "truncated data" or error.reason == "unexpected end of data":
            raise DataError(
                f"{name} breaks off within a character of {called} at byte {error.start + 1:,}; get it whole, or name "
                f"its encoding with --encoding (in Python encoding=…). {_offer(data)}"
            ) from None
        raise undecodable(data, codec, called, name, error.start) from None


def undecodable(data: bytes, codec: str, called: str, name: str, at: int) -> DataError:
    """The error about the byte at a place of a file, from 0, with the encodings that the bytes would allow."""
    line = data[:at].decode(codec, "replace").count("\n") + 1
    return DataError(
        f"{name}, line {line:,}: the byte 0x{data[at]:02X} is not {called} (byte {at + 1:,} of the file). Name its "
        f"encoding with --encoding (in Python encoding=…), or save it as UTF-8. {_offer(data)}"
    )


def _offer(data: bytes) -> str:
    """Which other encodings the bytes allow."""
    fit = []
    for codec in (*_ZEROS, *_OTHERS) if b"\0" in data else _OTHERS:
        try:
            data.decode(codec)
        except UnicodeDecodeError:
            continue
        fit.append(codec)
    return f"Its bytes would be valid as {', '.join(fit[:-1])}{' or ' if fit[:-1] else ''}{fit[-1]}."


def unmarked_utf16(data: bytes) -> str | None:
    """The codec when the first two characters are plain ones in UTF-16, as a header or a bracket is."""
    zeros = [byte == 0 for byte in data[:4]]
    if zeros == [False, True, False, True]:
        return "utf-16-le"
    return "utf-16-be" if zeros == [True, False, True, False] else None


def like_utf16(data: bytes) -> str | None:
    """The codec when all are printed characters in UTF-16 with line breaks; in its other byte order U+000A is none."""
    for codec in _ZEROS:
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        if "\n" in text and "".join(text.split()).isprintable():
            return codec
    return None


def like_windows(data: bytes) -> bool:
    """Whether accented letters stand among plain ones; in other scripts nearly all bytes in a row are high ones."""
    high = np.frombuffer(data, dtype=np.uint8) >= 0x80
    beside = np.zeros_like(high)
    beside[1:] |= high[:-1]
    beside[:-1] |= high[1:]
    return int(high.sum()) < 8 or 2 * int((high & beside).sum()) <= int(high.sum())
