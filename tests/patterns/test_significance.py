"""p is Fisher's to the last digits, in the far tails too; q is Benjamini and Hochberg's."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from seer.patterns.significance import benjamini_hochberg, fisher_p


@st.composite
def tables(draw, largest=600):
    total = draw(st.integers(1, largest))
    failures, support = draw(st.integers(0, total)), draw(st.integers(0, total))
    failed = draw(st.integers(max(0, support - (total - failures)), min(failures, support)))
    return failed, support, failures, total


@given(tables())
def test_p_equals_the_exact_fraction(table):
    failed, support, failures, total = table
    ways = sum(
        comb(failures, k) * comb(total - failures, support - k) for k in range(failed, min(failures, support) + 1)
    )
    exact = float(Fraction(ways, comb(total, support)))
    assert fisher_p(np.array([failed]), np.array([support]), failures, total)[0] == pytest.approx(exact, rel=1e-11)


def test_p_far_out_and_of_many_at_once():
    failed, support = np.array([0, 5, 230, 700, 700]), np.array([100, 5, 230, 700, 7000])
    p = fisher_p(failed, support, 700, 7000)
    assert p[0] == 1
    assert p[1] == pytest.approx(float(Fraction(comb(6995, 695), comb(7000, 700))), rel=1e-11)
    assert p[2] == pytest.approx(float(Fraction(comb(6770, 470), comb(7000, 700))), rel=1e-11)
    assert 0 < p[2] < 1e-240
    assert p[3] == 0, "below the smallest number"
    assert p[4] == pytest.approx(1, abs=1e-12)
    assert fisher_p(np.zeros(0, int), np.zeros(0, int), 0, 0).tolist() == []


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 4)), max_size=20))
def test_q_equals_the_reference(tests):
    p, times = np.array([test[0] for test in tests]), np.array([test[1] for test in tests], dtype=int)
    q = benjamini_hochberg(p, times)
    if len(tests):
        np.testing.assert_allclose(np.repeat(q, times), false_discovery_control(np.repeat(p, times)), rtol=1e-12)
        np.testing.assert_allclose(benjamini_hochberg(p), false_discovery_control(p), rtol=1e-12)
    else:
        assert q.tolist() == []
