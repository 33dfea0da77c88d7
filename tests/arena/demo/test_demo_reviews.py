"""The demo's review queue: a small random sample of what its judge graded, so that a first visit shows work."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.models import ReviewItem
from arena.services.demo import DEMO_SAMPLE, queue_demo_reviews
from tests.arena.reviews.scenes import make_run
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_each_judged_demo_run_has_a_small_random_sample_once() -> None:
    first = make_run("Demo Steady", organisation="Proctor demonstration")
    assert queue_demo_reviews() == DEMO_SAMPLE
    second = make_run("Demo Hasty", organisation="Proctor demonstration")
    assert (queue_demo_reviews(), queue_demo_reviews()) == (DEMO_SAMPLE, 0)
    items = ReviewItem.objects.all()
    assert {item.reply.run_id for item in items} == {first.pk, second.pk}
    assert {item.reasons.get().policy for item in items} == {"random"}
    assert all(0 < (item.inclusion_probability or 0) < 1 for item in items)


def test_what_no_judge_grades_and_nobody_may_see_is_not_queued() -> None:
    make_run("Demo Steady", "coin_flip")
    make_run("Demo Steady", is_published=False)
    make_run("Somebody's model")
    assert queue_demo_reviews() == 0


def test_reviewer_finds_work_on_the_first_visit() -> None:
    make_run("Demo Steady")
    queue_demo_reviews()
    client = Client()
    client.force_login(make_user("reviewer", "reviewer"))
    response = client.post("/review/claim/", follow=True)
    assert response.status_code == 200 and 'id="review-form"' in response.content.decode()
