"""Plain text files: their encoding, and the dialect of a CSV or TSV file, decided before any row is read."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass
from pathlib import Path

from seer.errors import DataError

_DELIMITERS = (",", "\t", ";", "|")
_DELIMITER_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "space"}
_SAMPLE = 200
_MAX_FIELD = 2**31 - 1


@dataclass(frozen=True)
class Dialect:
    """How a delimited file is written.

    Attributes:
        delimiter: between the fields.
        quoted: whether a field may stand in double quotes; else a quote is a character like any other.
        header: column names; of a name that is there twice, each copy carries its position: ``text#1``, ``text#4``.
        lines: line on which each record ends, from 1, without the header and blank lines.
        notices: sentences for a person.
    """

    delimiter: str
    quoted: bool
    header: tuple[str, ...]
    lines: list[int]
    notices: list[str]


def read_plain(path: Path) -> tuple[str, list[str]]:
    """The characters of a text file: UTF-8 whatever the locale, UTF-16 with a mark, else Windows-1252 with a notice.

    Raises:
        DataError: the file cannot be opened, or the bytes are none of these; gives line and byte.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"The file {path} cannot be opened: {error.strerror or error}.") from error
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16"), [f"{path.name} is UTF-16 and was read as such."]
        except UnicodeDecodeError as error:
            raise DataError(
                f"{path.name} starts like UTF-16 but breaks off at byte {error.start}; save it as UTF-8."
            ) from None
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line, byte = data.count(b"\n", 0, error.start) + 1, f"0x{data[error.start]:02X}"
    try:
        # Half characters, written as bytes by careless programs: everything else in the file is good UTF-8.
        halves = data.decode("utf-8-sig", "surrogatepass")
    except UnicodeDecodeError:
        pass
    else:
        text, count = whole_characters(halves)
        return text, [half_character_notice(count, path.name)] if count else []
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise DataError(
            f"{path.name}, line {line}: the byte {byte} is not UTF-8. Save the file as UTF-8 (it may be Latin-1, "
            "UTF-16 or an East Asian encoding)."
        ) from None
    return text, [
        f"{path.name} is not UTF-8 (byte {byte} on line {line}) and was read as Windows-1252. Check accented letters."
    ]


def whole_characters(text: str) -> tuple[str, int]:
    """Join halves of a character that stand side by side, and put U+FFFD for a half that stands alone.

    Returns:
        the text, and how many halves stood alone.
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole, whole.count("\ufffd") - text.count("\ufffd")


def half_character_notice(count: int, name: str) -> str:
    """The sentence about lone surrogates."""
    noun = "half character shows" if count == 1 else "half characters show"
    return f"{count:,} {noun} as U+FFFD in {name}: the other half is missing."


def sniff(text: str, name: str, delimiter: str | None, usual: str) -> Dialect:
    """Find delimiter, quoting and header of a delimited file, and check that every record fits the header.

    Args:
        text: the whole file.
        name: of the file, for messages.
        delimiter: as given by the person, or None to find it among comma, tab, semicolon and bar.
        usual: the delimiter that the file's suffix promises; it wins a tie.

    Raises:
        DataError: no row, or a record that does not fit; gives the line.
    """
    if not text.strip():
        raise DataError(f"{name} is empty; a header line and rows are needed.")
    chosen = delimiter or _find_delimiter(text, usual)
    notices = []
    if delimiter is None and chosen != usual:
        notices.append(f"The fields of {name} are separated by a {_DELIMITER_NAMES[chosen]}.")
    plain = _scan(text, chosen, quoted=False)
    quoted = _scan(text, chosen, quoted=True) if '"' in text else plain
    width = quoted.widths[0]
    if width == 1:  # no second column for the label: the caller says so, whatever the rows hold
        return Dialect(chosen, False, _header(plain.header), plain.lines[1:], notices)
    plain_fits = all(count == plain.widths[0] for count in plain.widths)
    if (
        quoted.error is None
        and max(quoted.widths) <= width
        and not (plain_fits and len(plain.widths) > len(quoted.widths))
    ):
        short = [line for line, count in zip(quoted.lines, quoted.widths, strict=True) if count < width]
        notices += [_short_notice(short, name)] if short else []
        return Dialect(chosen, '"' in text, _header(quoted.header), quoted.lines[1:], notices)
    if plain_fits and not plain.mostly_quoted:
        notices.append(f"Quotes in {name} do not come in pairs around fields; they were read as ordinary characters.")
        return Dialect(chosen, False, _header(plain.header), plain.lines[1:], notices)
    if quoted.error is not None:
        raise DataError(
            f"{name}, line {quoted.error}: a quote is not closed, or stands inside a field. Double it or remove it."
        )
    line, count = next((at, n) for at, n in zip(quoted.lines, quoted.widths, strict=True) if n > width)
    raise DataError(
        f"{name}, line {line}: {count} fields, but the header has {width}. Put texts that hold a "
        f"{_DELIMITER_NAMES.get(chosen, repr(chosen))} in double quotes."
    )


@dataclass(frozen=True)
class _Scan:
    header: list[str]
    widths: list[int]
    lines: list[int]
    mostly_quoted: bool
    error: int | None


def _scan(text: str, delimiter: str, *, quoted: bool, most: int | None = None) -> _Scan:
    """Fields and last line of each record, up to the first that is broken."""
    widths: list[int] = []
    lines: list[int] = []
    header: list[str] = []
    in_quotes, error = 0, None
    before = csv.field_size_limit(_MAX_FIELD)
    try:
        reader = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
            strict=quoted,
        )
        for record in reader:
            if not record or (len(record) == 1 and not record[0].strip()):
                continue
            header = header or record
            widths.append(len(record))
            lines.append(reader.line_num)
            in_quotes += any(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in record)
            if len(widths) == most:
                break
    except csv.Error:
        error = reader.line_num
    finally:
        csv.field_size_limit(before)
    return _Scan(header, widths or [0], lines or [1], 2 * in_quotes > len(widths), error)


def _find_delimiter(text: str, usual: str) -> str:
    """The delimiter that cuts the header and, evenly, the first rows; a tie goes to the usual one."""
    candidates = (usual, *(delimiter for delimiter in _DELIMITERS if delimiter != usual))
    scores = []
    for delimiter in candidates:
        scans = [_scan(text, delimiter, quoted=quoted, most=_SAMPLE) for quoted in (True, False)]
        even = max(sum(width == scan.widths[0] for width in scan.widths) / len(scan.widths) for scan in scans)
        scores.append(even if scans[1].widths[0] > 1 else 0.0)
    return candidates[scores.index(max(scores))]


def _header(cells: list[str]) -> tuple[str, ...]:
    names = [cell.strip() for cell in cells]
    return tuple(name if names.count(name) == 1 else f"{name}#{i}" for i, name in enumerate(names, start=1))


def _short_notice(lines: list[int], name: str) -> str:
    shown = ", ".join(map(str, lines[:5])) + (" …" if len(lines) > 5 else "")
    return (
        f"{len(lines):,} records of {name} have fewer fields than the header; what is missing is empty (line {shown})."
    )
