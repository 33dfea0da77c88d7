"""F1, precision, recall and yes_ratio of a yes/no benchmark: ratios of sums, so their intervals are bootstrapped.

The point estimates as such live in `scoring.metrics`; here each sample's share of numerator and denominator is kept,
which is what resampling, paired tests and coverage bounds need.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from leaderboard.statistics.intervals import INTERVAL_FROM, Interval, average_repeats, statistic_interval
from leaderboard.statistics.resampling import DRAWS, SEED, BoolArray, FloatArray, Labels, divide, index_clusters


def ratio_interval(
    numerators: FloatArray,
    denominators: FloatArray,
    clusters: Labels | None = None,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Interval:
    """A ratio of sums such as F1, precision or recall, by bootstrap from 6 clusters.

    `numerators`, `denominators`: (n,) or (n, repeats), from `confusion_parts`; NaN is unscored and left out.
    """
    top, bottom = (np.asarray(a, dtype=np.float64) for a in (numerators, denominators))
    if top.ndim == 2:
        top, bottom = average_repeats(top), average_repeats(bottom)
    scored = ~np.isnan(top) & ~np.isnan(bottom)
    codes = index_clusters(clusters, top.size)[scored]
    codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    features = np.column_stack([top[scored], bottom[scored]])
    return statistic_interval(features, _quotient, codes, bootstrap_from=INTERVAL_FROM, draws=draws, seed=seed)


def _quotient(sums: FloatArray) -> FloatArray:
    return divide(sums[..., 0], sums[..., 1])


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
    metric: ConfusionMetric, said: Said, truth: BoolArray, *, counts_missing: bool = True
) -> tuple[float | None, float | None]:
    """The metric with every unscored sample taken as wrong, and as right; None where undefined."""
    reference = np.broadcast_to(truth if said.yes.ndim == 1 else np.asarray(truth)[:, None], said.yes.shape)
    ends: list[float | None] = []
    for filled in (~reference, reference):
        yes = np.where(said.is_scored, said.yes, filled)
        no = np.where(said.is_scored, said.no, ~filled)
        complete = Said(yes, no, np.ones_like(said.is_scored))
        top, bottom = confusion_parts(metric, complete, truth, counts_missing=counts_missing)
        value = float(divide(np.asarray(top.sum()), np.asarray(bottom.sum())))
        ends.append(None if np.isnan(value) else value)
    if ends[0] is None or ends[1] is None:
        return ends[0], ends[1]
    return min(ends[0], ends[1]), max(ends[0], ends[1])
