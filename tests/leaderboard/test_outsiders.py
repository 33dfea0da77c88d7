"""What outsiders must not learn or do, at the edges of pages that are public otherwise."""

from __future__ import annotations

import json

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from arena.errors import ImportRefused
from arena.models import (
    CallError,
    Judge,
    JudgeError,
    JudgeReply,
    Problem,
    Reply,
    RevisionProblem,
    Run,
    ScoreError,
    Withdrawal,
)
from arena.services.imports import import_predictions
from leaderboard.selectors.agreement import read_agreement
from leaderboard.selectors.runs import read_run
from tests.factories import import_samples, make_cast, make_user, run_inline
from tests.fake_llm import FakeLLM, say

pytestmark = pytest.mark.django_db


def test_an_owner_cannot_publish_a_run_that_was_cut_off(client: Client) -> None:
    import_samples()
    owner = make_cast()["submitter"]
    with FakeLLM([say("ANSWER: YES")]) as server:
        run = run_inline(server.base_url)
    Run.objects.filter(pk=run.pk).update(owner=owner, state=Run.State.CANCELLED, published_at=None)
    run.entrant.owner = owner
    run.entrant.save()
    client.force_login(owner)
    address = reverse("run-act", args=[run.uuid])
    for state, is_published in ((Run.State.CANCELLED, False), (Run.State.FINISHED, True)):
        Run.objects.filter(pk=run.pk).update(state=state)
        client.post(address, {"act": "publish"})
        run.refresh_from_db()
        assert (run.published_at is not None) is is_published, state


def test_a_withdrawn_reply_does_not_stand_side_by_side(client: Client) -> None:
    import_samples()
    with FakeLLM([say("the secret slipped out. ANSWER: YES")]) as server:
        runs = [run_inline(server.base_url, model=name) for name in ("One", "Two")]
    problem = RevisionProblem.objects.filter(revision=runs[0].revision, split=runs[0].split).first()
    address = f"/b/coin_flip/compare/?a=one&b=two&problem={problem.external_id}"
    assert client.get(address).content.decode().count("the secret slipped out") == 2
    reply = runs[0].replies.get(problem=problem.problem)
    Withdrawal.objects.create(reply=reply, reason="names a person")
    assert client.get(f"{address}&again").content.decode().count("the secret slipped out") == 1


def test_messages_of_an_endpoint_are_for_its_owner(client: Client) -> None:
    import_samples()
    owner = make_cast()["submitter"]
    with FakeLLM([say("ANSWER: YES")]) as server:
        run = run_inline(server.base_url)
    Run.objects.filter(pk=run.pk).update(owner=owner)
    run.refresh_from_db()
    CallError.objects.create(
        run=run, problem=Problem.objects.first(), repeat=0, kind="timeout", message="No answer from secret.host:8000"
    )
    address = reverse("run", args=[run.uuid])
    assert "secret.host" not in client.get(address).content.decode()
    failures = read_run(run, make_user("stranger")).failures
    assert [(failure.kind, failure.message) for failure in (*failures.open, *failures.past)] == [("timeout", "")]
    client.force_login(owner)
    assert "secret.host" in client.get(address).content.decode()


def hosts_shown(client: Client, reply: Reply) -> str:
    """All that this client is told about a reply and its run, as one text."""
    names = ("reply", "reply-judging", "run", "run-costs")
    return "".join(
        client.get(reverse(name, args=[reply.run.uuid if name.startswith("run") else reply.uuid])).content.decode()
        for name in names
    )


def test_failures_of_judges_are_told_to_the_public_by_their_kind_alone(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        run = run_inline(server.base_url)
    run.owner, run.state, run.stop_reason = cast["submitter"], Run.State.FAILED, "the judge: no answer from a.inside:81"
    run.save()
    reply = run.replies.order_by("pk")[0]
    judge = Judge.objects.create(model="judge", digest="d" * 64, prompt_sha256="0" * 64)
    facts = {"reply": reply, "judge": judge, "purpose": "verdict", "request_digest": "r"}
    for number, kind in enumerate(("connection_refused", "connection_refused", "prose", "http_error")):
        message = f"{kind} at a.inside:82, 10.9.8.7"
        JudgeError.objects.create(**facts, attempt=number, kind=kind, message=message)
    JudgeReply.objects.create(**facts, attempt=3, text="502 Bad Gateway, proxy of a.inside:83")
    ScoreError.objects.create(reply=reply, scorer=run.scorer, kind="OSError", message="no file /srv/a.inside")
    shown = hosts_shown(client, reply)
    assert "a.inside" not in shown and "10.9.8.7" not in shown
    assert "connection_refused × 2" in shown and "prose" in shown and "OSError" in shown
    for person in ("submitter", "maintainer"):
        client.force_login(cast[person])
        told = hosts_shown(client, reply)
        assert all(words in told for words in ("a.inside:81", "10.9.8.7", "a.inside:83", "/srv/a.inside")), person
    client.force_login(make_user("stranger"))
    assert "a.inside" not in hosts_shown(client, reply)


def test_one_uploaded_line_does_not_plan_a_thousand_sittings() -> None:
    import_samples()
    entry = RevisionProblem.objects.exclude(split="validation").first()
    line = json.dumps({"id": entry.external_id, "reply": "ANSWER: YES", "repeat": 999}).encode()
    with pytest.raises(ImportRefused, match="at most 63"):
        import_predictions(line, "a.jsonl", benchmark="coin_flip", model="M", owner=make_user("one"), inline=False)
    assert not Run.objects.exists()


def test_made_up_samples_share_one_stored_agreement(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    cache.clear()
    read_agreement("", "")
    with django_assert_max_num_queries(5):
        read_agreement("", "made-up-1")


def test_a_reader_cannot_flood_the_queue_with_reports() -> None:
    from arena.errors import Refused
    from arena.models import Erratum, Problem
    from arena.services.errata import report_erratum

    import_samples("coin_flip")
    cast = make_cast()
    problem = Problem.objects.all()[0]
    for _ in range(20):
        report_erratum(cast["submitter"], problem, "The coin is still heads up.")
    with pytest.raises(Refused):
        report_erratum(cast["submitter"], problem, "And again.")
    report_erratum(cast["reviewer"], problem, "Seen by a reviewer.")
    assert Erratum.objects.count() == 21


@pytest.mark.django_db
def test_a_body_without_end_is_refused_before_a_byte_is_spooled(client: Client) -> None:
    length = str(129 * 2**20)
    answer = client.post("/accounts/login/", {"login": "x"}, CONTENT_LENGTH=length)
    assert answer.status_code == 400 and b"cannot be read" in answer.content
