"""What people said of an item's parts so far, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from arena.effective import agreed_points
from arena.models import Adjudication, CriterionScore, Judgment, Review, ReviewItem
from arena.review_parts import Part, parts_to_decide


@dataclass(frozen=True, slots=True)
class PartState:
    """One part of an item: each reviewer's newest review, the adjudication, and the points they come to."""

    part: Part
    reviews: tuple[Review, ...]
    adjudication: Adjudication | None
    points: Decimal | None

    def is_disputed(self, needed: int) -> bool:
        return self.points is None and len(self.reviews) >= needed


def find_item(judgment: Judgment) -> ReviewItem | None:
    """The queue item that this judgment belongs to; calibration is no queue."""
    return ReviewItem.objects.filter(
        reply_id=judgment.reply_id, scorer_id=judgment.scorer_id, is_calibration=False
    ).first()


def part_states(item: ReviewItem) -> tuple[PartState, ...]:
    """The parts the item asks about, with what people said; three queries."""
    reviews = _by_part(Review.objects.filter(item=item).select_related("reviewer").order_by("created_at", "pk"))
    rulings = _by_part(
        Adjudication.objects.filter(item=item).select_related("adjudicator").order_by("created_at", "pk")
    )
    return tuple(_state(item, part, reviews, rulings) for part in parts_to_decide(item))


def _by_part(rows: object) -> dict[tuple[int | None, int | None], list]:  # type: ignore[type-arg]
    found: dict[tuple[int | None, int | None], list] = {}  # type: ignore[type-arg]
    for row in rows:  # type: ignore[attr-defined]
        found.setdefault((row.criterion_score_id, row.answer_score_id), []).append(row)
    return found


def _state(item: ReviewItem, part: Part, reviews: Mapping, rulings: Mapping) -> PartState:  # type: ignore[type-arg]
    columns = part.columns
    key = tuple(None if score is None else score.pk for score in columns.values())
    newest = {review.reviewer_id: review for review in reviews.get(key, ())}
    ruling = (rulings.get(key) or [None])[-1]
    values = [review.points for review in newest.values()]
    points = ruling.points if ruling else agreed_points(values, item.needed, item.threshold, part.maximum)
    return PartState(part, tuple(newest.values()), ruling, points)


def overturned_criteria(states: Iterable[PartState]) -> list[CriterionScore]:
    """The criteria whose points people settled elsewhere than the machine did."""
    return [
        state.part.score
        for state in states
        if isinstance(state.part.score, CriterionScore)
        and state.points is not None
        and state.points != state.part.points
    ]
