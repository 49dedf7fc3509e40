"""Numbers of windows sort and compare like the windows, whichever way they are made."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seer.patterns import windows
from seer.patterns.windows import count_by_group, fold, renumber


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(1, 3), st.sampled_from([0, 8]))
def test_numbers_of_frequent_keys_in_order(keys, minimum, dense):
    keys = np.array(keys, dtype=np.int64)
    before, windows.DENSE = windows.DENSE, dense
    size = 31 if dense else 10_000
    numbers, count = renumber(keys, size, minimum)
    windows.DENSE = before
    often = [key for key in np.unique(keys) if (keys == key).sum() >= minimum]
    assert count == len(often)
    assert numbers.dtype == np.int32
    assert numbers.tolist() == [often.index(key) if key in often else -1 for key in keys]


@given(st.lists(st.tuples(*[st.integers(0, 2**20 - 1)] * 5), max_size=20))
def test_folded_keys_sort_like_rows_beyond_64_bits(rows):
    columns = list(np.array(rows, dtype=np.int64).reshape(-1, 5).T)
    key = fold(columns, [2**20] * 5)
    assert [rows[place] for place in np.argsort(key, kind="stable")] == sorted(rows)
    assert len(set(key.tolist())) == len(set(rows))


def test_rows_counted_by_group():
    group, words = np.array([2, 0, 2, 2, 0]), np.array([7, 1, 7, 3, 0])
    assert count_by_group(group, 4, [words]) == [[((0,), 1, 0), ((1,), 1, 0)], [], [((7,), 2, 0), ((3,), 1, 0)], []]
    failed = np.array([False, True, False, True, False])
    assert count_by_group(group, 3, [words], failed, top=1) == [[((1,), 1, 1)], [], [((3,), 1, 1)]]
    assert count_by_group(np.zeros(0, int), 2, [np.zeros(0, int)], np.zeros(0, bool)) == [[], []]
