"""The rule of effective points, in its order: adjudication, agreement, override outside the queue, machine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from arena.effective import Demand, PartHistory, Vote, agreed_points, decide_part, effective_points
from arena.models import CriterionScore, Judgment, Policy
from arena.results import EFFECTIVE, MACHINE, read_results
from arena.services.review_queue import add_reason
from arena.services.reviews import review_part
from arena.services.samples import planned_entries
from tests.arena.reviews.scenes import make_people, make_run, make_scorer
from tests.factories import make_cast

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ONE = Decimal(1)
QUEUED = Demand(item_id=7, needed=2, threshold=0.0, queued_at=NOON)


def vote(who: int, points: str, *, item: int | None = None, minutes: int = 5, is_maintainer: bool = False) -> Vote:
    return Vote(who, Decimal(points), is_maintainer, item, NOON + timedelta(minutes=minutes))


@pytest.mark.parametrize(
    ("votes", "demand", "expected"),
    [
        ([], None, None),
        ([vote(1, "0.4")], None, "0.4"),
        ([vote(1, "0.4"), vote(1, "0.2")], None, "0.2"),
        ([vote(1, "0.4"), vote(2, "0.2")], None, None),
        ([vote(1, "0.4"), vote(2, "0.4")], None, "0.4"),
        ([vote(1, "0.4"), vote(3, "0.1", is_maintainer=True), vote(2, "0.2")], None, "0.1"),
        # In the queue: nothing before the required number, nothing while they differ.
        ([vote(1, "0.4", item=7)], QUEUED, None),
        ([vote(1, "0.4", item=7), vote(2, "0.2", item=7)], QUEUED, None),
        ([vote(1, "0.4", item=7), vote(2, "0.4", item=7)], QUEUED, "0.4"),
        ([vote(1, "0.4", item=7), vote(2, "0.2", item=7), vote(1, "0.2", item=7)], QUEUED, "0.2"),
        # One person twice is one person.
        ([vote(1, "0.4", item=7), vote(1, "0.4", item=7)], QUEUED, None),
        # An override made in view of the verdict does not enter the queue's decision, one from before stands until it.
        ([vote(3, "0.9", is_maintainer=True)], QUEUED, None),
        ([vote(3, "0.9", is_maintainer=True, minutes=-5)], QUEUED, "0.9"),
        ([vote(3, "0.9", minutes=-5), vote(1, "0.4", item=7), vote(2, "0.4", item=7)], QUEUED, "0.4"),
    ],
)
def test_part_is_decided_in_the_stated_order(votes: list[Vote], demand: Demand | None, expected: str | None) -> None:
    points = decide_part(PartHistory(votes), demand, ONE)
    assert points == (None if expected is None else Decimal(expected))


def test_adjudication_stands_above_everything() -> None:
    history = PartHistory([vote(1, "0.4", item=7), vote(2, "0.4", item=7)], Decimal("0.7"))
    assert decide_part(history, QUEUED, ONE) == Decimal("0.7")


def test_difference_within_the_threshold_is_agreement_on_the_mean() -> None:
    assert agreed_points([Decimal("0.4"), Decimal("0.5")], 2, 0.1, ONE) == Decimal("0.45")
    assert agreed_points([Decimal("0.4"), Decimal("0.51")], 2, 0.1, ONE) is None


@pytest.mark.django_db
def test_override_of_one_criterion_moves_that_sample_and_no_other_scorer() -> None:
    run = make_run()
    other = make_scorer(judge="judge-b")
    score = CriterionScore.objects.filter(judgment__reply__run=run).select_related("judgment__reply__run").first()
    assert score is not None
    review_part(make_cast()["reviewer"], score, score.criterion.max_points, "the step is there")
    entries = planned_entries(run)
    machine = {r.problem_id: r for r in read_results(run, entries=entries, basis=MACHINE)}
    counted = {r.problem_id: r for r in read_results(run, entries=entries, basis=EFFECTIVE)}
    moved = [pk for pk in machine if machine[pk].levels != counted[pk].levels]
    assert moved == [score.judgment.reply.problem_id]
    assert all(r.points is None for r in read_results(run, entries=entries, scorer=other, basis=EFFECTIVE))


@pytest.mark.django_db
def test_best_scheme_is_chosen_anew_after_an_override() -> None:
    run = make_run()
    score = (
        CriterionScore.objects.filter(judgment__reply__run=run, criterion__scheme=1)
        .select_related("judgment__reply__run", "criterion")
        .first()
    )
    assert score is not None, "our samples hold a problem with two schemes"
    judgment = score.judgment
    reviewer = make_cast()["reviewer"]
    before = effective_points(Judgment.objects.filter(pk=judgment.pk)).get(judgment.pk, judgment.points)
    for row in CriterionScore.objects.filter(judgment=judgment, criterion__scheme=1).select_related("criterion"):
        review_part(reviewer, row, row.criterion.max_points, "scheme B is met in full")
    full = sum(
        row.criterion.max_points for row in CriterionScore.objects.filter(judgment=judgment, criterion__scheme=1)
    )
    after = effective_points(Judgment.objects.filter(pk=judgment.pk))[judgment.pk]
    assert after == min(full, judgment.max_points) > before


@pytest.mark.django_db
def test_queueing_moves_no_board_and_later_overrides_wait_for_the_queue() -> None:
    run = make_run()
    ada, ben = make_people("ada", "ben")
    scores = list(
        CriterionScore.objects.filter(judgment__reply__run=run).select_related(
            "judgment__reply__run", "judgment__scorer"
        )
    )
    early = scores[0]
    review_part(ada, early, 0, "not shown")
    whole = Judgment.objects.filter(pk=early.judgment_id)
    before = effective_points(whole)
    add_reason(early.judgment.reply, early.judgment.scorer, Policy.REPORTED, "odd")
    assert effective_points(whole) == before != {}
    late = next(s for s in scores if s.judgment_id == early.judgment_id and s.pk != early.pk)
    review_part(ben, late, 0, "not shown either")
    assert effective_points(whole) == before


@pytest.mark.django_db
def test_nothing_reviewed_costs_three_queries(django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    run = make_run()
    with django_assert_num_queries(3):
        assert effective_points(Judgment.objects.filter(reply__run=run)) == {}


@pytest.mark.django_db
def test_upheld_points_change_nothing() -> None:
    run = make_run()
    score = CriterionScore.objects.filter(judgment__reply__run=run).select_related("judgment__reply__run").first()
    assert score is not None
    review_part(make_cast()["reviewer"], score, score.points, "as the judge says")
    assert effective_points(Judgment.objects.filter(reply__run=run)) == {}
