"""F1, precision, recall and yes_ratio of a yes/no benchmark: ratios of sums, so their intervals are bootstrapped.

The point estimates as such live in `scoring.metrics`; here each sample's share of numerator and denominator is kept,
which is what resampling, paired tests and coverage bounds need.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import stats

from leaderboard.statistics.aggregates import statistic_interval
from leaderboard.statistics.comparisons import PairMatrix, Test
from leaderboard.statistics.corrections import correct_pairs
from leaderboard.statistics.intervals import INTERVAL_FROM, Interval, average_repeats, widen_unanimous
from leaderboard.statistics.resampling import (
    DRAWS,
    SEED,
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    divide,
    draw_counts,
    index_clusters,
    sum_by_cluster,
)


def ratio_interval(
    numerators: FloatArray,
    denominators: FloatArray,
    clusters: Labels | None = None,
    *,
    undefined: float = math.nan,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Interval:
    """A ratio of sums such as F1, precision or recall, each within [0, 1], by bootstrap from 6 clusters.

    `numerators`, `denominators`: (n,) or (n, repeats), from `confusion_parts`; NaN is unscored and left out. Where
    every cluster that counts agrees, Wilson over these: for F1 that is wider than need be, never narrower. undefined:
    what stands for 0 / 0; policy `official` writes 0.
    """
    top, bottom = (np.asarray(a, dtype=np.float64) for a in (numerators, denominators))
    if top.ndim == 2:
        top, bottom = average_repeats(top), average_repeats(bottom)
    scored = ~np.isnan(top) & ~np.isnan(bottom)
    codes = index_clusters(clusters, top.size)[scored]
    codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    features = np.column_stack([top[scored], bottom[scored]])
    quotient = lambda sums: _quotient(sums[..., 0], sums[..., 1], undefined)  # noqa: E731
    found = statistic_interval(features, quotient, codes, bootstrap_from=INTERVAL_FROM, draws=draws, seed=seed)
    n_counting = int((sum_by_cluster(features[:, 1:], codes) > 0).sum())
    return widen_unanimous(found, (0.0, 1.0), n_counting)


def _quotient(top: FloatArray, bottom: FloatArray, undefined: float) -> FloatArray:
    found = divide(top, bottom)
    return np.where(np.isnan(found), undefined, found)


class ConfusionMetric(StrEnum):
    """The ratios of a yes/no benchmark, by their contract names."""

    PRECISION = "precision"
    RECALL = "recall"
    F1 = "f1_score"
    YES_RATIO = "yes_ratio"


@dataclass(frozen=True, slots=True)
class Said:
    """Replies to yes/no problems, each (n,) or (n, repeats) bool: what was said, and what failed to be scored.

    Neither yes nor no is "no answer", which is scored; `is_scored` False is a failure and leaves the sample out.
    """

    yes: BoolArray
    no: BoolArray
    is_scored: BoolArray


def confusion_parts(
    metric: ConfusionMetric, said: Said, truth: BoolArray, *, counts_missing: bool = True
) -> tuple[FloatArray, FloatArray]:
    """Numerator and denominator of a yes/no metric by sample, in the shape of `said.yes`; NaN where unscored.

    `truth` (n,): the reference says YES. A missing answer with reference YES counts against recall and F1, unless
    `counts_missing` is False (policy `official`). yes_ratio keeps missing answers in its denominator.
    """
    reference = truth if said.yes.ndim == 1 else np.asarray(truth)[:, None]
    tp, fp = said.yes & reference, said.yes & ~reference
    fn = ~said.yes & reference & (True if counts_missing else said.no)
    match metric:
        case ConfusionMetric.PRECISION:
            top, bottom = tp + 0.0, tp + fp + 0.0
        case ConfusionMetric.RECALL:
            top, bottom = tp + 0.0, tp + fn + 0.0
        case ConfusionMetric.F1:
            top, bottom = 2.0 * tp, 2.0 * tp + fp + fn
        case ConfusionMetric.YES_RATIO:
            top, bottom = said.yes + 0.0, np.ones(said.yes.shape)
    return np.where(said.is_scored, top, np.nan), np.where(said.is_scored, bottom, np.nan)


def ratio_bounds(
    metric: ConfusionMetric,
    said: Said,
    truth: BoolArray,
    *,
    counts_missing: bool = True,
    undefined: float = math.nan,
) -> tuple[float | None, float | None]:
    """The metric with every unscored sample taken as wrong, and as right; None where undefined."""
    reference = np.broadcast_to(truth if said.yes.ndim == 1 else np.asarray(truth)[:, None], said.yes.shape)
    ends: list[float | None] = []
    for filled in (~reference, reference):
        yes = np.where(said.is_scored, said.yes, filled)
        no = np.where(said.is_scored, said.no, ~filled)
        complete = Said(yes, no, np.ones_like(said.is_scored))
        top, bottom = confusion_parts(metric, complete, truth, counts_missing=counts_missing)
        value = float(_quotient(np.asarray(top.sum()), np.asarray(bottom.sum()), undefined))
        ends.append(None if np.isnan(value) else value)
    if ends[0] is None or ends[1] is None:
        return ends[0], ends[1]
    return min(ends[0], ends[1]), max(ends[0], ends[1])


def compare_ratios(
    numerators: FloatArray,
    denominators: FloatArray,
    clusters: Labels | None = None,
    *,
    undefined: float = math.nan,
    draws: int = DRAWS,
    seed: int = SEED,
) -> PairMatrix:
    """Every pair by a ratio of sums such as F1 (from `confusion_parts`): (m, n) or (m, n, repeats) each.

    The error is that of the paired bootstrap (same draws for both), p normal. NaN is unscored; pairs share problems.
    """
    top, bottom = (np.asarray(a, dtype=np.float64) for a in (numerators, denominators))
    if top.ndim == 3:
        top, bottom = average_repeats(top), average_repeats(bottom)
    codes = index_clusters(clusters, top.shape[1])
    scored = ~np.isnan(top) & ~np.isnan(bottom)
    m = top.shape[0]
    difference, se = np.zeros((m, m)), np.full((m, m), np.nan)
    n_shared, n_clusters = np.zeros((m, m), dtype=np.int64), np.zeros((m, m), dtype=np.int64)
    counts = draw_counts(int(codes.max(initial=-1)) + 1, draws, np.random.default_rng(seed))
    # Drawn once where no pair leaves a problem out.
    every = _ratio_draws(top, bottom, codes, counts, undefined) if scored.all() else None
    for i in range(m):
        shared = scored[i] & scored[i:]
        if every is not None:
            own, other = (every[0][i], every[1][:, i : i + 1]), (every[0][i:], every[1][:, i:])
        else:
            own, other = (
                _ratio_draws(np.where(shared, a, 0.0), np.where(shared, b, 0.0), codes, counts, undefined)
                for a, b in ((top[i], bottom[i]), (top[i:], bottom[i:]))
            )
        difference[i, i:], difference[i:, i] = own[0] - other[0], other[0] - own[0]
        se[i, i:] = se[i:, i] = _spread(own[1] - other[1])
        n_shared[i, i:] = n_shared[i:, i] = shared.sum(axis=1)
        units = (sum_by_cluster(shared.T.astype(np.float64), codes) > 0).sum(axis=0)
        n_clusters[i, i:] = n_clusters[i:, i] = units
    p = _normal_p(difference, se, n_clusters)
    return PairMatrix(
        Test.BOOTSTRAP_NORMAL, difference, se, p, correct_pairs(p), n_shared, n_clusters, seed=seed, draws=draws
    )


def _ratio_draws(
    top: FloatArray, bottom: FloatArray, codes: IntArray, counts: FloatArray, undefined: float
) -> tuple[FloatArray, FloatArray]:
    """Ratios (m,) of rows (m, n), and their draws (draws, m)."""
    draws = _quotient(counts @ sum_by_cluster(top.T, codes), counts @ sum_by_cluster(bottom.T, codes), undefined)
    return _quotient(top.sum(axis=1), bottom.sum(axis=1), undefined), draws


def _spread(draws: FloatArray) -> FloatArray:
    """Standard deviation down each column over the defined draws; NaN for fewer than two."""
    defined = ~np.isnan(draws)
    count = defined.sum(axis=0).astype(np.float64)
    mean = divide(np.where(defined, draws, 0.0).sum(axis=0), count)
    squares = (np.where(defined, draws - mean, 0.0) ** 2).sum(axis=0)
    return np.where(count >= 2, np.sqrt(divide(squares, count - 1)), np.nan)


def _normal_p(difference: FloatArray, se: FloatArray, n_clusters: IntArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stats.norm.sf(np.abs(difference) / se)
    p = np.where((se == 0) & (difference == 0), 1.0, p)
    # No spread in any draw, yet a difference: no normal error exists, so no claim is made.
    p = np.where(((se == 0) & (difference != 0)) | (n_clusters < 2), np.nan, p)
    np.fill_diagonal(p, np.nan)
    return np.asarray(p, dtype=np.float64)
