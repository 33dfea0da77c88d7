"""Exam scores, medals and the medal table.

An exam's problems are fixed and its thresholds belong to them, so its uncertainty is over sittings (repeats and judge
repeats), never over problems: with 3 parent problems a percentile bootstrap has 10 outcomes and 74 % coverage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from leaderboard.statistics.corrections import correct_pairs
from leaderboard.statistics.intervals import Interval, Kind, Limits, t_bounds
from leaderboard.statistics.resampling import LEVEL, BoolArray, FloatArray
from scoring.metrics import MEDALS, MedalCount, Thresholds, count_medals, medal, medal_table_key, sure_medal

_SPREAD_FLOOR = 1e-18  # below, a variance is rounding
_PLACES = 9  # fourteen times 0.7 falls a hair short of the 9.8 that earns a medal


@dataclass(frozen=True, slots=True)
class ExamResult:
    """One model in one exam, in points.

    `low_totals`, `high_totals`: one total a sitting, with unscored points as 0 and as full; equal where all is scored.
    `score`: mean over sittings with its interval, `score.value` None while the ends differ. `low`, `high`: its ends.
    `medal` (gold, silver, bronze or empty) is shown only if both ends earn it: else `medal_low` and `medal_high`
    differ. All are None where the exam has no thresholds. `sitting_medals`: sittings that surely earned each.
    """

    low_totals: tuple[float, ...]
    high_totals: tuple[float, ...]
    low: float
    high: float
    score: Interval
    medal: str | None
    medal_low: str | None
    medal_high: str | None
    sitting_medals: MedalCount

    @property
    def is_complete(self) -> bool:
        return self.low == self.high

    @property
    def sentence(self) -> str:
        """ "gold in 7 of 8 sittings", of the best medal earned in any; empty for one sitting: no probability."""
        n_sittings = len(self.low_totals)
        if self.medal is None or n_sittings < 2:
            return ""
        for name in MEDALS:
            n_earned = getattr(self.sitting_medals, name)
            if n_earned:
                return f"{name} in {n_earned} of {n_sittings} sittings"
        return f"no medal in {n_sittings} sittings" if self.is_complete else ""


def sittings_interval(totals: Sequence[float], *, limits: Limits | None = None) -> Interval:
    """Mean of K sittings' totals with a t interval of K - 1 degrees of freedom; one sitting has no interval."""
    array = np.asarray(totals, dtype=np.float64)
    if array.size == 0 or np.isnan(array).any():
        raise ValueError("totals: each sitting needs its total")
    mean, k = _mean(array.tolist()), array.size
    if k == 1:
        return Interval(mean, None, None, None, Kind.NONE, 1, 1, "one sitting")
    se = float(array.std(ddof=1) / math.sqrt(k))
    low, high = t_bounds(mean, se, k - 1, limits)
    note = "" if se > 0 else "all sittings agree"
    return Interval(mean, low, high, se, Kind.SITTINGS, k, k, note)


def sit_exam(
    points: FloatArray,
    full_marks: FloatArray,
    thresholds: Thresholds | None = None,
    *,
    lowest: FloatArray | None = None,
) -> ExamResult:
    """Exam totals of points (n problems, K repeats) or (n, K, J judge repeats), NaN where a sample is unscored.

    An unscored sample stands as [`lowest`, full mark]: `lowest` has the shape of `points` and holds what the level
    that is there gives (0 by default). Judge repeats are averaged within a sitting; with one repeat they are the
    sittings. `full_marks` (n,).
    """
    low, high = _fill_ends(np.asarray(points, dtype=np.float64), np.asarray(full_marks, dtype=np.float64), lowest)
    low_totals, high_totals = _sitting_totals(low), _sitting_totals(high)
    limits = (0.0, float(np.sum(full_marks)))
    ends = _mean(low_totals), _mean(high_totals)
    has_medals = thresholds is not None and thresholds != Thresholds()
    cuts = thresholds or Thresholds()
    return ExamResult(
        low_totals=low_totals,
        high_totals=high_totals,
        low=ends[0],
        high=ends[1],
        score=_join_ends(sittings_interval(low_totals, limits=limits), sittings_interval(high_totals, limits=limits)),
        medal=sure_medal(*ends, cuts) if has_medals else None,
        medal_low=medal(ends[0], cuts) if has_medals else None,
        medal_high=medal(ends[1], cuts) if has_medals else None,
        sitting_medals=count_medals(
            sure_medal(low, high, cuts) for low, high in zip(low_totals, high_totals, strict=True)
        ),
    )


def _fill_ends(points: FloatArray, full_marks: FloatArray, lowest: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    if points.ndim not in (2, 3) or points.shape[0] != full_marks.size:
        raise ValueError(f"points: shape {points.shape} for {full_marks.size} full marks")
    unscored = np.isnan(points)
    floor = np.zeros(points.shape) if lowest is None else np.nan_to_num(np.asarray(lowest, dtype=np.float64))
    ceiling = np.broadcast_to(full_marks.reshape(-1, *[1] * (points.ndim - 1)), points.shape)
    return np.where(unscored, floor, points), np.where(unscored, ceiling, points)


def _sitting_totals(points: FloatArray) -> tuple[float, ...]:
    """One total a sitting of points (n, K) or (n, K, J)."""
    by_judge = points[:, :, None] if points.ndim == 2 else points
    if by_judge.shape[1] == 1:
        by_judge = by_judge.transpose(0, 2, 1)
    return tuple(_add(column) for column in by_judge.mean(axis=2).T.tolist())


def _add(points: Sequence[float]) -> float:
    return round(math.fsum(points), _PLACES)


def _mean(totals: Sequence[float]) -> float:
    return round(math.fsum(totals) / len(totals), _PLACES)


def _join_ends(low: Interval, high: Interval) -> Interval:
    """One interval that holds those of both ends; no single value where the ends differ."""
    assert low.value is not None and high.value is not None
    if low.value == high.value:
        return low
    note = f"unscored: between {low.value:.1f} and {high.value:.1f}"
    return Interval(None, low.low, high.high, None, low.kind, low.n, low.clusters, note)


def better_in_sittings(totals: Sequence[Sequence[float]], alpha: float = 1 - LEVEL) -> BoolArray:
    """(m, m): the row's model is better than the column's in one exam, by Welch's t over sittings, Holm over all pairs.

    An exam's problems are fixed, so they are not resampled; a model with one sitting cannot be tested and is never
    better or worse than another. Where neither varies, the exact permutation of sittings stands in for t.
    """
    sizes = np.array([len(row) for row in totals], dtype=np.float64)
    means = np.array([_mean(row) for row in totals])
    spread = np.array([float(np.var(row, ddof=1)) if len(row) > 1 else math.nan for row in totals])
    spread = np.where(spread < _SPREAD_FLOOR, 0.0, spread)
    difference = np.round(means[:, None] - means[None, :], _PLACES)
    error = spread / sizes
    variance = error[:, None] + error[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = variance**2 / sum(np.expand_dims(error**2 / (sizes - 1), axis) for axis in (0, 1))
        p = 2 * stats.t.sf(np.abs(difference) / np.sqrt(variance), freedom)
    exact = np.minimum(1.0, 2 / special.binom(sizes[:, None] + sizes[None, :], sizes[:, None]))
    p = np.where(variance == 0, np.where(difference == 0, 1.0, exact), p)
    np.fill_diagonal(p, np.nan)
    return np.asarray((correct_pairs(p) < alpha) & (difference > 0))


@dataclass(frozen=True, slots=True)
class MedalRow:
    """One model in the medal table; models with equal medals and tie score share a rank."""

    model: str
    medals: MedalCount
    tie_score: float | None
    rank: int


def tabulate_medals(
    medals: Mapping[str, Sequence[str | None]], tie_scores: Mapping[str, float | None]
) -> tuple[MedalRow, ...]:
    """The medal table, best first: gold, then silver, then bronze, then the IPhO_2025 score (missing last).

    `medals`: model -> medal of each exam, empty or None without one. `tie_scores`: model -> points in IPhO_2025.
    """
    counts = {model: count_medals(name or "" for name in earned) for model, earned in medals.items()}
    keys = {model: medal_table_key(count, tie_scores.get(model)) for model, count in counts.items()}
    rows: list[MedalRow] = []
    for place, model in enumerate(sorted(keys, key=keys.__getitem__), start=1):
        is_equal = bool(rows) and keys[rows[-1].model] == keys[model]
        rank = rows[-1].rank if is_equal else place
        rows.append(MedalRow(model, counts[model], tie_scores.get(model), rank))
    return tuple(rows)
