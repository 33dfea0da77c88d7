"""A reviewer's desk: places, drafts, hand-ins, disagreement and who settles it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from arena.effective import effective_points
from arena.errors import Refused
from arena.models import (
    AuditEvent,
    BenchmarkRole,
    CriterionScore,
    Erratum,
    ErrorLabel,
    Judgment,
    Policy,
    Review,
    ReviewDraft,
    ReviewItem,
    ReviewSlot,
    Run,
    User,
)
from arena.review_parts import parts_to_decide
from arena.roles import Forbidden
from arena.services.adjudication import adjudicate
from arena.services.errata import decide_erratum
from arena.services.review_claims import QueueFilter, claim_item, claim_next, extend_claim
from arena.services.review_desk import Decision, Verdict, release_claim, save_draft, submit_review
from arena.services.review_queue import add_reason
from arena.services.reviews import review_part
from tests.arena.reviews.scenes import decide_all, make_people, make_run
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def queue_one(run: Run, needed: int = 2, policy: Policy = Policy.REPORTED) -> ReviewItem:
    reply = run.replies.order_by("pk").first()
    assert reply is not None
    return add_reason(reply, run.scorer, policy, "odd", needed=needed)


def make_senior(name: str, run: Run) -> User:
    user = make_user(name)
    BenchmarkRole.objects.create(benchmark=run.revision.benchmark, user=user, role=BenchmarkRole.Role.SENIOR)
    return user


def counted(run: Run) -> dict[int, Decimal]:
    return effective_points(Judgment.objects.filter(reply__run=run))


def test_item_has_as_many_places_as_reviewers_are_needed() -> None:
    item = queue_one(make_run())
    ada, ben, cyd = make_people("ada", "ben", "cyd")
    first, second = claim_next(ada), claim_next(ben)
    assert first and second and first.pk != second.pk and first.item == second.item == item
    assert claim_next(cyd) is None


def test_second_click_and_second_tab_find_the_same_claim() -> None:
    run = make_run()
    queue_one(run)
    add_reason(run.replies.order_by("-pk")[0], run.scorer, Policy.REPORTED)
    (ada,) = make_people("ada")
    first = claim_next(ada)
    assert first is not None and claim_next(ada) == first
    assert ReviewSlot.objects.filter(reviewer=ada).count() == 1


def test_claim_that_is_not_kept_alive_frees_itself() -> None:
    item = queue_one(make_run(), needed=1)
    ada, ben = make_people("ada", "ben")
    claim_next(ada)
    assert claim_next(ben) is None
    assert extend_claim(ada, item) is not None
    ReviewSlot.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    taken = claim_next(ben)
    assert taken is not None and taken.reviewer == ben
    assert extend_claim(ada, item) is None
    with pytest.raises(Refused, match="your draft is kept"):
        submit_review(ada, item, decide_all(item, "1"))


def test_late_hand_in_is_taken_while_nobody_else_holds_the_place() -> None:
    item = queue_one(make_run(), needed=1)
    (ada,) = make_people("ada")
    claim_next(ada)
    ReviewSlot.objects.update(claimed_until=timezone.now() - timedelta(hours=1))
    assert submit_review(ada, item, decide_all(item, "1")) == ReviewItem.State.DONE


def test_passed_item_goes_to_others_and_never_back() -> None:
    item = queue_one(make_run(), needed=1)
    ada, ben = make_people("ada", "ben")
    claim_next(ada)
    with pytest.raises(Refused, match="skip_reason"):
        release_claim(ada, item, " ")
    release_claim(ada, item, "not my field")
    assert claim_next(ada) is None
    assert claim_next(ben) is not None
    assert AuditEvent.objects.filter(act="skip", actor=ada).exists()


def test_filters_choose_what_is_offered() -> None:
    run = make_run()
    replies = list(run.replies.select_related("problem__subset").order_by("pk"))
    add_reason(replies[0], run.scorer, Policy.INJECTION)
    wanted = add_reason(replies[-1], run.scorer, Policy.LOW_CONFIDENCE)
    (ada,) = make_people("ada")
    assert claim_next(ada, QueueFilter(benchmark="coin_flip")) is None
    assert claim_next(ada, QueueFilter(judge="nobody")) is None
    slot = claim_next(ada, QueueFilter(benchmark="hipho", policy="low_confidence", judge="judge-a"))
    assert slot is not None and slot.item == wanted


def test_two_who_agree_settle_the_item_and_move_the_points() -> None:
    run = make_run()
    item = queue_one(run)
    ada, ben = make_people("ada", "ben")
    assert claim_next(ada) and submit_review(ada, item, decide_all(item, "1")) == ReviewItem.State.OPEN
    assert counted(run) == {}
    assert claim_next(ben) and submit_review(ben, item, decide_all(item, "1")) == ReviewItem.State.DONE
    judgments = Judgment.objects.filter(reply=item.reply)
    assert counted(run) == {judgment.pk: judgment.max_points for judgment in judgments}


def test_disagreement_waits_for_a_senior_who_was_no_party_to_it() -> None:
    run = make_run()
    item = queue_one(run)
    ada, ben = make_people("ada", "ben")
    for person, share in ((ada, "1"), (ben, "0")):
        claim_next(person)
        submit_review(person, item, decide_all(item, share))
    item.refresh_from_db()
    assert item.state == ReviewItem.State.DISPUTED and counted(run) == {}
    ruling = {part.key: Decision(str(part.maximum), "the derivation is complete") for part in parts_to_decide(item)}
    with pytest.raises(Forbidden):
        adjudicate(ada, item, ruling)
    dora = make_senior("dora", run)
    with pytest.raises(Refused, match="the reviewers disagree here"):
        adjudicate(dora, item, {})
    assert adjudicate(dora, item, ruling) == ReviewItem.State.DONE
    judgments = Judgment.objects.filter(reply=item.reply)
    assert counted(run) == {judgment.pk: judgment.max_points for judgment in judgments}


def test_senior_may_decide_again_and_the_newest_counts() -> None:
    run = make_run()
    item = queue_one(run)
    for person, share in zip(make_people("ada", "ben"), ("1", "0"), strict=True):
        claim_next(person)
        submit_review(person, item, decide_all(item, share))
    dora = make_senior("dora", run)
    for share in ("1", "0"):
        ruling = {p.key: Decision(str(p.maximum * Decimal(share)), "on reflection") for p in parts_to_decide(item)}
        adjudicate(dora, item, ruling)
    assert set(counted(run).values()) == {Decimal(0)}
    assert item.adjudications.count() == 2 * len(parts_to_decide(item))


def test_reviewer_undoes_by_a_new_review_and_the_blind_one_stays() -> None:
    run = make_run()
    item = queue_one(run, needed=1)
    (ada,) = make_people("ada")
    claim_next(ada)
    submit_review(ada, item, decide_all(item, "0"))
    submit_review(ada, item, decide_all(item, "0.5", "I misread the sign"))
    assert counted(run) == {}
    n_parts = len(parts_to_decide(item))
    assert Review.objects.filter(item=item, is_blind=True).count() == n_parts
    assert Review.objects.filter(item=item, is_blind=False).count() == n_parts


def test_reviews_can_neither_be_changed_nor_deleted() -> None:
    item = queue_one(make_run(), needed=1)
    (ada,) = make_people("ada")
    claim_next(ada)
    submit_review(ada, item, decide_all(item, "1"))
    for table in (Review, AuditEvent):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            table.objects.update(created_at=timezone.now())
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            table.objects.filter(pk__gt=0)._raw_delete("default")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (Verdict(), "s0c0"),
        (Verdict({"s0c0": Decision("99", "x")}), "s0c0"),
        (Verdict({"s0c0": Decision("-0.1", "x")}), "s0c0"),
        (Verdict({"s0c0": Decision("NaN", "x")}), "s0c0"),
        (Verdict({"s0c0": Decision("0")}), "s0c0"),
        (Verdict({"s9c9": Decision("0", "x")}), "s9c9"),
        (Verdict(verdict="perhaps", reason="x"), "verdict"),
        (Verdict(verdict="wrong", reason="x", error_class="typo"), "error_class"),
        (Verdict(verdict="wrong", reason="x", wrong_step="here"), "error_class"),
    ],
)
def test_incomplete_hand_in_names_the_field_and_stores_nothing(given: Verdict, field: str) -> None:
    item = queue_one(make_run(), needed=1)
    (ada,) = make_people("ada")
    claim_next(ada)
    with pytest.raises(Refused) as refused:
        submit_review(ada, item, given)
    assert refused.value.field == field
    assert not Review.objects.exists()


def test_whole_answer_wrong_with_its_first_error() -> None:
    run = make_run()
    item = queue_one(run, needed=1)
    (ada,) = make_people("ada")
    claim_next(ada)
    verdict = Verdict(
        verdict="wrong",
        reason="starts from the wrong forces",
        error_class="physical_perception",
        wrong_step="balance of forces",
    )
    submit_review(ada, item, verdict)
    assert set(counted(run).values()) == {Decimal(0)}
    label = ErrorLabel.objects.get()
    assert item.reply.text[label.step_start : label.step_end] == "balance of forces"
    assert set(Review.objects.values_list("verdict", flat=True)) == {"wrong"}


def test_wrong_reference_becomes_an_erratum_that_queues_the_problem() -> None:
    run, other = make_run(), make_run("Beta-9", organisation="Betatown")
    item = queue_one(run, needed=1)
    ada, ben = make_people("ada", "ben")
    claim_next(ada)
    submit_review(ada, item, Verdict(verdict="right", reason="agrees with my own derivation", erratum="a factor of 2"))
    erratum = Erratum.objects.get()
    with pytest.raises(Forbidden):
        decide_erratum(ben, erratum, "accepted", "yes")
    decide_erratum(make_user("max", "maintainer"), erratum, "accepted", "checked with the original paper")
    assert ReviewItem.objects.filter(reply__run=other, reply__problem=item.reply.problem).exists()


def test_overturned_criterion_queues_the_same_of_all_other_models() -> None:
    run, other = make_run(), make_run("Beta-9")
    score = CriterionScore.objects.filter(judgment__reply__run=run).select_related("judgment__reply__run").first()
    assert score is not None
    (ada,) = make_people("ada")
    review_part(ada, score, 0, "not in the reply")
    item = ReviewItem.objects.get()
    assert item.reply.run == other and item.focus == score.criterion and item.needed == 1
    assert [part.key for part in parts_to_decide(item)] == [score.criterion.target]
    review_part(ada, score, score.points, "it is there after all")
    assert ReviewItem.objects.count() == 1


def test_single_deviation_in_the_queue_overturns_nothing_yet() -> None:
    run = make_run()
    make_run("Beta-9")
    item = queue_one(run, needed=2)
    ada, ben = make_people("ada", "ben")
    claim_next(ada)
    submit_review(ada, item, decide_all(item, "0"))
    assert ReviewItem.objects.count() == 1
    claim_next(ben)
    submit_review(ben, item, decide_all(item, "0"))
    assert ReviewItem.objects.filter(reasons__policy=Policy.OVERTURNED).count() == 1


def test_nobody_is_offered_or_may_review_a_model_they_submitted() -> None:
    (ada,) = make_people("ada")
    run = make_run(owner=ada)
    item = queue_one(run)
    assert claim_next(ada) is None
    with pytest.raises(Refused, match="a model they submitted"):
        claim_item(ada, item)
    with pytest.raises(Refused, match="a model they submitted"):
        submit_review(ada, item, decide_all(item, "1"))
    later = make_run(run.entrant.name)
    with pytest.raises(Refused, match="a model they submitted"):
        claim_item(ada, queue_one(later))


def test_role_on_one_benchmark_opens_that_one_only() -> None:
    run = make_run()
    item = queue_one(run)
    eve = make_user("eve")
    with pytest.raises(Forbidden):
        claim_item(eve, item)
    BenchmarkRole.objects.create(benchmark=run.revision.benchmark, user=eve, role="reviewer")
    assert claim_item(eve, item).reviewer == eve
    foreign = queue_one(make_run("Gamma", "coin_flip"))
    with pytest.raises(Forbidden):
        claim_item(eve, foreign)


def test_older_draft_never_overwrites_a_newer_one() -> None:
    item = queue_one(make_run())
    (ada,) = make_people("ada")
    claim_next(ada)
    assert save_draft(ada, item, {"s0c0": "0.2"}, 2000)
    assert not save_draft(ada, item, {"s0c0": ""}, 1000)
    assert ReviewDraft.objects.get().data == {"s0c0": "0.2"}
    submit_review(ada, item, decide_all(item, "1"))
    assert not ReviewDraft.objects.exists()


def test_known_items_are_mixed_in_and_move_no_score() -> None:
    run = make_run()
    replies = list(run.replies.order_by("pk"))
    (ada,) = make_people("ada")
    known = ReviewItem.objects.create(reply=replies[0], scorer=run.scorer, is_calibration=True, known={"s0c0": "0"})
    seen = []
    for reply in replies[1:]:
        add_reason(reply, run.scorer, Policy.RANDOM, needed=1)
    while (slot := claim_next(ada)) is not None:
        seen.append(slot.item_id)
        submit_review(ada, slot.item, decide_all(slot.item, "0"))
    assert seen.count(known.pk) == (len(replies) - 1 >= 8)
    assert not Judgment.objects.filter(pk__in=counted(run), reply=replies[0]).exists()
