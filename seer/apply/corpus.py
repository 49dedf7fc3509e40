"""A study's classifier on another corpus, as a study of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seer.apply.shared import changed_hashes, filling, fitted_to, read_new
from seer.corpus import Corpus
from seer.manifest import identity
from seer.progress import Progress, silent
from seer.storage import check_free, write_version
from seer.study import TRAINED_ON, Study

_COPIED = ("seed", "analysis", "abstraction", "quality", "sweep")  # what the manifest says of the model and the states


def apply_study(
    study: Study, corpus: Corpus, folder: Path, *, name: str | None = None, progress: Progress = silent
) -> Study:
    """Read another corpus with a study's classifier and states, and write that as a study of its own.

    Nothing is trained and no state is found anew: model, tokenizer, states, their figures of quality and the classes
    with their order are the study's. The manifest says what the model was trained on. Sentences are always stored.

    Args:
        study: gives the model, the tokenizer and the states.
        corpus: sentences, labelled or not, or pairs for a study of pairs. A label that is no class of the study's
            makes its rows unlabelled, with a notice.
        folder: of the new study; an older study there is replaced once the new one is whole.
        name: of the new study, by default the folder's.
        progress: told how far the model has read.

    Raises:
        DataError: pairs for a classifier of single sentences, or the other way round.
        ModelError: the study holds no model.
        StudyError: the folder cannot be written.
    """
    check_free(folder)
    corpus = fitted_to(study, corpus).corpus
    traces, states = read_new(study, corpus, progress)
    parts = study.manifest["hashes"] | changed_hashes(states, traces)
    write_version(
        folder,
        _manifest(study, corpus, parts, name or folder.resolve().name),
        filling(study, corpus, traces, states),
    )
    return study.reopened(folder)


def _manifest(study: Study, corpus: Corpus, parts: Mapping[str, str], name: str) -> dict[str, Any]:
    old = study.manifest
    first: Mapping[str, Any] = old.get(TRAINED_ON) or {
        "name": study.trained_on,
        "corpus": old["hashes"]["corpus"],
        "study": study.name,
        "study_hash": study.hash,
    }
    quality_split = str(old.get("quality_split", "–"))
    if TRAINED_ON not in old:
        quality_split += f" of {first['name']}"
    said = (
        f"The classifier was trained on {first['name']}, and its states and their quality were found there; "
        f"the sentences here are those of {corpus.name}."
    )
    return {
        **identity(name, corpus, parts),
        **{field: old[field] for field in _COPIED if field in old},
        "quality_split": quality_split,
        "notices": [said, *corpus.notices],
        TRAINED_ON: dict(first),
    }
