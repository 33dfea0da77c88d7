"""Words of people and judges are typeset wherever they are read: mathematics, Markdown, nothing hostile."""

from __future__ import annotations

import json
import re
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from arena.models import Criterion, CriterionScore, Erratum, JudgeReply, Policy, ReviewItem, VoteExclusion
from arena.review_parts import parts_to_decide
from arena.services.errata import decide_erratum, report_erratum
from arena.services.review_claims import claim_item
from arena.services.review_desk import submit_review
from arena.services.review_queue import add_reason
from tests.arena.reviews.scenes import decide_all, make_people
from tests.factories import make_cast, make_user
from tests.leaderboard.replies.scenes import add_reply, make_own_problem, make_run, mark_steps
from tests.site.scene import build_scene

pytestmark = pytest.mark.django_db
WORDS = "**Wrong**: $x^2$ <b onclick=go()>no</b>"


def signed_in(name: str, *roles: str) -> Client:
    client = Client()
    client.force_login(make_user(name, *roles))
    return client


def is_typeset(html: str, times: int = 1) -> bool:
    """Whether the words stand there so often as they are meant, and never as they were typed."""
    found = len(re.findall(r"<strong>Wrong</strong>: <math>.*?&lt;b onclick=go\(\)&gt;no", html, re.DOTALL))
    return found == times and "**Wrong**" not in html


@pytest.fixture
def item() -> ReviewItem:
    """An item with one criterion, which two reviewers saw differently; the judge has said why, too."""
    problem = make_own_problem("A question.", max_points=Decimal(1))
    Criterion.objects.create(problem=problem, scheme=0, position=0, text="States it.", max_points=Decimal(1))
    reply = add_reply(make_run("Alpha"), problem, "The energy is $E = mc^2$.")
    mark_steps(reply, {"s0c0": "$E = mc^2$"}, reason=WORDS)
    item = add_reason(reply, reply.run.scorer, Policy.REPORTED, WORDS, needed=2)
    for person, share in zip(make_people("ada", "ben"), ("0", "1"), strict=True):
        claim_item(person, item)
        submit_review(person, item, decide_all(item, share, WORDS))
    item.refresh_from_db()
    assert item.state == ReviewItem.State.DISPUTED
    return item


def test_opinions_are_typeset_for_who_settles_them(item: ReviewItem) -> None:
    page = signed_in("sam", "maintainer").get(reverse("review-item", args=[item.uuid])).content.decode()
    assert is_typeset(page, 2)


def test_reasons_are_typeset_once_the_item_is_decided(item: ReviewItem) -> None:
    client = signed_in("sam", "maintainer")
    (part,) = parts_to_decide(item)
    form = {f"points-{part.key}": "1", f"reason-{part.key}": WORDS}
    client.post(reverse("review-settle", args=[item.uuid]), form)
    page = client.get(reverse("review-item", args=[item.uuid])).content.decode()
    assert is_typeset(page, 5)  # what was reported, the judge, both reviewers, the adjudicator
    history = client.get(reverse("reply", args=[item.reply.uuid])).content.decode().partition('class="history"')[2]
    assert is_typeset(history.partition("</ol>")[0], 3)


def test_claims_against_a_reference_are_typeset_in_their_list(item: ReviewItem) -> None:
    people = make_cast()
    report_erratum(people["reviewer"], item.reply.problem, WORDS)
    decide_erratum(people["maintainer"], Erratum.objects.get(), Erratum.State.ACCEPTED, WORDS)
    assert is_typeset(Client().get(reverse("review-errata")).content.decode(), 2)


def test_opinions_of_judges_are_typeset_on_the_reply(item: ReviewItem) -> None:
    score = CriterionScore.objects.get()
    verdict = json.dumps({"error_class": "symbolic", "evidence": "$E = mc^2$", "reason": WORDS})
    JudgeReply.objects.create(
        reply=item.reply,
        judge=score.judgment.scorer.judges.get(),
        purpose="error_class",
        target="",
        request_digest="x",
        text=verdict,
    )
    page = Client().get(reverse("reply", args=[item.reply.uuid])).content.decode()
    opinion = page.partition('class="opinion"')[2].partition("</section>")[0]
    assert is_typeset(opinion) and re.search(r'class="citation"[^>]*><p.*?“<math>', opinion), opinion


def test_reasons_of_exclusions_are_typeset() -> None:
    scene = build_scene()
    vote = VoteExclusion.objects.first()
    assert vote is not None
    VoteExclusion.objects.create(vote=vote.vote, reason=WORDS, is_excluded=True, by=scene.people["maintainer"])
    client = Client()
    client.force_login(scene.people["maintainer"])
    assert is_typeset(client.get(reverse("arena-voters")).content.decode())
