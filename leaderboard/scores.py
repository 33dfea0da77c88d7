"""One run's samples as arrays: problems by repeats, in one fixed order a board; NaN is unscored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.results import SampleResult
from arena.summary import accuracy_of
from leaderboard.statistics.aggregates import total_interval
from leaderboard.statistics.intervals import Interval, Kind, mean_interval
from leaderboard.statistics.ratios import ConfusionMetric, Said, confusion_parts, ratio_bounds, ratio_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of one run in one column. problem_ids, clusters (n,); results[i][k] is problem i, repeat k."""

    problem_ids: tuple[int, ...]
    clusters: tuple[str, ...]
    results: tuple[tuple[SampleResult, ...], ...]

    @property
    def n_scored(self) -> int:
        """Problems with at least one scored repeat."""
        return sum(any(result.is_scored for result in row) for row in self.results)

    @property
    def n_unscored(self) -> int:
        return sum(not result.is_scored for row in self.results for result in row)

    def array(self, value) -> Floats:  # type: ignore[no-untyped-def]
        """(n, repeats) of `value(sample)`, None as NaN."""
        return np.array(
            [[np.nan if (number := value(result)) is None else number for result in row] for row in self.results],
            dtype=np.float64,
        ).reshape(len(self.results), -1)


def group_samples(results: Sequence[SampleResult], subset: str = "") -> Samples:
    """Problem by problem, repeats in order; one subset's only where one is named."""
    rows: dict[int, list[SampleResult]] = {}
    for result in results:
        if not subset or result.subset == subset:
            rows.setdefault(result.problem_id, []).append(result)
    return Samples(
        problem_ids=tuple(rows),
        clusters=tuple(row[0].cluster for row in rows.values()),
        results=tuple(tuple(row) for row in rows.values()),
    )


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric of one run in one column, with what comparisons need.

    numerator, denominator (n, repeats): the metric is a mean of numerators where denominator is None, else the ratio
    of the sums. bound_low, bound_high: the value with everything unscored as nothing and in full.
    """

    metric: str
    interval: Interval
    numerator: Floats
    denominator: Floats | None
    bound_low: float | None
    bound_high: float | None
    clusters: tuple[str, ...] = ()


def measure(metric: str, samples: Samples, slug: str, policy: str) -> Measure | None:
    """The metric with its interval; None where this benchmark does not have it or there is no sample."""
    if not samples.results:
        return None
    if metric in _RATIOS:
        return _measure_ratio(_RATIOS[metric], samples, policy)
    if metric == "exam_score":
        return _measure_exam(samples)
    value, full = (lambda result: result.points, 100.0) if metric == "eed" else (accuracy_of(slug), 1.0)
    scores = samples.array(value)
    interval = mean_interval(scores, samples.clusters, limits=(0.0, full))
    low, high = (float(np.where(np.isnan(scores), fill, scores).mean()) for fill in (0.0, full))
    return Measure(metric, interval, scores, None, low, high, samples.clusters)


_RATIOS = {
    "f1_score": ConfusionMetric.F1,
    "precision": ConfusionMetric.PRECISION,
    "recall": ConfusionMetric.RECALL,
    "yes_ratio": ConfusionMetric.YES_RATIO,
}


def _measure_ratio(metric: ConfusionMetric, samples: Samples, policy: str) -> Measure:
    scored = samples.array(lambda result: float(result.is_scored)) == 1
    yes = samples.array(lambda result: float(result.answer == "YES")) == 1
    no = samples.array(lambda result: float(result.answer == "NO")) == 1
    truth = np.array([row[0].reference == "YES" for row in samples.results])
    said = Said(yes & scored, no & scored, scored)
    top, bottom = confusion_parts(metric, said, truth, counts_missing=policy != "official")
    interval = ratio_interval(top, bottom, samples.clusters)
    low, high = ratio_bounds(metric, said, truth, counts_missing=policy != "official")
    return Measure(metric.value, interval, top, bottom, low, high, samples.clusters)


def _measure_exam(samples: Samples) -> Measure:
    """Points over all problems here; a single exam's own uncertainty (sittings) is `leaderboard.exams`."""
    points = samples.array(lambda result: result.points)
    low = samples.array(lambda result: result.low).mean(axis=1).sum()
    high = samples.array(lambda result: result.high).mean(axis=1).sum()
    if np.isnan(points).any():
        interval = Interval(None, None, None, None, Kind.NONE, len(samples.results), 0, "some samples are unscored")
    else:
        interval = total_interval(points, samples.clusters)
    return Measure("exam_score", interval, points, None, float(low), float(high), samples.clusters)
