"""What enters the review queue by itself: lost quotes and zeros of our making, whenever and by whom they are judged."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from arena.models import Judgment, Reply, ReviewItem, Run
from arena.services.doubts import queue_doubts
from arena.services.publishing import publish_run
from arena.services.rescoring import rejudge_run
from tests.arena.judging.court import finish_run, judged_run, play, start_run, verdict
from tests.arena.judging.test_rescoring import buying, new_scorer
from tests.arena.reviews.scenes import make_run
from tests.factories import import_samples
from tests.fake_llm import Answer, FakeLLM, FakeRequest, say

pytestmark = pytest.mark.django_db


def quote(words: str) -> Callable[[FakeRequest], Answer]:
    """A script in which the judge `judge-new` rests every point on these words."""
    honest = play(1.0)

    def answer(request: FakeRequest) -> Answer:
        if not request.json["model"].startswith("judge-new"):
            return honest(request)
        body = verdict(request.prompt, 1.0)
        for one in body.get("criteria", [body]):
            one["evidence"] = words
        return say(json.dumps(body))

    return answer


def test_quotes_lost_when_replies_are_judged_again_are_queued_too() -> None:
    import_samples("hipho")
    with FakeLLM(quote("words that the reply does not hold")) as server:
        run = judged_run(server)
        assert not ReviewItem.objects.exists(), "the first judge quoted what is there"
        scorer = new_scorer()
        rejudge_run(run, scorer, buying(server, scorer), inline=True)
        n_steps = Judgment.objects.filter(scorer=scorer, level="step").count()
        items = ReviewItem.objects.filter(scorer=scorer)
        assert items.count() == n_steps > 0
        assert {(item.needed, item.reasons.get().policy) for item in items} == {(1, "low_confidence")}
        rejudge_run(run, scorer, buying(server, scorer), inline=True)
        assert ReviewItem.objects.count() == n_steps, "a second time changes nothing"


def test_zero_of_an_unreadable_answer_waits_for_a_person_once_the_run_has_ended() -> None:
    import_samples("phybench")
    unreadable = "$\\boxed{\\frac{a}{}}+)$"
    with FakeLLM(play(reply=unreadable)) as server:
        run = finish_run(start_run(server, "phybench", judges=()))
    zeros = Judgment.objects.filter(reply__run=run, status="unparseable", points=0)
    assert zeros.exists()
    items = ReviewItem.objects.filter(reply__run=run)
    assert {item.reply_id for item in items} == set(zeros.values_list("reply_id", flat=True))
    assert {item.reasons.get().detail for item in items} == {"unparseable"}


def late_reply(run: Run, status: str) -> Reply:
    problem = run.replies.order_by("pk")[0].problem
    reply = Reply.objects.create(run=run, problem=problem, repeat=1, text="9^9^9")
    Judgment.objects.create(reply=reply, scorer=run.scorer, level="answer", status=status, points=0, max_points=1)
    return reply


@pytest.mark.parametrize(("status", "n"), [("timeout", 1), ("unparseable", 1), ("no_answer", 0), ("cut", 0)])
def test_only_zeros_that_may_be_our_failure_are_queued(status: str, n: int) -> None:
    run = make_run(benchmark="coin_flip")
    reply = late_reply(run, status)
    assert queue_doubts(run).new == n
    assert list(ReviewItem.objects.values_list("reply_id", flat=True)) == [reply.pk] * n


def test_zeros_of_a_private_run_wait_until_it_is_published() -> None:
    run = make_run(benchmark="coin_flip", is_published=False)
    late_reply(run, "timeout")
    assert queue_doubts(run).new == 0
    publish_run(run, inline=True)
    assert ReviewItem.objects.get().reasons.get().detail == "timeout"
