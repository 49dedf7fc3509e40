"""What a list says of a study, read from a few columns of its files: quick for many studies, and without any model.

Each file that is read is held against the manifest; ``Study.open`` does that to all of a study that is looked at.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from seer.corpus.record import UNLABELLED, splits_of
from seer.parts import CORPUS, TRACES, read_checkpoint, read_traces, reading
from seer.rates import Accuracy
from seer.storage import part, read_manifest, version_name
from seer.study import Study, first_to_see
from seer.traces import NO_CLASS


@dataclass(frozen=True)
class Glance:
    """A study in a line.

    Attributes:
        data: name of its corpus.
        model: in words.
        rows: number of its sentences.
        accuracy: on the split that is looked at first.
        split: that one.
        made: when, UTC, ISO 8601 to the second; empty where the manifest does not say.
    """

    data: str
    model: str
    rows: int
    accuracy: Accuracy
    split: str
    made: str


def glance(folder: Path) -> Glance:
    """A study in a line; one that does not store its sentences is opened whole.

    Raises:
        StudyError: there is none, or it is damaged.
    """
    manifest = read_manifest(folder)
    version = folder / version_name(manifest)
    data, made = manifest["corpus"]["name"], manifest.get("made", "")
    if not all(os.path.lexists(version / name) for name in (CORPUS, TRACES)):
        whole = Study.open(folder)
        split, model = whole.usual_split, whole.architecture.describe()
        return Glance(data, model, len(whole.corpus), whole.accuracy(split), split, made)
    model = read_checkpoint(folder, manifest)[1].describe()
    prediction = read_traces(folder, manifest).prediction
    with reading(folder, CORPUS):
        with pq.ParquetFile(part(folder, manifest, CORPUS)) as file:
            table = file.read(columns=["label", "split"])
        labels, split = table["label"].to_numpy(), first_to_see(splits_of(table))
        counted = pc.equal(table["split"], split).to_numpy() & (labels != UNLABELLED) & (prediction != NO_CLASS)
    right = int((prediction == labels)[counted].sum())
    return Glance(data, model, len(labels), Accuracy.of(right, int(counted.sum())), split, made)
