"""Putting replies into the review queue: one item a reply and scorer, however many policies find it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from arena.models import (
    CriterionScore,
    Policy,
    Reply,
    Review,
    ReviewItem,
    ReviewReason,
    ReviewSlot,
    Run,
    Scorer,
    User,
)
from arena.services.audit import record_event
from arena.services.settling import settle

# What is offered first. The random sample comes last, and is all that is left once the urgent is done.
PRIORITIES = {
    Policy.REPORTED: 50,
    Policy.INJECTION: 40,
    Policy.OVERTURNED: 35,
    Policy.RULE_VS_JUDGE: 30,
    Policy.DISAGREEMENT: 30,
    Policy.BOUNDARY: 25,
    Policy.LOW_CONFIDENCE: 20,
    Policy.RANDOM: 10,
}
MAX_NEEDED = 9
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reply that a policy found. focus_id: the one criterion in question. probability: of the random sample."""

    reply_id: int
    scorer_id: int
    detail: str = ""
    focus_id: int | None = None
    probability: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Queued:
    """How many items are new, and how many were there already and got this reason too, of how many that were found."""

    new: int
    joined: int
    found: int = 0


def add_candidates(
    policy: Policy, candidates: Iterable[Candidate], *, needed: int = 2, threshold: float = 0.0
) -> Queued:
    """Queue the candidates under one policy. A second call with the same ones changes nothing."""
    wanted = {(c.reply_id, c.scorer_id): c for c in candidates}
    new = joined = 0
    keys = list(wanted)
    for start in range(0, len(keys), _BATCH):
        chunk = [wanted[key] for key in keys[start : start + _BATCH]]
        with transaction.atomic():
            there = {
                (item.reply_id, item.scorer_id): item
                # In order of primary key, so that two calls never wait for each other.
                for item in ReviewItem.objects.select_for_update()
                .filter(reply_id__in=[c.reply_id for c in chunk], is_calibration=False)
                .order_by("pk")
            }
            fresh = [c for c in chunk if (c.reply_id, c.scorer_id) not in there]
            new += _create(policy, fresh, needed, threshold)
            for candidate in chunk:
                item = there.get((candidate.reply_id, candidate.scorer_id))
                if item is not None:
                    joined += _join(item, policy, candidate, needed)
    return Queued(new, joined, len(wanted))


def add_reason(
    reply: Reply, scorer: Scorer, policy: Policy, detail: str = "", *, needed: int = 2, focus_id: int | None = None
) -> ReviewItem:
    """Queue one reply; returns its item, new or old."""
    add_candidates(policy, [Candidate(reply.pk, scorer.pk, detail, focus_id)], needed=needed)
    return ReviewItem.objects.get(reply=reply, scorer=scorer, is_calibration=False)


def _create(policy: Policy, candidates: Sequence[Candidate], needed: int, threshold: float) -> int:
    items = ReviewItem.objects.bulk_create(
        ReviewItem(
            reply_id=c.reply_id,
            scorer_id=c.scorer_id,
            focus_id=c.focus_id,
            inclusion_probability=c.probability,
            sample_seed=c.seed,
            needed=needed,
            threshold=threshold,
            priority=PRIORITIES[policy],
        )
        for c in candidates
    )
    ReviewSlot.objects.bulk_create(ReviewSlot(item=item, position=n) for item in items for n in range(needed))
    ReviewReason.objects.bulk_create(
        ReviewReason(item=item, policy=policy, detail=c.detail[:300]) for item, c in zip(items, candidates, strict=True)
    )
    return len(items)


def _join(item: ReviewItem, policy: Policy, candidate: Candidate, needed: int) -> int:
    """One more reason for an item that is there. It may widen the item and ask for more people, never narrow it."""
    _, is_new = ReviewReason.objects.get_or_create(
        item=item, policy=policy, defaults={"detail": candidate.detail[:300]}
    )
    before = (item.focus_id, item.needed, item.inclusion_probability, item.priority)
    if candidate.focus_id != item.focus_id:
        item.focus_id = None
    item.needed = max(item.needed, needed)
    item.priority = max(item.priority, PRIORITIES[policy])
    if candidate.probability is not None:
        item.inclusion_probability, item.sample_seed = candidate.probability, candidate.seed
    if before != (item.focus_id, item.needed, item.inclusion_probability, item.priority):
        item.save()
        _add_places(item)
        settle(item)
    return int(is_new)


def _add_places(item: ReviewItem) -> None:
    there = item.slots.count()
    ReviewSlot.objects.bulk_create(ReviewSlot(item=item, position=n) for n in range(there, item.needed))


def queue_same_criterion(score: CriterionScore, actor: User | None) -> int:
    """Queue this criterion of all other models' replies: what misled the judge once may have done so again.

    Each needs one reviewer. Those that a person has looked at already are left alone. Call outside a transaction
    that holds a queue item: two of them would wait for each other.
    """
    judgment = score.judgment
    run = judgment.reply.run
    others = (
        CriterionScore.objects.filter(
            criterion_id=score.criterion_id,
            judgment__scorer_id=judgment.scorer_id,
            judgment__reply__run__in=Run.objects.on_board().filter(state=Run.State.FINISHED),
            judgment__reply__withdrawals__isnull=True,
        )
        .exclude(judgment__reply__run__entrant_id=run.entrant_id)
        .exclude(pk__in=Review.objects.filter(criterion_score__isnull=False).values("criterion_score_id"))
    )
    detail = f"{score.criterion.target} of {judgment.reply.problem.external_id}"
    found = [
        Candidate(reply_id, judgment.scorer_id, detail, score.criterion_id)
        for reply_id in others.values_list("judgment__reply_id", flat=True)
    ]
    queued = add_candidates(Policy.OVERTURNED, found, needed=1)
    if queued.new or queued.joined:
        record_event(
            actor,
            "queue",
            f"criterion:{score.criterion_id}",
            {},
            {"policy": Policy.OVERTURNED.value, "new": queued.new, "joined": queued.joined},
            run.revision.benchmark_id,
        )
    return queued.new + queued.joined
