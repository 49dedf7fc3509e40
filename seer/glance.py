"""What a list says of a study, read from a few columns of its files: quick for many studies, and without any model.

Nothing is checked against the hashes here; ``Study.open`` does that to a study that is looked at.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from seer.corpus.record import UNLABELLED, splits_of
from seer.errors import StudyError
from seer.models.checkpoint import read_architecture
from seer.parts import CHECKPOINT, CORPUS, MALFORMED, TRACES, reason
from seer.rates import Accuracy
from seer.storage import read_manifest, version_name
from seer.study import Study, first_to_see
from seer.traces import NO_CLASS, Traces


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
    try:
        data, made = str(manifest["corpus"]["name"]), str(manifest.get("made", ""))
        if not ((version / CORPUS).exists() and (version / TRACES).is_dir()):
            whole = Study.open(folder)
            split, model = whole.usual_split, whole.architecture.describe()
            return Glance(data, model, len(whole.corpus), whole.accuracy(split), split, made)
        checkpoint = json.loads((version / CHECKPOINT).read_text(encoding="utf-8"))
        model = read_architecture(checkpoint["architecture"]).describe()
        with pq.ParquetFile(version / CORPUS) as file:
            table = file.read(columns=["label", "split"])
        labels, prediction = table["label"].to_numpy(), Traces.load(version / TRACES).prediction
        split = first_to_see(splits_of(table))
        counted = pc.equal(table["split"], split).to_numpy() & (labels != UNLABELLED) & (prediction != NO_CLASS)
    except (OSError, IndexError, *MALFORMED) as error:
        raise StudyError(f"The study in {folder} is damaged ({reason(error)}); train it again.") from error
    right = int((prediction == labels)[counted].sum())
    return Glance(data, model, len(labels), Accuracy.of(right, int(counted.sum())), split, made)
