"""Test-time scaling: scores over k attempts with bands, how the model order changes with k, and EED's histogram.

The estimators of one problem live in `scoring.metrics`; here they are spread over problems, models and k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from leaderboard.statistics.intervals import Interval, mean_intervals
from leaderboard.statistics.resampling import DRAWS, SEED, FloatArray, IntArray, Labels
from scoring.metrics import best_at_k, majority_at_k, pass_at_k, pass_hat_k


@dataclass(frozen=True, slots=True)
class Curve:
    """One model's values over `ks`, each an Interval over problems (None value where not defined: n < k)."""

    ks: tuple[int, ...]
    points: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class OrderChange:
    """Kendall's tau-b of the model order between k = 1 and each k; None where it is not defined."""

    ks: tuple[int, ...]
    taus: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Sample efficiency of EED against accuracy: how many times the problems accuracy needs for the same relative
    error; `gain_percent` is as published (+204 % is a ratio of 3.04). None where a mean or a variance is 0."""

    ratio: float | None

    @property
    def gain_percent(self) -> float | None:
        return None if self.ratio is None else 100 * (self.ratio - 1)


@dataclass(frozen=True, slots=True)
class Band:
    """A range of EED scores with its meaning and how many replies lie in it."""

    name: str
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """`counts` (bins,) between `edges` (bins + 1,); the last bin holds its upper edge. `bands` sum to the same."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    bands: tuple[Band, ...]


def draw_curve(
    values: FloatArray, ks: Sequence[int], clusters: Labels | None = None, *, draws: int = DRAWS, seed: int = SEED
) -> Curve:
    """A curve from each problem's value at each k: `values` (n, len(ks)), NaN where not defined.

    All k share one set of resampled problems, so the band is that of one curve.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != len(ks):
        raise ValueError(f"values: shape {array.shape} for {len(ks)} values of k")
    return Curve(tuple(ks), mean_intervals(array.T, clusters, may_be_shares=False, draws=draws, seed=seed))


def default_ks(n_repeats: int) -> tuple[int, ...]:
    """1, 2, 4, ... and the number of repeats itself."""
    return tuple(sorted({2**i for i in range(n_repeats.bit_length()) if 2**i <= n_repeats} | {n_repeats}))


def pass_curve(correct: FloatArray, ks: Sequence[int], clusters: Labels | None = None) -> Curve:
    """pass@k: at least one of k attempts right. `correct` (n, K) of 0 and 1, NaN unscored (not an attempt)."""
    return draw_curve(_by_counts(correct, ks, pass_at_k), ks, clusters)


def pass_hat_curve(correct: FloatArray, ks: Sequence[int], clusters: Labels | None = None) -> Curve:
    """pass^k: all of k attempts right; as `pass_curve`."""
    return draw_curve(_by_counts(correct, ks, pass_hat_k), ks, clusters)


def best_curve(points: FloatArray, ks: Sequence[int], clusters: Labels | None = None) -> Curve:
    """best@k: expected best of k attempts by points (n, K); NaN unscored."""
    array = np.asarray(points, dtype=np.float64)
    rows = [[_number(best_at_k(row[~np.isnan(row)].tolist(), k)) for k in ks] for row in array]
    return draw_curve(np.array(rows).reshape(array.shape[0], len(ks)), ks, clusters)


def majority_curve(
    classes: Sequence[Sequence[Hashable | None]],
    points: FloatArray,
    ks: Sequence[int],
    clusters: Labels | None = None,
) -> Curve:
    """maj@k over final answers. `classes`: for each problem the class of equivalent answers of each attempt, made
    without the reference, None where there is no answer; `points` (n, K), NaN unscored (not an attempt)."""
    array = np.asarray(points, dtype=np.float64)
    known: dict[tuple[tuple[tuple[int, float], ...], int], float] = {}
    rows = [
        [_majority(_canonical(answers, row), k, known) for k in ks] for answers, row in zip(classes, array, strict=True)
    ]
    return draw_curve(np.array(rows).reshape(array.shape[0], len(ks)), ks, clusters)


def _by_counts(correct: FloatArray, ks: Sequence[int], estimate: Callable[[int, int, int], float | None]) -> FloatArray:
    """(n, len(ks)) of an estimator that needs only how many attempts there were and how many were right."""
    array = np.asarray(correct, dtype=np.float64)
    scored = ~np.isnan(array)
    if ((array != 0) & (array != 1) & scored).any():
        raise ValueError("correct: pass@k is defined for 0 and 1 only; points have best@k")
    counts, position = np.unique(
        np.column_stack([scored.sum(axis=1), np.nansum(array, axis=1)]).astype(np.int64), axis=0, return_inverse=True
    )
    table = np.array([[_number(estimate(int(n), int(c), k)) for k in ks] for n, c in counts])
    return np.asarray(table.reshape(len(counts), len(ks))[position.ravel()], dtype=np.float64)


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _canonical(answers: Sequence[Hashable | None], row: FloatArray) -> tuple[tuple[int, float], ...]:
    """Attempts as (class number, points), sorted: the order of attempts means nothing, and most problems are alike.

    Class numbers follow size, then points; -1 abstains.
    """
    groups: dict[Hashable | None, list[float]] = {}
    for answer, points in zip(answers, row.tolist(), strict=True):
        if not math.isnan(points):
            groups.setdefault(answer, []).append(points)
    abstained = groups.pop(None, [])
    ordered = sorted((sorted(points) for points in groups.values()), key=lambda points: (-len(points), points))
    numbered = [(number, value) for number, points in enumerate(ordered) for value in points]
    return (*numbered, *((-1, value) for value in sorted(abstained)))


def _majority(
    attempts: tuple[tuple[int, float], ...], k: int, known: dict[tuple[tuple[tuple[int, float], ...], int], float]
) -> float:
    if (attempts, k) not in known:
        classes = [None if number < 0 else number for number, _ in attempts]
        known[attempts, k] = _number(majority_at_k(classes, [value for _, value in attempts], k))
    return known[attempts, k]


def follow_order(values: FloatArray, ks: Sequence[int]) -> OrderChange:
    """Kendall's tau-b between the order of m models at the first k and at each k: `values` (m, len(ks))."""
    array = np.asarray(values, dtype=np.float64)
    return OrderChange(tuple(ks), tuple(_tau(array[:, 0], column) for column in array.T))


def _tau(first: FloatArray, second: FloatArray) -> float | None:
    both = ~np.isnan(first) & ~np.isnan(second)
    if both.sum() < 2:
        return None
    tau = float(stats.kendalltau(first[both], second[both]).statistic)
    return None if math.isnan(tau) else tau


def compare_efficiency(eed: FloatArray, accuracy: FloatArray) -> Efficiency:
    """(var / mean^2) of accuracy over that of EED, for one model (n,) or pooled over models and problems (any shape).

    Both arrays hold the same samples; NaN is left out of both. Source: PHYBench, arXiv:2504.16074.
    """
    a, b = np.asarray(eed, dtype=np.float64), np.asarray(accuracy, dtype=np.float64)
    both = ~np.isnan(a) & ~np.isnan(b)
    eed_spread, accuracy_spread = _relative_variance(a[both]), _relative_variance(b[both])
    if not eed_spread or accuracy_spread is None:
        return Efficiency(None)
    return Efficiency(accuracy_spread / eed_spread)


def _relative_variance(values: FloatArray) -> float | None:
    if values.size < 2 or values.mean() == 0:
        return None
    return float(values.var(ddof=1) / values.mean() ** 2)


def bin_eed(scores: FloatArray, width: float = 5.0) -> Histogram:
    """Histogram of EED scores (any shape, 0 to 100, NaN left out) with the four bands of PHYBench.

    100 exact; from 30 a coefficient is wrong; above 0 the structure is; 0 nothing in common.
    """
    values = np.asarray(scores, dtype=np.float64)
    values = values[~np.isnan(values)]
    if ((values < 0) | (values > 100)).any():
        raise ValueError("scores: EED lies in 0..100")
    edges = np.linspace(0, 100, round(100 / width) + 1)
    counts: IntArray = np.histogram(values, edges)[0]
    is_exact, is_zero = values >= 100, values == 0
    bands = (
        Band("nothing in common", 0, 0, int(is_zero.sum())),
        Band("structural", 0, 30, int((~is_zero & (values < 30)).sum())),
        Band("minor", 30, 60, int(((values >= 30) & ~is_exact).sum())),
        Band("exact", 100, 100, int(is_exact.sum())),
    )
    return Histogram(tuple(edges.tolist()), tuple(int(count) for count in counts), bands)
