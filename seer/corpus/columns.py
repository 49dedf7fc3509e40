"""Which columns of a table hold the text, the second text of a pair, and the label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seer.errors import DataError

TEXT_NAMES = ("text", "sentence", "review", "content", "body", "comment", "tweet", "message", "document", "article")
"""Common names of text columns, the likeliest first."""

PAIR_NAMES = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("sentence_a", "sentence_b"),
    ("text1", "text2"),
    ("text_a", "text_b"),
    ("question1", "question2"),
)
"""Common names of the two columns of a sentence pair, the likeliest first."""

LABEL_NAMES = (
    "label",
    "class",
    "category",
    "sentiment",
    "target",
    "y",
    "topic",
    "intent",
    "polarity",
    "emotion",
    "rating",
    "gold_label",
    "entailment_judgment",
)
"""Common names of label columns, the likeliest first."""


_FIRST, _SECOND = zip(*PAIR_NAMES, strict=True)


@dataclass(frozen=True)
class Columns:
    """The columns to read; ``second`` is ``None`` for single sentences."""

    text: str
    label: str
    second: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, the label last."""
        return (self.text, *((self.second,) if self.second is not None else ()), self.label)

    @property
    def usual(self) -> bool:
        """Whether their names leave no doubt."""
        texts = (self.text.lower(), (self.second or "").lower())
        return self.label == "label" and (self.text == "text" or texts in PAIR_NAMES)

    def guess_notice(self) -> str:
        """What was guessed, in a sentence."""
        if self.second is None:
            return f"The text is read from the column “{self.text}”, the label from “{self.label}”."
        return (
            f"The premise is read from the column “{self.text}”, the hypothesis from “{self.second}”, the label from "
            f"“{self.label}”."
        )


@dataclass(frozen=True)
class Asked:
    """What a person said about the columns: names, or ``None`` where they are to be guessed.

    Attributes:
        text: text column; of a pair, the premise.
        label: label column.
        second: column of a pair's hypothesis.
        pairs: the rows are sentence pairs; so they are when ``second`` is named.
    """

    text: str | None = None
    label: str | None = None
    second: str | None = None
    pairs: bool = False

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be guessed."""
        return None not in ((self.text, self.label, self.second) if self.paired else (self.text, self.label))

    @property
    def paired(self) -> bool:
        """Whether the rows are sentence pairs."""
        return self.pairs or self.second is not None

    def choose(self, names: Sequence[str], where: str) -> Columns:
        """The columns of a table: as asked for, else the first common name that is there, in any case.

        Raises:
            DataError: no such column; the message lists those that are there.
        """
        if not self.paired:
            text = choose_one(names, self.text, TEXT_NAMES, "text", where)
            return Columns(text, self._label(names, (text,), where))
        if self.text is None and self.second is None:
            text, second = self._guess_pair(names, where)
        else:
            rest = [name for name in names if name not in (self.text, self.second)]
            text = choose_one(names if self.text else rest, self.text, _FIRST, "text", where)
            second = choose_one(names if self.second else rest, self.second, _SECOND, "second", where)
        if text == second:
            raise DataError(f"{where}: a pair needs two text columns, got {text!r} for both.")
        return Columns(text, self._label(names, (text, second), where), second)

    def _label(self, names: Sequence[str], taken: Sequence[str], where: str) -> str:
        return choose_one([name for name in names if name not in taken], self.label, LABEL_NAMES, "label", where)

    def _guess_pair(self, names: Sequence[str], where: str) -> tuple[str, str]:
        plain = {name.strip().lower(): name for name in reversed(names)}
        for first, second in PAIR_NAMES:
            if first in plain and second in plain:
                return plain[first], plain[second]
        raise DataError(
            f"{where} has no two columns with common names for a pair, such as premise and hypothesis; its columns are "
            f"{_listed(names)}. Name them with --text and --second (in Python text=…, second=…)."
        )


def choose_one(names: Sequence[str], asked: str | None, common: Sequence[str], role: str, where: str) -> str:
    """One column: as asked for, else the first of the common names that is there, in any case.

    Raises:
        DataError: there is none, or the name stands for several columns.
    """
    if asked is not None:
        if asked in names:
            return asked
        raise DataError(f"{where} has no column {asked!r} for the {role}; its columns are {_listed(names)}.")
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
        f"{where} has no {role} column with a common name; its columns are {_listed(names)}. Name it with --{role} "
        f"(in Python {role}=…)."
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
