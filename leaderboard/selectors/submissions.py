"""A person's submissions, ready to print: how far, what it cost, who may see it, what may be done."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Count, QuerySet, Sum
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.models import DatasetRevision, JudgeReply, Reply, RevisionProblem, Run, Submission
from arena.services import submissions as service
from arena.services.quotas import Allowance, read_allowance
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.runs import RunPage, read_run, state_word


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and money so far. usd: only where the endpoint states it; None otherwise."""

    input_tokens: int
    output_tokens: int
    judge_tokens: int
    usd: str | None
    is_partly_stated: bool


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of "My runs". owner: empty for one's own."""

    url: str
    model: str
    benchmark: str
    revision: str
    state_word: str
    replied: int
    planned: int
    visibility: str
    created_at: datetime
    owner: str


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """One submission. endpoint and what may be done are empty for whoever opens a shared link."""

    submission: Submission
    page: RunPage
    model: str
    benchmark: str
    endpoint: str
    judge: str
    is_own_judge: bool
    cost: Cost
    is_private: bool
    is_uploaded: bool
    share_url: str
    share_until: datetime | None  # None: for ever, the run is public
    run_url: str
    act_url: str
    may_act: bool
    why_not_publish: str


def list_runs(user: Any) -> QuerySet[Run]:
    """This person's own, the newest first; for maintainers everybody's, and those that commands made."""
    runs = Run.objects.select_related("entrant", "owner", "submission", "revision__benchmark")
    mine = runs if user.is_maintainer else runs.filter(owner=user)
    return mine.prefetch_related("withdrawals").order_by("-created_at", "-pk")


def print_runs(runs: Sequence[Run], user: Any) -> tuple[RunRow, ...]:
    counted = Reply.objects.filter(run__in=runs).order_by().values_list("run").annotate(n=Count("pk"))
    replied = dict(counted)
    return tuple(_print_run(run, replied.get(run.pk, 0), user) for run in runs)


def _print_run(run: Run, replied: int, user: Any) -> RunRow:
    page, named = ("submission", run.submission) if run.submission else ("run", run)
    return RunRow(
        url=reverse(page, args=[named.uuid]),
        model=run.entrant.name,
        benchmark=localised(run.revision.benchmark, "title"),
        revision=run.revision.label,
        state_word=state_word(run.state),
        replied=replied,
        planned=run.planned,
        visibility=_visibility(run),
        created_at=run.created_at,
        owner="" if run.owner_id == user.pk else run.owner.get_username() if run.owner else _("command"),
    )


def _visibility(run: Run) -> str:
    if run.withdrawals.all():
        return _("withdrawn")
    return _("private") if run.published_at is None else _("published")


def find_submission(uuid: object, user: Any, share: str = "") -> Submission:
    """For its owner, maintainers, everybody once published, and whoever holds the link. Raises Http404."""
    found = Submission.objects.filter(uuid=uuid).select_related("entrant", "owner", "endpoint").first()
    if found is None:
        raise Http404
    is_seen = user.is_authenticated and service.may_act(user, found)
    is_seen = is_seen or Run.objects.on_board().filter(submission=found).exists()
    if not is_seen and not (share and service.is_share_token(found, share)):
        raise Http404
    return found


def read_submission(submission: Submission, user: Any) -> SubmissionPage:
    run = service.run_of(submission)
    page = read_run(run, user)
    acts = bool(user.is_authenticated and service.may_act(user, submission))
    return SubmissionPage(
        submission=submission,
        page=page,
        model=submission.entrant.name,
        benchmark=localised(run.revision.benchmark, "title"),
        endpoint=_place(run) if acts else "",
        judge=", ".join(judge.model for judge in run.scorer.judges.all()),
        is_own_judge=run.is_own_judge,
        cost=read_cost(run),
        is_private=run.published_at is None,
        is_uploaded=run.provenance == Run.Provenance.UPLOADED,
        share_url=_share_url(submission, run) if acts else "",
        share_until=timezone.now() + service.SHARE_AGE if run.published_at is None else None,
        run_url=reverse("run", args=[run.uuid]),
        act_url=reverse("submission-act", args=[submission.uuid]),
        may_act=acts,
        why_not_publish=_why_not_publish(page) if acts else "",
    )


def read_cost(run: Run) -> Cost:
    """What the run's calls and its judge's calls used."""
    own = Reply.objects.filter(run=run).aggregate(
        prompt=Sum("prompt_tokens"), completion=Sum("completion_tokens"), usd=Sum("cost_usd")
    )
    judge = JudgeReply.objects.filter(reply__run=run).aggregate(
        prompt=Sum("prompt_tokens"), completion=Sum("completion_tokens"), usd=Sum("cost_usd")
    )
    stated = [value for value in (own["usd"], judge["usd"]) if value is not None]
    silent = Reply.objects.filter(run=run, cost_usd__isnull=True).exists()
    return Cost(
        input_tokens=own["prompt"] or 0,
        output_tokens=own["completion"] or 0,
        judge_tokens=(judge["prompt"] or 0) + (judge["completion"] or 0),
        usd=f"{sum(stated):.4f}" if stated else None,
        is_partly_stated=bool(stated) and silent,
    )


def allowance_of(user: Any) -> Allowance:
    return read_allowance(user)


def write_template(revision: DatasetRevision, split: str, subset: str = "") -> Iterator[str]:
    """The lines of a predictions file with every problem's id and an empty reply. Raises Http404 for no such subset."""
    entries = RevisionProblem.objects.filter(revision=revision, split=split).order_by("position")
    if subset:
        entries = entries.filter(problem__subset__slug=subset)
        if not entries.exists():
            raise Http404
    ids = entries.values_list("external_id", flat=True).iterator(chunk_size=2000)
    return (json.dumps({"id": external_id, "reply": ""}, ensure_ascii=False) + "\n" for external_id in ids)


def _place(run: Run) -> str:
    if run.endpoint is None:
        return ""
    return f"{run.endpoint.api_model} @ {urlsplit(run.endpoint.base_url).netloc.rpartition('@')[2]}"


def _share_url(submission: Submission, run: Run) -> str:
    path = reverse("submission", args=[submission.uuid])
    if run.published_at is not None:
        return f"{settings.SITE_URL}{reverse('run', args=[run.uuid])}"
    return f"{settings.SITE_URL}{path}?share={service.make_share_token(submission)}"


def _why_not_publish(page: RunPage) -> str:
    if page.can_publish or page.run.published_at is not None or page.run.state != Run.State.FINISHED:
        return ""
    if not page.scored:
        return _("Nothing of this run is scored, so there is nothing to publish.")
    return _("The model belongs to somebody else here, so a maintainer publishes this run.")
