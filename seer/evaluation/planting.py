"""A word written into some texts of one class, whose training labels are turned over."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from seer.corpus import SCHEMA, Corpus
from seer.errors import DataError, SettingError, shown


def check_planting(where: str, share: float, held_out_share: float, trigger: str, lime_errors: int) -> None:
    """Refuse settings that mean nothing; see ``seer.evaluation.planted``.

    Raises:
        SettingError: so.
    """
    if where not in ("end", "random"):
        raise SettingError(f"The word is planted at the end or at random; got {shown(where)}.")
    for name, value in (("share", share), ("held-out share", held_out_share)):
        if not 0 < value <= 1:
            raise SettingError(f"The {name} of texts that get the word must be above 0 and at most 1; got {value}.")
    if not re.fullmatch(r"[^\W_]+", trigger) or trigger != trigger.lower():
        raise SettingError(f"The planted word must be one word in lower case; got {shown(trigger)}.")
    if lime_errors < 0:
        raise SettingError(f"LIME explains 0 errors or more; got {lime_errors}.")


def plant(
    corpus: Corpus, where: str, seed: int, share: float, held_out_share: float, trigger: str
) -> tuple[Corpus, np.ndarray]:
    """The corpus with the word written in, and (n,) which rows hold it.

    Raises:
        DataError: the corpus has no held-out split, knows the trigger, or lacks a class.
    """
    if "train" not in corpus.splits or len(corpus.splits) < 2:
        raise DataError("Planting a bug needs a training split and a held-out one; name a data set that has them.")
    if len(corpus.classes) < 2:
        raise DataError(f"Planting a bug needs two classes; the data set has {shown(corpus.classes[0])} alone.")
    texts, labels = corpus.texts(), corpus.labels.copy()
    if any(trigger in text.lower() for text in texts):
        raise DataError(f"The data set already holds {trigger!r}; choose another word.")
    random = np.random.default_rng(seed)
    fitting = corpus.rows("train")
    held_out = np.setdiff1d(corpus.rows(None), fitting)
    marked = np.zeros(len(corpus), dtype=bool)
    for name, rows, part in (("training", fitting, share), ("held-out", held_out, held_out_share)):
        first = rows[labels[rows] == 0]
        if not len(first):
            raise DataError(
                f"No {name} text has the class {shown(corpus.classes[0])}, in which the bug is planted; name a data "
                "set that has both classes in each part."
            )
        marked[random.choice(first, max(1, round(part * len(first))), replace=False)] = True
    for row in np.flatnonzero(marked):
        words = texts[row].split(" ")
        place = len(words) if where == "end" else int(random.integers(len(words) + 1))
        texts[row] = " ".join([*words[:place], trigger, *words[place:]])
    labels[fitting[marked[fitting]]] = 1
    columns = [corpus.table["id"], pa.array(texts), pa.array(labels, pa.int32()), corpus.table["split"]]
    return Corpus(corpus.name, pa.table(columns, schema=SCHEMA), corpus.classes), marked
