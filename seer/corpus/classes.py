"""A corpus' labels as the classes of a model that is there already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from seer.corpus.labels import whole_number
from seer.corpus.record import UNLABELLED, Corpus


@dataclass(frozen=True)
class Fitted:
    """A corpus with a model's classes, and what became of its own.

    Attributes:
        corpus: without texts to train on; rows of a class that the model lacks are unlabelled.
        unknown: class of the corpus that the model lacks → its rows, those with a row first.
        absent: classes of the model that no row has; none where no row has a label.
    """

    corpus: Corpus
    unknown: dict[str, int]
    absent: tuple[str, ...]


def with_classes(corpus: Corpus, classes: Sequence[str]) -> Fitted:
    """The corpus with the given classes in the given order.

    A class of the corpus is the one of the same name, else the only one whose name differs alone in case, outer blanks
    and zeros behind a point, as "1.0" from "1". Rows of any other class become unlabelled. Notices say what was
    matched, left out, or has no row.
    """
    exact = {name: number for number, name in enumerate(classes)}
    plain = Counter(map(_plain, classes))
    loose = {_plain(name): number for name, number in exact.items() if plain[_plain(name)] == 1}
    numbers = [exact.get(name, loose.get(_plain(name), UNLABELLED)) for name in corpus.classes]
    counts = np.bincount(corpus.labels[corpus.labels >= 0], minlength=len(numbers)).tolist()
    # The unlabelled rows' index −1 takes the last place.
    labels = np.array([*numbers, UNLABELLED], dtype=np.int32)[corpus.labels]
    table = corpus.table.set_column(corpus.table.schema.get_field_index("label"), "label", pa.array(labels))
    notices, unknown = [], {}
    for name, number, count in zip(corpus.classes, numbers, counts, strict=True):
        if number == UNLABELLED:
            rows = "1 row is" if count == 1 else f"{count:,} rows are"
            notices.append(f"“{name}” is not a class of this model: {rows} taken as unlabelled.")
            unknown[name] = count
        elif name != classes[number]:
            notices.append(f"The class “{name}” is taken as the model's “{classes[number]}”.")
    absent = tuple(name for name, count in zip(classes, _counts(labels, len(classes)), strict=True) if not count)
    absent = absent if (labels >= 0).any() else ()
    notices += [f"No row is labelled “{name}”." for name in absent]
    fitted = replace(
        corpus,
        table=table,
        classes=tuple(classes),
        notices=(*corpus.notices, *notices),
        extra=corpus.extra.slice(0, 0),
    )
    return Fitted(fitted, unknown, absent)


def _counts(labels: np.ndarray[tuple[int], np.dtype[np.int32]], classes: int) -> list[int]:
    found: list[int] = np.bincount(labels[labels >= 0], minlength=classes).tolist()
    return found


def _plain(name: str) -> str:
    return whole_number(name.strip()).casefold()
