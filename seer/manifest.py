"""What a study's manifest says of the study, whatever way it was made."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from seer.corpus import Corpus
from seer.storage import SCHEMA
from seer.study import TRAINED_ON, study_hash

LIBRARIES = ("torch", "numpy", "scikit-learn", "tokenizers", "datasets")


def identity(name: str, corpus: Corpus, parts: Mapping[str, str]) -> dict[str, Any]:
    """The fields that say which study this is and where its sentences come from.

    Args:
        name: what a person calls it.
        corpus: its sentences.
        parts: content hashes of all else; see ``content_hashes``.
    """
    hashes = {"corpus": corpus.fingerprint, **parts}
    return {
        "schema": SCHEMA,
        "name": name,
        "hash": study_hash(hashes),
        "hashes": hashes,
        "made": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "libraries": {"python": platform.python_version()} | {library: version(library) for library in LIBRARIES},
        "corpus": {"name": corpus.name, "source": dict(corpus.source)},
    }


def kept(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a study keeps when it is analysed anew."""
    return {TRAINED_ON: manifest[TRAINED_ON]} if TRAINED_ON in manifest else {}
