"""A worked example for the page of methods, from live numbers: the run with the most problems and an interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.models import Subset
from leaderboard.models import Standing
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.fields import say_field
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.sentences import say_sentence


@dataclass(frozen=True, slots=True)
class Example:
    """One standing taken apart."""

    kind: str
    model: str
    board: str
    board_url: str
    metric: str
    value: str
    se: str
    low: str
    high: str
    n: int
    n_scored: int
    repeats: int
    place: str
    note: str
    receipt: str
    exact: str


def read_examples() -> Mapping[str, Example]:
    """One example for each kind of interval that stands on a board now, by the kind's key."""
    rows = (
        Standing.objects.filter(revision__is_current=True, basis="machine", value__isnull=False)
        .exclude(low__isnull=True)
        .exclude(run__partial=True)
        .select_related("entrant", "run", "subset", "benchmark")
        .order_by("-n_problems", "pk")
    )
    found: dict[str, Example] = {}
    for row in rows[:2000]:
        key = KEYS.get(row.interval_kind)
        if key and key not in found and row.details.get("is_ruling", True):
            found[key] = _example(row)
    return found


KEYS = {
    "Wilson": "wilson",
    "cluster bootstrap": "bootstrap",
    "t": "t",
    "jackknife t": "jackknife",
    "t over sittings": "sittings",
}


def _example(row: Standing) -> Example:
    column = "" if row.subset.slug == Subset.OVERALL else f", {say_field(row.subset.title)}"
    place = "" if row.rank is None else f"{row.rank} ({row.rank_low}–{row.rank_high})"
    return Example(
        kind=say_sentence(row.interval_kind),
        model=row.entrant.name,
        board=f"{localised(row.benchmark, 'title')}{column}",
        board_url=f"/b/{row.benchmark.slug}/",
        metric=metric_label(row.metric),
        value=print_metric(row.metric, row.value),
        se=f"{row.se:.4g}" if row.se is not None else "–",
        low=print_metric(row.metric, row.low),
        high=print_metric(row.metric, row.high),
        n=row.n_planned,
        n_scored=row.n_scored,
        repeats=row.run.repeats,
        place=place,
        note=str(row.details.get("note") or ""),
        receipt=f"/b/{row.benchmark.slug}/receipt/{str(row.run.uuid)[:8]}/{row.subset.slug}/{row.metric}/",
        exact=f"{row.value:.6g}",
    )
