"""A reviewer's desk: save drafts, pass on, hand in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.effective import effective_points
from arena.errors import Refused
from arena.models import (
    ErrorClass,
    ErrorLabel,
    Judgment,
    Review,
    ReviewDraft,
    ReviewItem,
    ReviewSkip,
    ReviewSlot,
    User,
)
from arena.review_parts import Part, find_evidence, parts_to_decide, read_points
from arena.review_states import overturned_criteria, part_states
from arena.services.audit import record_event
from arena.services.errata import report_erratum
from arena.services.review_claims import check_may_review, is_free
from arena.services.review_queue import queue_same_criterion
from arena.services.reviews import store_review
from arena.services.settling import settle
from arena.signals import scores_changed

MAX_DRAFT_CHARACTERS = 200_000


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


# --- while it is open -----------------------------------------------------------------------------------------------


def release_claim(reviewer: User, item: ReviewItem, reason: str) -> None:
    """Pass the item on, with the reason; it is not offered to this person again. Raises Refused."""
    if not reason.strip():
        raise Refused("skip_reason", _("say why you pass it on"))
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
        raise Refused("draft", _("is too long to keep"))
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
    rank = check_may_review(reviewer, item)
    decided = read_decisions(parts_to_decide(item), given)
    _check_error_class(given)
    with transaction.atomic():
        locked = ReviewItem.objects.select_for_update().get(pk=item.pk)
        slot, is_first = _place_of(reviewer, locked)
        before = {"state": item.state, "counted": counted_points(locked)}
        for part, points, decision in decided:
            quote = find_evidence(decision.evidence, item.reply)
            store_review(
                reviewer, part, points, decision.reason, rank, item=locked, verdict=given.verdict, is_blind=is_first,
                evidence=quote.text, evidence_start=quote.start, evidence_end=quote.end,
            )  # fmt: skip
        _label_error(reviewer, locked, given)
        if given.erratum.strip():
            report_erratum(reviewer, item.reply.problem, given.erratum, item=locked)
        _close(slot, given.seconds, is_first)
        ReviewDraft.objects.filter(item=item, reviewer=reviewer).delete()
        state = settle(locked)
        after = {
            "state": state,
            "counted": counted_points(locked),
            "parts": {part.key: str(points) for part, points, _decision in decided},
            "verdict": given.verdict,
            "seconds": slot.seconds,
        }
        act = "submit" if is_first else "revise"
        record_event(reviewer, act, f"item:{item.uuid}", before, after, item.reply.run.revision.benchmark_id)
    _tell(item, reviewer, is_changed=state != ReviewItem.State.OPEN or not is_first, inline=inline)
    return state


def _tell(item: ReviewItem, reviewer: User, *, is_changed: bool, inline: bool) -> None:
    """Let others look at criteria that were overturned, and the boards follow where the points may have changed."""
    if not item.is_calibration:
        for score in overturned_criteria(part_states(item)):
            queue_same_criterion(score, reviewer)
    run = item.reply.run
    # A run that is on no board moves none; publishing it reads everything anew.
    if run.published_at is not None and is_changed:
        scores_changed.send(sender=Review, run_ids=[run.pk], inline=inline)


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
        raise Refused("verdict", _("choose one that the page offers"))
    if unknown := set(given.decisions) - {part.key for part in parts}:
        raise Refused(sorted(unknown)[0], _("is no part of this item"))
    found = []
    for part in parts:
        decision = given.decisions.get(part.key, Decision())
        if given.verdict:
            points = part.maximum if given.verdict == Review.Verdict.RIGHT else Decimal(0)
        elif not decision.points.strip():
            raise Refused(part.key, _("choose its points, or a verdict on the whole answer"))
        else:
            points = read_points(decision.points, part.maximum, part.key)
        reason = decision.reason.strip() or given.reason.strip() or decision.evidence.strip()
        if not reason:
            raise Refused(part.key, _("say why, beside this part or once for the whole answer"))
        found.append((part, points, Decision(str(points), reason, decision.evidence)))
    if not found:
        raise Refused("", _("this reply has no part to decide"))
    return found


def _check_error_class(given: Verdict) -> None:
    if given.error_class and given.error_class not in ErrorClass.values:
        raise Refused("error_class", _("choose one that the page offers"))
    if given.wrong_step.strip() and not given.error_class:
        raise Refused("error_class", _("say of which class the first wrong step is"))


def _place_of(reviewer: User, item: ReviewItem) -> tuple[ReviewSlot, bool]:
    """The reviewer's place, and whether this is their first hand-in. Raises Refused where no place is left."""
    slot = ReviewSlot.objects.select_for_update().filter(item=item, reviewer=reviewer).first()
    if slot is None:
        # The claim ran out and the row went to somebody else: another free place will do.
        free = item.slots.select_for_update().filter(is_free(timezone.now())).order_by("position").first()
        if free is None:
            raise Refused("", _("your claim ran out and all places are taken: your draft is kept"))
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
