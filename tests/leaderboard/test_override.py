"""A reviewer's override through the page moves the board, and nobody else can make one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from arena.models import AnswerScore, CriterionScore, Judgment, Review, Run
from arena.services.scorers import JudgeSpec
from leaderboard.models import Standing
from tests.factories import import_samples, make_cast, run_inline
from tests.fake_llm import Answer, FakeLLM, FakeRequest, say

pytestmark = pytest.mark.django_db


def play(request: FakeRequest) -> Answer:
    """A model that boxes 1, and a judge that gives nothing to anything."""
    if request.json["model"] == "judge":
        return say('{"awarded": 0, "correct": false, "evidence": "", "reason": "not shown"}')
    return say("<answer>[\\boxed{1}]</answer>")


@pytest.fixture
def run() -> Iterator[Run]:
    import_samples("hipho")
    with FakeLLM(play) as server:
        yield run_inline(
            server.base_url, "hipho", judges=(JudgeSpec("judge", server.base_url),), judge_base_url=server.base_url
        )


def sign_in(user: object) -> Client:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]
    return client


def effective_points(run: Run) -> float | None:
    return Standing.objects.get(run=run, metric="exam_score", basis="effective", subset__slug="overall").value


def machine_points(run: Run) -> float | None:
    return Standing.objects.get(run=run, metric="exam_score", basis="machine", subset__slug="overall").value


def test_override_of_one_criterion_moves_the_corrected_number_and_keeps_the_machines(run: Run) -> None:
    cast = make_cast()
    before, machine = effective_points(run), machine_points(run)
    part = CriterionScore.objects.select_related("criterion", "judgment__reply").first()
    assert part is not None and part.points == 0
    client = sign_in(cast["reviewer"])
    url = reverse("review-criterion", args=[part.pk])
    response = client.post(url, {"points": str(part.criterion.max_points), "reason": "It is in line 2."}, follow=True)
    assert response.status_code == 200
    assert before is not None and effective_points(run) == pytest.approx(before + float(part.criterion.max_points))
    assert machine_points(run) == machine
    assert b"It is in line 2." in response.content
    part.refresh_from_db()
    assert part.points == 0  # the machine's verdict stays


@pytest.mark.parametrize(
    ("points", "reason", "field"),
    [("99", "more", "points"), ("-1", "less", "points"), ("x", "?", "points"), ("0.1", " ", "reason")],
)
def test_override_out_of_bounds_or_without_reason_is_refused(run: Run, points: str, reason: str, field: str) -> None:
    part = CriterionScore.objects.all()[0]
    client = sign_in(make_cast()["reviewer"])
    response = client.post(
        reverse("review-criterion", args=[part.pk]), {"points": points, "reason": reason}, follow=True
    )
    assert field.encode() in response.content and not Review.objects.exists()


@pytest.mark.parametrize("who", ["submitter", "visitor"])
def test_only_reviewers_may_override(run: Run, who: str) -> None:
    cast = make_cast()
    client = Client() if who == "visitor" else sign_in(cast[who])
    part = AnswerScore.objects.all()[0]
    response = client.post(reverse("review-answer", args=[part.pk]), {"points": "0", "reason": "no"})
    assert response.status_code == (302 if who == "visitor" else 403)
    assert not Review.objects.exists()


def test_visitor_sees_no_review_form(run: Run) -> None:
    reply = Judgment.objects.all()[0].reply
    page = Client().get(reverse("reply", args=[reply.uuid])).content
    assert b'<form class="override"' not in page
