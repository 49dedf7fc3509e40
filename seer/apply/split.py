"""New sentences as one more split of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seer.apply.shared import changed_hashes, filling, fitted_to, read_new
from seer.corpus import Corpus
from seer.corpus.record import TRAIN
from seer.corpus.repeats import find_repeats
from seer.errors import SettingError
from seer.manifest import identity, kept
from seer.parts import CORPUS
from seer.progress import Progress, silent
from seer.storage import MANIFEST, check_current, check_free, write_version
from seer.study import ADDED, DEMOS, Study
from seer.traces import Traces

ALL = "all"
"""Names all splits together, so no split may."""

MOST_NAME = 80
"""Characters of a split's name."""


@dataclass(frozen=True)
class Added:
    """What came of adding a split.

    Attributes:
        study: with the split.
        split: its name.
        unknown: class that the model lacks → its rows, which count as unlabelled.
        absent: classes of the model that no row of the split has; none where no row has a label.
        repeated: split of the study → rows of the new one whose text stands there.
        duplicates: rows of the new split whose text stands in an earlier row of it.
        notices: of the new sentences, a sentence each.
    """

    study: Study
    split: str
    unknown: Mapping[str, int]
    absent: tuple[str, ...]
    repeated: Mapping[str, int]
    duplicates: int
    notices: tuple[str, ...]


def add_split(
    study: Study, corpus: Corpus, split: str, *, folder: Path | None = None, progress: Progress = silent
) -> Added:
    """Read sentences with a study's classifier and states, and add them to the study as one more split.

    Nothing is trained and no state is found anew. The rows that are there keep their ids, and so their notes; each new
    row has its own id with the split's name before it.

    Args:
        study: to add to.
        corpus: sentences, labelled or not, or pairs for a study of pairs; whatever its splits are called.
        split: name of the new split.
        folder: new, of a study with all sentences, which leaves the old one as it is; by default the study itself. It
            is needed where the study does not store its sentences, and for the demos.
        progress: told how far the model has read.

    Raises:
        SettingError: the name is taken or means something else, a folder is needed, or it holds a study.
        DataError: pairs for a classifier of single sentences, or the other way round.
        ModelError: the study holds no model.
        StudyError: the folder cannot be written.
    """
    check_addable(study, split, folder)
    fitted = fitted_to(study, corpus)
    new, old = _renamed(study, fitted.corpus, split), study.corpus
    repeated = _repeated(old, new)
    copies = find_repeats(new).duplicates.count
    traces, states = read_new(study, new, progress)
    if states is not None and study.hidden is not None:
        states = np.concatenate([study.hidden, states])
    notices = (*new.notices, *_repeat_notices(repeated))
    both = replace(
        old,
        table=pa.concat_tables([old.table, new.table]),
        source={**old.source, ADDED: [*old.source.get(ADDED, ()), {"split": split, **new.source}]},
        notices=(*old.notices, *(f"{split}: {notice}" for notice in notices)),
    )
    whole = Traces.joined([study.traces, traces])
    manifest = study.manifest
    target = folder or study.folder
    parts = manifest["hashes"] | changed_hashes(states, whole)
    written = {
        **{field: value for field, value in manifest.items() if field not in ("hash", "hashes")},
        **identity(study.name if folder is None else folder.resolve().name, both, parts),
        "notices": [*manifest.get("notices", ()), *(f"{split}: {notice}" for notice in notices)],
        **kept(manifest),
        ADDED: [*manifest.get(ADDED, ()), split],
    }
    replaces = study.hash if folder is None else None
    write_version(target, written, filling(study, both, whole, states), replaces=replaces)
    return Added(study.reopened(target), split, fitted.unknown, fitted.absent, repeated, copies, notices)


def check_addable(study: Study, split: str, folder: Path | None = None) -> None:
    """Say at once why a split cannot be added; see ``add_split``."""
    if not split.strip() or not split.isprintable() or len(split) > MOST_NAME:
        raise SettingError(f"A split needs a name of 1 to {MOST_NAME} printable characters; got {split[:MOST_NAME]!r}.")
    if split in (ALL, TRAIN):
        means = "all splits together" if split == ALL else "what the model was trained on"
        raise SettingError(f"A split cannot be called {split}, which means {means}; choose another name with --split.")
    if folder is None:
        _check_in_place(study)
    else:
        _check_new(folder)
    if split in study.corpus.splits:
        raise SettingError(f"The study {study.name} has a split {split!r} already; choose another name with --split.")


def _check_new(folder: Path) -> None:
    """A copy never takes the place of a study: that one may hold splits and notes that are nowhere else."""
    check_free(folder)
    if (folder / MANIFEST).exists():
        raise SettingError(f"{folder} holds a study already; name a new folder for the copy (--out).")


def _check_in_place(study: Study) -> None:
    check_current(study.folder, study.hash)
    if study.folder.resolve() in {demo.resolve() for demo in DEMOS.values()}:
        raise SettingError(
            f"The study {study.name} comes with the program and stays as it is; name a folder for a copy with the new "
            "split (--out)."
        )
    if not (study.version / CORPUS).exists():
        raise SettingError(
            f"The study {study.name} does not store its sentences, so none can be added to it; name a folder for a "
            "copy with all sentences (--out)."
        )


def _renamed(study: Study, corpus: Corpus, split: str) -> Corpus:
    """All rows in one split, their ids with its name before them; a number follows it where an id is taken."""
    old, stem, tries = set(study.corpus.ids.tolist()), split, 1
    while any(f"{stem}-{own}" in old for own in corpus.ids):
        tries += 1
        stem = f"{split}-{tries}"
    ids = pa.array([f"{stem}-{own}" for own in corpus.ids])
    table = corpus.table.set_column(0, "id", ids).set_column(3, "split", pa.array([split] * len(corpus)))
    return replace(corpus, table=table)


def _repeated(old: Corpus, new: Corpus) -> dict[str, int]:
    """Split of the old rows → new rows whose text stands there, but for blanks at the ends; empty texts aside."""
    texts = pc.utf8_trim_whitespace(new.table["text"])
    texts = texts.filter(pc.greater(pc.binary_length(texts), 0))
    known = pc.utf8_trim_whitespace(old.table["text"])
    counts = {}
    for split in old.splits:
        there = known.take(pa.array(old.rows(split))).combine_chunks()
        counts[split] = int(pc.sum(pc.is_in(texts, value_set=there)).as_py() or 0)
    return {split: count for split, count in counts.items() if count}


def _repeat_notices(repeated: Mapping[str, int]) -> list[str]:
    return [
        f"{count:,} {'row has' if count == 1 else 'rows have'} a text that stands in {other} too."
        for other, count in repeated.items()
    ]
