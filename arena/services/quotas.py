"""What a person may use up in one day, so that open sign-up cannot spend the maintainers' judge money.

Every use and every return is a row; what is left is a sum over the day. Maintainers and runs of nobody are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import JudgeReply, QuotaEntry, Reply, Run, User

Kind = QuotaEntry.Kind


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left today (UTC). None: unlimited."""

    runs_left: int | None
    runs_max: int
    judged_left: int | None
    judged_max: int


def read_allowance(user: User) -> Allowance:
    """What this person may still use today."""
    runs_max, judged_max = settings.QUOTA_RUNS_PER_DAY, settings.QUOTA_JUDGED_PER_DAY
    if user.is_maintainer:
        return Allowance(None, runs_max, None, judged_max)
    used = _used(user, today())
    return Allowance(
        runs_left=max(0, runs_max - used.get(Kind.RUN, 0)),
        runs_max=runs_max,
        judged_left=max(0, judged_max - used.get(Kind.JUDGED, 0)),
        judged_max=judged_max,
    )


def charge_run(user: User, run: Run, samples: int) -> None:
    """Count one run and, where the official judge grades it, its samples. Raises Refused where that is too much.

    Call inside the transaction that stores the run: the person's row is locked, so two forms sent at once cannot both
    pass.
    """
    User.objects.select_for_update().get(pk=user.pk)
    judged = samples if is_judged_by_us(run) else 0
    left = read_allowance(user)
    if left.runs_left is not None and left.runs_left < 1:
        message = _("all %(n)d runs of today are used; the next day begins at 00:00 UTC")
        raise Refused("quota", message % {"n": left.runs_max})
    if left.judged_left is not None and judged > left.judged_left:
        message = _(
            "the official judge would grade %(n)d replies, and %(left)d of your %(most)d a day are left: set a limit, "
            "choose fewer subsets, bring your own judge or wait until 00:00 UTC"
        )
        raise Refused("quota", message % {"n": judged, "left": left.judged_left, "most": left.judged_max})
    entries = [QuotaEntry(user=user, run=run, kind=Kind.RUN, amount=1, day=today())]
    if judged:
        entries.append(QuotaEntry(user=user, run=run, kind=Kind.JUDGED, amount=judged, day=today()))
    QuotaEntry.objects.bulk_create(entries)


def settle_run(run: Run) -> None:
    """Give back what an ended run did not use: replies no judge saw, and the run itself where nothing came back."""
    with transaction.atomic():
        entries = list(QuotaEntry.objects.select_for_update().filter(run=run).order_by("pk"))
        if not entries:
            return
        judged = sum(entry.amount for entry in entries if entry.kind == Kind.JUDGED)
        seen = JudgeReply.objects.filter(reply__run=run).values("reply").distinct().count()
        _give_back(entries, Kind.JUDGED, judged - seen)
        if not Reply.objects.filter(run=run).exists():
            _give_back(entries, Kind.RUN, sum(entry.amount for entry in entries if entry.kind == Kind.RUN))


def is_judged_by_us(run: Run) -> bool:
    return not run.is_own_judge and run.scorer.judges.exists()


def today() -> date:
    return datetime.now(UTC).date()


def _used(user: User, day: date) -> dict[str, int]:
    sums = QuotaEntry.objects.filter(user=user, day=day).values_list("kind").annotate(total=Sum("amount"))
    return dict(sums)


def _give_back(entries: list[QuotaEntry], kind: str, amount: int) -> None:
    newest = next((entry for entry in reversed(entries) if entry.kind == kind and entry.amount > 0), None)
    if newest is not None and amount > 0:
        QuotaEntry.objects.create(user=newest.user, run=newest.run, kind=kind, amount=-amount, day=newest.day)
