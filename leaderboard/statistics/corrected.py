"""The corrected mean: the machine's mean over all replies, moved by what a random sample of human reviews found.

Prediction-powered inference (arXiv:2301.09633) with inclusion weights and clustered errors.
"""

from __future__ import annotations

import math

import numpy as np

from leaderboard.statistics.intervals import (
    INTERVAL_FROM,
    Interval,
    Kind,
    Limits,
    count_note,
    t_bounds,
)
from leaderboard.statistics.resampling import FloatArray, IntArray, Labels, index_clusters, sum_by_cluster

MIN_REVIEWS_PER_JUDGE = 100
MIN_REVIEWS_PER_MODEL = 30


def corrected_mean(
    machine: FloatArray,
    human: FloatArray,
    inclusion_probability: FloatArray,
    clusters: Labels | None = None,
    *,
    min_reviews: int = MIN_REVIEWS_PER_MODEL,
    limits: Limits | None = None,
) -> Interval:
    """Mean machine score + inclusion-weighted mean of (human - machine); each array (n,), one entry a problem.

    `inclusion_probability`: the chance with which the random sample took the item, NaN where it did not: items queued
    for any other reason never enter, whatever `human` says of them (appeals are one-sided). A sampled item without a
    human score yet is left out too. `machine` NaN is unscored. Below `min_reviews` no value is given. The variances
    of both means add; t with the reviewed clusters minus 1. Raises ValueError for a probability outside (0, 1].
    """
    scores, reviewed, chance = (np.asarray(a, dtype=np.float64) for a in (machine, human, inclusion_probability))
    is_sampled = ~np.isnan(chance)
    if (chance[is_sampled] <= 0).any() or (chance[is_sampled] > 1).any():
        raise ValueError("inclusion_probability: must lie in (0, 1]")
    codes = index_clusters(clusters, scores.size)
    is_scored = ~np.isnan(scores)
    used = is_scored & is_sampled & ~np.isnan(reviewed)
    n_reviews = int(used.sum())
    if n_reviews < min_reviews:
        note = f"{n_reviews} random reviews, {min_reviews} needed"
        return Interval(None, None, None, None, Kind.NONE, n_reviews, n_reviews, note)
    gap = np.where(used, reviewed - scores, 0.0)
    weight = np.where(used, 1 / np.where(used, chance, 1.0), 0.0)
    shift = float((weight * gap).sum() / weight.sum())
    machine_mean = float(scores[is_scored].mean())
    n_clusters = int(np.unique(codes[used]).size)
    se = _added_se(
        np.where(is_scored, scores - machine_mean, 0.0) / is_scored.sum(),
        weight * (gap - shift) / weight.sum(),
        codes,
        n_clusters,
    )
    value = machine_mean + shift
    if n_clusters < INTERVAL_FROM:
        note = count_note(n_clusters, n_reviews)
        return Interval(value, None, None, None, Kind.NONE, n_reviews, n_clusters, note)
    low, high = t_bounds(value, se, n_clusters - 1, limits)
    note = f"shift {shift:+.4g} from {n_reviews} random reviews"
    return Interval(value, low, high, se, Kind.PREDICTION_POWERED, n_reviews, n_clusters, note)


def _added_se(machine: FloatArray, gap: FloatArray, codes: IntArray, n_clusters: int) -> float:
    """Error of a sum of two means from each item's influence on either (n,), clustered, times sqrt(G / (G - 1)).

    The variances add. But the reviewed items are among all: where a judge is the more lenient the weaker the reply,
    the two means move together, added variances cover 90 % in place of 95 %, and the joint variance stands instead.
    """
    parts = sum_by_cluster(np.column_stack([machine, gap]), codes)
    variance = max(float((parts**2).sum()), float((parts.sum(axis=1) ** 2).sum()))
    return math.sqrt(variance * n_clusters / max(n_clusters - 1, 1))


def reviews_may_rank(n_scored: int, n_reviewed: int, is_random_sample: bool) -> bool:
    """Whether human-corrected points may enter ranks, tests and tiers: only where all or a random sample is reviewed.

    One-sided appeals would move a mean from 49.9 to 53.9 with a fair judge.
    """
    return n_scored > 0 and (is_random_sample or n_reviewed >= n_scored)


def share_upward(machine: FloatArray, human: FloatArray) -> float | None:
    """Share of overrides that raised the points, (n,) each, NaN where not reviewed; None without an override."""
    gap = np.asarray(human, dtype=np.float64) - np.asarray(machine, dtype=np.float64)
    overrides = gap[~np.isnan(gap) & (np.abs(gap) > 1e-9)]
    return float((overrides > 0).mean()) if overrides.size else None
