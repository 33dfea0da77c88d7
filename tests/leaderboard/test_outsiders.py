"""What outsiders must not learn or do, at the edges of pages that are public otherwise."""

from __future__ import annotations

import json

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from arena.errors import ImportRefused
from arena.models import CallError, Problem, RevisionProblem, Run, Withdrawal
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
    assert client.post(address, {"act": "publish"}).status_code == 403
    Run.objects.filter(pk=run.pk).update(state=Run.State.FINISHED)
    assert client.post(address, {"act": "publish"}).status_code == 302


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
    assert read_run(run, make_user("stranger")).errors == (("timeout", 1, ""),)
    client.force_login(owner)
    assert "secret.host" in client.get(address).content.decode()


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
    with django_assert_max_num_queries(3):
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
