"""A person's decision beside the machine's: bounded by the part's maximum, with a reason, never over it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from django.db import transaction

from arena.errors import Refused
from arena.models import AnswerScore, CriterionScore, Review, User
from arena.signals import scores_changed


def review_part(
    reviewer: User, part: CriterionScore | AnswerScore, points: Decimal | str, reason: str, *, inline: bool = False
) -> Review:
    """Uphold (equal points) or override one part of a judgment. Raises Refused naming the field."""
    if not reviewer.is_reviewer:
        raise Refused("", "only reviewers may change a score")
    run = part.judgment.reply.run
    if run.owner_id is not None and run.owner_id == reviewer.pk:
        raise Refused("", "nobody reviews replies of a model they submitted")
    try:
        value = Decimal(str(points)).quantize(Decimal("0.0001"))
    except InvalidOperation:
        raise Refused("points", f"{points!r} is no number") from None
    maximum = part.criterion.max_points if isinstance(part, CriterionScore) else part.answer.points
    if isinstance(part, AnswerScore) and run.revision.benchmark.slug == "phybench":
        maximum = part.judgment.max_points
    if not 0 <= value <= maximum:
        raise Refused("points", f"must lie between 0 and {maximum.normalize():f}")
    if not reason.strip():
        raise Refused("reason", "say why")
    with transaction.atomic():
        review = Review.objects.create(
            judgment=part.judgment,
            criterion_score=part if isinstance(part, CriterionScore) else None,
            answer_score=part if isinstance(part, AnswerScore) else None,
            reviewer=reviewer,
            decision=Review.Decision.UPHOLD if value == part.points else Review.Decision.OVERRIDE,
            points=value,
            reason=reason.strip(),
        )
    scores_changed.send(sender=Review, run_ids=[run.pk], inline=inline)
    return review
