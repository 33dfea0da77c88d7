"""Samples to point estimates: the metrics of one run, overall and by subset, as each benchmark counts them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from arena.results import SampleResult
from scoring.metrics import (
    ProblemPoints,
    accuracy_macro,
    exam_total,
    mean,
    tally_yes_no,
    yes_no_metrics,
)

Metrics = dict[str, float | None]
WITHOUT_ANSWER = frozenset({"no_answer", "unparseable", "refused", "cut"})


def summarise(slug: str, results: Sequence[SampleResult], policy: str = "corrected") -> Metrics:
    """The metrics of these samples, headline first; None where one is undefined."""
    if slug == "coin_flip":
        return _coin_flip(results, policy)
    shared = {"accuracy": mean(list(_means(results, accuracy_of(slug)))), "no_answer": share_without_answer(results)}
    if slug == "hipho":
        return {"exam_score": exam_points(results), **shared}
    if slug == "phybench":
        return {"eed": mean(list(_means(results, lambda r: r.points))), **shared}
    return shared


def summarise_run(
    slug: str, results: Sequence[SampleResult], policy: str = "corrected"
) -> tuple[Metrics, dict[str, Metrics]]:
    """Overall and subset metrics of a run; subsets in the order of their first problem."""
    groups: dict[str, list[SampleResult]] = {}
    for result in results:
        groups.setdefault(result.subset, []).append(result)
    subsets = {name: summarise(slug, group, policy) for name, group in groups.items()}
    overall = summarise(slug, results, policy)
    if slug in ("arc_indic", "hipho"):
        macro = accuracy_macro({name: list(_means(group, accuracy_of(slug))) for name, group in groups.items()})
        overall = {"accuracy_macro": macro, **overall} if slug == "arc_indic" else {**overall, "accuracy_macro": macro}
    return overall, subsets


def accuracy_of(slug: str):  # type: ignore[no-untyped-def]
    """Sample -> its value in `accuracy`: PHYBench counts only an EED of 100, others awarded / attainable."""
    if slug == "phybench":
        return lambda result: None if result.points is None else float(result.points >= 100)
    return lambda result: result.ratio


def exam_points(results: Sequence[SampleResult]) -> float | None:
    """The exam score (mean over repeats, summed over problems); None while a sample is unscored."""
    return exam_total(problem_points(results)).points


def problem_points(results: Iterable[SampleResult]) -> list[ProblemPoints]:
    """Each problem's points over its repeats, with the bounds of what is unscored."""
    groups: dict[int, list[SampleResult]] = {}
    for result in results:
        groups.setdefault(result.problem_id, []).append(result)
    return [
        ProblemPoints(
            points=tuple(result.points for result in group),
            max_points=group[0].max_points,
            low=tuple(result.low for result in group),
            high=tuple(result.high for result in group),
        )
        for group in groups.values()
    ]


def share_without_answer(results: Sequence[SampleResult]) -> float | None:
    scored = [result for result in results if result.is_scored]
    return mean([float(result.status in WITHOUT_ANSWER) for result in scored])


def _coin_flip(results: Sequence[SampleResult], policy: str) -> Metrics:
    scored = [result for result in results if result.is_scored]
    table = tally_yes_no((result.reference, result.answer or None) for result in scored)
    metrics = yes_no_metrics(table, policy)
    return {"f1_score": metrics.pop("f1_score"), **metrics}


def _means(results: Iterable[SampleResult], value) -> Iterable[float]:  # type: ignore[no-untyped-def]
    """One number a problem: the mean over its scored repeats."""
    groups: dict[int, list[float]] = {}
    for result in results:
        number = value(result)
        if number is not None:
            groups.setdefault(result.problem_id, []).append(number)
    return (sum(group) / len(group) for group in groups.values())


def as_rates(metrics: Mapping[str, float | None]) -> Metrics:
    """A copy for JSON; floats rounded to ten places, which drops only the noise of sums."""
    return {name: None if value is None else round(value, 10) for name, value in metrics.items()}
