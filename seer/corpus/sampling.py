"""Seeded, stratified choice of rows: which go to which split, which make a smaller set."""

from __future__ import annotations

import numpy as np

from seer.corpus.record import IntArray

_SPLIT_STREAM, _SAMPLE_STREAM = 0, 1
"""Choosing rows and splitting them draw from different streams of one seed."""


def stratified_parts(strata: IntArray, shares: tuple[float, ...], seed: int) -> IntArray:
    """Cut parts off a set, each with (nearly) the same mix of strata.

    A part has ``round(share * n)`` rows, shared out over the strata by the largest remainder. A stratum gives one row
    to each part at least and keeps one, or, when it is too small for that, keeps all.

    Args:
        strata: (n,) non-negative group of each row.
        shares: the share of the rows that each part gets.
        seed: same strata, shares and seed, same parts.

    Returns:
        (n,) part of each row: 0 is what stays, i the part of ``shares[i - 1]``.
    """
    sizes = np.bincount(strata)
    room = np.where(sizes > len(shares), (sizes - 1) // len(shares), 0)
    order, rank = _shuffled(strata, sizes, [seed, _SPLIT_STREAM])
    parts = np.zeros(len(strata), dtype=np.int64)
    taken, owed = np.zeros_like(sizes), np.zeros(len(sizes))
    for part, share in enumerate(shares, start=1):
        quota, owed = _quotas(sizes, int(len(strata) * share + 0.5), np.minimum(room, 1), room, owed)
        inside = (rank >= taken[strata[order]]) & (rank < (taken + quota)[strata[order]])
        parts[order[inside]] = part
        taken = taken + quota
    return parts


def stratified_sample(strata: IntArray, size: int, seed: int) -> IntArray:
    """Positions of ``size`` rows, in table order, with (nearly) the mix of strata of the whole.

    Every stratum gets a row when ``size`` allows that.

    Args:
        strata: (n,) non-negative group of each row.
        size: rows wanted, 1 to n.
        seed: same strata, size and seed, same rows.
    """
    sizes = np.bincount(strata)
    least = np.minimum(sizes, 1) if size >= np.count_nonzero(sizes) else np.zeros_like(sizes)
    quota, _ = _quotas(sizes, size, least, sizes, np.zeros(len(sizes)))
    order, rank = _shuffled(strata, sizes, [seed, _SAMPLE_STREAM])
    return np.sort(order[rank < quota[strata[order]]])


def _shuffled(strata: IntArray, sizes: IntArray, seed: list[int]) -> tuple[IntArray, IntArray]:
    """All rows, stratum by stratum, in random order inside each, and each one's rank inside its stratum."""
    shuffled = np.random.default_rng(seed).permutation(len(strata))
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    return order, np.arange(len(strata)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def _quotas(
    sizes: IntArray, total: int, least: IntArray, most: IntArray, owed: np.ndarray
) -> tuple[IntArray, np.ndarray]:
    """Share ``total`` out over strata in proportion to their sizes, by the largest remainder.

    Args:
        sizes: (S,) rows of each stratum.
        total: rows to share out; fewer are given when ``most`` allows no more.
        least: (S,) what each stratum gets in any case.
        most: (S,) what each stratum can give.
        owed: (S,) fractions that rounding took from each stratum before; they break ties.

    Returns:
        (S,) quotas, and (S,) the fractions still owed.
    """
    weights = np.where(most > 0, sizes - least, 0)
    exact = least + max(total - int(least.sum()), 0) * weights / max(int(weights.sum()), 1)
    quota = np.minimum(np.floor(exact).astype(np.int64), most)
    remainder = np.where(quota < most, exact - quota + owed, -np.inf)
    missing = min(max(total - int(quota.sum()), 0), int((quota < most).sum()))
    quota[np.argsort(-remainder, kind="stable")[:missing]] += 1
    return quota, owed + exact - quota
