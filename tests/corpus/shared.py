"""What the tests of the corpus share."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from seer.corpus import SCHEMA, Corpus

Write = Callable[[str, str | bytes], Path]

CSV = 'text,label\na “good” film,pos\n"dull, long",neg\né,pos\n'


def corpus(**changes: object) -> Corpus:
    columns = {"id": ["a", "b", "c"], "text": ["x", "", "ü"], "label": [0, 1, -1], "split": ["test", "train", "odd"]}
    table = pa.table({name: changes.pop(name, values) for name, values in columns.items()}, schema=SCHEMA)
    return Corpus(**{"name": "small", "table": table, "classes": ("no", "yes"), **changes})


def label_names(loaded: Corpus) -> list[str | None]:
    return [None if label < 0 else loaded.classes[label] for label in loaded.labels]


def said(loaded: Corpus) -> str:
    return " ".join(loaded.notices)


def split_of(loaded: Corpus) -> dict[str, str]:
    return dict(zip(loaded.ids, loaded.table["split"].to_pylist(), strict=True))
