"""What an ended run came to, for its owner before anybody else: point estimates and every reply with its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.urls import reverse

from arena.models import Reply, Run, Subset
from arena.results import SampleResult, read_results
from arena.services.reporting import report_run
from arena.services.samples import planned_entries
from arena.summary import as_rates
from leaderboard.selectors.fields import say_field
from leaderboard.selectors.formats import metric_label, print_metric, print_points
from leaderboard.selectors.problem_parts import outcome_of

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class ReplyRow:
    """One sample. url: empty where no reply came. attempt: from 1, 0 where there is one a problem."""

    external_id: str
    subset: str
    attempt: int
    outcome: str
    points: str
    url: str


@dataclass(frozen=True, slots=True)
class RepliesPage:
    """A page of samples in official order."""

    page: Page[Any]
    page_range: tuple[Any, ...]
    rows: tuple[ReplyRow, ...]


def read_estimates(run: Run) -> tuple[tuple[str, str], ...]:
    """Label and value of each metric of an ended run; the board adds intervals and rank."""
    report = report_run(run)
    return tuple((metric_label(name), print_metric(name, value)) for name, value in as_rates(report.metrics).items())


def read_replies(run: Run, number: str) -> RepliesPage:
    """The samples of one page of the run's problems."""
    paginator = Paginator(planned_entries(run), max(1, PER_PAGE // run.repeats))
    page = paginator.get_page(number)
    samples = read_results(run, entries=list(page))
    uuids = dict(Reply.objects.filter(pk__in=[s.reply_id for s in samples if s.reply_id]).values_list("pk", "uuid"))
    titles = dict(Subset.objects.filter(benchmark=run.revision.benchmark).values_list("slug", "title"))
    rows = tuple(_row(run, sample, uuids, titles) for sample in samples)
    return RepliesPage(page, tuple(paginator.get_elided_page_range(page.number)), rows)


def _row(run: Run, sample: SampleResult, uuids: dict[int, Any], titles: dict[str, str]) -> ReplyRow:
    return ReplyRow(
        external_id=sample.external_id,
        subset=say_field(titles.get(sample.subset, sample.subset)),
        attempt=sample.repeat + 1 if run.repeats > 1 else 0,
        outcome=outcome_of(sample.status, sample.points, sample.max_points),
        points="–" if sample.points is None else f"{print_points(sample.points)} / {print_points(sample.max_points)}",
        url=reverse("reply", args=[uuids[sample.reply_id]]) if sample.reply_id else "",
    )
