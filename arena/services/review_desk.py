"""A reviewer's desk: claim a place, keep it by heartbeat, save drafts, pass on, hand in.

A place is a row that is there from the start; claiming it is one conditional UPDATE, so that two people never hold
the same one on either database. All claims of one person go through their user row, one after the other: a double
click or a second tab finds the claim that is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from arena.effective import effective_points
from arena.errors import Refused
from arena.models import (
    ErrorClass,
    ErrorLabel,
    Judgment,
    Review,
    ReviewDraft,
    ReviewItem,
    ReviewReason,
    ReviewSkip,
    ReviewSlot,
    Scorer,
    User,
)
from arena.review_parts import Part, find_evidence, parts_to_decide, read_points
from arena.review_states import overturned_criteria, part_states
from arena.roles import Rank, benchmarks_for, is_own_model, own_entrants, require_rank
from arena.services.audit import record_event
from arena.services.errata import report_erratum
from arena.services.review_queue import queue_same_criterion
from arena.services.reviews import store_review
from arena.services.settling import settle
from arena.signals import scores_changed

LEASE = timedelta(minutes=5)  # the page asks for more every minute
CALIBRATE_EVERY = 8  # one known item after so many of one's own
MAX_DRAFT_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """What a reviewer wants to be offered; empty means anything."""

    benchmark: str = ""
    policy: str = ""
    subset: str = ""
    judge: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was typed for one part."""

    points: str = ""
    reason: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A whole hand-in. verdict: right, wrong or unreadable for the whole answer, else empty and every part decided.

    reason: one sentence that holds for every part without one of its own. erratum: why the reference is wrong.
    seconds: time spent as the page counted it, None without scripts.
    """

    decisions: Mapping[str, Decision] = field(default_factory=dict)
    verdict: str = ""
    reason: str = ""
    error_class: str = ""
    wrong_step: str = ""
    erratum: str = ""
    seconds: int | None = None


# --- claiming -------------------------------------------------------------------------------------------------------


def claim_next(reviewer: User, wanted: QueueFilter | None = None) -> ReviewSlot | None:
    """The reviewer's open claim, else the next free place they may take; None where nothing is left for them."""
    with transaction.atomic():
        _lock_person(reviewer)
        mine = open_claim(reviewer)
        if mine is not None:
            return mine
        known = _claim_calibration(reviewer)
        if known is not None:
            return known
        while True:
            free = _free_places(reviewer, wanted or QueueFilter())
            if connection.features.has_select_for_update_skip_locked:
                free = free.select_for_update(skip_locked=True, of=("self",))
            slot = free.first()
            if slot is None:
                return None
            if _take(slot, reviewer):
                return slot


def claim_item(reviewer: User, item: ReviewItem) -> ReviewSlot:
    """A place on this item. Raises Forbidden, Refused."""
    _check_may_review(reviewer, item)
    with transaction.atomic():
        _lock_person(reviewer)
        mine = item.slots.filter(reviewer=reviewer).first()
        if mine is not None and (mine.submitted_at or mine.claimed_until > timezone.now()):
            return mine
        other = open_claim(reviewer)
        if other is not None:
            raise Refused("", "you hold another item: finish it or pass it on first")
        for slot in item.slots.filter(_is_free(timezone.now())).select_related("item").order_by("position"):
            if _take(slot, reviewer):
                return slot
    raise Refused("", "all places of this item are taken")


def open_claim(reviewer: User) -> ReviewSlot | None:
    """What the reviewer holds right now."""
    return (
        ReviewSlot.objects.filter(reviewer=reviewer, submitted_at=None, claimed_until__gt=timezone.now())
        .select_related("item")
        .first()
    )


def _lock_person(reviewer: User) -> None:
    """One claim of a person after the other; SQLite's immediate transactions do it by themselves."""
    User.objects.select_for_update().only("pk").get(pk=reviewer.pk)


def _is_free(now: datetime) -> Q:
    return Q(submitted_at=None) & (Q(reviewer=None) | Q(claimed_until__lte=now))


def _free_places(reviewer: User, wanted: QueueFilter) -> QuerySet[ReviewSlot]:
    """Free places on open items that this person may review, the urgent first, begun items before untouched ones."""
    now = timezone.now()
    mine = ReviewSlot.objects.filter(item=OuterRef("item"), reviewer=reviewer)
    taken = mine.filter(Q(submitted_at__isnull=False) | Q(claimed_until__gt=now))
    slots = (
        ReviewSlot.objects.filter(_is_free(now), item__state=ReviewItem.State.OPEN, item__is_calibration=False)
        .filter(item__reply__run__revision__benchmark__in=benchmarks_for(reviewer))
        .filter(item__reply__withdrawals__isnull=True, item__reply__run__withdrawals__isnull=True)
        .exclude(item__reply__run__entrant__in=own_entrants(reviewer.pk))
        .filter(~Exists(taken), ~Exists(ReviewSkip.objects.filter(item=OuterRef("item"), reviewer=reviewer)))
    )
    if wanted.benchmark:
        slots = slots.filter(item__reply__run__revision__benchmark__slug=wanted.benchmark)
    if wanted.policy:
        reasons = ReviewReason.objects.filter(item=OuterRef("item"), policy=wanted.policy)
        slots = slots.filter(Exists(reasons))
    if wanted.subset:
        slots = slots.filter(item__reply__problem__subset__slug=wanted.subset)
    if wanted.judge:
        slots = slots.filter(item__scorer__in=Scorer.objects.filter(judges__model=wanted.judge))
    return slots.order_by("-item__priority", "item_id", "position").select_related("item")


def _take(slot: ReviewSlot, reviewer: User) -> bool:
    """One conditional UPDATE; false where somebody was faster."""
    now = timezone.now()
    # The row this person held before its claim ran out is the one to take again: one row a person and item.
    held = ReviewSlot.objects.filter(item_id=slot.item_id, reviewer=reviewer, submitted_at=None).first()
    if held is not None and held.pk != slot.pk:
        slot.pk = held.pk
        slot.refresh_from_db()
    try:
        with transaction.atomic():
            changed = ReviewSlot.objects.filter(_is_free(now), pk=slot.pk).update(
                reviewer=reviewer, claimed_at=now, claimed_until=now + LEASE
            )
    except IntegrityError:
        return False
    if changed:
        slot.refresh_from_db()
    return bool(changed)


def _claim_calibration(reviewer: User) -> ReviewSlot | None:
    """Every so often a known item, which looks like any other, so that reviewers can be measured."""
    submitted = ReviewSlot.objects.filter(reviewer=reviewer, submitted_at__isnull=False)
    n_known = submitted.filter(item__is_calibration=True).count()
    if (submitted.count() - n_known) // CALIBRATE_EVERY <= n_known:
        return None
    item = (
        ReviewItem.objects.filter(is_calibration=True, reply__run__revision__benchmark__in=benchmarks_for(reviewer))
        .exclude(reply__in=ReviewSlot.objects.filter(reviewer=reviewer).values("item__reply"))
        .exclude(skips__reviewer=reviewer)
        .exclude(reply__run__entrant__in=own_entrants(reviewer.pk))
        .order_by("pk")
        .first()
    )
    if item is None:
        return None
    ReviewItem.objects.select_for_update().only("pk").get(pk=item.pk)
    now = timezone.now()
    return ReviewSlot.objects.create(
        item=item, position=item.slots.count(), reviewer=reviewer, claimed_at=now, claimed_until=now + LEASE
    )


def _check_may_review(reviewer: User, item: ReviewItem) -> Rank:
    run = item.reply.run
    rank = require_rank(reviewer, run.revision.benchmark_id, Rank.REVIEWER)
    if is_own_model(reviewer, run.entrant_id):
        raise Refused("", "nobody reviews replies of a model they submitted")
    return rank


# --- while it is open -----------------------------------------------------------------------------------------------


def extend_claim(reviewer: User, item: ReviewItem) -> datetime | None:
    """The heartbeat: keeps the place, or takes it again where it ran out and is still free; None where it is gone."""
    now = timezone.now()
    kept = ReviewSlot.objects.filter(item=item, reviewer=reviewer, submitted_at=None).update(claimed_until=now + LEASE)
    return now + LEASE if kept else None


def release_claim(reviewer: User, item: ReviewItem, reason: str) -> None:
    """Pass the item on, with the reason; it is not offered to this person again. Raises Refused."""
    if not reason.strip():
        raise Refused("skip_reason", "say why you pass it on")
    with transaction.atomic():
        freed = ReviewSlot.objects.filter(item=item, reviewer=reviewer, submitted_at=None)
        if item.is_calibration:
            freed.delete()
        else:
            freed.update(reviewer=None, claimed_at=None, claimed_until=None)
        ReviewSkip.objects.get_or_create(item=item, reviewer=reviewer, defaults={"reason": reason.strip()[:300]})
        ReviewDraft.objects.filter(item=item, reviewer=reviewer).delete()
        record_event(
            reviewer,
            "skip",
            f"item:{item.uuid}",
            {},
            {"reason": reason.strip()[:300]},
            item.reply.run.revision.benchmark_id,
        )


def save_draft(reviewer: User, item: ReviewItem, data: Mapping[str, Any], revised_ms: int) -> bool:
    """Keep what was typed so far; false where something newer is kept already (another tab). Raises Refused."""
    text = str(data)
    if len(text) > MAX_DRAFT_CHARACTERS:
        raise Refused("draft", "is too long to keep")
    with transaction.atomic():
        draft, is_new = ReviewDraft.objects.select_for_update().get_or_create(
            item=item, reviewer=reviewer, defaults={"data": dict(data), "revised_ms": revised_ms}
        )
        if not is_new and draft.revised_ms > revised_ms:
            return False
        if not is_new:
            draft.data, draft.revised_ms = dict(data), revised_ms
            draft.save()
    return True


# --- handing in -----------------------------------------------------------------------------------------------------


def submit_review(reviewer: User, item: ReviewItem, given: Verdict, *, inline: bool = False) -> str:
    """Store a reviewer's decisions on every part the item asks about; returns the item's state afterwards.

    Handing in again is a new set of reviews beside the old ones: the newest counts, the first stays the blind one.
    Raises Forbidden, Refused (naming the field); what was typed stays in the draft then.
    """
    rank = _check_may_review(reviewer, item)
    parts = parts_to_decide(item)
    decided = read_decisions(parts, given)
    _check_error_class(given)
    run = item.reply.run
    with transaction.atomic():
        locked = ReviewItem.objects.select_for_update().get(pk=item.pk)
        slot, is_first = _place_of(reviewer, locked)
        before = counted_points(locked)
        for part, points, decision in decided:
            evidence = find_evidence(decision.evidence, item.reply)
            store_review(
                reviewer,
                part,
                points,
                decision.reason,
                rank,
                item=locked,
                verdict=given.verdict,
                is_blind=is_first,
                evidence=evidence.text,
                evidence_start=evidence.start,
                evidence_end=evidence.end,
            )
        _label_error(reviewer, locked, given)
        if given.erratum.strip():
            report_erratum(reviewer, item.reply.problem, given.erratum, item=locked)
        _close(slot, given.seconds, is_first)
        ReviewDraft.objects.filter(item=item, reviewer=reviewer).delete()
        state = settle(locked)
        record_event(
            reviewer,
            "submit" if is_first else "revise",
            f"item:{item.uuid}",
            {"state": item.state, "counted": before},
            {
                "state": state,
                "counted": counted_points(locked),
                "parts": {part.key: str(points) for part, points, _ in decided},
                "verdict": given.verdict,
                "seconds": slot.seconds,
            },
            run.revision.benchmark_id,
        )
    if not item.is_calibration:
        for score in overturned_criteria(part_states(locked)):
            queue_same_criterion(score, reviewer)
    if state != ReviewItem.State.OPEN or not is_first:
        scores_changed.send(sender=Review, run_ids=[run.pk], inline=inline)
    return state


def counted_points(item: ReviewItem) -> dict[str, str]:
    """Level -> the points that count now, for the audit log."""
    judgments = Judgment.objects.filter(reply_id=item.reply_id, scorer_id=item.scorer_id)
    changed = effective_points(judgments)
    return {judgment.level: str(changed.get(judgment.pk, judgment.points)) for judgment in judgments}


def read_decisions(parts: tuple[Part, ...], given: Verdict) -> list[tuple[Part, Decimal, Decision]]:
    """Each part with its points and the reason that holds for it. Raises Refused naming the part.

    A reason is asked for whatever the points are: asking only for overrides would tell what the machine gave.
    """
    if given.verdict and given.verdict not in Review.Verdict.values:
        raise Refused("verdict", f"must be one of {', '.join(Review.Verdict.values)}")
    if unknown := set(given.decisions) - {part.key for part in parts}:
        raise Refused(sorted(unknown)[0], "is no part of this item")
    found = []
    for part in parts:
        decision = given.decisions.get(part.key, Decision())
        if given.verdict:
            points = part.maximum if given.verdict == Review.Verdict.RIGHT else Decimal(0)
        elif not decision.points.strip():
            raise Refused(part.key, "is not decided yet")
        else:
            points = read_points(decision.points, part.maximum, part.key)
        reason = decision.reason.strip() or given.reason.strip() or decision.evidence.strip()
        if not reason:
            raise Refused(part.key, "say why, here or once for the whole reply")
        found.append((part, points, Decision(str(points), reason, decision.evidence)))
    if not found:
        raise Refused("", "this reply has no part to decide")
    return found


def _check_error_class(given: Verdict) -> None:
    if given.error_class and given.error_class not in ErrorClass.values:
        raise Refused("error_class", f"must be one of {', '.join(ErrorClass.values)}")
    if given.wrong_step.strip() and not given.error_class:
        raise Refused("error_class", "say of which class the first wrong step is")


def _place_of(reviewer: User, item: ReviewItem) -> tuple[ReviewSlot, bool]:
    """The reviewer's place, and whether this is their first hand-in. Raises Refused where no place is left."""
    slot = ReviewSlot.objects.select_for_update().filter(item=item, reviewer=reviewer).first()
    if slot is None:
        # The claim ran out and the row went to somebody else: another free place will do.
        free = item.slots.select_for_update().filter(_is_free(timezone.now())).order_by("position").first()
        if free is None:
            raise Refused("", "your claim ran out and all places are taken: your draft is kept")
        free.reviewer, free.claimed_at = reviewer, timezone.now()
        return free, True
    return slot, slot.submitted_at is None


def _close(slot: ReviewSlot, seconds: int | None, is_first: bool) -> None:
    if not is_first:
        return
    now = timezone.now()
    elapsed = int((now - (slot.claimed_at or now)).total_seconds())
    slot.seconds = elapsed if seconds is None else max(0, min(seconds, elapsed + 1))
    slot.submitted_at, slot.claimed_until = now, None
    slot.save()


def _label_error(reviewer: User, item: ReviewItem, given: Verdict) -> None:
    if not given.error_class:
        return
    step = find_evidence(given.wrong_step, item.reply)
    ErrorLabel.objects.create(
        reply=item.reply,
        item=item,
        reviewer=reviewer,
        error_class=given.error_class,
        step=step.text,
        step_start=step.start,
        step_end=step.end,
    )
