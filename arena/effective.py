"""Effective points: what counts after people have looked, part by part, then scheme and total anew.

A part's points are the adjudication's, else what the required number of reviewers agree on, else an override from
outside the queue, else the machine's. A queue item silences overrides made after it was queued: they were not blind
and may be one-sided. It leaves standing what stood before, until it is decided, so that queueing moves no board.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, QuerySet

from arena.models import Adjudication, AnswerScore, CriterionScore, Judgment, Level, Review, ReviewItem

PartId = tuple[str, int]  # ("c", criterion score) or ("a", answer score)
ROUNDING = Decimal("0.00005")


@dataclass(frozen=True, slots=True)
class Vote:
    """One reviewer's newest decision on a part. item_id: the queue item it answers, if any."""

    reviewer_id: int
    points: Decimal
    is_maintainer: bool
    item_id: int | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Demand:
    """What the queue asks of a part. focus_id: the only criterion the item is about, if any."""

    item_id: int
    needed: int
    threshold: float
    queued_at: datetime
    focus_id: int | None = None


@dataclass(slots=True)
class PartHistory:
    """All that people said of one part, oldest first."""

    votes: list[Vote] = field(default_factory=list)
    adjudicated: Decimal | None = None


def agreed_points(points: Sequence[Decimal], needed: int, threshold: float, maximum: Decimal) -> Decimal | None:
    """The mean of the reviewers' points; None while too few have spoken or they differ by more than the threshold."""
    if len(points) < max(needed, 1):
        return None
    if max(points) - min(points) > Decimal(str(threshold)) * maximum + ROUNDING:
        return None
    return (sum(points, Decimal(0)) / len(points)).quantize(Decimal("0.0001"))


def decide_part(history: PartHistory, demand: Demand | None, maximum: Decimal) -> Decimal | None:
    """The points people gave this part; None where the machine's stand."""
    if history.adjudicated is not None:
        return history.adjudicated
    if demand is None:
        return outside_points(_newest(vote for vote in history.votes))
    answers = _newest(vote for vote in history.votes if vote.item_id == demand.item_id)
    agreed = agreed_points([vote.points for vote in answers], demand.needed, demand.threshold, maximum)
    if agreed is not None:
        return agreed
    before = (vote for vote in history.votes if vote.item_id is None and vote.created_at < demand.queued_at)
    return outside_points(_newest(before))


def outside_points(votes: Sequence[Vote]) -> Decimal | None:
    """Overrides without a queue item: a maintainer's newest, else what the reviewers all say, else none."""
    if maintainers := [vote for vote in votes if vote.is_maintainer]:
        return maintainers[-1].points
    values = {vote.points for vote in votes}
    return values.pop() if len(values) == 1 else None


def _newest(votes: Iterable[Vote]) -> list[Vote]:
    """Each reviewer's newest, in order of time."""
    newest: dict[int, Vote] = {}
    for vote in votes:
        newest.pop(vote.reviewer_id, None)
        newest[vote.reviewer_id] = vote
    return list(newest.values())


def effective_points(judgments: QuerySet[Judgment], until: datetime | None = None) -> dict[int, Decimal]:
    """Judgment -> points after overrides, for those that people changed; the best scheme is chosen anew.

    until: as people had decided then. A fixed number of queries, and only three where nobody has reviewed anything.
    """
    changed = effective_parts(judgments, until)
    if not changed:
        return {}
    touched = {judgment_id for judgment_id, _ in changed.values()}
    best: dict[int, Decimal] = {}
    for judgment_id, total in _totals(touched, {part: points for part, (_, points) in changed.items()}):
        best[judgment_id] = max(best.get(judgment_id, Decimal(0)), total)
    limits = Judgment.objects.filter(pk__in=touched).values_list("pk", "max_points")
    return {pk: min(max(best[pk], Decimal(0)), maximum) for pk, maximum in limits if pk in best}


def effective_parts(judgments: QuerySet[Judgment], until: datetime | None = None) -> dict[PartId, tuple[int, Decimal]]:
    """Part -> (judgment, points) where people's points differ from the machine's."""
    decided = decided_parts(judgments, until)
    return {part: (row.judgment_id, points) for part, (row, points) in decided.items() if points != row.points}


@dataclass(frozen=True, slots=True)
class PartRow:
    """One part as stored: its judgment, machine points and maximum."""

    judgment_id: int
    reply_id: int
    scorer_id: int
    criterion_id: int | None
    points: Decimal
    maximum: Decimal


def decided_parts(
    judgments: QuerySet[Judgment], until: datetime | None = None
) -> dict[PartId, tuple[PartRow, Decimal]]:
    """Part -> (row, people's points) wherever people decided, also where they upheld the machine."""
    histories = _histories(judgments, until)
    if not histories:
        return {}
    rows = _part_rows(histories)
    demands = _demands({row.reply_id for row in rows.values()}, until)
    found = {}
    for part, history in histories.items():
        row = rows[part]
        demand = demands.get((row.reply_id, row.scorer_id))
        if demand and demand.focus_id is not None and demand.focus_id != row.criterion_id:
            demand = None
        points = decide_part(history, demand, row.maximum)
        if points is not None:
            found[part] = (row, points)
    return found


def _histories(judgments: QuerySet[Judgment], until: datetime | None) -> dict[PartId, PartHistory]:
    """People's words by part; reviews of calibration items measure reviewers and move no score."""
    histories: dict[PartId, PartHistory] = {}
    told = {} if until is None else {"created_at__lte": until}
    reviews = Review.objects.filter(judgment__in=judgments, **told).exclude(item__is_calibration=True)
    for criterion, answer, reviewer, points, role, item, created_at in reviews.order_by("created_at", "pk").values_list(
        "criterion_score_id", "answer_score_id", "reviewer_id", "points", "role", "item_id", "created_at"
    ):
        vote = Vote(reviewer, points, role == "maintainer", item, created_at)
        histories.setdefault(_part_id(criterion, answer), PartHistory()).votes.append(vote)
    for path in ("criterion_score", "answer_score"):
        rows = Adjudication.objects.filter(**{f"{path}__judgment__in": judgments}, item__is_calibration=False, **told)
        for criterion, answer, points in rows.order_by("created_at", "pk").values_list(
            "criterion_score_id", "answer_score_id", "points"
        ):
            histories.setdefault(_part_id(criterion, answer), PartHistory()).adjudicated = points
    return histories


def _part_id(criterion: int | None, answer: int | None) -> PartId:
    return ("c", criterion) if criterion is not None else ("a", answer or 0)


def _part_rows(parts: Iterable[PartId]) -> dict[PartId, PartRow]:
    criteria = [pk for kind, pk in parts if kind == "c"]
    answers = [pk for kind, pk in parts if kind == "a"]
    rows: dict[PartId, PartRow] = {}
    for start in range(0, len(criteria), 2000):
        for pk, *values in CriterionScore.objects.filter(pk__in=criteria[start : start + 2000]).values_list(
            "pk", "judgment_id", "judgment__reply_id", "judgment__scorer_id", "criterion_id", "points",
            "criterion__max_points",
        ):  # fmt: skip
            rows["c", pk] = PartRow(*values)
    for start in range(0, len(answers), 2000):
        scores = AnswerScore.objects.filter(pk__in=answers[start : start + 2000])
        for pk, judgment, reply, scorer, points, most, whole, n in scores.annotate(
            n_answers=Count("judgment__answer_scores")
        ).values_list(
            "pk", "judgment_id", "judgment__reply_id", "judgment__scorer_id", "points", "answer__points",
            "judgment__max_points", "n_answers",
        ):  # fmt: skip
            rows["a", pk] = PartRow(judgment, reply, scorer, None, points, whole if n == 1 else most)
    return rows


def _demands(reply_ids: Iterable[int], until: datetime | None) -> Mapping[tuple[int, int], Demand]:
    ids = list(reply_ids)
    found = {}
    for start in range(0, len(ids), 2000):
        items = ReviewItem.objects.filter(reply_id__in=ids[start : start + 2000], is_calibration=False)
        if until is not None:
            items = items.filter(created_at__lte=until)
        for reply, scorer, *values in items.values_list(
            "reply_id", "scorer_id", "pk", "needed", "threshold", "created_at", "focus_id"
        ):
            found[reply, scorer] = Demand(*values)
    return found


def _totals(judgment_ids: Iterable[int], changed: Mapping[PartId, Decimal]) -> Iterable[tuple[int, Decimal]]:
    """(judgment, total) of each scheme, and of the answers: there the machine's total moves by what was changed."""
    ids = list(judgment_ids)
    schemes: dict[tuple[int, int], Decimal] = {}
    for pk, judgment_id, scheme, points in CriterionScore.objects.filter(
        judgment_id__in=ids, judgment__level=Level.STEP
    ).values_list("pk", "judgment_id", "criterion__scheme", "points"):
        key = (judgment_id, scheme)
        schemes[key] = schemes.get(key, Decimal(0)) + changed.get(("c", pk), points)
    answers: dict[int, Decimal] = {}
    for pk, judgment_id, points, total in AnswerScore.objects.filter(judgment_id__in=ids).values_list(
        "pk", "judgment_id", "points", "judgment__points"
    ):
        answers[judgment_id] = answers.get(judgment_id, total) + changed.get(("a", pk), points) - points
    return [*((judgment, total) for (judgment, _), total in schemes.items()), *answers.items()]


__all__ = [
    "Demand",
    "PartHistory",
    "Vote",
    "agreed_points",
    "decide_part",
    "decided_parts",
    "effective_parts",
    "effective_points",
]
