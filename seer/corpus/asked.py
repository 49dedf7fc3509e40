"""Choosing the columns of a table: as a person asked for, else by common names, else by what they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seer.corpus.columns import (
    FIRST_NAMES,
    LABEL_NAMES,
    NO_LABEL_NAMES,
    PAIR_NAMES,
    SECOND_NAMES,
    TEXT_NAMES,
    Columns,
    has_common,
    joined_names,
)
from seer.corpus.guess import clear_label, clear_text, guess_label, guess_texts
from seer.errors import DataError, SettingError, shown

Sample = Callable[[], Sequence[Sequence[str]]]
"""Gives records of a table, a cell a column."""

_MOST_LISTED = 30
"""Columns that an error lists."""


@dataclass(frozen=True)
class Written:
    """What a person said about how files are written, ``None`` where it is to be found.

    Attributes:
        delimiter: between the fields of a CSV or TSV file.
        encoding: of a text file.
        header: whether the first record of a CSV or TSV file names the columns.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None


@dataclass(frozen=True)
class Asked:
    """What a person said about the columns: names, or ``None`` where they are to be guessed.

    Attributes:
        text: text column; of a pair, the premise.
        label: label column.
        second: column of a pair's hypothesis.
        pairs: the rows are sentence pairs; so they are when ``second`` is named.
        labelled: whether there is a label column; ``None``: if one has a common name.
        like: text, second and label column of another set; they are taken where no column is named and they are there.

    Raises:
        SettingError: a label column is named for rows without labels.
    """

    text: str | None = None
    label: str | None = None
    second: str | None = None
    pairs: bool = False
    labelled: bool | None = True
    like: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.labelled is False and self.label is not None:
            raise SettingError(f"Either there is no label column, or it is {self.label!r}; leave one of the two out.")

    @property
    def paired(self) -> bool:
        """Whether the rows are sentence pairs."""
        return self.pairs or self.second is not None

    @property
    def named(self) -> dict[str, str | None]:
        """The columns that are looked for, with the name that was given, ``None`` where it is to be guessed."""
        roles = {"text": self.text, "second": self.second if self.paired else "", "label": self.label}
        needed = {"text": True, "second": self.paired, "label": self.labelled is not False}
        return {role: name for role, name in roles.items() if needed[role]}

    def settled(self, columns: Columns) -> Asked:
        """The same, with the columns that were found in the first file asked for in the others."""
        return Asked(columns.text, columns.label, columns.second, self.pairs, columns.label is not None)

    def choose(self, names: Sequence[str], where: str, sample: Sample, *, named: bool = True) -> Columns:
        """The columns of a table: as asked for, else those of the set it is like, else the first common name.

        Where there is no common name, in any case, they are guessed by what they hold if that leaves no doubt.

        Args:
            names: of all columns.
            where: the data set's name, for messages.
            sample: gives records of it.
            named: the columns have names of their own; else they are guessed by what they hold in any case.

        Raises:
            DataError: no such column; the message lists those that are there.
        """
        alike = self._alike(names, named)
        if named:
            return alike._clear(names, sample)._by_name(names, where)
        return alike._by_content(names, where, sample())

    def _alike(self, names: Sequence[str], named: bool) -> Asked:
        """The columns of the other set asked for, where they are there; numbered ones are when all of them are."""
        text, second, label = (self.like.get(role) for role in ("text", "second", "label"))
        if text is None or not (self.text is self.label is self.second is None) or self.paired != (second is not None):
            return self
        label = None if self.labelled is False else label
        texts = text in names or joined_names(text, names)
        if not texts or any(name is not None and name not in names for name in (second, None if named else label)):
            return self
        return replace(self, text=text, second=second, label=label if label in names else None)

    def _clear(self, names: Sequence[str], sample: Sample) -> Asked:
        """What has no common name asked for by what it holds, where that leaves no doubt."""
        given = [*(joined_names(self.text, names) or (self.text,)), self.second, self.label]
        rest = [name for name in names if name not in given]
        role = self._text_without_name(rest)
        labels = self.labelled is True and self.label is None
        seek = labels and not has_common(rest, LABEL_NAMES)
        if not (role or seek) or (labels and len(rest) <= (role is not None)):
            return self
        cells, found = sample(), self
        if role is not None:
            text = clear_text(names, cells, [name for name in rest if not has_common([name], LABEL_NAMES)])
            rest = [name for name in rest if name != text]
            found = replace(found, text=text) if role == "text" else replace(found, second=text)
        if seek:
            label = clear_label(names, cells, [name for name in rest if not has_common([name], NO_LABEL_NAMES)])
            found = replace(found, label=label)
        return found

    def _text_without_name(self, rest: Sequence[str]) -> str | None:
        """The one text, text or second, without name and common name; of two, nothing tells which is the premise."""
        if self.text is None and not (self.paired and self.second is None):
            return None if has_common(rest, FIRST_NAMES if self.paired else TEXT_NAMES) else "text"
        alone = self.paired and self.text is not None and self.second is None
        return "second" if alone and not has_common(rest, SECOND_NAMES) else None

    def _by_name(self, names: Sequence[str], where: str) -> Columns:
        """The columns as asked for, else by common names."""
        if not self.paired:
            parts = joined_names(self.text, names)
            text = self.text if parts and self.text else choose_one(names, self.text, TEXT_NAMES, "text", where)
            return Columns(text, self._label(names, parts or (text,), where), None, parts)
        if self.text is None and self.second is None:
            text, second = self._guess_pair(names, where)
        else:
            rest = [name for name in names if name not in (self.text, self.second)]
            text = choose_one(names if self.text else rest, self.text, FIRST_NAMES, "text", where, names)
            second = choose_one(names if self.second else rest, self.second, SECOND_NAMES, "second", where, names)
        if text == second:
            raise DataError(f"{where}: a pair needs two text columns, got {text!r} for both.")
        return Columns(text, self._label(names, (text, second), where), second)

    def _by_content(self, names: Sequence[str], where: str, sample: Sequence[Sequence[str]]) -> Columns:
        """The columns of a file without a header: longest texts, and the column with the fewest different values."""
        parts = joined_names(self.text, names)
        given = [name for name in (*(parts or (self.text,)), self.second, self.label) if name is not None]
        for role, name in (("text", None if parts else self.text), ("second", self.second), ("label", self.label)):
            if name is not None:
                choose_one(names, name, (), role, where)
        label = self.label
        if label is None and self.labelled is not False:
            label = guess_label(names, sample, given)
            if label is None and self.labelled:
                raise DataError(
                    f"{where} has no label column that stands out, with few different values; its columns are "
                    f"{_listed(names)}. Name it with --label, or say --no-label (in Python label=…, labelled=False)."
                )
        free = [name for name in names if name not in given and name != label]
        wanted = (self.text is None) + (self.paired and self.second is None)
        found = iter(sorted(guess_texts(names, sample, free)[:wanted], key=names.index))
        texts = [name if name is not None else next(found, None) for name in self._text_names]
        if None in texts:
            raise DataError(f"{where} has too few columns for {len(texts)} texts and a label: {_listed(names)}.")
        return Columns(str(texts[0]), label, texts[1] if self.paired else None, parts)

    @property
    def _text_names(self) -> tuple[str | None, ...]:
        return (self.text, self.second) if self.paired else (self.text,)

    def _label(self, names: Sequence[str], taken: Sequence[str], where: str) -> str | None:
        if self.labelled is False:
            return None
        rest = [name for name in names if name not in taken]
        if self.labelled is None and self.label is None and not has_common(rest, LABEL_NAMES):
            return None
        return choose_one(rest, self.label, LABEL_NAMES, "label", where, names)

    def _guess_pair(self, names: Sequence[str], where: str) -> tuple[str, str]:
        plain = {name.strip().lower(): name for name in reversed(names)}
        for first, second in PAIR_NAMES:
            if first in plain and second in plain:
                return plain[first], plain[second]
        raise DataError(
            f"{where} has no two columns with common names for a pair, such as premise and hypothesis; its columns are "
            f"{_listed(names)}. Name them with --text and --second (in Python text=…, second=…)."
        )


def choose_one(
    names: Sequence[str],
    asked: str | None,
    common: Sequence[str],
    role: str,
    where: str,
    there: Sequence[str] | None = None,
) -> str:
    """One column: as asked for, else the first of the common names that is there, in any case.

    Args:
        names: those to choose from.
        asked: the name that was given.
        common: common names, the likeliest first.
        role: what it holds, for messages.
        where: the data set's name, for messages.
        there: all columns of the set, for messages, where ``names`` leaves some out.

    Raises:
        DataError: there is none, or the name stands for several columns.
    """
    if asked is not None:
        if asked in names:
            return asked
        raise DataError(f"{where} has no column {asked!r} for the {role}; its columns are {_listed(there or names)}.")
    plain = {name.strip().lower(): name for name in reversed(names)}
    for candidate in common:
        if candidate in plain:
            return plain[candidate]
        copies = [name for name in names if name.startswith(f"{candidate}#")]
        if copies:
            raise DataError(
                f"{where} has {len(copies)} columns {candidate!r}; say which position is the {role}: "
                + " or ".join(f"--{role} {name!r}" for name in copies)
                + f" (in Python {role}=…)."
            )
    raise DataError(
        f"{where} has no {role} column with a common name; its columns are {_listed(there or names)}. Name it with "
        f"--{role} (in Python {role}=…)."
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_LISTED:,} more" if len(names) > _MOST_LISTED else ""
    return (", ".join(shown(name) for name in names[:_MOST_LISTED]) or "none") + more
