"""Where reviewers disagree a senior one sees both, without names, and decides."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Adjudication, ErrorClass, ErrorLabel, ReviewItem, ReviewSlot, User
from arena.review_parts import find_evidence, read_points
from arena.review_states import overturned_criteria, part_states
from arena.roles import Forbidden, Rank, is_own_model, require_rank
from arena.services.audit import record_event
from arena.services.review_desk import Decision
from arena.services.review_queue import queue_same_criterion
from arena.services.reviews import effective_of
from arena.services.settling import settle
from arena.signals import scores_changed


def check_may_adjudicate(person: User, item: ReviewItem) -> None:
    """Raises Forbidden: a senior reviewer decides, who did not review the item and did not submit the model."""
    run = item.reply.run
    require_rank(person, run.revision.benchmark_id, Rank.SENIOR)
    if is_own_model(person, run.entrant_id):
        raise Forbidden(_("nobody decides about a model they submitted"))
    if ReviewSlot.objects.filter(item=item, reviewer=person, submitted_at__isnull=False).exists():
        raise Forbidden(_("who reviewed an item does not adjudicate it"))


def adjudicate(
    person: User,
    item: ReviewItem,
    decisions: Mapping[str, Decision],
    *,
    error_class: str = "",
    wrong_step: str = "",
    inline: bool = False,
) -> str:
    """Decide every disputed part (and any other that is named); returns the item's state. Raises Forbidden, Refused.

    Append-only: deciding again is a new row, and the newest counts.
    """
    check_may_adjudicate(person, item)
    if error_class and error_class not in ErrorClass.values:
        raise Refused("error_class", _("choose one that the page offers"))
    run = item.reply.run
    with transaction.atomic():
        locked = ReviewItem.objects.select_for_update().get(pk=item.pk)
        if locked.state == ReviewItem.State.OPEN:
            raise Refused("", _("the reviewers are not done with this item yet"))
        for state in part_states(locked):
            decision = decisions.get(state.part.key)
            if decision is None or not decision.points.strip():
                if state.is_disputed(locked.needed):
                    raise Refused(state.part.key, _("the reviewers disagree here: choose its points"))
                continue
            _rule(person, locked, state.part, decision)
        if error_class:
            step = find_evidence(wrong_step, item.reply)
            ErrorLabel.objects.create(
                reply=item.reply,
                item=locked,
                reviewer=person,
                error_class=error_class,
                step=step.text,
                step_start=step.start,
                step_end=step.end,
            )
        after = settle(locked)
    for score in overturned_criteria(part_states(locked)):
        queue_same_criterion(score, person)
    scores_changed.send(sender=Adjudication, run_ids=[run.pk], inline=inline)
    return after


def _rule(person: User, item: ReviewItem, part, decision: Decision) -> None:  # type: ignore[no-untyped-def]
    points = read_points(decision.points, part.maximum, part.key)
    if not decision.reason.strip():
        raise Refused(part.key, _("say why you decide so"))
    before = effective_of(part.score.judgment)
    row = Adjudication.objects.create(
        item=item, **part.columns, adjudicator=person, points=points, reason=decision.reason.strip()
    )
    record_event(
        person,
        "adjudicate",
        f"item:{item.uuid}",
        {"part": part.key, "machine": str(part.points), "counted": str(before)},
        {
            "part": part.key,
            "points": str(points),
            "counted": str(effective_of(part.score.judgment)),
            "adjudication": str(row.uuid),
        },
        item.reply.run.revision.benchmark_id,
    )
