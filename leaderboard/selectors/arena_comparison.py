"""The arena's three tables side by side, and how their orders agree with each other and with the boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from django.urls import reverse
from django.utils.translation import gettext as _

from arena.models import Benchmark, Subset
from leaderboard.ballots import SCORES_POOL, Scope, names_of
from leaderboard.models import Standing
from leaderboard.ratings import RatingReport, read_report
from leaderboard.selectors.arena_scope import pool_label
from leaderboard.selectors.catalog import localised
from leaderboard.statistics.agreement import spearman_r
from leaderboard.statistics.ratings import Rating as RatingValue
from leaderboard.statistics.ratings import RatingTable

COMPARED = ("people", "judge", SCORES_POOL)
DASH = "–"


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One model in the three tables."""

    name: str
    url: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rho between two orders of models."""

    label: str
    n: int
    rho: str


def print_rating(value: float | None) -> str:
    return DASH if value is None else f"{value:.0f}"


def print_range(low: float | None, high: float | None) -> str:
    return DASH if low is None or high is None else f"{low:.0f} – {high:.0f}"


def compare_tables(scope: Scope) -> tuple[ComparedRow, ...]:
    """People, judges and scores side by side, over everything or one benchmark."""
    table = _three_tables(scope)
    entrants = names_of([pk for column in table.values() for pk in column])
    best = {pk: rating for name in reversed(COMPARED) for pk, rating in table[name].items()}
    return tuple(
        ComparedRow(
            entrants[pk].name,
            reverse("entrant", args=[entrants[pk].slug]),
            tuple(_compared(table[name].get(pk)) for name in COMPARED),
        )
        for pk in sorted(entrants, key=lambda pk: -(best[pk].rating or 0.0))
    )


def _compared(rating: RatingValue | None) -> str:
    if rating is None:
        return DASH
    interval = f" ({print_range(rating.low, rating.high)})" if rating.low is not None else ""
    return f"{print_rating(rating.rating)}{interval}"


def _three_tables(scope: Scope) -> dict[str, dict[int, RatingValue]]:
    """Kind -> entrant -> rating, of those that have one."""
    reports = {name: read_report(Scope(name, benchmark=scope.benchmark)) for name in COMPARED}
    return {
        name: {report.entrants[r.model]: r for r in report.table.ratings if r.rating is not None}
        for name, report in reports.items()
    }


def correlate_tables(scope: Scope, report: RatingReport, table: RatingTable) -> tuple[Correlation, ...]:
    """Spearman's rho of this table with each board, and between the three tables."""
    mine = {report.entrants[r.model]: r.rating for r in table.ratings if r.rating is not None}
    found = [
        _correlation(_("this table and the board of %(board)s") % {"board": localised(benchmark, "title")}, mine, board)
        for benchmark, board in _boards(scope)
    ]
    stored = {name: {pk: row.rating for pk, row in rows.items()} for name, rows in _three_tables(scope).items()}
    for one, two in combinations(COMPARED, 2):
        label = _("%(one)s and %(two)s") % {"one": pool_label(one), "two": pool_label(two)}
        found.append(_correlation(label, stored[one], stored[two]))
    return tuple(row for row in found if row.n)


def _correlation(label: str, one: Mapping[int, float | None], two: Mapping[int, float | None]) -> Correlation:
    shared = sorted(set(one) & set(two))
    rho = spearman_r([one[pk] for pk in shared], [two[pk] for pk in shared])
    return Correlation(label, len(shared), _("under 3 models") if rho is None else _signed(rho))


def _boards(scope: Scope) -> list[tuple[Benchmark, dict[int, float | None]]]:
    """Each public benchmark's current board: entrant -> headline value."""
    benchmarks = Benchmark.objects.filter(is_public=True)
    if scope.benchmark:
        benchmarks = benchmarks.filter(slug=scope.benchmark)
    boards = []
    for benchmark in benchmarks:
        rows = Standing.objects.filter(
            benchmark=benchmark,
            revision__is_current=True,
            subset__slug=Subset.OVERALL,
            metric=benchmark.headline_metric,
            basis=Standing.Basis.MACHINE,
            value__isnull=False,
        ).order_by("run__finished_at")
        boards.append((benchmark, dict(rows.values_list("entrant_id", "value"))))
    return boards


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "\u2212")
