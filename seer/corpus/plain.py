"""The lines of a text file and their encoding, decided before any row is read."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from seer.corpus.bounds import grown, most_unpacked, refuse_long_line
from seer.corpus.encodings import (
    MARKS,
    codec_named,
    decoded_lines,
    like_utf16,
    like_windows,
    lines_in,
    lines_of,
    refuse_binary,
    undecodable,
    unmarked_utf16,
)
from seer.errors import DataError

GZIP = ".gz"
"""A file name that ends so is unpacked first."""

_ESCAPED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class Plain:
    """A text file as characters.

    Attributes:
        name: of the file.
        lines: with their ends as they are written.
        encoding: name of the codec.
        notices: sentences for a person.
        broken: lines, from 1, that hold a byte of another encoding, and which byte; such a byte stands in the line as a
            lone surrogate.
    """

    name: str
    lines: list[str]
    encoding: str
    notices: list[str]
    broken: dict[int, str]

    @property
    def text(self) -> str:
        """All characters.

        Raises:
            DataError: a line is broken.
        """
        self.refuse_broken()
        return "".join(self.lines)

    def refuse_broken(self) -> None:
        """Stop at a broken line, for readers that cannot leave it out.

        Raises:
            DataError: names the first.
        """
        for line, byte in self.broken.items():
            raise DataError(
                f"{self.name}, line {line:,}: the byte {byte} is not UTF-8, as the rest is; mend that line."
            )

    def content(self, begin: int, end: int) -> str:
        """Lines as a person sees them, from 1, the last included; U+FFFD stands for what is no character."""
        return whole_characters("".join(self.lines[begin - 1 : end]))[0]


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked when its name ends in .gz.

    Raises:
        DataError: it cannot be opened or unpacked.
    """
    try:
        if path.suffix.lower() != GZIP:
            return path.read_bytes()
        with gzip.open(path) as file:
            most = most_unpacked(path)
            data = file.read(most + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path.name} is no whole gzip file; pack it again.") from error
    except OSError as error:
        raise DataError(f"The file {path} cannot be opened: {error.strerror or error}.") from error
    if len(data) > most:
        raise grown(path.name, most)
    return data


def read_plain(path: Path, encoding: str | None = None, *, long_lines: bool = False) -> Plain:
    """The lines of a text file in the encoding that was named.

    Without one: as its byte-order mark says, else UTF-8 whatever the locale, else UTF-16 where the first two
    characters say so, else Windows-1252 with a notice where the bytes look like it.

    Args:
        path: the file.
        encoding: of the file, None to find it.
        long_lines: a line may be the whole file, as in JSON.

    Raises:
        DataError: the file cannot be opened, is no text, a line is too long or there are too many, or the bytes are
            none of these; gives line and byte.
        SettingError: there is no such encoding.
    """
    data = read_bytes(path)
    refuse_binary(data, path.name)
    if not long_lines:
        refuse_long_line(data, path.name)
    if encoding is not None:
        return _as_named(data, encoding, path.name)
    for mark, codec, called in MARKS:
        if data.startswith(mark):
            if called == "UTF-8":
                break
            notice = f"{path.name} is {called} and was read as such."
            return Plain(path.name, decoded_lines(data, codec, called, path.name), codec, [notice], {})
    unmarked = unmarked_utf16(data)
    if unmarked is not None:
        return _unmarked(data, unmarked, path.name)
    try:
        return Plain(path.name, lines_of(data, "utf-8-sig", path.name), "utf-8", [], {})
    except UnicodeDecodeError:
        return _not_utf8(data, path.name)


def whole_characters(text: str) -> tuple[str, int]:
    """Join halves of a character that stand side by side, and put U+FFFD for a half that stands alone.

    Returns:
        the text, and how many halves stood alone.
    """
    if text.isascii():
        return text, 0
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole, whole.count("\ufffd") - text.count("\ufffd")


def half_character_notice(count: int, name: str) -> str:
    """The sentence about lone surrogates."""
    noun = "half character shows" if count == 1 else "half characters show"
    return f"{count:,} {noun} as U+FFFD in {name}: the other half is missing."


def _as_named(data: bytes, encoding: str, name: str) -> Plain:
    lines = decoded_lines(data, codec_named(encoding), encoding, name)
    if lines and lines[0].startswith("\ufeff"):
        lines[0] = lines[0][1:]
    return Plain(name, lines, encoding, [], {})


def _unmarked(data: bytes, codec: str, name: str) -> Plain:
    notice = f"{name} is UTF-16 without a byte-order mark and was read as such."
    return Plain(name, decoded_lines(data, codec, "UTF-16", name), codec, [notice], {})


def _not_utf8(data: bytes, name: str) -> Plain:
    """A file with a byte that UTF-8 does not allow: half characters, a few broken lines, or another encoding."""
    try:
        # Half characters, written as bytes by careless programs: everything else in the file is good UTF-8.
        text, count = whole_characters(data.decode("utf-8-sig", "surrogatepass"))
    except UnicodeDecodeError as error:
        at = error.start
    else:
        notices = [half_character_notice(count, name)] if count else []
        return Plain(name, lines_in(io.StringIO(text, newline=""), name), "utf-8", notices, {})
    lines = lines_of(data, "utf-8-sig", name, "surrogateescape")
    wide = [number for number, line in enumerate(lines, start=1) if not line.isascii()]
    broken = {number: found for number in wide if (found := _ESCAPED.search(lines[number - 1]))}
    if len(wide) - len(broken) >= len(broken):  # most other lines with such characters are UTF-8: so is the file
        bytes_ = {number: f"0x{ord(found[0]) - 0xDC00:02X}" for number, found in broken.items()}
        return Plain(name, lines, "utf-8", [], bytes_)
    unmarked = like_utf16(data) if b"\0" in data else None
    if unmarked is not None:
        return _unmarked(data, unmarked, name)
    byte, line = f"0x{data[at]:02X}", next(iter(broken))
    if b"\0" in data or not like_windows(data):
        raise undecodable(data, "utf-8", "UTF-8", name, at)
    try:
        lines = lines_of(data, "cp1252", name)
    except UnicodeDecodeError:
        raise undecodable(data, "utf-8", "UTF-8", name, at) from None
    notice = (
        f"{name} is not UTF-8 (byte {byte} on line {line:,}) and was read as Windows-1252. Check accented letters; "
        "another encoding can be named with --encoding (in Python encoding=…)."
    )
    return Plain(name, lines, "cp1252", [notice], {})
