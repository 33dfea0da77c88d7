"""Who is better than whom on the problems both were scored on, and whether it is luck.

One kind of test a board: exact McNemar for 0/1 scores of a single attempt without clusters, else the paired
difference with clustered error and t(G - 1); F1 by the bootstrap error with a normal p. p values are analytic, since
2,000 draws stop at 0.0005 and Holm over 60 models starts at 0.000028. Source: Miller 2024, arXiv:2411.00640.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import sparse, stats

from leaderboard.statistics.corrections import benjamini_hochberg, correct_pairs
from leaderboard.statistics.intervals import average_repeats, is_binary_single_attempt
from leaderboard.statistics.resampling import (
    LEVEL,
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    divide,
    index_clusters,
)


class Test(StrEnum):
    """The kind of test a board uses; the words stand on the page."""

    __test__ = False  # not a pytest class

    MCNEMAR = "exact McNemar"
    PAIRED_T = "paired difference, clustered, t"
    BOOTSTRAP_NORMAL = "paired bootstrap error, normal"


@dataclass(frozen=True, slots=True)
class PairMatrix:
    """All pairs of m models, each array (m, m); row minus column; NaN where a pair cannot be tested.

    `difference` on shared problems, its clustered `se`, two-sided `p`, `p_holm` corrected over all pairs of the board,
    `n_shared` problems, `n_clusters` units behind the error.
    """

    test: Test
    difference: FloatArray
    se: FloatArray
    p: FloatArray
    p_holm: FloatArray
    n_shared: IntArray
    n_clusters: IntArray
    seed: int | None = None
    draws: int = 0

    def significantly_better(self, alpha: float = 1 - LEVEL) -> BoolArray:
        """(m, m): the row's model is better than the column's after correction."""
        return np.asarray((self.p_holm < alpha) & (self.difference > 0))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on their shared problems: first minus second, 95 % interval, p, corrected p where a family.

    The interval is t; there is none where every cluster differs by the same amount.
    """

    difference: float
    low: float | None
    high: float | None
    se: float | None
    p: float | None
    p_corrected: float | None
    test: Test
    n_shared: int
    n_clusters: int
    n_first_better: int
    n_second_better: int


def mcnemar_p(n_first_only: IntArray | int, n_second_only: IntArray | int) -> FloatArray:
    """Exact two-sided p from the discordant counts; 1 where there are none (McNemar 1947)."""
    first, second = np.asarray(n_first_only), np.asarray(n_second_only)
    tail = stats.binom.cdf(np.minimum(first, second), first + second, 0.5)
    return np.asarray(np.minimum(2 * tail, 1.0), dtype=np.float64)


def macro_weights(subsets: Labels) -> FloatArray:
    """Weights (n,) under which a mean over problems is the mean over subsets of their means."""
    codes = index_clusters(subsets, len(subsets))
    sizes = np.bincount(codes)
    return np.asarray(1 / (sizes.size * sizes[codes]), dtype=np.float64)


def compare_all(
    scores: FloatArray,
    clusters: Labels | None = None,
    *,
    weights: FloatArray | None = None,
    test: Test | None = None,
) -> PairMatrix:
    """Every pair of models from scores (m, n) or (m, n, repeats); NaN is unscored, pairs use shared problems.

    `weights` (n,) makes it a test of weighted means, such as `macro_weights`. `test` overrides the kind that follows
    from the data, so that slices of a board keep the board's. Where lower is better, pass the scores negated.
    """
    array = np.asarray(scores, dtype=np.float64)
    values = average_repeats(array) if array.ndim == 3 else array
    codes = index_clusters(clusters, values.shape[1])
    chosen = test or (_choose_test(array, values, codes) if weights is None else Test.PAIRED_T)
    difference, se, n_shared, n_clusters = _paired_differences(values, codes, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = (
            _mcnemar_matrix(values)
            if chosen is Test.MCNEMAR
            else _t_p(difference, se, n_clusters.astype(np.float64), _spread_floor(values))
        )
    p = np.where(n_shared > 0, p, np.nan)
    np.fill_diagonal(p, np.nan)
    return PairMatrix(chosen, difference, se, p, correct_pairs(p), n_shared, n_clusters)


def _choose_test(array: FloatArray, values: FloatArray, codes: IntArray) -> Test:
    n_repeats = array.shape[2] if array.ndim == 3 else 1
    n_clusters = int(codes.max()) + 1 if codes.size else 0
    is_binary = is_binary_single_attempt(values, n_repeats, n_clusters, values.shape[1])
    return Test.MCNEMAR if is_binary else Test.PAIRED_T


def _paired_differences(
    values: FloatArray, codes: IntArray, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Mean difference, clustered standard error, shared problems and clusters of all pairs, each (m, m)."""
    m, n = values.shape
    weight = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    n_codes = int(codes.max()) + 1 if codes.size else 0
    indicator = sparse.csr_array((np.ones(n), (np.arange(n), codes)), shape=(n, n_codes))
    difference, se = np.zeros((m, m)), np.full((m, m), np.nan)
    n_shared, n_clusters = np.zeros((m, m), dtype=np.int64), np.zeros((m, m), dtype=np.int64)
    for i in range(m):
        pair = values[i] - values[i:]
        shared = ~np.isnan(pair)
        count, total = shared.sum(axis=1), shared @ weight
        mean = divide(np.where(shared, pair, 0.0) @ weight, total)
        residuals = np.where(shared, pair - mean[:, None], 0.0) * weight
        if n_codes == n:
            squares, units = (residuals**2).sum(axis=1), count
        else:
            squares = ((residuals @ indicator) ** 2).sum(axis=1)
            units = ((shared.astype(np.float64) @ indicator) > 0).sum(axis=1)
        error = np.sqrt(squares * divide(units.astype(np.float64), units - 1.0))
        difference[i, i:], difference[i:, i] = mean, -mean
        se[i, i:] = se[i:, i] = divide(error, total)
        n_shared[i, i:] = n_shared[i:, i] = count
        n_clusters[i, i:] = n_clusters[i:, i] = units
    return difference, se, n_shared, n_clusters


def _spread_floor(values: FloatArray) -> float:
    """Below this a standard error is rounding, not spread."""
    return 1e-12 * float(np.nanmax(np.abs(values), initial=1.0))


def _t_p(difference: FloatArray, se: FloatArray, n_clusters: FloatArray, floor: float) -> FloatArray:
    """Two-sided t(G - 1). Where every cluster differs by the same amount t is infinite: the exact sign flip
    over G clusters, 2^(1 - G), stands instead; 1 where nothing differs, NaN below two clusters."""
    p = 2 * stats.t.sf(np.abs(difference) / se, n_clusters - 1)
    p = np.where(se <= floor, np.exp2(1 - n_clusters), p)
    p = np.where((se <= floor) & (np.abs(difference) <= floor), 1.0, p)
    return np.where(n_clusters < 2, np.nan, p)


def _mcnemar_matrix(values: FloatArray) -> FloatArray:
    right = (values == 1).astype(np.float64)
    wrong = (values == 0).astype(np.float64)
    first_only = np.rint(right @ wrong.T).astype(np.int64)
    return mcnemar_p(first_only, first_only.T)


def compare_pair(
    first: FloatArray, second: FloatArray, clusters: Labels | None = None, *, test: Test | None = None
) -> Comparison:
    """Two models' scores (n,) or (n, repeats) on their shared problems. The two may differ in repeats."""
    rows = [np.asarray(a, dtype=np.float64) for a in (first, second)]
    n_repeats = max(row.shape[1] if row.ndim == 2 else 1 for row in rows)
    values = np.stack([average_repeats(row) if row.ndim == 2 else row for row in rows])
    if test is None and n_repeats > 1:
        test = Test.PAIRED_T
    pairs = compare_all(values, clusters, test=test)
    difference, se, p = float(pairs.difference[0, 1]), float(pairs.se[0, 1]), float(pairs.p[0, 1])
    n_clusters = int(pairs.n_clusters[0, 1])
    has_spread = n_clusters > 1 and se > _spread_floor(values)  # equal differences tell nothing of how far others lie
    half = float(stats.t.ppf(0.5 + LEVEL / 2, n_clusters - 1)) * se if has_spread else math.nan
    return Comparison(
        difference=difference,
        low=_none_if_nan(difference - half),
        high=_none_if_nan(difference + half),
        se=_none_if_nan(se),
        p=_none_if_nan(p),
        p_corrected=None,
        test=pairs.test,
        n_shared=int(pairs.n_shared[0, 1]),
        n_clusters=n_clusters,
        n_first_better=int((values[0] > values[1]).sum()),
        n_second_better=int((values[0] < values[1]).sum()),
    )


def _none_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else value


def compare_slices(
    first: FloatArray,
    second: FloatArray,
    slices: Mapping[str, IntArray],
    clusters: Labels | None = None,
    *,
    test: Test | None = None,
) -> dict[str, Comparison]:
    """The same pair in each category slice (name -> problem positions), p corrected by Benjamini-Hochberg."""
    labels = index_clusters(clusters, np.asarray(first).shape[0])
    results = {
        name: compare_pair(np.asarray(first)[where], np.asarray(second)[where], labels[where], test=test)
        for name, where in slices.items()
    }
    p = np.array([math.nan if r.p is None else r.p for r in results.values()])
    corrected = benjamini_hochberg(p)
    return {
        name: _with_corrected(result, _none_if_nan(float(value)))
        for (name, result), value in zip(results.items(), corrected, strict=True)
    }


def _with_corrected(result: Comparison, p_corrected: float | None) -> Comparison:
    fields = {name: getattr(result, name) for name in Comparison.__slots__}
    return Comparison(**{**fields, "p_corrected": p_corrected})
