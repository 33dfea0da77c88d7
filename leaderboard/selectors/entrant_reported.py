"""What was published elsewhere of one entrant, and what a baseline gets: for the entrant's page."""

from __future__ import annotations

from dataclasses import dataclass

from arena.models import BaselineScore, Entrant, ReportedResult
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.sentences import join_words, say_sentence


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One number over a whole benchmark. source: empty for a baseline, which is computed here."""

    benchmark: str
    slug: str
    metric: str
    value: str
    about: str
    source: str
    source_url: str
    date: str


def list_published(entrant: Entrant) -> tuple[PublishedRow, ...]:
    """Reported numbers, the newest source first, every source of its own; corrected readings only once."""
    rows = (
        ReportedResult.objects.filter(entrant=entrant, subset="overall", superseded_by__isnull=True)
        .select_related("benchmark")
        .order_by("benchmark__position", "-date", "pk")
    )
    return tuple(
        PublishedRow(
            benchmark=localised(row.benchmark, "title"),
            slug=row.benchmark.slug,
            metric=metric_label(row.metric),
            value=print_metric(row.metric, row.value),
            about=join_words((row.style, say_sentence(row.setting))),
            source=say_sentence(row.source),
            source_url=row.source_url,
            date=row.date,
        )
        for row in rows
    )


def list_floors(entrant: Entrant) -> tuple[PublishedRow, ...]:
    """A baseline's numbers on the current data of each benchmark."""
    rows = (
        BaselineScore.objects.filter(entrant=entrant, subset="overall", revision__is_current=True)
        .select_related("revision__benchmark")
        .order_by("revision__benchmark__position", "split", "pk")
    )
    return tuple(
        PublishedRow(
            benchmark=localised(row.revision.benchmark, "title"),
            slug=row.revision.benchmark.slug,
            metric=metric_label(row.metric),
            value=print_metric(row.metric, row.value),
            about=f"{row.revision.label}, {row.split}",
            source="",
            source_url="",
            date="",
        )
        for row in rows
    )
