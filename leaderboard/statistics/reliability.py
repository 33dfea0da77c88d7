"""Agreement of several raters with gaps: Krippendorff's alpha, flip rate, and where they differ most."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from leaderboard.statistics.aggregates import statistic_interval
from leaderboard.statistics.intervals import Interval, mean_interval
from leaderboard.statistics.resampling import (
    DRAWS,
    SEED,
    FloatArray,
    IntArray,
    Labels,
    Statistic,
    clear_rounding,
    divide,
    index_clusters,
    merge_rounding,
)


class Level(StrEnum):
    """What differences between ratings mean to Krippendorff's alpha."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def krippendorff_alpha(
    ratings: FloatArray,
    level: Level = Level.ORDINAL,
    clusters: Labels | None = None,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Interval:
    """Krippendorff's alpha of two or more raters with gaps: ratings (raters, items), NaN where none was given.

    Items with fewer than two ratings carry no information and are left out. Undefined where only one value occurs.
    """
    array = merge_rounding(np.asarray(ratings, dtype=np.float64))
    rated = ~np.isnan(array)
    pairable = rated.sum(axis=0) >= 2
    values = np.unique(array[:, pairable][rated[:, pairable]])
    codes = np.unique(index_clusters(clusters, array.shape[1])[pairable], return_inverse=True)[1].astype(np.int64)
    counts = (array[:, pairable, None] == values).sum(axis=0).astype(np.float64)
    met = np.triu(counts.T @ counts, 1) > 0
    low, high = np.nonzero(met)
    # An item with m ratings gives each of its ordered pairs of ratings the weight 1 / (m - 1).
    pairs = counts[:, low] * counts[:, high] / np.maximum(counts.sum(axis=1) - 1, 1)[:, None]
    alpha = _alpha_of_pairs(values - values.mean() if values.size else values, low, high, level)
    return statistic_interval(
        np.hstack([pairs, counts]), alpha, codes, limits=(-1.0, 1.0), draws=draws, seed=seed, noun="items"
    )


def _alpha_of_pairs(values: FloatArray, low: IntArray, high: IntArray, level: Level) -> Statistic:
    """1 - observed / expected disagreement from sums (..., K + C).

    They hold the weights of the K pairs of unlike values that met in an item, and how often each of C values was
    given. Both disagreements are spreads of positions on a line, so no C x C matrix is needed.
    """
    k = low.size

    def alpha(sums: FloatArray) -> FloatArray:
        pairs, given = sums[..., :k], sums[..., k:]
        n = given.sum(axis=-1)
        if level is Level.NOMINAL:
            observed = pairs.sum(axis=-1)
            expected = (n * n - (given * given).sum(axis=-1)) / 2
        else:
            # Ordinal: ratings up to the middle of a value, so that two differ by all that lies between them.
            position = values if level is Level.INTERVAL else given.cumsum(axis=-1) - given / 2
            observed = (pairs * (position[..., low] - position[..., high]) ** 2).sum(axis=-1)
            squares = n * (given * position**2).sum(axis=-1)
            expected = clear_rounding(squares - (given * position).sum(axis=-1) ** 2, squares)
        return 1 - divide((n - 1) * observed, expected)

    return alpha


def flip_rate(
    verdicts: FloatArray, clusters: Labels | None = None, *, draws: int = DRAWS, seed: int = SEED
) -> Interval:
    """Share of pairs of verdicts on an item that differ, mean over items: verdicts (judges or repeats, items).

    The chance that asking once more changes the verdict; items with one verdict are left out.
    """
    array = np.asarray(verdicts, dtype=np.float64)
    given = ~np.isnan(array)
    n_pairs = given.sum(axis=0) * (given.sum(axis=0) - 1) / 2
    first, second = np.triu_indices(array.shape[0], 1)
    gap = np.abs(array[first] - array[second])
    differing = (~np.isnan(gap) & (gap > 1e-9)).sum(axis=0).astype(np.float64)
    return mean_interval(divide(differing, n_pairs), clusters, limits=(0.0, 1.0), draws=draws, seed=seed)


def largest_disagreements(ratings: FloatArray, limit: int) -> tuple[int, ...]:
    """Positions of the items (raters, items) with the widest range of ratings, widest first; agreed ones never."""
    array = np.asarray(ratings, dtype=np.float64)
    given = ~np.isnan(array)
    high = np.where(given, array, -np.inf).max(axis=0)
    low = np.where(given, array, np.inf).min(axis=0)
    spread = np.where(given.sum(axis=0) >= 2, high - low, 0.0)
    order = np.argsort(-spread, kind="stable")
    return tuple(int(i) for i in order[:limit] if spread[i] > 1e-9)
