"""A private run is told to its owner alone, on whatever page, and through no page that was stored for somebody else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from arena.models import Run, Submission
from leaderboard.page_store import store
from leaderboard.standings import rebuild_board
from tests.leaderboard.replies.scenes import add_reply, make_run, mark_answers, mark_steps
from tests.site.scene import Scene, build_scene
from tests.site.test_every_address import body_of, client_of, every_address

pytestmark = pytest.mark.django_db

NAME, WORDS = "Quagga-77", "zebrawords4711"


@pytest.fixture(autouse=True)
def stored_pages(settings: Any) -> Iterator[None]:
    settings.STORED_PAGES_S = 0.0
    store.clear()
    yield
    store.clear()


@pytest.fixture
def scene() -> Scene:
    """The whole site; its reply and submission are those of the private run."""
    scene = build_scene()
    run = make_run(NAME, is_published=False)
    owner = scene.people["submitter"]
    submission = Submission.objects.create(entrant=run.entrant, owner=owner, state="finished")
    Run.objects.filter(pk=run.pk).update(submission=submission, owner=owner, planned=1)
    reply = add_reply(run, scene.reply.problem, f"It is {WORDS}.", reasoning=WORDS)
    mark_steps(reply, {"s0c0": WORDS}, share=Decimal(1), reason=WORDS)
    mark_answers(reply, WORDS, share=Decimal(1))
    rebuild_board(run.revision_id, "test")
    return replace(scene, reply=reply, submission=submission)


def places_that_tell(scene: Scene, who: str | None, places: list[str]) -> list[str]:
    client = client_of(scene, who)
    bodies = {place: body_of(client.get(place)) for place in places}
    return [place for place, body in bodies.items() if NAME in body or WORDS in body]


def test_a_private_run_is_told_to_its_owner_alone(scene: Scene) -> None:
    own = places_that_tell(scene, "submitter", every_address(scene))
    assert len(own) >= 6
    assert places_that_tell(scene, "stranger", own) == []
    assert places_that_tell(scene, None, own) == []
