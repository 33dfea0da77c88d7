"""One metric of one run over some problems: value, interval, bounds, and the arrays that comparisons are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboard.problem_index import ProblemIndex
from leaderboard.statistics.aggregates import macro_interval, total_interval
from leaderboard.statistics.comparisons import PairMatrix, Test, compare_all, macro_weights
from leaderboard.statistics.coverage import RANKED_FROM, measure_coverage, why_unranked
from leaderboard.statistics.intervals import Interval, Kind, mean_interval
from leaderboard.statistics.ratios import (
    ConfusionMetric,
    Said,
    compare_ratios,
    confusion_parts,
    ratio_bounds,
    ratio_interval,
)
from leaderboard.vectors import NO, YES, Floats, Ints, Vectors

METRICS = {
    "hipho": ("exam_score", "accuracy", "accuracy_macro"),
    "phybench": ("eed", "accuracy"),
    "phyx_oe": ("accuracy", "string_match"),
    "coin_flip": ("f1_score", "accuracy", "precision", "recall", "yes_ratio"),
    "arc_indic": ("accuracy_macro", "accuracy"),
}
RATIOS = {metric.value: metric for metric in ConfusionMetric}
# Never ranked, and why: of the one neither more nor less is better, the other is shown for the gap to the headline.
DESCRIPTIVE = {"yes_ratio": "descriptive", "string_match": "string match"}
FULL_SHARE = 1 - 1e-9  # sums of decimals fall a hair short
OVERALL_ONLY = frozenset({"accuracy_macro"})


def metrics_of(slug: str) -> tuple[str, ...]:
    """Metrics with a column, the headline first."""
    return METRICS.get(slug, ("accuracy",))


def full_of(metric: str) -> float:
    """The value of a perfect run; exams have their own."""
    return 100.0 if metric == "eed" else 1.0


def mark_solved(shares: Floats) -> Floats:
    """1 where a problem is solved, 0 where not, NaN where nothing of it is scored.

    shares: of its points, of one attempt or averaged over all: solved means all of the points in every one of them.
    """
    return np.where(np.isnan(shares), np.nan, (shares >= FULL_SHARE).astype(float))


@dataclass(frozen=True, slots=True)
class Sheet:
    """One run's samples on some of a board's problems: what a column is measured from.

    vectors hold a row for each problem of the column, also for those the run never planned (`planned` False).
    """

    vectors: Vectors
    planned: Any  # (n,) bool
    subsets: tuple[str, ...]
    clusters: tuple[str, ...]
    max_points: Floats
    is_yes: Any  # (n,) bool
    slug: str
    policy: str

    @property
    def undefined(self) -> float:
        """What stands for a ratio of nothing to nothing: policy `official` writes 0, as the released scorer does."""
        return 0.0 if self.policy == "official" else float("nan")

    @property
    def is_complete(self) -> bool:
        return bool(self.planned.all())

    def only_planned(self) -> Sheet:
        return self if self.is_complete else self.pick(np.flatnonzero(self.planned))

    def pick(self, rows: Ints) -> Sheet:
        return Sheet(
            self.vectors.pick(rows),
            self.planned[rows],
            tuple(self.subsets[i] for i in rows),
            tuple(self.clusters[i] for i in rows),
            self.max_points[rows],
            self.is_yes[rows],
            self.slug,
            self.policy,
        )


def make_sheet(vectors: Vectors, index: ProblemIndex, slug: str, policy: str) -> Sheet:
    """The run's samples in the board's order."""
    rows = index.place(vectors.problem_ids)
    return Sheet(
        vectors.pick(rows), rows >= 0, index.subsets, index.clusters, index.max_points, index.is_yes, slug, policy
    )


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric of one run: its interval, and the value with everything unscored as nothing and in full."""

    interval: Interval
    bound_low: float | None
    bound_high: float | None


def values_of(metric: str, sheet: Sheet) -> Floats:
    """(n, repeats) of what the metric is a mean (or sum) of; NaN is unscored. Not for ratios."""
    if metric in ("eed", "exam_score"):
        return sheet.vectors.points
    if metric == "string_match":
        return sheet.vectors.string_match
    if sheet.slug == "phybench":  # accuracy counts only an EED of 100
        points = sheet.vectors.points
        return np.where(np.isnan(points), np.nan, points >= 100)
    return sheet.vectors.ratio


def parts_of(metric: str, sheet: Sheet) -> tuple[Floats, Floats]:
    """(n, repeats) numerators and denominators of a ratio metric."""
    return confusion_parts(RATIOS[metric], _said(sheet), sheet.is_yes, counts_missing=sheet.policy != "official")


def _said(sheet: Sheet) -> Said:
    is_scored = ~np.isnan(sheet.vectors.points)
    return Said((sheet.vectors.said == YES) & is_scored, (sheet.vectors.said == NO) & is_scored, is_scored)


def measure(metric: str, sheet: Sheet) -> Measure | None:
    """The metric over the planned problems; None where there are none."""
    sheet = sheet.only_planned()
    if not sheet.vectors.n_problems:
        return None
    if metric in RATIOS:
        top, bottom = parts_of(metric, sheet)
        kept = {"counts_missing": sheet.policy != "official", "undefined": sheet.undefined}
        bounds = ratio_bounds(RATIOS[metric], _said(sheet), sheet.is_yes, **kept)
        return Measure(ratio_interval(top, bottom, sheet.clusters, undefined=sheet.undefined), *bounds)
    values = values_of(metric, sheet)
    if metric == "exam_score":
        return _measure_total(values, sheet)
    full = full_of(metric)
    ends = [np.where(np.isnan(values), fill, values).mean(axis=1) for fill in (0.0, full)]
    if metric == "accuracy_macro":
        weights = macro_weights(sheet.subsets)
        interval = macro_interval(values, sheet.subsets, sheet.clusters, limits=(0.0, full))
        return Measure(interval, *(float(end @ weights) for end in ends))
    interval = mean_interval(values, sheet.clusters, limits=(0.0, full))
    return Measure(interval, *(float(end.mean()) for end in ends))


def _measure_total(points: Floats, sheet: Sheet) -> Measure:
    """Points over all problems; problems are resampled only for this pooled claim (an exam's own: `exam_columns`)."""
    low, high = (float(end.mean(axis=1).sum()) for end in (sheet.vectors.low, sheet.vectors.high))
    n = points.shape[0]
    if np.isnan(points).any():
        return Measure(Interval(None, None, None, None, Kind.NONE, n, 0, "some samples are unscored"), low, high)
    return Measure(total_interval(points, sheet.max_points, sheet.clusters), low, high)


def coverage_fault(metric: str, sheet: Sheet, measured: Measure) -> str:
    """Why a value may not be ranked for what is not scored; empty where it may."""
    scored = ~np.isnan(sheet.vectors.points)
    if scored.all():
        return "" if measured.interval.value is not None else "undefined"
    share = float(scored.mean())
    if metric in RATIOS or metric in ("exam_score", "accuracy_macro"):
        low, high, width = measured.bound_low, measured.bound_high, measured.interval.width
        is_wide = low is None or high is None or high - low > (width or 0.0) + 1e-12
        return f"coverage {share:.1%}" if share < RANKED_FROM else "wide bounds" if is_wide else ""
    fault = why_unranked(measure_coverage(values_of(metric, sheet), full_of(metric)), measured.interval)
    return "" if not fault else f"coverage {share:.1%}" if share < RANKED_FROM else "wide bounds"


def compare_sheets(metric: str, sheets: Sequence[Sheet], *, test: Test | None = None) -> PairMatrix:
    """Every pair of runs on the problems both have, Holm over all pairs. The sheets hold the same problems."""
    clusters = sheets[0].clusters
    if metric in RATIOS:
        parts = [parts_of(metric, sheet) for sheet in sheets]
        tops, bottoms = (_stack(arrays) for arrays in zip(*parts, strict=True))
        return compare_ratios(tops, bottoms, clusters, undefined=sheets[0].undefined)
    scores = _stack([values_of(metric, sheet) for sheet in sheets])
    if scores.shape[2] == 1:
        scores = scores[:, :, 0]
    weights = macro_weights(sheets[0].subsets) if metric == "accuracy_macro" else None
    return compare_all(scores, clusters, weights=weights, test=test)


def _stack(arrays: Sequence[Floats]) -> Floats:
    """(m, n, repeats): absent repeats are NaN and fall out of the means."""
    repeats = max(array.shape[1] for array in arrays)
    widen: Callable[[Floats], Floats] = lambda a: np.pad(  # noqa: E731
        a, ((0, 0), (0, repeats - a.shape[1])), constant_values=np.nan
    )
    return np.stack([widen(array) for array in arrays])
