"""A run as its submitter watches it, and an entrant's page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.models import CallError, Entrant, JudgeError, Run, RunSlice
from arena.services.samples import read_progress
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.models import Standing


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run's state in words and numbers."""

    run: Run
    planned: int
    closed: int
    replied: int
    scored: int
    failed: int
    why: str
    left: str
    metrics: tuple[tuple[str, str, str], ...]
    errors: tuple[tuple[str, int, str], ...]
    can_cancel: bool
    can_retry: bool
    can_publish: bool


def find_run(uuid: object, user: object) -> Run:
    run = (
        Run.objects.visible_to(user)
        .filter(uuid=uuid)
        .select_related("entrant", "owner", "scorer", "revision__benchmark", "endpoint")
        .first()
    )
    if run is None:
        raise Http404
    return run


def read_run(run: Run, user: object) -> RunPage:
    progress = read_progress(run)
    may_act = getattr(user, "is_maintainer", False) or (run.owner_id is not None and run.owner_id == getattr(user, "pk", 0))
    return RunPage(
        run=run,
        planned=run.planned,
        closed=progress.closed,
        replied=progress.replied,
        scored=progress.scored,
        failed=progress.failed,
        why=_why_waiting(run),
        left=_time_left(run, progress.closed),
        metrics=_metrics(run),
        errors=_errors(run),
        can_cancel=may_act and run.is_live,
        can_retry=may_act and not run.is_live and progress.scored < run.planned and run.endpoint_id is not None,
        can_publish=bool(getattr(user, "is_maintainer", False) or (may_act and run.entrant.owner_id == run.owner_id))
        and not run.is_live
        and run.published_at is None,
    )


def _why_waiting(run: Run) -> str:
    """Why a live run is not moving, in plain words; empty where it moves."""
    if not run.is_live:
        return ""
    now = timezone.now()
    if run.limited_until and run.limited_until > now:
        return _("rate limited until %(time)s") % {"time": timezone.localtime(run.limited_until).strftime("%H:%M:%S")}
    if RunSlice.objects.filter(run=run, lease_until__gte=now).exists():
        return ""
    ahead = Run.objects.live().filter(created_at__lt=run.created_at).count()
    if ahead:
        return _("waiting in the queue, %(n)d ahead") % {"n": ahead}
    if run.created_at < now - timedelta(seconds=10):
        from arena.services.workers import is_worker_listening

        if not is_worker_listening():
            return _("no worker is listening")
    return _("waiting for a worker")


def _time_left(run: Run, closed: int) -> str:
    if not run.is_live or not run.started_at or closed < 5 or closed >= run.planned:
        return ""
    spent = (timezone.now() - run.started_at).total_seconds()
    seconds = spent / closed * (run.planned - closed)
    return _("about %(n)d s left") % {"n": seconds} if seconds < 90 else _("about %(n)d min left") % {"n": seconds / 60}


def _metrics(run: Run) -> tuple[tuple[str, str, str], ...]:
    """Label, value, interval of each overall metric on the board."""
    rows = Standing.objects.filter(run=run, subset__slug="overall", basis="machine").order_by("pk")
    return tuple(
        (
            metric_label(row.metric),
            print_metric(row.metric, row.value),
            f"{print_metric(row.metric, row.low)}–{print_metric(row.metric, row.high)}" if row.low is not None else "",
        )
        for row in rows
    )


def _errors(run: Run) -> tuple[tuple[str, int, str], ...]:
    """Kinds of failure with counts and the newest message."""
    found: dict[str, tuple[int, str]] = {}
    for rows in (CallError.objects.filter(run=run), JudgeError.objects.filter(reply__run=run)):
        for kind, message in rows.order_by("pk").values_list("kind", "message"):
            found[kind] = (found.get(kind, (0, ""))[0] + 1, message)
    return tuple((kind, n, message) for kind, (n, message) in sorted(found.items(), key=lambda item: -item[1][0]))


@dataclass(frozen=True, slots=True)
class EntrantPage:
    entrant: Entrant
    runs: tuple[Run, ...]
    standings: tuple[tuple[Standing, str, str], ...]


def read_entrant(slug: str, user: object) -> EntrantPage:
    entrant = Entrant.objects.filter(slug=slug).first()
    if entrant is None:
        raise Http404
    runs = (
        Run.objects.visible_to(user)
        .filter(entrant=entrant)
        .select_related("revision__benchmark", "scorer", "owner")
        .order_by("-created_at")[:100]
    )
    standings = (
        Standing.objects.filter(entrant=entrant, subset__slug="overall", basis="machine")
        .select_related("benchmark", "revision", "run")
        .order_by("benchmark__position", "pk")
    )
    headline = [s for s in standings if s.metric == s.benchmark.headline_metric and s.revision.is_current]
    return EntrantPage(
        entrant,
        tuple(runs),
        tuple((s, metric_label(s.metric), print_metric(s.metric, s.value)) for s in headline),
    )


