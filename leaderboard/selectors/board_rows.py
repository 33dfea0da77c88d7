"""The rows of a board as numbers: measured, uploaded, reported, human, baseline and stale ones, each marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db.models import Q

from arena.models import Benchmark, DatasetRevision, Price, ReportedResult, Subset
from leaderboard.models import Standing
from leaderboard.scores import metrics_of

REPORTED, BASELINE, STALE = "reported", "baseline", "stale"
MEDAL_NAMES = ("gold", "silver", "bronze")


@dataclass(frozen=True, slots=True)
class CellValue:
    """One number: value with interval and bounds, and what an exam earned."""

    value: float | None
    low: float | None = None
    high: float | None = None
    interval_kind: str = ""
    bound_low: float | None = None
    bound_high: float | None = None
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


MISSING = CellValue(None)
CellKey = tuple[str, str]  # subset, metric


@dataclass(frozen=True, slots=True)
class RowData:
    """One row. mark: measured, uploaded, reported, baseline or stale. kind: model, human or baseline.

    cells: by (subset, metric), of the chosen basis; others: the same of the other of machine and effective. run: short
    name of the run in addresses, empty for rows without one. facts: the run's outcomes, tokens, cost.
    """

    entrant: str
    entrant_slug: str
    organisation: str
    kind: str
    mark: str
    open_weights: bool | None = None
    release_date: date | None = None
    by: str = ""
    run: str = ""
    scorer: str = ""
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    tier: int | None = None
    unranked_reason: str = ""
    n_problems: int | None = None
    n_scored: int | None = None
    n_unscored: int = 0
    date: str = ""
    setting: str = ""
    source: str = ""
    source_url: str = ""
    cells: Mapping[CellKey, CellValue] = field(default_factory=dict)
    others: Mapping[CellKey, CellValue] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    cost_usd: float | None = None
    is_stale: bool = False

    def cell(self, subset: str, metric: str) -> CellValue:
        return self.cells.get((subset, metric), MISSING)


def read_run_rows(
    benchmark: Benchmark,
    revision: DatasetRevision,
    split: str,
    *,
    subset: str,
    metric: str,
    column_metric: str,
    basis: str,
    scorer: str = "",
) -> list[RowData]:
    """Rows of runs in one column (`subset`, `metric`), with the other metrics there and the subset columns.

    scorer: `name version` of another ruler than the one that counts. One query.
    """
    here = Q(subset__slug=subset)
    rows = (
        Standing.objects.filter(revision=revision, split=split)
        .filter(here | Q(metric=column_metric))
        .select_related("entrant", "run__owner", "run__endpoint", "scorer", "subset")
    )
    groups: dict[tuple[int, int], dict[tuple[str, str, str], Standing]] = {}
    for row in rows:
        groups.setdefault((row.run_id, row.scorer_id), {})[row.subset.slug, row.metric, row.basis] = row
    prices = _read_prices()
    found = []
    for cells in groups.values():
        head = cells.get((subset, metric, basis))
        if head is None or not _is_wanted(head, scorer):
            continue
        found.append(_run_row(benchmark, head, cells, basis, prices))
    return found


def _is_wanted(head: Standing, scorer: str) -> bool:
    if scorer:
        return str(head.scorer) == scorer
    return bool(head.details.get("is_ruling", True))


def _run_row(
    benchmark: Benchmark,
    head: Standing,
    cells: Mapping[tuple[str, str, str], Standing],
    basis: str,
    prices: Mapping[str, Sequence[tuple[date, float, float]]],
) -> RowData:
    run, entrant = head.run, head.entrant
    other = "effective" if basis == "machine" else "machine"
    facts = next(
        (row.details for row in cells.values() if row.subset_id == head.subset_id and "n_samples" in row.details), {}
    )
    return RowData(
        entrant=entrant.name,
        entrant_slug=entrant.slug,
        organisation=entrant.organisation,
        kind=entrant.kind,
        mark=run.provenance,
        open_weights=entrant.open_weights,
        release_date=entrant.release_date,
        by=run.owner.username if run.owner and run.owner_id != entrant.owner_id else "",
        run=str(run.uuid)[:8],
        scorer=str(head.scorer),
        rank=head.rank,
        rank_low=head.rank_low,
        rank_high=head.rank_high,
        tier=head.tier,
        unranked_reason=head.unranked_reason,
        n_problems=head.n_problems,
        n_scored=head.n_scored,
        n_unscored=head.n_unscored,
        date=run.finished_at.date().isoformat() if run.finished_at else "",
        cells={(s, m): to_cell(row) for (s, m, b), row in cells.items() if b == basis},
        others={(s, m): to_cell(row) for (s, m, b), row in cells.items() if b == other},
        facts=facts,
        cost_usd=_cost(run, entrant.name, facts, prices),
        is_stale=bool(benchmark.scorer_id and head.scorer_id != benchmark.scorer_id and not run.is_own_judge),
    )


def to_cell(row: Standing) -> CellValue:
    return CellValue(
        row.value,
        row.low,
        row.high,
        row.interval_kind,
        row.bound_low if row.n_unscored else None,
        row.bound_high if row.n_unscored else None,
        row.details.get("note", ""),
        row.details,
    )


def _read_prices() -> dict[str, list[tuple[date, float, float]]]:
    """Model (lower case) -> (from, USD a million input, output tokens), newest first."""
    found: dict[str, list[tuple[date, float, float]]] = {}
    for name, since, paid_in, paid_out in Price.objects.order_by("-valid_from").values_list(
        "model", "valid_from", "input_usd", "output_usd"
    ):
        found.setdefault(name.lower(), []).append((since, float(paid_in), float(paid_out)))
    return found


def _cost(
    run: Any, entrant: str, facts: Mapping[str, Any], prices: Mapping[str, Sequence[tuple[date, float, float]]]
) -> float | None:
    """US dollars a problem: as the endpoint states it, else tokens times the price of that day; None if neither."""
    if facts.get("cost_usd") is not None:
        return float(facts["cost_usd"])
    name = (run.endpoint.api_model if run.endpoint else run.params.get("api_model") or entrant).lower()
    day = (run.finished_at or run.created_at).date()
    rate = next((rate for rate in prices.get(name, ()) if rate[0] <= day), None)
    if rate is None or facts.get("prompt_tokens") is None or facts.get("output_tokens") is None:
        return None
    return float((facts["prompt_tokens"] * rate[1] + facts["output_tokens"] * rate[2]) / 1_000_000)


def read_reported_rows(benchmark: Benchmark, revision: DatasetRevision, split: str) -> list[RowData]:
    """One row a published entrant and source, all its numbers as cells; nothing on the sample set. One query."""
    if revision.is_sample:
        return []
    rows = (
        ReportedResult.objects.filter(benchmark=benchmark, split=split, superseded_by__isnull=True)
        .select_related("entrant")
        .order_by("date", "pk")  # groups come in the order of their first date
    )
    groups: dict[tuple[int, str], list[ReportedResult]] = {}
    for row in rows:
        groups.setdefault((row.entrant_id, _setting_of(benchmark, row)), []).append(row)
    if benchmark.slug != "phybench":
        # Two sources of one model, such as a paper that quotes another: the newer one stands on the board.
        groups = {(entrant, ""): group for (entrant, _), group in groups.items()}
    return [_reported_row(benchmark, group) for group in groups.values()]


def _setting_of(benchmark: Benchmark, row: ReportedResult) -> str:
    """What keeps two published rows of one name apart: the source, and for PHYBench the version of the model."""
    return f"{row.source}\0{row.setting}" if benchmark.slug == "phybench" else row.source


def _reported_row(benchmark: Benchmark, group: Sequence[ReportedResult]) -> RowData:
    newest = group[-1]
    entrant = newest.entrant
    main_style = "text-deredundancy"
    cells: dict[CellKey, CellValue] = {}
    for row in group:
        metric = row.metric if row.style in ("", main_style) else f"{row.metric}:{row.style}"
        cells[row.subset, metric] = CellValue(
            row.value, row.low, row.high, "as published" if row.low is not None else ""
        )
    return RowData(
        entrant=entrant.name,
        entrant_slug=entrant.slug,
        organisation=entrant.organisation,
        kind=entrant.kind,
        mark=REPORTED,
        open_weights=entrant.open_weights,
        release_date=entrant.release_date,
        unranked_reason=REPORTED,
        date=newest.date,
        setting=describe_setting(newest),
        source=newest.source,
        source_url=newest.source_url,
        cells=cells,
        facts={"repeats": newest.repeats} if newest.repeats else {},
    )


def describe_setting(row: ReportedResult) -> str:
    """The published settings in words, for the row's title and the page of reproductions."""
    parts = [row.setting, f"judge {row.judge}" if row.judge else "", f"{row.repeats} runs" if row.repeats else ""]
    if row.temperature is not None:
        parts.append(f"temperature {row.temperature:g}")
    return ", ".join(part for part in parts if part)


def baseline_rows(facts: Mapping[str, Any]) -> list[RowData]:
    """The floors: what strategies without any model get on exactly these problems."""
    groups: dict[str, dict[CellKey, CellValue]] = {}
    for name, subset, metric, value, is_expected in facts.get("baselines", ()):
        note = "exact expectation" if is_expected else ""
        groups.setdefault(name, {})[subset, metric] = CellValue(value, note=note)
    return [
        RowData(name, "", "", BASELINE, BASELINE, unranked_reason=BASELINE, cells=cells)
        for name, cells in groups.items()
    ]


def read_stale_rows(revision: DatasetRevision, split: str, present: Iterable[str]) -> list[RowData]:
    """Models whose newest run is on an older revision of the data: shown as stale, in the overall column only."""
    if revision.is_sample:
        return []
    seen, found = set(present), []
    metric = metrics_of(revision.benchmark.slug)[0]
    rows = (
        Standing.objects.filter(
            benchmark_id=revision.benchmark_id, split=split, metric=metric, basis="machine",
            subset__slug=Subset.OVERALL,
            revision__created_at__lt=revision.created_at, revision__origin=DatasetRevision.Origin.OFFICIAL,
        )
        .select_related("entrant", "run", "scorer", "revision")
        .order_by("-revision__created_at", "-run__finished_at")
    )  # fmt: skip
    for row in rows:
        if row.entrant.slug in seen or not row.details.get("is_ruling", True):
            continue
        seen.add(row.entrant.slug)
        found.append(
            RowData(
                row.entrant.name, row.entrant.slug, row.entrant.organisation, row.entrant.kind, STALE,
                open_weights=row.entrant.open_weights, release_date=row.entrant.release_date, run=str(row.run.uuid)[:8],
                scorer=str(row.scorer), unranked_reason=f"data {row.revision.label}", n_problems=row.n_problems,
                n_scored=row.n_scored, date=row.run.finished_at.date().isoformat() if row.run.finished_at else "",
                cells={(Subset.OVERALL, metric): to_cell(row)}, facts=row.details, is_stale=True,
            )
        )  # fmt: skip
    return found
