"""Exam scores, medals and the medal table.

An exam's problems are fixed and its thresholds belong to them, so its uncertainty is over sittings (repeats and judge
repeats), never over problems: with 3 parent problems a percentile bootstrap has 10 outcomes and 74 % coverage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from leaderboard.statistics.intervals import Interval, Kind, Limits, average_repeats, t_bounds
from leaderboard.statistics.ranks import order_missing_last
from leaderboard.statistics.resampling import FloatArray

_SLACK = 1e-9  # sums such as 9.1 + 0.7 fall a hair short of the 9.8 they mean


class Medal(StrEnum):
    GOLD = "gold"
    SILVER = "silver"
    BRONZE = "bronze"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Lowest scores, in points, that earn each medal."""

    gold: float
    silver: float
    bronze: float


@dataclass(frozen=True, slots=True)
class MedalCall:
    """The medals the two ends of a score earn. `medal` is shown only if both ends earn it."""

    at_low: Medal | None
    at_high: Medal | None

    @property
    def is_certain(self) -> bool:
        return self.at_low == self.at_high

    @property
    def medal(self) -> Medal | None:
        return self.at_low if self.is_certain else None


@dataclass(frozen=True, slots=True)
class ExamResult:
    """One model in one exam, in points.

    `low_totals`, `high_totals`: one total a sitting, with unscored points as 0 and as full; equal where all is scored.
    `score`: mean over sittings with its interval, `score.value` None while the ends differ. `low`, `high`: its ends.
    `medal`: None where the exam has no thresholds. `medal_counts`: sittings that certainly earned each medal.
    """

    low_totals: tuple[float, ...]
    high_totals: tuple[float, ...]
    low: float
    high: float
    score: Interval
    medal: MedalCall | None
    medal_counts: Mapping[Medal, int]

    @property
    def is_complete(self) -> bool:
        return self.high - self.low <= _SLACK

    @property
    def sentence(self) -> str:
        """ "gold in 7 of 8 sittings", of the best medal earned in any; empty for one sitting: no probability."""
        n_sittings = len(self.low_totals)
        if self.medal is None or n_sittings < 2:
            return ""
        for medal in Medal:
            if self.medal_counts[medal]:
                return f"{medal} in {self.medal_counts[medal]} of {n_sittings} sittings"
        return f"no medal in {n_sittings} sittings" if self.is_complete else ""


def earn_medal(score: float, thresholds: Thresholds) -> Medal | None:
    """The best medal whose threshold the score reaches (score >= threshold)."""
    if math.isnan(score):
        raise ValueError("score: NaN earns no medal and misses none")
    for medal, threshold in zip(Medal, (thresholds.gold, thresholds.silver, thresholds.bronze), strict=True):
        if score >= threshold - _SLACK:
            return medal
    return None


def call_medal(low: float, high: float, thresholds: Thresholds) -> MedalCall:
    """The medals at both ends of a score known as [low, high]."""
    return MedalCall(earn_medal(low, thresholds), earn_medal(high, thresholds))


def sittings_interval(totals: Sequence[float], *, limits: Limits | None = None) -> Interval:
    """Mean of K sittings' totals with a t interval of K - 1 degrees of freedom; one sitting has no interval."""
    array = np.asarray(totals, dtype=np.float64)
    if array.size == 0 or np.isnan(array).any():
        raise ValueError("totals: each sitting needs its total")
    mean, k = float(array.mean()), array.size
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
    return ExamResult(
        low_totals=low_totals,
        high_totals=high_totals,
        low=float(np.mean(low_totals)),
        high=float(np.mean(high_totals)),
        score=_join_ends(sittings_interval(low_totals, limits=limits), sittings_interval(high_totals, limits=limits)),
        medal=None
        if thresholds is None
        else call_medal(float(np.mean(low_totals)), float(np.mean(high_totals)), thresholds),
        medal_counts=_count_medals(low_totals, high_totals, thresholds),
    )


def _fill_ends(points: FloatArray, full_marks: FloatArray, lowest: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    if points.ndim not in (2, 3) or points.shape[0] != full_marks.size:
        raise ValueError(f"points: shape {points.shape} for {full_marks.size} full marks")
    unscored = np.isnan(points)
    floor = np.zeros(points.shape) if lowest is None else np.nan_to_num(np.asarray(lowest, dtype=np.float64))
    ceiling = np.broadcast_to(full_marks.reshape(-1, *[1] * (points.ndim - 1)), points.shape)
    return np.where(unscored, floor, points), np.where(unscored, ceiling, points)


def _sitting_totals(points: FloatArray) -> tuple[float, ...]:
    if points.ndim == 3:
        points = average_repeats(points) if points.shape[1] > 1 else points[:, 0, :]
    return tuple(math.fsum(column) for column in points.T.tolist())


def _join_ends(low: Interval, high: Interval) -> Interval:
    """One interval that holds those of both ends; no single value where the ends differ."""
    assert low.value is not None and high.value is not None
    if high.value - low.value <= _SLACK:
        return low
    note = f"unscored: between {low.value:.1f} and {high.value:.1f}"
    return Interval(None, low.low, high.high, None, low.kind, low.n, low.clusters, note)


def _count_medals(
    low_totals: Sequence[float], high_totals: Sequence[float], thresholds: Thresholds | None
) -> dict[Medal, int]:
    counts = dict.fromkeys(Medal, 0)
    if thresholds is None:
        return counts
    for low, high in zip(low_totals, high_totals, strict=True):
        earned = call_medal(low, high, thresholds).medal
        if earned is not None:
            counts[earned] += 1
    return counts


@dataclass(frozen=True, slots=True)
class MedalRow:
    """One model in the medal table; models with equal medals and tie score share a rank."""

    model: str
    gold: int
    silver: int
    bronze: int
    tie_score: float | None
    rank: int


def tabulate_medals(
    medals: Mapping[str, Sequence[Medal | None]], tie_scores: Mapping[str, float | None]
) -> tuple[MedalRow, ...]:
    """The medal table, best first: gold, then silver, then bronze, then the IPhO_2025 score (missing last).

    `medals`: model -> medal of each exam. `tie_scores`: model -> points in IPhO_2025.
    """
    by_tie_score = order_missing_last([tie_scores.get(model) for model in medals])
    models = [list(medals)[i] for i in by_tie_score]
    counts = {model: tuple(list(medals[model]).count(medal) for medal in Medal) for model in models}
    # Stable: within equal medals the order by tie score stays.
    models.sort(key=lambda model: tuple(-count for count in counts[model]))
    rows: list[MedalRow] = []
    for place, model in enumerate(models, start=1):
        tie_score = tie_scores.get(model)
        gold, silver, bronze = counts[model]
        previous = rows[-1] if rows else None
        is_equal = previous is not None and counts[previous.model] == counts[model] and previous.tie_score == tie_score
        rank = previous.rank if previous is not None and is_equal else place
        rows.append(MedalRow(model, gold, silver, bronze, tie_score, rank))
    return tuple(rows)
