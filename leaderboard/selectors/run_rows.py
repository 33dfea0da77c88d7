"""Rows of runs from the derived table: those measured or uploaded here, and those of older data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from django.db.models import Q

from arena.models import DatasetRevision, Price, Run, Scorer, Subset
from leaderboard.models import Standing
from leaderboard.scores import metrics_of
from leaderboard.selectors.board_columns import Shown
from leaderboard.selectors.board_rows import STALE, RowData, about_entrant, names_scorer, to_cell
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.run_settings import tell_apart

Cells = dict[tuple[str, str, str], Standing]  # by subset, metric and basis
Prices = dict[str, list[tuple[date, float, float]]]


def read_run_rows(place: Place, shown: Shown, scorer: str = "") -> list[RowData]:
    """Rows of runs in the column shown, with the other metrics there and the subset columns.

    scorer: `name version` of another ruler than the one that counts. Two queries.
    """
    standings = (
        Standing.objects.filter(revision=place.revision, split=place.split)
        .filter(Q(subset__slug=shown.subset) | Q(metric=shown.column_metric))
        .select_related("entrant", "run__owner", "run__endpoint", "scorer", "subset")
    )
    return make_run_rows(standings, place.benchmark.scorer, shown, scorer)


def make_run_rows(
    standings: Iterable[Standing], ruling: Scorer | None, shown: Shown, scorer: str = ""
) -> list[RowData]:
    """The same of standings at hand; a run under another scorer than the ruling one is stale. One query."""
    groups: dict[tuple[int, int], Cells] = {}
    for row in standings:
        groups.setdefault((row.run_id, row.scorer_id), {})[row.subset.slug, row.metric, row.basis] = row
    prices = _read_prices()
    wanted = [
        (head, cells)
        for cells in groups.values()
        if (head := cells.get((shown.subset, shown.metric, shown.basis))) is not None and _is_wanted(head, scorer)
    ]
    apart = tell_apart([head.run for head, _cells in wanted])
    rows = (_run_row(ruling, head, cells, shown.basis, prices) for head, cells in wanted)
    return [replace(row, variant=apart[head.run_id]) for row, (head, _cells) in zip(rows, wanted, strict=True)]


def find_scorer(place: Place, text: str) -> Scorer | None:
    """The scorer of this benchmark that an address names; of several of that name the current one, else the newest."""
    known = Scorer.objects.filter(params__benchmark=place.benchmark.slug).order_by("-pk")
    fitting = [scorer for scorer in known if names_scorer(text, str(scorer), scorer.digest)]
    return next((scorer for scorer in fitting if scorer.pk == place.benchmark.scorer_id), next(iter(fitting), None))


def _is_wanted(head: Standing, scorer: str) -> bool:
    if scorer:
        return names_scorer(scorer, str(head.scorer), head.scorer.digest)
    return bool(head.details.get("is_ruling", True))


def _run_row(ruling: Scorer | None, head: Standing, cells: Cells, basis: str, prices: Prices) -> RowData:
    run, entrant = head.run, head.entrant
    other = "effective" if basis == "machine" else "machine"
    facts = next(
        (row.details for row in cells.values() if row.subset_id == head.subset_id and "n_samples" in row.details), {}
    )
    return RowData(
        **about_entrant(entrant),
        mark=run.provenance,
        by=run.owner.username if run.owner and run.owner_id != entrant.owner_id else "",
        run=str(run.uuid)[:8],
        scorer=str(head.scorer),
        scorer_digest=head.scorer.digest,
        rank=head.rank,
        rank_low=head.rank_low,
        rank_high=head.rank_high,
        tier=head.tier,
        unranked_reason=head.unranked_reason,
        n_problems=head.n_problems,
        n_planned=head.n_planned,
        n_scored=head.n_scored,
        n_unscored=head.n_unscored,
        date=run.finished_at.date().isoformat() if run.finished_at else "",
        cells={(s, m): to_cell(row) for (s, m, b), row in cells.items() if b == basis},
        others={(s, m): to_cell(row) for (s, m, b), row in cells.items() if b == other},
        facts=facts,
        cost_usd=_cost(run, entrant.name, facts, prices),
        is_stale=bool(ruling and head.scorer_id != ruling.pk and not run.is_own_judge),
    )


def _read_prices() -> Prices:
    """Model (lower case) -> (from, USD a million input, output tokens), newest first."""
    found: Prices = {}
    for name, since, paid_in, paid_out in Price.objects.order_by("-valid_from").values_list(
        "model", "valid_from", "input_usd", "output_usd"
    ):
        found.setdefault(name.lower(), []).append((since, float(paid_in), float(paid_out)))
    return found


def _cost(run: Run, entrant: str, facts: Mapping[str, Any], prices: Prices) -> float | None:
    """US dollars a problem: as the endpoint states it, else tokens times the price of that day; None if neither."""
    if facts.get("cost_usd") is not None:
        return float(facts["cost_usd"])
    name = (run.endpoint.api_model if run.endpoint else run.params.get("api_model") or entrant).lower()
    day = (run.finished_at or run.created_at).date()
    rate = next((rate for rate in prices.get(name, ()) if rate[0] <= day), None)
    if rate is None or facts.get("prompt_tokens") is None or facts.get("output_tokens") is None:
        return None
    return float((facts["prompt_tokens"] * rate[1] + facts["output_tokens"] * rate[2]) / 1_000_000)


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
        .select_related("entrant", "run", "scorer", "revision", "subset")
        .order_by("-revision__created_at", "-run__finished_at")
    )  # fmt: skip
    for row in rows:
        if row.entrant.slug in seen or not row.details.get("is_ruling", True):
            continue
        seen.add(row.entrant.slug)
        found.append(_stale_row(row))
    return found


def _stale_row(row: Standing) -> RowData:
    return RowData(
        **about_entrant(row.entrant),
        mark=STALE,
        run=str(row.run.uuid)[:8],
        scorer=str(row.scorer),
        unranked_reason=f"data {row.revision.label}",
        n_problems=row.n_problems,
        n_planned=row.n_planned,
        n_scored=row.n_scored,
        date=row.run.finished_at.date().isoformat() if row.run.finished_at else "",
        cells={(row.subset.slug, row.metric): to_cell(row)},
        facts=row.details,
        is_stale=True,
    )
