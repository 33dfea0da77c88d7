"""Numbers published elsewhere and the floors, beside a board: always marked, never ranked with measured ones."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.benchmarks import BENCHMARKS
from arena.models import BaselineScore, Benchmark, DatasetRevision, ReportedResult
from leaderboard.selectors.formats import print_metric


@dataclass(frozen=True, slots=True)
class ReportedRow:
    """One published number. differs: settings unlike those our runs have, in words. value, low, high: as stored."""

    entrant: str
    entrant_slug: str
    organisation: str
    kind: str
    value: float
    text: str
    low: float | None
    high: float | None
    style: str
    setting: str
    differs: tuple[str, ...]
    source: str
    source_url: str
    date: str


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """One floor line. value None: undefined for this strategy. is_expected: the exact mean of a random strategy."""

    entrant: str
    entrant_slug: str
    value: float | None
    text: str
    is_expected: bool


def read_reported(
    benchmark: Benchmark,
    split: str,
    subset: str = "overall",
    metric: str = "",
    *,
    revision: DatasetRevision | None = None,
) -> tuple[ReportedRow, ...]:
    """The newest number of each (entrant, style), best first; nothing on the sample revision, whose problems are ours."""
    shown = revision or benchmark.current_revision
    if shown is None or shown.is_sample:
        return ()
    rows = (
        ReportedResult.objects.filter(
            benchmark=benchmark,
            split=split,
            subset=subset or "overall",
            metric=metric or benchmark.headline_metric,
            superseded_by__isnull=True,
        )
        .select_related("entrant")
        .order_by("date", "pk")
    )
    newest = {(row.entrant_id, row.style): row for row in rows}
    return tuple(_row(benchmark, row) for row in sorted(newest.values(), key=lambda row: -row.value))


def read_baselines(
    revision: DatasetRevision, split: str, subset: str = "overall", metric: str = ""
) -> tuple[BaselineRow, ...]:
    """The floors of one column, computed from this revision's own data; best first, undefined last."""
    metric = metric or revision.benchmark.headline_metric
    rows = BaselineScore.objects.filter(
        revision=revision, split=split, subset=subset or "overall", metric=metric
    ).select_related("entrant")
    ordered = sorted(rows, key=lambda row: (row.value is None, -(row.value or 0.0), row.entrant.name))
    return tuple(
        BaselineRow(row.entrant.name, row.entrant.slug, row.value, print_metric(metric, row.value), row.is_expected)
        for row in ordered
    )


def _row(benchmark: Benchmark, row: ReportedResult) -> ReportedRow:
    return ReportedRow(
        entrant=row.entrant.name,
        entrant_slug=row.entrant.slug,
        organisation=row.entrant.organisation,
        kind=row.entrant.kind,
        value=row.value,
        text=print_metric(row.metric, row.value),
        low=row.low,
        high=row.high,
        style=row.style,
        setting=row.setting,
        differs=tuple(_differences(benchmark, row)),
        source=row.source,
        source_url=row.source_url,
        date=row.date,
    )


def _differences(benchmark: Benchmark, row: ReportedResult) -> list[str]:
    """Where the published number was made otherwise than ours are by default."""
    found = []
    if row.entrant.kind == "human":
        return [_("people")]
    if row.temperature is not None and row.temperature != 0:
        found.append(_("temperature %(value)s") % {"value": f"{row.temperature:g}"})
    if row.repeats is not None and row.repeats != 1:
        found.append(_("mean of %(n)d runs") % {"n": row.repeats})
    if row.judge and row.judge not in _official_judges(benchmark):
        found.append(_("judge %(name)s") % {"name": row.judge})
    if row.style and benchmark.slug in BENCHMARKS and row.style != "text-deredundancy":
        found.append(_("input style %(name)s") % {"name": row.style})
    return found


def _official_judges(benchmark: Benchmark) -> set[str]:
    if benchmark.scorer is None:
        return set()
    return {judge.model for judge in benchmark.scorer.judges.all()}
