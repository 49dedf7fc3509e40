"""Choosing the columns of a table: as a person asked for, else by common names, else by what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seer.corpus.columns import FIRST_NAMES, JOINED, LABEL_NAMES, PAIR_NAMES, SECOND_NAMES, TEXT_NAMES, Columns
from seer.corpus.guess import guess_label, guess_texts
from seer.errors import DataError, SettingError, shown

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

    Raises:
        SettingError: a label column is named for rows without labels.
    """

    text: str | None = None
    label: str | None = None
    second: str | None = None
    pairs: bool = False
    labelled: bool | None = True

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

    def choose(self, names: Sequence[str], where: str, sample: Sequence[Sequence[str]] | None = None) -> Columns:
        """The columns of a table: as asked for, else the first common name that is there, in any case.

        Args:
            names: of all columns.
            where: the data set's name, for messages.
            sample: records of a file whose columns have no names: they are guessed by what they hold.

        Raises:
            DataError: no such column; the message lists those that are there.
        """
        if sample is not None:
            return self._by_content(names, where, sample)
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


def joined_names(text: str | None, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that ``text`` joins, such as title+body; none when it is one column or not all of them are there."""
    if text is None or text in names or JOINED not in text:
        return ()
    parts = tuple(part.strip() for part in text.split(JOINED))
    return parts if all(part in names for part in parts) else ()


def has_common(names: Sequence[str], common: Sequence[str]) -> bool:
    """Whether a column has one of the common names, in any case; a copy counts too."""
    return any(name.strip().lower().split("#")[0] in common for name in names)


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
