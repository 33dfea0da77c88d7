"""Leases, resuming, cancelling: the run's state is in the database and nowhere else."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.llm.client import ChatClient
from arena.models import CallError, Judgment, Reply, Run, RunSlice
from arena.services import engine, runs
from arena.services.engine import advance_run, claim
from arena.services.runs import Credentials, RunRequest, cancel_run, create_run, reopen_run
from arena.services.samples import read_progress
from tests.factories import import_samples, make_cast, make_user, run_inline
from tests.fake_llm import Answer, FakeLLM, FakeRequest, fail, say

pytestmark = pytest.mark.django_db


def queued_run(url: str) -> Run:
    import_samples("coin_flip")
    request = RunRequest(benchmark="coin_flip", model="Tester", base_url=url)
    return create_run(request, Credentials(), keep_keys=False)


def test_two_slices_never_hold_the_same_sample() -> None:
    run = queued_run("http://127.0.0.1:9/v1")
    first = claim(run)
    assert first is not None and len(first.samples) == 20
    assert claim(run) is None


def test_expired_lease_is_taken_up_again() -> None:
    run = queued_run("http://127.0.0.1:9/v1")
    first = claim(run)
    assert first is not None
    RunSlice.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    Run.objects.update(created_at=timezone.now() - timedelta(seconds=10))
    assert runs.lost_runs() == [run.pk]
    second = claim(run)
    assert second is not None and second.samples == first.samples


def test_run_that_somebody_works_on_is_not_lost() -> None:
    run = queued_run("http://127.0.0.1:9/v1")
    Run.objects.update(created_at=timezone.now() - timedelta(seconds=10))
    claim(run)
    assert runs.lost_runs() == []


def test_resuming_asks_only_what_is_missing_and_keeps_the_rest() -> None:
    import_samples("coin_flip")
    with FakeLLM([say("ANSWER: YES")]) as server:
        run = run_inline(server.base_url)
        assert run.state == Run.State.FINISHED and len(server.requests) == 20
        reopen_run(run)
        advance_run(run.pk, credentials=Credentials(), inline=True)
        assert len(server.requests) == 20
    assert Reply.objects.count() == 20 and Judgment.objects.count() == 20


def test_failed_samples_are_tried_again_in_the_next_round_only() -> None:
    import_samples("coin_flip")
    broken = {"is": True}

    def script(request: FakeRequest) -> Answer:
        return fail(400) if broken["is"] else say("ANSWER: NO")

    with FakeLLM(script) as server:
        run = run_inline(server.base_url, concurrency=4)
        asked = len(server.requests)
        assert read_progress(run).scored == 0 and CallError.objects.filter(is_final=True).count() == asked
        broken["is"] = False
        run = reopen_run(run)
        assert run.round == 2
        advance_run(run.pk, credentials=Credentials(), inline=True)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED and read_progress(run).scored == 20


def test_cancelled_run_keeps_what_is_done_and_takes_no_more() -> None:
    run = queued_run("http://127.0.0.1:9/v1")
    cancel_run(run)
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    assert advance_run(run.pk) is False


def test_token_budget_stops_the_run_with_its_reason() -> None:
    import_samples("coin_flip")
    with FakeLLM(
        [say("ANSWER: YES", usage={"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 200})]
    ) as server:
        run = run_inline(server.base_url, concurrency=2, budget={"tokens": 900})
    assert run.state == Run.State.CANCELLED and "budget" in run.stop_reason
    assert 4 <= Reply.objects.count() <= 8


@pytest.mark.parametrize("act", ["update", "delete"])
def test_truth_takes_no_change_and_no_deletion(act: str) -> None:
    import_samples("coin_flip")
    with FakeLLM([say("ANSWER: YES")]) as server:
        run_inline(server.base_url)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Reply.objects.update(text="better") if act == "update" else Judgment.objects.all()._raw_delete("default")


def test_nul_bytes_and_lone_surrogates_of_a_reply_can_be_stored() -> None:
    import_samples("coin_flip")
    with FakeLLM([say("a\u0000b \ud800 ANSWER: YES")]) as server:
        run = run_inline(server.base_url)
    assert read_progress(run).scored == 20


def test_tries_that_are_left_at_the_end_of_a_slice_are_the_next_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    import_samples("coin_flip")
    monkeypatch.setattr(ChatClient, "_wait_s", lambda *_: 0.0)
    with FakeLLM([fail(500)]) as server:
        # A slice that is over as soon as it has asked once.
        monkeypatch.setattr(engine.Work, "is_over", lambda work: len(server.requests) > sum(work.tried.values()))
        request = RunRequest(benchmark="coin_flip", model="Tester", base_url=server.base_url, limit=1)
        run = create_run(request, Credentials(), keep_keys=False)
        assert [advance_run(run.pk) for _ in range(6)] == [True] * 5 + [False]
        assert len(server.requests) == 6, "as many tries as one slice has"
    attempts = CallError.objects.order_by("pk").values_list("attempt", "is_final")
    assert list(attempts) == [(1, False), (2, False), (3, False), (4, False), (5, False), (6, True)]
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED and read_progress(run).failed == 1


def test_runs_of_one_person_take_turns_and_nobody_else_waits() -> None:
    import_samples("coin_flip")
    cast, other = make_cast(), make_user("other")
    request = RunRequest(benchmark="coin_flip", model="Tester", base_url="http://127.0.0.1:9/v1")

    def queue(owner: object) -> Run:
        return create_run(request, Credentials(), owner=owner)  # type: ignore[arg-type]

    first, second, third = (queue(cast["submitter"]) for _ in range(3))
    held = claim(first)
    assert held is not None and claim(second) is None
    assert runs.waits_for_turn(second) and runs.next_in_turn(second.pk) == []
    for free in (other, cast["maintainer"], cast["maintainer"], None, None):
        assert claim(queue(free)) is not None
    RunSlice.objects.filter(pk=held.lease).delete()
    assert runs.next_in_turn(first.pk) == [second.pk, third.pk] and claim(second) is not None
