from difflib import SequenceMatcher

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seer.compare import LONGEST, compare
from tests.charts.test_sentence import make_trace

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


@given(WORDS, WORDS)
def test_every_word_is_shared_or_changed(first, second):
    one, two = make_trace(" ".join(first)), make_trace(" ".join(second), seed=1)
    found = compare(one, two)
    assert sorted([*found.removed, *found.shared[:, 0]]) == list(range(len(first)))
    assert sorted([*found.added, *found.shared[:, 1]]) == list(range(len(second)))
    assert all(first[i] == second[j] for i, j in found.shared)
    assert (np.diff(found.shared, axis=0) > 0).all()
    assert [tuple(pair) for pair in found.moved] == [
        (i, j) for i, j in found.shared.tolist() if one.state[i] != two.state[j]
    ]
    apart = [i for i in range(min(len(first), len(second))) if one.state[i] != two.state[i]]
    expected = apart[0] if apart else None if len(first) == len(second) else min(len(first), len(second))
    assert found.parting == expected


def test_words_match_as_difflib_does():
    first, second = make_trace("the film is not good at all"), make_trace("the film is good but not at all")
    found = compare(first, second)
    blocks = SequenceMatcher(None, first.words, second.words).get_matching_blocks()
    assert len(found.shared) == sum(block.size for block in blocks)


def test_a_text_with_itself():
    trace = make_trace("a good film")
    found = compare(trace, trace)
    assert (found.removed, found.added, found.parting, len(found.moved)) == ((), (), None, 0)
    assert np.array_equal(found.change, [0, 0])


def test_long_differences_stay_quick():
    first = make_trace("a " + "b c " * LONGEST + "d")
    second = make_trace("a " + "c b " * LONGEST + "d")
    found = compare(first, second)
    assert found.coarse
    assert len(found.shared) == 2


def test_an_empty_copy():
    found = compare(make_trace("a good film"), make_trace(""))
    assert found.removed == (0, 1, 2)
    assert found.change is None
    assert found.parting == 0
