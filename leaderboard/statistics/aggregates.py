"""Intervals of what is no plain mean over problems: totals, means over subsets, any function of sums."""

from __future__ import annotations

import math

import numpy as np

from leaderboard.statistics.intervals import (
    BOOTSTRAP_FROM,
    INTERVAL_FROM,
    Interval,
    Kind,
    Limits,
    average_repeats,
    count_note,
    t_bounds,
    widen_unanimous,
)
from leaderboard.statistics.resampling import (
    DRAWS,
    SEED,
    FloatArray,
    IntArray,
    Labels,
    Statistic,
    divide,
    index_clusters,
    leave_one_out_sums,
    percentile_bounds,
    resample_sums,
    sum_by_cluster,
)


def statistic_interval(
    features: FloatArray,
    statistic: Statistic,
    codes: IntArray,
    *,
    bootstrap_from: int = BOOTSTRAP_FROM,
    limits: Limits | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
    noun: str = "problems",
) -> Interval:
    """Interval of any function of feature sums: `features` (n, f), cluster codes (n,).

    Percentile bootstrap from `bootstrap_from` clusters, delete-one-cluster jackknife with t(G - 1) below, none below
    6. `value` is None where undefined.
    """
    n = features.shape[0]
    if n == 0:
        return Interval(None, None, None, None, Kind.NONE, 0, 0, f"no {noun}")
    sums = sum_by_cluster(features, codes)
    n_clusters = sums.shape[0]
    value = float(statistic(sums.sum(axis=0, keepdims=True))[0])
    if math.isnan(value):
        return Interval(None, None, None, None, Kind.NONE, n, n_clusters, "undefined")
    if n_clusters < INTERVAL_FROM:
        return Interval(value, None, None, None, Kind.NONE, n, n_clusters, count_note(n_clusters, n, noun))
    if n_clusters < bootstrap_from:
        return _jackknife_interval(value, statistic(leave_one_out_sums(sums)), n, limits)
    drawn = statistic(resample_sums(sums, draws=draws, seed=seed))
    low, high = percentile_bounds(drawn)
    n_undefined = int(np.isnan(drawn).sum())
    note = f"undefined in {n_undefined} of {draws} draws" if n_undefined else ""
    if n_undefined > draws - 2:
        return Interval(value, None, None, None, Kind.NONE, n, n_clusters, note, seed, draws)
    se = float(np.nanstd(drawn, ddof=1))
    return Interval(value, float(low), float(high), se, Kind.BOOTSTRAP, n, n_clusters, note, seed, draws)


def _jackknife_interval(value: float, left_out: FloatArray, n: int, limits: Limits | None) -> Interval:
    n_clusters = left_out.size
    if np.isnan(left_out).any():
        return Interval(value, None, None, None, Kind.NONE, n, n_clusters, "undefined where one cluster is left out")
    deviations = left_out - left_out.mean()
    se = math.sqrt((n_clusters - 1) / n_clusters * float((deviations**2).sum()))
    low, high = t_bounds(value, se, n_clusters - 1, limits)
    return Interval(value, low, high, se, Kind.JACKKNIFE, n, n_clusters)


def total_interval(
    points: FloatArray,
    full_marks: FloatArray,
    clusters: Labels | None = None,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Interval:
    """The sum over problems of points (n,) or (n, repeats), problems resampled: a pooled claim over all exams only.

    The full marks (n,) of these exams are fixed, what varies is the share of them that is earned. So the total is that
    share times the sum of full marks, in each draw too: drawing large problems twice makes no model better.

    One exam's problems are fixed: its uncertainty is over sittings (`exams`). Every problem must be scored: the sum
    over some is not the total, so a missing one raises ValueError.
    """
    array, full = np.asarray(points, dtype=np.float64), np.asarray(full_marks, dtype=np.float64)
    values = average_repeats(array) if array.ndim == 2 else array
    if np.isnan(values).any():
        raise ValueError(f"points: {int(np.isnan(values).sum())} of {values.size} problems are unscored")
    codes = index_clusters(clusters, values.size)
    limits = (0.0, float(full.sum()))
    features = np.column_stack([values, full])
    total = lambda sums: limits[1] * divide(sums[..., 0], sums[..., 1])  # noqa: E731
    found = statistic_interval(features, total, codes, limits=limits, draws=draws, seed=seed)
    return widen_unanimous(found, limits, found.clusters)


def macro_interval(
    scores: FloatArray,
    subsets: Labels,
    clusters: Labels | None = None,
    *,
    limits: Limits | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Interval:
    """The mean over subsets (languages, exams) of their means, from scores (n,) or (n, repeats).

    `subsets`, `clusters`: one label a problem; a cluster may lie in several subsets, as an ARC-Indic question does in
    its languages. A subset without a scored problem is left out.
    """
    array = np.asarray(scores, dtype=np.float64)
    values = average_repeats(array) if array.ndim == 2 else array
    scored = ~np.isnan(values)
    subset = np.unique(index_clusters(subsets, values.size)[scored], return_inverse=True)[1]
    codes = np.unique(index_clusters(clusters, values.size)[scored], return_inverse=True)[1].astype(np.int64)
    member = np.eye(int(subset.max(initial=-1)) + 1)[subset]
    n_subsets = member.shape[1]

    def macro(sums: FloatArray) -> FloatArray:
        # A draw that leaves a whole subset out is a mean over the others.
        return average_repeats(divide(sums[..., :n_subsets], sums[..., n_subsets:]))

    features = np.hstack([member * values[scored][:, None], member])
    found = statistic_interval(features, macro, codes, limits=limits, draws=draws, seed=seed)
    return widen_unanimous(found, limits, found.clusters)
