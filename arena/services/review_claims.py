"""Claiming a place on a queue item, and keeping it by heartbeat.

A place is a row that is there from the start; claiming it is one conditional UPDATE, so that two people never hold
the same one on either database. All claims of one person go through their user row, one after the other: a double
click or a second tab finds the claim that is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import ReviewItem, ReviewReason, ReviewSkip, ReviewSlot, Scorer, User
from arena.roles import Rank, benchmarks_for, is_own_model, own_entrants, require_rank

LEASE = timedelta(minutes=5)  # the page asks for more every minute
CALIBRATE_EVERY = 8  # one known item after so many of one's own


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """What a reviewer wants to be offered; empty means anything."""

    benchmark: str = ""
    policy: str = ""
    subset: str = ""
    judge: str = ""


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
    check_may_review(reviewer, item)
    with transaction.atomic():
        _lock_person(reviewer)
        mine = item.slots.filter(reviewer=reviewer).first()
        if mine is not None and (mine.submitted_at or mine.claimed_until > timezone.now()):
            return mine
        other = open_claim(reviewer)
        if other is not None:
            raise Refused("", _("you hold another item: finish it or pass it on first"))
        for slot in item.slots.filter(is_free(timezone.now())).select_related("item").order_by("position"):
            if _take(slot, reviewer):
                return slot
    raise Refused("", _("all places of this item are taken"))


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


def is_free(now: datetime) -> Q:
    """Places that nobody holds or has handed in on."""
    return Q(submitted_at=None) & (Q(reviewer=None) | Q(claimed_until__lte=now))


def _free_places(reviewer: User, wanted: QueueFilter) -> QuerySet[ReviewSlot]:
    """Free places on open items that this person may review, the urgent first, begun items before untouched ones."""
    now = timezone.now()
    mine = ReviewSlot.objects.filter(item=OuterRef("item"), reviewer=reviewer)
    taken = mine.filter(Q(submitted_at__isnull=False) | Q(claimed_until__gt=now))
    slots = (
        ReviewSlot.objects.filter(is_free(now), item__state=ReviewItem.State.OPEN, item__is_calibration=False)
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
            changed = ReviewSlot.objects.filter(is_free(now), pk=slot.pk).update(
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


def check_may_review(reviewer: User, item: ReviewItem) -> Rank:
    """What the person is on this benchmark. Raises Forbidden below a reviewer, Refused for a model of their own."""
    run = item.reply.run
    rank = require_rank(reviewer, run.revision.benchmark_id, Rank.REVIEWER)
    if is_own_model(reviewer, run.entrant_id):
        raise Refused("", _("nobody reviews replies of a model they submitted"))
    return rank


def extend_claim(reviewer: User, item: ReviewItem) -> datetime | None:
    """The heartbeat: keeps the place, or takes it again where it ran out and is still free; None where it is gone."""
    now = timezone.now()
    kept = ReviewSlot.objects.filter(item=item, reviewer=reviewer, submitted_at=None).update(claimed_until=now + LEASE)
    return now + LEASE if kept else None
