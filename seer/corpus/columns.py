"""The columns of a table that hold the text, the second text of a pair, and the label; their common names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

TEXT_NAMES = (
    "text",
    "sentence",
    "review",
    "review_text",
    "review_body",
    "content",
    "body",
    "comment",
    "tweet",
    "message",
    "utterance",
    "document",
    "article",
)
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
    "stars",
    "star_rating",
    "gold_label",
    "entailment_judgment",
)
"""Common names of label columns, the likeliest first."""


FIRST_NAMES, SECOND_NAMES = zip(*PAIR_NAMES, strict=True)

NO_LABEL_NAMES = (*TEXT_NAMES, *FIRST_NAMES, *SECOND_NAMES, "id")
"""Common names of columns that are no label."""

COMMON_NAMES = frozenset((*NO_LABEL_NAMES, *LABEL_NAMES))
"""All of them: where one stands in the first record of a file, that record is a header."""

JOINED = "+"
"""Between the names of columns that are read as one text."""


@dataclass(frozen=True)
class Columns:
    """The columns to read.

    Attributes:
        text: text column; several whose texts are joined by a blank have ``JOINED`` between their names.
        label: label column, ``None`` when no row has a label.
        second: the second text of a pair, ``None`` for single sentences.
        parts: names of the text columns.
    """

    text: str
    label: str | None
    second: str | None = None
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", self.parts or (self.text,))

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, the label last."""
        others = (self.second, self.label)
        return (*self.parts, *(name for name in others if name is not None))

    @property
    def usual(self) -> bool:
        """Whether their names leave no doubt."""
        texts = (self.text.lower(), (self.second or "").lower())
        return self.label == "label" and (self.text == "text" or texts in PAIR_NAMES)

    def texts(self, table: pa.Table) -> pa.ChunkedArray:
        """The text column of a table; joined columns are texts with a blank between, whichever of them are there."""
        if len(self.parts) == 1:
            return table[self.text]
        strings = [pc.fill_null(table[name].cast(pa.string()), "") for name in self.parts]
        return pc.utf8_trim_whitespace(pc.binary_join_element_wise(*strings, " "))

    def guess_notice(self) -> str:
        """What was guessed, in a sentence."""
        label = f", the label from “{self.label}”" if self.label is not None else ""
        if self.second is None:
            return f"The text is read from the column “{self.text}”{label}."
        return f"The premise is read from the column “{self.text}”, the hypothesis from “{self.second}”{label}."

    def record(self) -> dict[str, Any]:
        """JSON-able: text, label and second."""
        facts = asdict(self)
        del facts["parts"]
        return facts


def joined_names(text: str | None, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that ``text`` joins, such as title+body; none when it is one column or not all of them are there."""
    if text is None or text in names or JOINED not in text:
        return ()
    parts = tuple(part.strip() for part in text.split(JOINED))
    return parts if all(part in names for part in parts) else ()


def has_common(names: Sequence[str], common: Sequence[str]) -> bool:
    """Whether a column has one of the common names, in any case; a copy counts too."""
    return any(name.strip().lower().split("#")[0] in common for name in names)
