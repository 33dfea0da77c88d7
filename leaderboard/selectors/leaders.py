"""Whose number stands beside a benchmark on the home page: a ranked run's, else the best that others have published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.models import Benchmark, Entrant, ReportedResult, Run, Subset
from leaderboard.models import BoardState, Standing
from leaderboard.scores import metrics_of
from leaderboard.selectors.board_rows import MEDAL_NAMES
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.selectors.reported_rows import MAIN_STYLE
from leaderboard.selectors.standing_words import reason_in_words


@dataclass(frozen=True, slots=True)
class Leader:
    """One model's number, ready to print. receipt: empty for a published number, which is marked as reported."""

    name: str
    slug: str
    value: str
    metric: str
    low: str | None = None
    high: str | None = None
    receipt: str = ""
    is_ranked: bool = False


def find_leader(benchmark: Benchmark, rows: Sequence[Standing]) -> Leader | None:
    """The best run that may lead; None where none may. rows: of the headline metric."""
    best = max((row for row in rows if may_lead(row)), key=lambda row: row.value or 0.0, default=None)
    if best is None:
        return None
    low, high = (None if end is None else print_metric(best.metric, end) for end in (best.low, best.high))
    receipt = f"/b/{benchmark.slug}/receipt/{str(best.run.uuid)[:8]}/{Subset.OVERALL}/{best.metric}/"
    value, label = print_metric(best.metric, best.value), metric_label(best.metric)
    return Leader(best.entrant.name, best.entrant.slug, value, label, low, high, receipt, best.is_ranked)


def may_lead(row: Standing) -> bool:
    """Ranked, or on our sample set, where nothing ranks, a whole measured run.

    A limited run says little of the whole set, and a judge of one's own may be as kind as one likes.
    """
    if row.value is None or row.is_ranked:
        return row.value is not None
    run, is_whole = row.run, not row.details.get("fault")
    is_measured = run.provenance == Run.Provenance.MEASURED and not run.is_own_judge
    return bool(row.revision.is_sample and is_whole and is_measured and not run.partial)


def describe_unranked(rows: Sequence[Standing]) -> str:
    """How many runs there are and why none of them leads; empty where there is none."""
    if not rows:
        return ""
    reasons = dict.fromkeys(reason_in_words(row.unranked_reason) for row in rows if row.unranked_reason)
    count = ngettext("%(n)d run", "%(n)d runs", len(rows)) % {"n": len(rows)}
    return _("not ranked yet: %(runs)s (%(reasons)s)") % {"runs": count, "reasons": ", ".join(reasons)}


def count_reported(benchmarks: Sequence[Benchmark]) -> dict[int, int]:
    """Models with published numbers, by benchmark. One query."""
    rows = ReportedResult.objects.filter(
        benchmark__in=benchmarks, superseded_by__isnull=True, entrant__kind=Entrant.Kind.MODEL
    ).order_by()
    return dict(rows.values_list("benchmark_id").annotate(n=Count("entrant", distinct=True)))


def find_reported_leaders(benchmarks: Sequence[Benchmark], states: Mapping[int, BoardState]) -> dict[int, Leader]:
    """The best published number of each benchmark: by the headline metric, else by medals. One query."""
    places = Q()
    for benchmark in benchmarks:
        places |= Q(benchmark=benchmark, split=states[benchmark.pk].split)
    if not benchmarks:
        return {}
    rows = ReportedResult.objects.filter(
        places, subset=Subset.OVERALL, style__in=("", MAIN_STYLE), superseded_by__isnull=True,
        entrant__kind=Entrant.Kind.MODEL,
    ).select_related("entrant")  # fmt: skip
    numbers: dict[int, dict[tuple[Entrant, str], dict[str, float]]] = {}
    for row in rows:
        key = row.entrant, f"{row.source}\0{row.setting}"
        numbers.setdefault(row.benchmark_id, {}).setdefault(key, {})[row.metric] = row.value
    found = {b.pk: _best(metrics_of(b.slug)[0], numbers.get(b.pk, {})) for b in benchmarks}
    return {pk: leader for pk, leader in found.items() if leader is not None}


def _best(metric: str, numbers: Mapping[tuple[Entrant, str], Mapping[str, float]]) -> Leader | None:
    """numbers: by model and source."""
    headlines = [(own[metric], entrant) for (entrant, _source), own in numbers.items() if metric in own]
    if headlines:
        value, best = max(headlines, key=lambda pair: pair[0])
        return Leader(best.name, best.slug, print_metric(metric, value), metric_label(metric))
    with_medals = [(own, entrant) for (entrant, _source), own in numbers.items() if {*MEDAL_NAMES} <= {*own}]
    medals = [([own[name] for name in MEDAL_NAMES], entrant) for own, entrant in with_medals]
    if not medals:
        return None
    counts, best = max(medals, key=lambda pair: pair[0])
    return Leader(best.name, best.slug, " · ".join(f"{n:.0f}" for n in counts), _("gold · silver · bronze"))
