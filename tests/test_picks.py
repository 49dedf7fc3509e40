import numpy as np
import pytest

from seer.picks import example_row, next_row, wrong_rows
from seer.study import Study


@pytest.fixture(scope="module")
def study():
    return Study.open("demo")


def test_wrong_rows_are_those_that_disagree(study):
    rows = study.rows("test")
    wrong = wrong_rows(study, rows)
    assert len(wrong) == study.accuracy("test").errors
    assert (study.corpus.labels[wrong] != study.traces.prediction[wrong]).all()


def test_both_orders_pass_every_row_once_before_they_begin_again():
    rows = np.array([3, 5, 8, 13])
    for seed in (None, 0, 7):
        seen, current = [], None
        for _ in rows:
            current = next_row(rows, current, 20, seed)
            seen.append(current)
        assert sorted(seen) == rows.tolist()
        assert next_row(rows, current, 20, seed) == seen[0]
    assert [next_row(rows, current, 20) for current in (None, 4, 13, 19)] == [3, 5, 3, 3]
    assert next_row(rows[:0], 3, 20) is None


def test_the_example_is_wrong_and_flips(study):
    rows = study.rows("test")
    row = example_row(study, rows)
    trace = study.sentence(row)
    assert row in wrong_rows(study, study.rows("test"))
    assert len(trace.flips)
    assert 8 <= len(trace) <= 25
    assert row == example_row(study, rows)
    others = rows[rows != row]
    assert example_row(study, others) in wrong_rows(study, others)
    assert example_row(study, rows[:0]) is None
