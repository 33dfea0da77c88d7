"""Calibration sets: replies whose points are known, mixed among the others to measure reviewers."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Policy, ReviewItem, ReviewReason, User
from arena.review_states import part_states
from arena.roles import Rank, require_rank
from arena.services.audit import record_event


def make_calibration_item(maintainer: User, item: ReviewItem) -> ReviewItem:
    """A decided item once more, with known points; those who decided it never get it. Raises Forbidden, Refused."""
    benchmark_id = item.reply.run.revision.benchmark_id
    require_rank(maintainer, benchmark_id, Rank.MAINTAINER)
    if item.is_calibration or item.state != ReviewItem.State.DONE:
        raise Refused("", _("only a decided item can become a known one"))
    known = {state.part.key: str(state.points) for state in part_states(item)}
    with transaction.atomic():
        copy, is_new = ReviewItem.objects.get_or_create(
            reply=item.reply,
            scorer=item.scorer,
            is_calibration=True,
            defaults={"known": known, "needed": 1, "focus": item.focus},
        )
        if not is_new:
            raise Refused("", _("this reply is a known one already"))
        ReviewReason.objects.create(item=copy, policy=Policy.CALIBRATION)
        record_event(maintainer, "calibrate", f"item:{copy.uuid}", {}, {"known": known}, benchmark_id)
    return copy
