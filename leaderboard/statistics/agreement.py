"""How far raters agree: judge with human, judges with each other, reviewers among themselves.

Every coefficient is a function of sums over items, so one bootstrap over clusters of items serves all. NaN is a gap.
Sources: Cohen 1960 and 1968, Krippendorff 2011 ("Computing Krippendorff's alpha-reliability").
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from leaderboard.statistics.aggregates import statistic_interval
from leaderboard.statistics.intervals import Interval, mean_interval
from leaderboard.statistics.resampling import (
    DRAWS,
    SEED,
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    clear_rounding,
    divide,
    index_clusters,
    merge_rounding,
)

RANGE = (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class ConfusionTable:
    """`counts` (C, C): row human, column judge, over the sorted `labels` that occur."""

    labels: tuple[float, ...]
    counts: IntArray


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """A judge against humans on the same parts; each coefficient with its cluster-bootstrap interval.

    `mean_error` is judge - human: above 0 the judge is lenient. `weighted_kappa` weighs by squared points. `total_r`:
    Pearson r of problem totals.
    """

    exact: Interval
    kappa: Interval
    weighted_kappa: Interval
    mean_error: Interval
    total_r: Interval
    confusion: ConfusionTable


@dataclass(frozen=True, slots=True)
class GroupError:
    """Mean signed error (judge - human) within one group: a model, a family, a number of points."""

    group: Hashable
    error: Interval


def report_judge(
    judge: FloatArray,
    human: FloatArray,
    clusters: Labels | None = None,
    *,
    totals: Labels | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> JudgeReport:
    """Everything the agreement page shows of one judge from paired ratings (n,), in points or 0/1.

    `clusters`: one label a rating (the problem), what is resampled. `totals`: the reply a rating belongs to; ratings
    of a reply are summed for `total_r`, and a reply lies in the cluster of its first rating.
    """
    a, b, codes = _pair(judge, human, clusters)
    return JudgeReport(
        exact=exact_agreement(a, b, codes, draws=draws, seed=seed),
        kappa=cohen_kappa(a, b, codes, draws=draws, seed=seed),
        weighted_kappa=quadratic_kappa(a, b, codes, draws=draws, seed=seed),
        mean_error=mean_signed_error(a, b, codes, draws=draws, seed=seed),
        total_r=_total_correlation(judge, human, clusters, totals, draws, seed),
        confusion=tabulate_confusion(a, b),
    )


def _pair(a: FloatArray, b: FloatArray, clusters: Labels | None) -> tuple[FloatArray, FloatArray, IntArray]:
    """Ratings both gave, with cluster codes 0..G-1."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"ratings: shapes {first.shape} and {second.shape} must be one length")
    both = ~np.isnan(first) & ~np.isnan(second)
    codes = np.unique(index_clusters(clusters, first.size)[both], return_inverse=True)[1].astype(np.int64)
    return merge_rounding(first[both]), merge_rounding(second[both]), codes


def _total_correlation(
    judge: FloatArray, human: FloatArray, clusters: Labels | None, totals: Labels | None, draws: int, seed: int
) -> Interval:
    a, b = np.asarray(judge, dtype=np.float64), np.asarray(human, dtype=np.float64)
    cluster_of, reply_of = index_clusters(clusters, a.size), index_clusters(totals, a.size)
    first = np.unique(reply_of, return_index=True)[1]
    # A total with a gap in it is no total: NaN passes through the sum and the reply drops out.
    judge_totals, human_totals = (np.bincount(reply_of, weights=values).astype(np.float64) for values in (a, b))
    return pearson_r(judge_totals, human_totals, cluster_of[first], draws=draws, seed=seed)


def exact_agreement(
    a: FloatArray, b: FloatArray, clusters: Labels | None = None, *, draws: int = DRAWS, seed: int = SEED
) -> Interval:
    """Share of items rated alike, (n,) each."""
    first, second, codes = _pair(a, b, clusters)
    same = (first == second).astype(np.float64)
    return mean_interval(same, codes, limits=(0.0, 1.0), draws=draws, seed=seed)


def mean_signed_error(
    judge: FloatArray, human: FloatArray, clusters: Labels | None = None, *, draws: int = DRAWS, seed: int = SEED
) -> Interval:
    """Mean of judge - human, (n,) each."""
    first, second, codes = _pair(judge, human, clusters)
    return mean_interval(first - second, codes, draws=draws, seed=seed)


def cohen_kappa(
    a: FloatArray, b: FloatArray, clusters: Labels | None = None, *, draws: int = DRAWS, seed: int = SEED
) -> Interval:
    """Cohen's kappa of two raters' nominal categories, (n,) each; undefined where both use one and the same."""
    first, second, codes = _pair(a, b, clusters)
    labels, coded = np.unique(np.concatenate([first, second]), return_inverse=True)
    one_hot = np.eye(labels.size)[coded]
    mine, theirs = one_hot[: first.size], one_hot[first.size :]
    features = np.hstack([np.ones((first.size, 1)), (mine * theirs).sum(axis=1, keepdims=True), mine, theirs])
    c = labels.size

    def kappa(sums: FloatArray) -> FloatArray:
        n = sums[..., 0]
        observed = divide(sums[..., 1], n)
        expected = divide((sums[..., 2 : 2 + c] * sums[..., 2 + c :]).sum(axis=-1), n * n)
        return 1 - divide(1 - observed, np.where(np.isclose(expected, 1), 0.0, 1 - expected))

    return statistic_interval(features, kappa, codes, limits=RANGE, draws=draws, seed=seed, noun="items")


def quadratic_kappa(
    a: FloatArray, b: FloatArray, clusters: Labels | None = None, *, draws: int = DRAWS, seed: int = SEED
) -> Interval:
    """Cohen's kappa weighted by the squared difference in points, (n,) each.

    1 - mean (x - y)^2 / (var x + var y + (mean x - mean y)^2): the table of categories is never needed.
    """
    first, second, codes = _pair(a, b, clusters)

    def kappa(sums: FloatArray) -> FloatArray:
        moments = _Moments.of(sums)
        gap = moments.xx + moments.yy - 2 * moments.xy
        chance = moments.xx + moments.yy - 2 * moments.x * moments.y
        return 1 - divide(gap, clear_rounding(chance, moments.xx + moments.yy))

    return statistic_interval(
        _moment_features(first, second), kappa, codes, limits=RANGE, draws=draws, seed=seed, noun="items"
    )


def pearson_r(
    a: FloatArray, b: FloatArray, clusters: Labels | None = None, *, draws: int = DRAWS, seed: int = SEED
) -> Interval:
    """Pearson's r of two raters' numbers, (n,) each; undefined where one never varies."""
    first, second, codes = _pair(a, b, clusters)

    def correlation(sums: FloatArray) -> FloatArray:
        moments = _Moments.of(sums)
        spread_x = clear_rounding(moments.xx - moments.x**2, moments.xx)
        spread_y = clear_rounding(moments.yy - moments.y**2, moments.yy)
        return divide(moments.xy - moments.x * moments.y, np.sqrt(spread_x * spread_y))

    # Centred first: raw squares of large totals would lose the variance to rounding.
    features = _moment_features(first - _mean(first), second - _mean(second))
    return statistic_interval(features, correlation, codes, limits=RANGE, draws=draws, seed=seed, noun="items")


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else 0.0


def _moment_features(x: FloatArray, y: FloatArray) -> FloatArray:
    return np.column_stack([np.ones(x.size), x, y, x * x, y * y, x * y])


@dataclass(frozen=True, slots=True)
class _Moments:
    x: FloatArray
    y: FloatArray
    xx: FloatArray
    yy: FloatArray
    xy: FloatArray

    @classmethod
    def of(cls, sums: FloatArray) -> _Moments:
        return cls(*(divide(sums[..., k], sums[..., 0]) for k in range(1, 6)))


def spearman_r(a: Sequence[float | None], b: Sequence[float | None]) -> float | None:
    """Rank correlation of two lists of scores over the models both have; None for fewer than three."""
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    if len(pairs) < 3:
        return None
    value = float(stats.spearmanr([x for x, _ in pairs], [y for _, y in pairs]).statistic)
    return None if np.isnan(value) else value


def tabulate_confusion(judge: FloatArray, human: FloatArray) -> ConfusionTable:
    """How often each human rating (row) met each judge rating (column), over items both rated."""
    a, b, _ = _pair(judge, human, None)
    labels, coded = np.unique(np.concatenate([a, b]), return_inverse=True)
    counts = np.zeros((labels.size, labels.size), dtype=np.int64)
    np.add.at(counts, (coded[a.size :], coded[: a.size]), 1)
    return ConfusionTable(tuple(labels.tolist()), counts)


def errors_by_group(
    judge: FloatArray, human: FloatArray, groups: Labels, clusters: Labels | None = None
) -> tuple[GroupError, ...]:
    """Mean signed error within each group, in order of first appearance: does a judge favour its own family?"""
    labels = groups.tolist() if isinstance(groups, np.ndarray) else list(groups)
    group_codes, codes = index_clusters(labels, len(labels)), index_clusters(clusters, len(labels))
    a, b = np.asarray(judge, dtype=np.float64), np.asarray(human, dtype=np.float64)
    return tuple(
        GroupError(group, mean_signed_error(a[where], b[where], codes[where]))
        for g, group in enumerate(dict.fromkeys(labels))
        for where in [_is_code(group_codes, g)]
    )


def _is_code(codes: IntArray, code: int) -> BoolArray:
    return np.asarray(codes == code)
