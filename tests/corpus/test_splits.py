"""Splits and subsets of a set without splits of its own."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seer.corpus import load_corpus
from seer.corpus.sampling import stratified_parts, stratified_sample
from seer.errors import SettingError
from tests.corpus.shared import Write, label_names, said

ROOT = Path(__file__).parents[2]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=80), st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_parts_are_stratified_and_leave_a_row_of_each_class(labels: list[int], seed: int) -> None:
    strata = np.array(labels)
    parts = stratified_parts(strata, (0.1, 0.1), seed)
    assert (parts == stratified_parts(strata, (0.1, 0.1), seed)).all()
    for stratum in set(labels):
        counts = np.bincount(parts[strata == stratum], minlength=3)
        size = counts.sum()
        assert counts[0] >= 1
        assert (counts[1:] >= 1).all() if size >= 3 else not counts[1:].any()
        assert (np.abs(counts[1:] - size / 10) < 2).all()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=80), st.data())
@settings(max_examples=100, deadline=None)
def test_sample_has_the_size_asked_for_and_every_stratum_when_it_can(labels: list[int], data: st.DataObject) -> None:
    strata = np.array(labels)
    size = data.draw(st.integers(1, len(labels)))
    rows = stratified_sample(strata, size, 0)
    assert len(rows) == size == len(set(rows.tolist()))
    assert (np.diff(rows) > 0).all()
    if size >= len(set(labels)):
        assert set(strata[rows]) == set(labels)


def test_parts_share_rounding_between_classes() -> None:
    strata = np.repeat([0, 1], 4265)
    parts = stratified_parts(strata, (0.1, 0.1), 0)
    assert np.bincount(parts).tolist() == [6824, 853, 853]
    assert np.bincount(strata[parts == 0]).tolist() == [3412, 3412]
    assert (parts != stratified_parts(strata, (0.1, 0.1), 1)).any()


def test_rare_classes_stay_in_train_and_are_named(write: Write) -> None:
    rows = [f"text {i},{name}" for i, name in enumerate("A" * 12 + "B" * 7 + "C" + "DD")]
    loaded = load_corpus(write("rare.csv", "\n".join(["text,label", *rows])))
    splits = loaded.table["split"].to_pylist()
    by_class = {c: {s for s, n in zip(splits, label_names(loaded), strict=True) if n == c} for c in "ABCD"}
    assert by_class["A"] == by_class["B"] == {"train", "validation", "test"}
    assert by_class["C"] == by_class["D"] == {"train"}
    assert "2 classes have fewer than 3 rows, which went to train: “C” (1), “D” (2)." in said(loaded)


def test_one_sentence_goes_to_train(write: Write) -> None:
    loaded = load_corpus(write("one.csv", "text,label\ngood,pos\n"))
    assert loaded.splits == ("train",)
    assert len(loaded) == 1
    assert "validation split is empty" in said(loaded)
    assert "test split is empty" in said(loaded)


def test_limit_keeps_ids_and_mix_and_is_repeatable(write: Write) -> None:
    path = write("many.csv", "\n".join(["text,label", *(f"t{i},{'ab'[i % 4 == 0]}" for i in range(400))]))
    whole, part = load_corpus(path), load_corpus(path, limit=40)
    assert len(part) == 40
    assert np.bincount(part.labels).tolist() == [30, 10]
    assert [len(part.rows(s)) for s in part.splits] == [32, 4, 4]
    assert all(part.text(i) == whole.text(whole.position(part.ids[i])) for i in range(40))
    assert load_corpus(path, limit=40).fingerprint == part.fingerprint
    assert load_corpus(path, limit=40, seed=1).fingerprint != part.fingerprint
    assert load_corpus(path, limit=4000).fingerprint == whole.fingerprint
    assert "40 of 400 rows" in said(part)


def test_split_is_the_same_in_another_process(write: Write) -> None:
    path = write("some.csv", "\n".join(["text,label", *(f"“t{i}”,{i % 3}" for i in range(60))]))
    code = "import sys; from seer.corpus import load_corpus; print(load_corpus(sys.argv[1], seed=3).fingerprint)"
    # A plain locale and another hash seed: neither may show.
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONUTF8": "0"}
    run = subprocess.run([sys.executable, "-c", code, path], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == load_corpus(path, seed=3).fingerprint


@pytest.mark.parametrize(
    "wrong",
    [{"seed": -1}, {"limit": 0}, {"text": "text"}, {"revision": "main"}, {"test": "x.csv"}, {"delimiter": "a"}],
)
def test_settings_that_do_not_fit_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingError):
        load_corpus("rotten_tomatoes", **wrong)
