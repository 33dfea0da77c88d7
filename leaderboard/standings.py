"""The derived table behind every board: rebuilt whole for one revision and split, in one transaction.

What stands there is a function of the records of truth alone; dropping it and rebuilding gives the same rows.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction

from arena.models import Benchmark, DatasetRevision, Run, Subset
from arena.results import EFFECTIVE, MACHINE, SampleResult, count_outcomes, read_results
from arena.services.samples import planned_entries
from arena.summary import WITHOUT_ANSWER
from leaderboard.models import Standing
from leaderboard.scores import Measure, Samples, group_samples, measure
from leaderboard.statistics.comparisons import compare_all
from leaderboard.statistics.coverage import measure_coverage, why_unranked
from leaderboard.statistics.aggregates import macro_interval
from leaderboard.statistics.exams import sit_exam
from leaderboard.statistics.ranks import place_models
from leaderboard.statistics.ratios import compare_ratios
from scoring.metrics import MEDALS, Thresholds

log = logging.getLogger(__name__)

METRICS = {
    "hipho": ("exam_score", "accuracy"),
    "phybench": ("eed", "accuracy"),
    "coin_flip": ("f1_score", "accuracy", "precision", "recall", "yes_ratio"),
}
SHARED_METRICS = ("accuracy",)


def metrics_of(slug: str) -> tuple[str, ...]:
    """Metrics with a column, the headline first."""
    if slug == "arc_indic":
        return ("accuracy_macro", "accuracy")
    return METRICS.get(slug, SHARED_METRICS)


@dataclass(slots=True)
class Entry:
    """One run on its way to the board."""

    run: Run
    results: dict[str, list[SampleResult]]  # by basis
    unranked: str


def rebuild_board(revision_id: int, split: str) -> int:
    """Rebuild all rows of one revision and split; returns how many there are now."""
    revision = DatasetRevision.objects.select_related("benchmark__scorer").get(pk=revision_id)
    benchmark = revision.benchmark
    entries = [_read_entry(run, revision, benchmark) for run in newest_runs(revision, split)]
    subsets = _columns(benchmark, revision, split)
    rows: list[Standing] = []
    for basis in (MACHINE, EFFECTIVE):
        for subset in subsets:
            for metric in metrics_of(benchmark.slug):
                rows += _rank_column(benchmark, revision, split, subset, metric, basis, entries)
    with transaction.atomic():
        Standing.objects.filter(revision=revision, split=split).delete()
        Standing.objects.bulk_create(rows, batch_size=500)
    return len(rows)


def newest_runs(revision: DatasetRevision, split: str) -> list[Run]:
    """The newest complete published run of each (entrant, shots, prompt, style); limited runs stand beside, unranked."""
    runs = (
        Run.objects.on_board()
        .filter(revision=revision, split=split, state=Run.State.FINISHED)
        .select_related("entrant", "scorer", "owner", "revision__benchmark")
        .order_by("finished_at", "pk")
    )
    newest: dict[tuple[Any, ...], Run] = {}
    for run in runs:
        key = (run.entrant_id, run.shots, run.prompt_digest, run.style, run.provenance, run.partial, run.is_own_judge)
        newest[key] = run
    return list(newest.values())


def _read_entry(run: Run, revision: DatasetRevision, benchmark: Benchmark) -> Entry:
    entries = planned_entries(run)
    results = {MACHINE: read_results(run, entries=entries)}
    results[EFFECTIVE] = read_results(run, entries=entries, basis=EFFECTIVE)
    return Entry(run, results, why_never_ranked(run, revision, benchmark))


def why_never_ranked(run: Run, revision: DatasetRevision, benchmark: Benchmark) -> str:
    """The reason why a run takes no rank whatever its values; empty where it may."""
    if revision.is_sample:
        return "sample set"
    if run.provenance == Run.Provenance.UPLOADED:
        return "uploaded"
    if run.partial:
        return "limited run"
    if run.is_own_judge:
        return "own judge"
    if benchmark.scorer_id and run.scorer_id != benchmark.scorer_id:
        return "other scorer"
    return ""


def _columns(benchmark: Benchmark, revision: DatasetRevision, split: str) -> list[Subset]:
    there = set(
        Subset.objects.filter(problems__entries__revision=revision, problems__entries__split=split).values_list(
            "pk", flat=True
        )
    )
    return [s for s in benchmark.subsets.all() if s.slug == Subset.OVERALL or s.pk in there]


def _rank_column(
    benchmark: Benchmark,
    revision: DatasetRevision,
    split: str,
    subset: Subset,
    metric: str,
    basis: str,
    entries: Sequence[Entry],
) -> list[Standing]:
    """The rows of one column: values first, then ranks and tiers over the whole column."""
    is_overall = subset.slug == Subset.OVERALL
    if metric == "accuracy_macro" and not is_overall:
        return []
    name = "" if is_overall else subset.slug
    rows: list[Standing] = []
    measures: list[Measure] = []
    n_columns = len({result.subset for entry in entries for result in entry.results[MACHINE]})
    for entry in entries:
        samples = group_samples(entry.results[basis], name)
        policy = entry.run.scorer.params.get("policy", "corrected")
        measured = _macro(samples) if metric == "accuracy_macro" else measure(metric, samples, benchmark.slug, policy)
        if measured is None:
            continue
        row = _row(benchmark, revision, split, subset, metric, basis, entry, samples, measured)
        covers_all = len({r[0].subset for r in samples.results}) >= n_columns if is_overall else True
        row.unranked_reason = entry.unranked or ("" if covers_all else "some subsets only") or _coverage_fault(measured)
        row.is_ranked = not row.unranked_reason and row.value is not None
        rows.append(row)
        measures.append(measured)
    _place(rows, measures)
    return rows


def _macro(samples: Samples) -> Measure | None:
    """Mean over subsets of their means, written as a weighted mean over problems, so that it has an interval."""
    measured = measure("accuracy", samples, "arc_indic", "corrected")
    if measured is None:
        return None
    names = [row[0].subset for row in samples.results]
    sizes = {name: names.count(name) for name in set(names)}
    weights = np.array([len(names) / (len(sizes) * sizes[name]) for name in names])[:, None]
    weighted = measured.numerator * weights
    interval = macro_interval(measured.numerator, names, samples.clusters, limits=(0.0, 1.0))
    low, high = (float((np.where(np.isnan(measured.numerator), fill, measured.numerator) * weights).mean()) for fill in (0, 1))
    return Measure("accuracy_macro", interval, weighted, None, low, high, samples.clusters)


def _coverage_fault(measured: Measure) -> str:
    scores = measured.numerator
    if not np.isnan(scores).any():
        return ""
    if measured.denominator is not None or measured.metric == "exam_score":
        share = 1 - float(np.isnan(scores).mean())
        return "" if share >= 0.98 and measured.interval.value is not None else f"coverage {share:.1%}"
    return why_unranked(measure_coverage(scores, 100.0 if measured.metric == "eed" else 1.0), measured.interval)[:60]


def _row(
    benchmark: Benchmark,
    revision: DatasetRevision,
    split: str,
    subset: Subset,
    metric: str,
    basis: str,
    entry: Entry,
    samples: Samples,
    measured: Measure,
) -> Standing:
    interval = measured.interval
    details = _details(samples)
    value, low, high, kind = interval.value, interval.low, interval.high, str(interval.kind.value)
    if metric == "exam_score" and subset.slug != Subset.OVERALL:
        exam = _sit(samples, subset)
        details |= exam
        low, high, kind = exam["low"], exam["high"], exam["kind"]
    return Standing(
        benchmark=benchmark,
        revision=revision,
        split=split,
        subset=subset,
        entrant=entry.run.entrant,
        run=entry.run,
        scorer=entry.run.scorer,
        metric=metric,
        basis=basis,
        value=value,
        se=interval.se,
        low=low,
        high=high,
        interval_kind=kind,
        bound_low=measured.bound_low,
        bound_high=measured.bound_high,
        n_problems=len(samples.results),
        n_scored=samples.n_scored,
        n_unscored=samples.n_unscored,
        details={**details, "note": interval.note},
    )


def _sit(samples: Samples, subset: Subset) -> dict[str, Any]:
    """One exam: its sittings, medal and interval over sittings (never over problems)."""
    points = samples.array(lambda result: result.points)
    lowest = samples.array(lambda result: result.low)
    full = np.array([row[0].max_points for row in samples.results])
    thresholds = Thresholds(*(None if mark is None else float(mark) for mark in (subset.gold, subset.silver, subset.bronze)))
    result = sit_exam(points, full, thresholds, lowest=lowest)
    return {
        "sittings": list(result.low_totals),
        "medal": result.medal or "",
        "medal_is_certain": result.medal_low == result.medal_high,
        "medal_counts": {name: getattr(result.sitting_medals, name) for name in MEDALS},
        "sentence": result.sentence,
        "low": result.score.low,
        "high": result.score.high,
        "kind": str(result.score.kind.value),
        "full_mark": float(full.sum()),
    }


def _details(samples: Samples) -> dict[str, Any]:
    flat = [result for row in samples.results for result in row]
    replied = [result for result in flat if result.reply_id is not None]
    tokens = [result.completion_tokens for result in replied if result.completion_tokens is not None]
    latency = [result.latency_ms for result in replied if result.latency_ms is not None]
    costs = [result.cost_usd for result in replied if result.cost_usd is not None]
    scored = [result for result in flat if result.is_scored]
    return {
        "outcomes": count_outcomes(flat),
        "repeats": len(samples.results[0]) if samples.results else 0,
        "cut": _share(sum(result.status == "cut" for result in scored), len(scored)),
        "no_answer": _share(sum(result.status in WITHOUT_ANSWER for result in scored), len(scored)),
        "output_tokens": _mean(tokens),
        "latency_ms": _mean(latency),
        "cost_usd": _mean(costs),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None


def _place(rows: Sequence[Standing], measures: Sequence[Measure]) -> None:
    """Ranks, rank intervals and tiers among the ranked rows that share the column's problems."""
    taking = [i for i, row in enumerate(rows) if row.is_ranked]
    if not taking:
        return
    better = _better([measures[i] for i in taking])
    for i, place in zip(taking, place_models([rows[i].value for i in taking], better), strict=True):
        rows[i].rank, rows[i].rank_low, rows[i].rank_high, rows[i].tier = (
            place.rank,
            place.rank_low,
            place.rank_high,
            place.tier,
        )


def _better(measures: Sequence[Measure]) -> Any:
    """(m, m): row is significantly better than column, Holm over all pairs; nobody is where tests are impossible."""
    sizes = {measured.numerator.shape[0] for measured in measures}
    if len(measures) < 2 or len(sizes) != 1:
        return np.zeros((len(measures), len(measures)), dtype=bool)
    repeats = max(measured.numerator.shape[1] for measured in measures)
    top = np.stack([_widen(measured.numerator, repeats) for measured in measures])
    if measures[0].denominator is not None:
        bottom = np.stack([_widen(measured.denominator, repeats) for measured in measures])
        return compare_ratios(top, bottom, measures[0].clusters).significantly_better()
    return compare_all(top if repeats > 1 else top[:, :, 0], measures[0].clusters).significantly_better()


def _widen(array: Any, repeats: int) -> Any:
    """(n, k) to (n, repeats): absent repeats are NaN and fall out of the means."""
    return np.pad(array, ((0, 0), (0, repeats - array.shape[1])), constant_values=np.nan)
