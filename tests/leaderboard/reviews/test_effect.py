"""What reviews do to a board: both columns stand, and only a random sample or all may speak for the rest."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.test import Client

from arena.models import AnswerScore, Judgment, Policy, Review, ReviewItem, Run
from arena.services.review_claims import claim_next
from arena.services.review_desk import submit_review
from arena.services.review_policies import QueueRequest, build_queue
from arena.services.reviews import review_part
from leaderboard.models import Standing
from leaderboard.standings import rebuild_board
from tests.arena.reviews.scenes import decide_all, make_people, make_run
from tests.factories import make_user
from tests.leaderboard.boards.scenes import give_all, make_board, override
from tests.leaderboard.boards.scenes import make_run as make_bare_run

pytestmark = pytest.mark.django_db


def headline(run: Run, basis: str = "machine", metric: str = "accuracy") -> Standing:
    return Standing.objects.get(run=run, subset__slug="overall", metric=metric, basis=basis)


def test_one_sided_appeals_stand_beside_the_machines_number_and_may_not_rank() -> None:
    run = make_run(benchmark="coin_flip", share=Decimal(0))
    (ada,) = make_people("ada")
    scores = AnswerScore.objects.filter(judgment__reply__run=run).select_related("judgment__reply__run", "answer")
    for score in scores.order_by("pk")[:4]:
        review_part(ada, score, 1, "the reply says so")
    machine, effective = headline(run), headline(run, "effective")
    looked = headline(run, metric="f1_score").details
    assert machine.value == 0.0 and effective.value == pytest.approx(0.2)
    assert looked["reviewed"] == pytest.approx(0.2) and looked["upward"] == 1.0
    assert looked["may_rank_reviewed"] is False


def test_random_sample_may_rank_once_it_is_settled() -> None:
    run = make_run(benchmark="coin_flip", share=Decimal(1))
    (ada,) = make_people("ada")
    request = QueueRequest(run.revision.benchmark, Policy.RANDOM, share=0.5, needed=1)
    build_queue(request, None)
    while (slot := claim_next(ada)) is not None:
        submit_review(ada, slot.item, decide_all(slot.item, "0" if slot.item_id % 2 else "1"))
    rebuild_board(run.revision_id, run.split)
    assert headline(run, metric="f1_score").details["may_rank_reviewed"] is True
    assert headline(run, "effective").value < headline(run).value


def test_appeal_that_is_drawn_later_does_not_speak_for_the_sample_until_it_is_settled() -> None:
    run = make_run(benchmark="coin_flip", share=Decimal(0))
    (ada,) = make_people("ada")
    score = AnswerScore.objects.filter(judgment__reply__run=run).select_related("judgment__reply__run").first()
    assert score is not None
    review_part(ada, score, 1, "an appeal")
    build_queue(QueueRequest(run.revision.benchmark, Policy.RANDOM, share=1.0, needed=1), None)
    rebuild_board(run.revision_id, run.split)
    assert headline(run, metric="f1_score").details["may_rank_reviewed"] is False
    assert ReviewItem.objects.filter(state="done").count() == 0 and Review.objects.count() == 1


def test_corrected_mean_comes_from_thirty_random_reviews() -> None:
    run = make_run(benchmark="arc_indic", share=Decimal(1))
    (ada,) = make_people("ada")
    n = run.replies.count()
    build_queue(QueueRequest(run.revision.benchmark, Policy.RANDOM, share=1.0, needed=1), None)
    while (slot := claim_next(ada)) is not None:
        submit_review(ada, slot.item, decide_all(slot.item, "0" if slot.item_id % 4 == 0 else "1"))
    rebuild_board(run.revision_id, run.split)
    estimate = Standing.objects.filter(run=run, subset__slug="overall", metric="accuracy", basis="estimated").first()
    if n < 30:
        assert estimate is None or estimate.value is None
    else:
        assert estimate is not None and estimate.value == pytest.approx(headline(run, "effective").value)
        assert estimate.interval_kind == "prediction-powered" and not estimate.is_ranked


def test_an_override_of_a_yes_or_no_flips_the_answer_that_every_metric_counts(client: Client) -> None:
    revision = make_board("coin_flip", {"default": 12}, answers=("YES", "NO"))
    run = make_bare_run(revision, "Flipper")
    give_all(run, [1.0] * 12, answers=["YES", "NO"] * 6)
    boss = make_user("boss", "maintainer")
    judgments = list(Judgment.objects.filter(reply__run=run).order_by("reply__problem__pk"))
    override(judgments[1], 0.0, boss)  # it said NO, and that was right: so it had said YES
    rebuild_board(revision.pk, "test", from_scratch=True)

    def value(metric: str) -> float | None:
        return headline(run, "effective", metric).value

    assert value("accuracy") == pytest.approx(11 / 12)
    assert value("precision") == pytest.approx(6 / 7) and value("recall") == 1.0
    assert value("f1_score") == pytest.approx(12 / 13) and value("yes_ratio") == pytest.approx(7 / 12)
    override(judgments[0], 0.0, boss)  # it said YES: so it had said NO
    rebuild_board(revision.pk, "test", from_scratch=True)
    assert value("recall") == pytest.approx(5 / 6) and value("yes_ratio") == pytest.approx(6 / 12)
    assert headline(run, metric="f1_score").value == 1.0
    page = client.get("/b/coin_flip/").content.decode()
    row = page[page.index("/m/flipper/") :]
    shown = re.findall(r'<small class="muted[^"]*"[^>]*title="after review">([^<]+)</small>', row[: row.index("</tr>")])
    assert shown[0] == "0.833" and len(shown) == 4, "beside F1, accuracy, precision and recall"
