"""Class names and label numbers out of whatever a label column holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from seer.corpus.bridge import is_text
from seer.corpus.record import UNLABELLED
from seer.errors import DataError, SettingError, shown

MAX_CLASSES = 1000
"""More different labels than this are taken for a number or a free text, not for classes."""

_NAMED = 5
_NO_LABEL = ("", "-", "-1", "-1.0")
_WHOLE = re.compile(r"([+-]?\d+)\.0+")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def class_order(names: Sequence[str]) -> tuple[str, ...]:
    """Class names by their number when all are numbers, else by their text; "class 2" stands before "class 10"."""
    if all(_NUMBER.fullmatch(name) for name in names):
        return tuple(sorted(names, key=lambda name: (Decimal(name), name)))
    return tuple(sorted(names, key=_natural))


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """The parts of a name, digits by their value; the name itself settles ties such as "01" and "1"."""
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), "") if place % 2 else (-1, part) for place, part in enumerate(parts)], name


def class_number(classes: Sequence[str], target: str | int) -> int:
    """The number of a class given by its name or its number.

    Raises:
        SettingError: there is no such class.
    """
    if isinstance(target, str):
        if target not in classes:
            raise SettingError(f"The class must be one of {', '.join(classes)}; got {shown(target)}.")
        return classes.index(target)
    if not 0 <= target < len(classes):
        raise SettingError(f"The class must lie from 0 to {len(classes) - 1}; got {target}.")
    return int(target)


def code_labels(
    columns: Sequence[pa.ChunkedArray],
    declared: Sequence[tuple[str, ...] | None],
    where: str,
    *,
    training: int | None = None,
    needed: bool = True,
) -> tuple[npt.NDArray[np.int32], tuple[str, ...], list[str]]:
    """Number the labels of one or more files or splits together.

    Args:
        columns: label column of each part.
        declared: class names that a part brings (a ``ClassLabel``), whose column then holds indices into them.
        where: the data set's name, for messages.
        training: the part to train on, if there is one: what is a class neither there nor declared is none, and rows
            of other parts with such a label have no label.
        needed: refuse a column without any label; else there is no class.

    Returns:
        (n,) class indices over all parts, ``UNLABELLED`` for a row without label; class names; notices.

    Raises:
        DataError: the column cannot be a class: lists, too many different values, or no value at all.
    """
    named = [_names(column, own, where) for column, own in zip(columns, declared, strict=True)]
    notices = []
    texts = {is_text(column.type) for column, own in zip(columns, declared, strict=True) if own is None}
    if len(texts) > 1:
        notices.append("Some files hold the label as a number, others as a text; 1 and “1” were taken as one class.")
    joined = pa.chunked_array([chunk for column in named for chunk in column.chunks], type=pa.string())
    encoded = joined.combine_chunks().dictionary_encode()
    raw = encoded.dictionary.to_pylist()
    values = [value.strip() for value in raw]
    if len(set(values)) < len(raw):
        notices.append("Spaces around class names were ignored, so that names that differ only there became one class.")

    own_names = tuple(dict.fromkeys(name for own in declared for name in own or ()))
    same = _same_numbers(set(values) | set(own_names), own_names)
    values = [same.get(value, value) for value in values]
    if same:
        named_twice = ", ".join(f"“{name}” and “{plain}”" for name, plain in sorted(same.items())[:_NAMED])
        notices.append(f"The labels {named_twice} are the same number; they were taken as one class.")
    found = {value for value in values if value in own_names or value not in _NO_LABEL}
    if training is not None:
        trained = (value.strip() for value in named[training].unique().drop_null().to_pylist())
        known = {same.get(value, value) for value in trained} | set(own_names)
        notices += _unknown_notice(sorted(found - known), _row_counts(encoded, values))
        found &= known
    if not found and needed:
        raise DataError(f"{where}: no row has a label; at least one row must name its class.")
    if len(found) > MAX_CLASSES:
        raise DataError(
            f"{where}: the label column holds {len(found):,} different values, and at most {MAX_CLASSES:,} can be "
            "classes. Name the column that holds the class."
        )
    classes = own_names + class_order([value for value in found if value not in own_names])
    number = {name: i for i, name in enumerate(classes)}
    lookup = np.array([number.get(value, UNLABELLED) for value in values] + [UNLABELLED], dtype=np.int32)
    codes = lookup[encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)]
    notices += _case_notice(classes)
    return codes, classes, notices + _unlabelled_notice(codes, "-1" in values and "-1" not in own_names)


def whole_number(name: str) -> str:
    """A class name that is a whole number, without zeros behind its point; any other as it is."""
    found = _WHOLE.fullmatch(name)
    return found[1] if found else name


def _same_numbers(names: set[str], own: Collection[str]) -> dict[str, str]:
    """Names such as "1.0" that stand beside "1", and that: spreadsheets and tables with gaps write the former."""
    return {name: whole_number(name) for name in names if name not in own and whole_number(name) in names - {name}}


def _case_notice(classes: Sequence[str]) -> list[str]:
    """A sentence where two classes differ in case alone."""
    first: dict[str, str] = {}
    for name in classes:
        if first.setdefault(name.casefold(), name) != name:
            other = first[name.casefold()]
            return [f"The classes “{other}” and “{name}” differ in case alone; they are kept apart."]
    return []


def why_unlabelled(written: object) -> str:
    """Why a row with this in its label column has no label."""
    text = "" if written is None else str(written).strip()
    return "empty" if not text else text if text in _NO_LABEL else f"“{text}” is not a class of the training rows"


def _row_counts(encoded: pa.DictionaryArray, values: Sequence[str]) -> Counter[str]:
    """Rows of each name, where ``values`` are the names behind the numbers."""
    counts: Counter[str] = Counter()
    for row in pc.value_counts(encoded.indices.drop_null()).to_pylist():
        counts[values[row["values"]]] += row["counts"]
    return counts


def _unknown_notice(unknown: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """A sentence about classes that no training row has."""
    if not unknown:
        return []
    shown = ", ".join(f"“{name}” ({counts[name]:,})" for name in unknown[:_NAMED]) + (" …" if unknown[_NAMED:] else "")
    what = "is not a class" if len(unknown) == 1 else "are not classes"
    return [f"{shown} {what} of the training rows: rows with such a label are kept without one."]


def _names(column: pa.ChunkedArray, own: tuple[str, ...] | None, where: str) -> pa.ChunkedArray:
    """A label column as class names, null where it has none."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if own is not None and pa.types.is_integer(kind):
        highest = pc.max(column).as_py()
        if highest is not None and highest >= len(own):
            raise DataError(f"{where}: a label is {highest}, but the set names only {len(own)} classes, from 0.")
        present = pc.if_else(pc.greater_equal(column, 0), column, None)
        return pa.chunked_array([pa.array(own, pa.string()).take(chunk) for chunk in present.chunks], type=pa.string())
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_nan(column), None, column)
        whole = pc.all(pc.equal(column, pc.round(column))).as_py()
        return column.cast(pa.int64() if whole is not False else kind).cast(pa.string())
    if pa.types.is_null(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind) or is_text(kind):
        return column.cast(pa.string())
    raise DataError(
        f"{where}: the label column holds values of type {kind}, but one class a row is needed. Name another column."
    )


def _unlabelled_notice(codes: npt.NDArray[np.int32], minus_one: bool) -> list[str]:
    count = int((codes == UNLABELLED).sum())
    if not count:
        return []
    sentence = f"{count:,} of {len(codes):,} rows have no label; they are kept and stay outside every accuracy."
    if minus_one:
        sentence += " The label -1 counts as none: if it is a class here, give it another name."
    return [sentence]
