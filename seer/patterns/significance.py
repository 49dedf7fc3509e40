"""How surely a pattern goes with failure: Fisher's exact test and the false discovery rate, for many patterns at once.

Sources: R. A. Fisher, Statistical Methods for Research Workers, section 21.02; Benjamini and Hochberg, Controlling the
False Discovery Rate (JRSS B, 1995); Loader, Fast and Accurate Computation of Binomial Probabilities (2000).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from seer.traces import FloatArray, IntArray

PRECISION = 1e-17
"""A tail is summed until its next term is below this share of the sum."""


def fisher_p(failed: IntArray, support: IntArray, failures: int, total: int) -> FloatArray:
    """One-sided Fisher exact p, (U,): a chance draw of ``support`` sentences holds ``failed`` failures or more.

    It is the upper tail of the hypergeometric distribution. The first term is a quotient of binomial probabilities
    (Loader), which loses no digits to logarithms of factorials; the others follow by the ratio of neighbours, away from
    the mode, so the sum is short. Below the mode it is the rest of the lower tail. Relative error about 1e-13.

    Args:
        failed: (U,) failed sentences that hold the pattern.
        support: (U,) sentences that hold it, at most ``total``.
        failures: failed sentences in all.
        total: sentences in all.
    """
    k, draws = np.asarray(failed, dtype=np.float64), np.asarray(support, dtype=np.float64)
    if not len(k) or not total:
        return np.ones(len(k))
    mode = np.floor((draws + 1) * (failures + 1) / (total + 2))
    upper = k > mode
    k = np.where(upper, k, k - 1)
    correct = total - failures
    share = draws / total
    with np.errstate(divide="ignore", invalid="ignore"):
        term = binom.pmf(k, failures, share) * binom.pmf(draws - k, correct, share) / binom.pmf(draws, total, share)
    tail = _tail(np.nan_to_num(term), k, draws, failures, correct, upper)
    return np.clip(np.where(upper, tail, 1.0 - tail), 0.0, 1.0)


def _tail(
    term: FloatArray, k: FloatArray, draws: FloatArray, failures: int, correct: int, upper: npt.NDArray[np.bool_]
) -> FloatArray:
    """The terms from ``k`` up (``upper``) or down, summed; ``term`` is the one at ``k``."""
    total = term.copy()
    alive = np.flatnonzero(term > 0)
    term, k, draws, upper = term[alive], k[alive], draws[alive], upper[alive]
    while len(alive):
        above = np.where(upper, k, k - 1)  # the ratio of the probability at above + 1 to that at above
        rising = (failures - above) * (draws - above)
        falling = (above + 1) * (correct - draws + above + 1)
        term = term * np.where(upper, rising, falling) / np.where(upper, falling, rising)
        total[alive] += term
        k = k + np.where(upper, 1, -1)
        going = term > PRECISION * total[alive]
        alive, upper = alive[going], upper[going]
        term, k, draws = term[going], k[going], draws[going]
    return total


def benjamini_hochberg(p: FloatArray, times: IntArray | None = None) -> FloatArray:
    """False discovery rate q of each test, (U,): the least level at which it would still be called.

    Args:
        p: (U,) p values.
        times: (U,) how many tests of the family have each p; once each when None.
    """
    times = np.ones(len(p), dtype=np.int64) if times is None else times
    order = np.argsort(p, kind="stable")
    rank = np.cumsum(times[order])
    raised = p[order] * (rank[-1] if len(p) else 0) / rank
    q = np.empty(len(p))
    q[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1.0)
    return q
