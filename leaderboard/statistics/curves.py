"""Test-time scaling: scores over k attempts with bands, how the model order changes with k, and EED's histogram.

The estimators of one problem live in `scoring.metrics`; here they are spread over problems, models and k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from leaderboard.statistics.intervals import Interval, mean_intervals
from leaderboard.statistics.resampling import DRAWS, SEED, FloatArray, IntArray, Labels


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
