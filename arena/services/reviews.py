"""A person's decision beside the machine's: bounded by the part's maximum, with a reason, never over it."""

from __future__ import annotations

from decimal import Decimal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.effective import effective_parts, effective_points
from arena.errors import Refused
from arena.models import (
    AnswerScore,
    CriterionScore,
    Judgment,
    Policy,
    Review,
    ReviewItem,
    ReviewSlot,
    User,
)
from arena.review_parts import Part, part_of, parts_to_decide, read_points
from arena.review_states import find_item
from arena.roles import Rank, is_own_model, rank_on
from arena.services.audit import record_event, refuse_flood
from arena.services.review_queue import add_reason, queue_same_criterion
from arena.services.settling import settle
from arena.signals import scores_changed


def review_part(
    reviewer: User, part: CriterionScore | AnswerScore, points: Decimal | str, reason: str, *, inline: bool = False
) -> Review:
    """Uphold (equal points) or override one part of a judgment, with the verdict in view. Raises Refused.

    Where the part stands in the queue this does not decide it (`arena.effective`): a blind number is wanted there.
    A follow-up for one reviewer is the exception, which this answers.
    """
    found = part_of(part)
    run = part.judgment.reply.run
    rank = rank_on(reviewer, run.revision.benchmark_id)
    if rank < Rank.REVIEWER:
        raise Refused("", _("only reviewers may change a score"))
    if is_own_model(reviewer, run.entrant_id):
        raise Refused("", _("nobody reviews replies of a model they submitted"))
    value = read_points(points, found.maximum)
    if not reason.strip():
        raise Refused("reason", _("say why"))
    with transaction.atomic():
        before = effective_of(part.judgment)
        item = _followed_item(found, reviewer)
        review = store_review(reviewer, found, value, reason, rank, item=item)
        if item is not None:
            settle(item)
        after = effective_of(part.judgment)
        record_event(
            reviewer,
            "review",
            f"reply:{part.judgment.reply.uuid}",
            {"part": found.key, "machine": str(found.points), "counted": str(before)},
            {"part": found.key, "points": str(value), "counted": str(after), "review": str(review.uuid)},
            run.revision.benchmark_id,
        )
    if isinstance(part, CriterionScore) and value != part.points and counts(part, value):
        queue_same_criterion(part, reviewer)
    scores_changed.send(sender=Review, run_ids=[run.pk], inline=inline)
    return review


def store_review(
    reviewer: User, part: Part, points: Decimal, reason: str, rank: Rank, *, item: ReviewItem | None, **extra: object
) -> Review:
    """Append one decision."""
    return Review.objects.create(
        judgment=part.score.judgment,
        **part.columns,
        reviewer=reviewer,
        decision=Review.Decision.UPHOLD if points == part.points else Review.Decision.OVERRIDE,
        points=points,
        reason=reason.strip(),
        role=rank.word,
        item=item,
        **extra,
    )


def effective_of(judgment: Judgment) -> Decimal:
    """The judgment's points as they count now."""
    changed = effective_points(Judgment.objects.filter(pk=judgment.pk))
    return changed.get(judgment.pk, judgment.points)


def counts(part: CriterionScore, points: Decimal) -> bool:
    """Whether these points are what the criterion counts with now."""
    found = effective_parts(Judgment.objects.filter(pk=part.judgment_id)).get(("c", part.pk))
    return found is not None and found[1] == points


def _followed_item(part: Part, reviewer: User) -> ReviewItem | None:
    """The open follow-up about this criterion alone, with its one place taken by this reviewer."""
    item = find_item(part.score.judgment)
    if item is None or item.state != ReviewItem.State.OPEN or item.needed != 1 or item.focus_id is None:
        return None
    if [p.key for p in parts_to_decide(item)] != [part.key]:
        return None
    slot = ReviewSlot.objects.select_for_update().filter(item=item, submitted_at=None).first()
    if slot is None or (slot.reviewer_id not in (None, reviewer.pk) and slot.claimed_until > timezone.now()):
        return None
    slot.reviewer, slot.submitted_at = reviewer, timezone.now()
    slot.claimed_at = slot.claimed_at or slot.submitted_at
    slot.save()
    return item


def report_reply(reader: User | None, judgment: Judgment, text: str) -> ReviewItem:
    """A reader says that a reply is marked wrongly: it is queued with their words. Raises Refused."""
    if not text.strip():
        raise Refused("text", _("say what is wrong"))
    refuse_flood(reader)
    item = add_reason(judgment.reply, judgment.scorer, Policy.REPORTED, text.strip()[:300], needed=2)
    record_event(
        reader,
        "report",
        f"item:{item.uuid}",
        {},
        {"text": text.strip()[:300]},
        judgment.reply.run.revision.benchmark_id,
    )
    return item
