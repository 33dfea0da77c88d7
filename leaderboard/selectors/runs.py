"""A run as its submitter watches it, and an entrant's page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.core.cache import cache
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.failures import Failures, read_failures
from arena.models import CallError, Reply, Run, RunSlice
from arena.roles import may_read_failures
from arena.services.runs import waits_for_turn
from arena.services.samples import Progress, read_progress
from arena.services.workers import broker_fault, is_worker_listening
from leaderboard.models import Standing
from leaderboard.selectors.catalog import list_splits, main_split
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.sentences import say_sentence

SILENCE_S = 45  # no reply for so long is worth a word


@dataclass(frozen=True, slots=True)
class BoardLink:
    """Where a run stands once it is public. is_current: that board is the one that readers see first."""

    url: str
    revision: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run's state in words and numbers. is_cut_short: it was stopped, so samples were never asked."""

    run: Run
    planned: int
    closed: int
    replied: int
    scored: int
    failed: int
    why: str
    stop_reason: str
    left: str
    state_word: str
    metrics: tuple[tuple[str, str, str], ...]
    failures: Failures
    board: BoardLink
    withdrawn: str
    is_cut_short: bool
    may_act: bool
    can_cancel: bool
    can_retry: bool
    can_publish: bool
    can_withdraw: bool


def find_run(uuid: object, user: object) -> Run:
    run = (
        Run.objects.visible_to(user)
        .filter(uuid=uuid)
        .select_related("entrant", "owner", "scorer", "revision__benchmark", "endpoint", "submission")
        .first()
    )
    if run is None:
        raise Http404
    return run


def read_run(run: Run, user: object) -> RunPage:
    progress = read_progress(run)
    is_own = run.owner_id is not None and run.owner_id == getattr(user, "pk", 0)
    may_act = is_own or bool(getattr(user, "is_maintainer", False))
    has_words = may_read_failures(user, run)
    withdrawal = run.withdrawals.order_by("-pk").first()
    is_published = run.published_at is not None
    why = _why_waiting(run, progress)
    return RunPage(
        run=run,
        planned=run.planned,
        closed=progress.closed,
        replied=progress.replied,
        scored=progress.scored,
        failed=progress.failed,
        why=why,
        stop_reason=_stop_reason(run, has_words=has_words),
        left="" if why else _time_left(run, progress.closed),
        state_word=state_word(run.state),
        metrics=_metrics(run),
        failures=read_failures(run, has_words=has_words),
        board=link_board(run),
        withdrawn=withdrawal.reason if withdrawal else "",
        is_cut_short=run.state == Run.State.CANCELLED,
        may_act=may_act,
        can_cancel=may_act and run.is_live,
        can_retry=may_act and not run.is_live and progress.scored < run.planned and run.endpoint_id is not None,
        can_publish=may_publish(run, user)
        and run.state == Run.State.FINISHED
        and not is_published
        and progress.scored > 0,
        can_withdraw=may_act and is_published and withdrawal is None,
    )


def may_publish(run: Run, user: object) -> bool:
    """A maintainer, or the owner of both the run and the model it is of."""
    is_owner = run.owner_id is not None and run.owner_id == run.entrant.owner_id == getattr(user, "pk", 0)
    return is_owner or bool(getattr(user, "is_maintainer", False))


def link_board(run: Run) -> BoardLink:
    """The board of the run's own data; `?revision=` and `?split=` where readers see another one first."""
    revision = run.revision
    wanted = {} if revision.is_current else {"revision": revision.label}
    if run.split != main_split(list_splits(revision)):
        wanted["split"] = run.split
    query = f"?{urlencode(wanted)}" if wanted else ""
    return BoardLink(f"{reverse('board', args=[revision.benchmark.slug])}{query}", revision.label, revision.is_current)


def say_published(board: BoardLink) -> str:
    """What is told whoever published a run; it may stand where nobody looks first."""
    if board.is_current:
        return _("The run is published; the board follows in a few seconds.")
    return _(
        "The run is published on the board of data %(label)s, which is not the one that readers see first; it follows "
        "in a few seconds."
    ) % {"label": board.revision}


def state_word(state: str) -> str:
    """A run's state in the reader's language."""
    words = {
        Run.State.QUEUED: _("queued"),
        Run.State.RUNNING: _("running"),
        Run.State.FINISHED: _("finished"),
        Run.State.CANCELLED: _("cancelled"),
        Run.State.FAILED: _("failed"),
    }
    return words.get(Run.State(state), state)


def _why_waiting(run: Run, progress: Progress) -> str:
    """Why a live run is not moving, in plain words, with its place in the queue; empty where it moves."""
    if not run.is_live:
        return ""
    now = timezone.now()
    if run.limited_until and run.limited_until > now:
        return _("rate limited until %(time)s") % {"time": timezone.localtime(run.limited_until).strftime("%H:%M:%S")}
    if RunSlice.objects.filter(run=run, lease_until__gte=now).exists():
        return _silence(run, now) if progress.replied + progress.failed < progress.planned else ""
    if waits_for_turn(run):
        return _("waiting for another run of the same person: their runs take turns")
    ahead = Run.objects.live().filter(created_at__lt=run.created_at).count()
    place = ngettext("%(n)d run is ahead of it", "%(n)d runs are ahead of it", ahead) % {"n": ahead} if ahead else ""
    is_waiting_long = run.created_at < now - timedelta(seconds=10)
    if is_waiting_long and not RunSlice.objects.filter(lease_until__gte=now).exists() and (fault := queue_fault()):
        return f"{fault}; {place}" if place else fault
    if place:
        return _("waiting in the queue: %(place)s") % {"place": place}
    return _("waiting for a worker")


def _silence(run: Run, now: datetime) -> str:
    """For how long the model has sent neither a reply nor an error; empty while that is no news."""
    times = [run.started_at]
    for rows in (Reply.objects, CallError.objects):
        times.append(rows.filter(run=run).order_by("-pk").values_list("created_at", flat=True).first())
    seconds = (now - max(filter(None, times), default=now)).total_seconds()
    if seconds < SILENCE_S:
        return ""
    return _("no reply has come for %(n)d s: the endpoint is slow, or does not answer") % {"n": seconds}


def queue_fault() -> str:
    """Why no run can move at all; asked at most every few seconds, however many pages poll."""
    fault: str | None = cache.get("queue-fault")
    if fault is None:
        if broker_fault():
            fault = _("the queue does not answer; the run starts by itself when it is back")
        else:
            fault = "" if is_worker_listening() else _("no worker is listening")
        cache.set("queue-fault", fault, 5)
    return fault


def _stop_reason(run: Run, *, has_words: bool) -> str:
    """Why the run ended early; a failure's words name the endpoint or the judge: not to outsiders."""
    if run.state != Run.State.FAILED or has_words or not run.stop_reason:
        return say_sentence(run.stop_reason)
    return _("Its owner and the maintainers see why it failed.")


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
