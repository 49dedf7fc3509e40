"""Rare paths: the step of each sentence that the training sentences took least."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from seer.apply import add_split, apply_study
from seer.rare import rare_paths
from seer.study import Study
from tests.conftest import opinions


def test_the_rarest_step_is_the_one_found_word_by_word(small_study: Study) -> None:
    study, machine = small_study, small_study.machine("train")
    found = rare_paths(study, "test")
    assert sorted(found.row.tolist()) == study.rows("test").tolist()
    assert found.reference == "the training sentences"
    for place, row in enumerate(found.row.tolist()):
        path = study.sentence(row).path
        shares = [float(machine.probability[pair]) for pair in pairwise(path)]
        lowest = min(shares)
        assert found.probability[place] == pytest.approx(lowest)
        assert found.step[place] == shares.index(lowest)
        assert (found.source[place], found.target[place]) == path[found.step[place] : found.step[place] + 2]
        assert found.unseen[place] == shares.count(0)
    assert (np.diff(found.probability) >= 0).all()


def test_records_say_how_often_the_step_was_taken(small_study: Study) -> None:
    found = rare_paths(small_study, "test")
    record = found.records(small_study, 1)[0]
    counts = small_study.machine("train").transitions
    assert record["count"] == counts[record["source"], record["target"]]
    assert record["of"] == counts[record["source"]].sum()
    assert record["probability"] == pytest.approx(record["count"] / record["of"])
    assert record["word"] == small_study.sentence(int(found.row[0])).words[record["step"] - 1]
    assert len(found.records(small_study)) == len(found) == 60


def test_no_row_no_path(small_study: Study) -> None:
    assert len(rare_paths(small_study, rows=np.zeros(0, dtype=np.int64))) == 0


def test_where_nothing_was_trained_on_the_first_sentences_are_counted(small_study: Study, tmp_path: Path) -> None:
    study = apply_study(small_study, opinions(40, seed=5), tmp_path / "applied")
    assert rare_paths(study, "test").reference == "all sentences"
    more = add_split(study, opinions(8, seed=6), "monday").study
    found = rare_paths(more, "monday")
    assert found.reference == "the sentences that were there first"
    assert found.machine == study.machine(None)
