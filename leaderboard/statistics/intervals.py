"""Point value, standard error and interval of a mean or a ratio over problems.

Repeats are averaged within a problem first; errors are clustered (Miller 2024, arXiv:2411.00640). Each result names
its kind, so that a page can say what stands in the brackets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy import stats

from leaderboard.statistics.resampling import (
    DRAWS,
    LEVEL,
    SEED,
    FloatArray,
    IntArray,
    Labels,
    divide,
    index_clusters,
    percentile_bounds,
    resample_sums,
    sum_by_cluster,
)

BOOTSTRAP_FROM = 20  # below, the percentile bootstrap covers too little
INTERVAL_FROM = 6  # below, no interval is honest
ROUNDING = 1e-9  # of a range: a narrower interval is no interval
ALL_AGREE = "all clusters agree: resampling cannot show the uncertainty"

Limits = tuple[float, float]


class Kind(StrEnum):
    """How an interval was made; the words stand on the page."""

    WILSON = "Wilson"
    UNANIMOUS = "Wilson over clusters"
    BOOTSTRAP = "cluster bootstrap"
    T = "t"
    JACKKNIFE = "jackknife t"
    SITTINGS = "t over sittings"
    PREDICTION_POWERED = "prediction-powered"
    SANDWICH = "sandwich"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its 95 % interval. `low`, `high` are None where none is given, and `note` says why.

    `n` counts problems (or votes, sittings, items), `clusters` the units that vary independently; `seed` and `draws`
    are stored where draws were taken.
    """

    value: float | None
    low: float | None
    high: float | None
    se: float | None
    kind: Kind
    n: int
    clusters: int
    note: str = ""
    seed: int | None = None
    draws: int = 0

    @property
    def width(self) -> float | None:
        return None if self.low is None or self.high is None else self.high - self.low


def average_repeats(scores: FloatArray) -> FloatArray:
    """Mean over the scored repeats: (..., n, k) -> (..., n); NaN (unscored) where no repeat has a score."""
    scored = ~np.isnan(scores)
    return divide(np.where(scored, scores, 0.0).sum(axis=-1), scored.sum(axis=-1).astype(np.float64))


def clustered_se(values: FloatArray, codes: IntArray) -> float:
    """Standard error of the mean of `values` (n,) with G clusters, times sqrt(G / (G - 1)) against small-G bias.

    With one sample a cluster it is s / sqrt(n). NaN for fewer than two clusters. Source: arXiv:2411.00640, section 2.2.
    """
    residuals = sum_by_cluster((values - values.mean())[:, None], codes)[:, 0]
    n_clusters = residuals.size
    if n_clusters < 2:
        return math.nan
    return float(np.sqrt(n_clusters / (n_clusters - 1) * (residuals**2).sum()) / values.size)


def wilson_bounds(n_right: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson score interval of a share `n_right / n`, n >= 1 (Wilson 1927)."""
    z = float(stats.norm.ppf(0.5 + level / 2))
    share = n_right / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # At 0 and 1 the bound is exact; rounding must not leave it a hair inside.
    return (0.0 if n_right == 0 else max(0.0, centre - half), 1.0 if n_right == n else min(1.0, centre + half))


def is_binary_single_attempt(scores: FloatArray, n_repeats: int, n_clusters: int, n_problems: int) -> bool:
    """Whether a board is 0/1 with one attempt and no clusters: then Wilson and McNemar apply."""
    scored = scores[~np.isnan(scores)]
    return n_repeats == 1 and n_clusters == n_problems and bool(((scored == 0) | (scored == 1)).all())


def mean_interval(
    scores: FloatArray,
    clusters: Labels | None = None,
    *,
    limits: Limits | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Interval:
    """The mean over problems of one model's scores (n,) or (n, repeats); NaN is unscored and left out."""
    array = np.asarray(scores, dtype=np.float64)
    return mean_intervals(array[None], clusters, limits=limits, draws=draws, seed=seed)[0]


def mean_intervals(
    scores: FloatArray,
    clusters: Labels | None = None,
    *,
    limits: Limits | None = None,
    may_be_shares: bool = True,
    draws: int = DRAWS,
    seed: int = SEED,
) -> tuple[Interval, ...]:
    """One Interval a model from scores (m, n) or (m, n, repeats), all on the same draws.

    `clusters` gives one label a problem; `limits` (the range of the metric) bounds t intervals;
    `may_be_shares` False says that scores are estimates already, never single 0/1 attempts. Wilson for 0/1 scores
    of a single attempt without clusters; else the percentile bootstrap from 20 clusters, t with G - 1 below, none
    below 6; where all clusters stand at one end of `limits`, Wilson over the clusters.
    """
    array = np.asarray(scores, dtype=np.float64)
    n_repeats = array.shape[2] if array.ndim == 3 else 1
    values = average_repeats(array) if array.ndim == 3 else array
    codes = index_clusters(clusters, values.shape[1])
    n_clusters = int(codes.max()) + 1 if codes.size else 0
    is_binary = may_be_shares and is_binary_single_attempt(values, n_repeats, n_clusters, values.shape[1])
    bounds: tuple[FloatArray, FloatArray] | None = None
    if not is_binary and n_clusters >= BOOTSTRAP_FROM:
        bounds = _bootstrap_mean_bounds(values, codes, draws, seed)
    return tuple(
        _interval_of_mean(
            row, codes, is_binary, None if bounds is None else (bounds[0][i], bounds[1][i]), limits, draws, seed
        )
        for i, row in enumerate(values)
    )


def _bootstrap_mean_bounds(values: FloatArray, codes: IntArray, draws: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Percentile bounds (m,), (m,) of the means of `values` (m, n)."""
    scored = ~np.isnan(values)
    sums = sum_by_cluster(np.where(scored, values, 0.0).T, codes)
    # Models with the same problems scored share one column of counts.
    patterns, pattern_of = np.unique(scored, axis=0, return_inverse=True)
    counts = sum_by_cluster(patterns.T.astype(np.float64), codes)
    drawn = resample_sums(np.hstack([sums, counts]), draws=draws, seed=seed)
    n_models = values.shape[0]
    means = divide(drawn[:, :n_models], drawn[:, n_models:][:, pattern_of.ravel()])
    return percentile_bounds(means)


def _interval_of_mean(
    row: FloatArray,
    codes: IntArray,
    is_binary: bool,
    bounds: tuple[float, float] | None,
    limits: Limits | None,
    draws: int,
    seed: int,
) -> Interval:
    scored = ~np.isnan(row)
    values = row[scored]
    n = values.size
    if n == 0:
        return Interval(None, None, None, None, Kind.NONE, 0, 0, "no scored problem")
    used = np.unique(codes[scored], return_inverse=True)[1]
    n_clusters = int(used.max()) + 1
    value, se = float(values.mean()), clustered_se(values, used)
    known_se = None if math.isnan(se) else se
    if n_clusters < INTERVAL_FROM:
        return Interval(value, None, None, known_se, Kind.NONE, n, n_clusters, count_note(n_clusters, n))
    if is_binary:
        low, high = wilson_bounds(float(values.sum()), n)
        return Interval(value, low, high, se, Kind.WILSON, n, n_clusters)
    note = "" if se > 0 else ALL_AGREE
    if bounds is not None and n_clusters >= BOOTSTRAP_FROM:
        low, high = float(bounds[0]), float(bounds[1])
        found = Interval(value, low, high, se, Kind.BOOTSTRAP, n, n_clusters, note, seed, draws)
    else:
        low, high = t_bounds(value, se, n_clusters - 1, limits)
        found = Interval(value, low, high, se, Kind.T, n, n_clusters, note)
    return widen_unanimous(found, limits, n_clusters)


def widen_unanimous(interval: Interval, limits: Limits | None, n_units: int) -> Interval:
    """The interval; where every unit stands at the same end of the range, Wilson over the units in its place.

    Nobody solved any of 14 problems: neither draws nor a standard error show that a fifteenth may be solved. The mean
    of what lies within a range is at most as far from an end as the share of units that are not at it.
    """
    if limits is None or interval.value is None or interval.width is None:
        return interval
    whole = limits[1] - limits[0]
    if interval.width > ROUNDING * whole:
        return interval
    bare = replace(interval, low=None, high=None, kind=Kind.NONE, note=count_note(n_units, n_units), seed=None, draws=0)
    if n_units < INTERVAL_FROM:
        return bare
    for end, n_full in ((limits[0], 0), (limits[1], n_units)):
        if abs(interval.value - end) <= ROUNDING * whole:
            low, high = (limits[0] + whole * bound for bound in wilson_bounds(n_full, n_units))
            return replace(bare, low=low, high=high, kind=Kind.UNANIMOUS, note="")
    return interval


def count_note(n_clusters: int, n: int, noun: str = "problems") -> str:
    """What stands in the place of an interval: "n = 3 problems", with the parts where they are more."""
    text = f"n = {n_clusters} {noun if n_clusters != 1 else noun.removesuffix('s')}"
    return text if n == n_clusters else f"{text} ({n} parts)"


def t_bounds(value: float, se: float, df: int, limits: Limits | None = None, level: float = LEVEL) -> Limits:
    """Student t interval with `df` degrees of freedom, cut at the metric's range."""
    half = float(stats.t.ppf(0.5 + level / 2, df)) * se
    low, high = value - half, value + half
    return (low, high) if limits is None else (max(low, limits[0]), min(high, limits[1]))
