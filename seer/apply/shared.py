"""Sentences read with a study's classifier and states, and the files of a version with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from seer.analysis import read_traces
from seer.corpus import Corpus
from seer.corpus.classes import Fitted, with_classes
from seer.errors import DataError
from seer.parts import ABSTRACTION, CHECKPOINT, CORPUS, STATES, TOKENIZER, TRACES, WEIGHTS, states_hash
from seer.progress import Progress
from seer.storage import link_or_copy
from seer.study import Study
from seer.traces import FloatArray, Traces


def fitted_to(study: Study, corpus: Corpus) -> Fitted:
    """The corpus with the study's classes.

    Raises:
        DataError: it holds pairs and the study reads single sentences, or the other way round.
        ModelError: the study holds no model.
    """
    if corpus.paired != study.paired:
        kinds = ("single sentences", "sentence pairs")
        raise DataError(
            f"The study {study.name} reads {kinds[study.paired]}; {corpus.name} holds {kinds[corpus.paired]}. "
            "Load it with the columns that fit."
        )
    assert study.model
    return with_classes(corpus, study.classes)


def read_new(study: Study, corpus: Corpus, progress: Progress) -> tuple[Traces, FloatArray | None]:
    """The traces of the sentences, and (N, H) their hidden states where the study stores such."""
    reader, states = study.reader(corpus.texts()), None
    if study.hidden is not None:
        states = np.zeros((int(reader.offsets[-1]), study.hidden.shape[1]), dtype=np.float32)
    return read_traces(reader, study.abstraction, progress, keep=states), states


def changed_hashes(states: FloatArray | None, traces: Traces) -> dict[str, str]:
    """The hash of the stored hidden states, where there are such."""
    return {} if states is None else {"states": states_hash(states, traces.probability)}


def filling(study: Study, corpus: Corpus, traces: Traces, states: FloatArray | None) -> Callable[[Path], None]:
    """Fills a version folder: model, tokenizer and states are the study's."""

    def fill(version: Path) -> None:
        for file in (WEIGHTS, CHECKPOINT, TOKENIZER, ABSTRACTION):
            if (study.version / file).exists():
                link_or_copy(study.version / file, version / file)
        corpus.save(version / CORPUS)
        traces.save(version / TRACES)
        if states is not None:
            np.save(version / STATES, states, allow_pickle=False)

    return fill
