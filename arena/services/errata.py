"""Errata: claims that a reference answer or a marking scheme is wrong, and what became of them.

An accepted one changes no number by itself (the data's next revision does): it queues the problem's replies for
people to look at, and is shown with the problem.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Erratum, Judgment, Policy, Problem, ReviewItem, Run, User
from arena.roles import Rank, require_rank
from arena.services.audit import record_event, refuse_flood
from arena.services.review_queue import Candidate, add_candidates


def report_erratum(
    reporter: User, problem: Problem, claim: str, *, part: str = "", item: ReviewItem | None = None
) -> Erratum:
    """Store the claim that this problem's reference is wrong. Raises Refused."""
    if not claim.strip():
        raise Refused("erratum", _("say what is wrong with the reference"))
    refuse_flood(reporter)
    erratum = Erratum.objects.create(
        problem=problem, part=part, item=item, reporter=reporter, claim=claim.strip()[:4000]
    )
    record_event(
        reporter,
        "erratum",
        f"erratum:{erratum.uuid}",
        {},
        {"problem": problem.external_id, "claim": erratum.claim},
        problem.subset.benchmark_id,
    )
    return erratum


def decide_erratum(maintainer: User, erratum: Erratum, state: str, resolution: str) -> int:
    """Accept or reject a claim; returns how many replies were queued. Raises Forbidden, Refused."""
    benchmark_id = erratum.problem.subset.benchmark_id
    require_rank(maintainer, benchmark_id, Rank.MAINTAINER)
    if state not in (Erratum.State.ACCEPTED, Erratum.State.REJECTED):
        raise Refused("state", _("must be accepted or rejected"))
    if not resolution.strip():
        raise Refused("resolution", _("say why"))
    with transaction.atomic():
        before = {"state": erratum.state, "resolution": erratum.resolution}
        erratum.state, erratum.resolution = state, resolution.strip()
        erratum.decided_by, erratum.decided_at = maintainer, timezone.now()
        erratum.save()
        after = {"state": state, "resolution": erratum.resolution}
        record_event(maintainer, "erratum", f"erratum:{erratum.uuid}", before, after, benchmark_id)
        if state == Erratum.State.REJECTED:
            return 0
        queued = add_candidates(Policy.OVERTURNED, _replies_to(erratum), needed=1)
    return queued.new + queued.joined


def _replies_to(erratum: Erratum) -> list[Candidate]:
    runs = Run.objects.on_board().filter(state=Run.State.FINISHED)
    judged = Judgment.objects.filter(reply__problem=erratum.problem, reply__run__in=runs).values_list(
        "reply_id", "scorer_id", "reply__run__scorer_id"
    )
    detail = f"erratum: {erratum.claim}"[:300]
    return [Candidate(reply, scorer, detail) for reply, scorer, current in judged if scorer == current]
