"""What the pages of a run say and offer: nothing scored, stopped, tried again, on older data."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from arena.errors import Refused
from arena.models import Run
from arena.services import submissions
from arena.services.engine import claim
from arena.services.publishing import publish_run
from arena.services.runs import cancel_run
from leaderboard.models import Standing
from tests.factories import import_samples, make_cast, run_inline
from tests.fake_llm import Answer, FakeLLM, FakeRequest, fail, say
from tests.leaderboard.submissions.test_stories import act, client_page, finish, submit

pytestmark = pytest.mark.django_db


def words(page: str) -> str:
    """The page's text as a reader sees it."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_command_whose_calls_all_fail_makes_no_public_row(client: Client) -> None:
    import_samples()
    with FakeLLM([fail(400)]) as server:
        run = run_inline(server.base_url, limit=2)
    assert run.state == "finished" and run.published_at is None
    assert not Standing.objects.filter(run=run).exists()
    assert client.get(f"/runs/{run.uuid}/").status_code == 404
    client.force_login(make_cast()["maintainer"])
    page = client.get(f"/runs/{run.uuid}/").content.decode()
    assert 'value="publish"' not in page, "there is nothing to show"


def test_one_scored_sample_is_enough(client: Client) -> None:
    import_samples()
    answers = iter([fail(400)])
    with FakeLLM(lambda request: next(answers, say("ANSWER: YES"))) as server:
        run = run_inline(server.base_url, limit=2)
    assert run.replies.count() == 1 and run.published_at is not None
    assert client.get(f"/runs/{run.uuid}/").status_code == 200


def test_run_without_a_score_is_not_published_by_anybody(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([fail(400)]) as server:
        submission = submit(cast["submitter"], server, limit=3)
        run = finish(submission)
    page = client_page(client, cast["submitter"], submission)
    assert 'value="publish"' not in page and "Nothing of this run is scored" in page and "Point estimates" not in page
    with pytest.raises(Refused, match="nothing to publish"):
        publish_run(run)
    assert act(client, cast["maintainer"], submission, "publish") == 302
    run.refresh_from_db()
    assert run.published_at is None


def test_maintainer_sees_and_withdraws_what_a_command_made(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        run = run_inline(server.base_url, model="By hand")
    client.force_login(cast["submitter"])
    assert "By hand" not in client.get("/submissions/").content.decode()
    assert 'value="withdraw"' not in client.get(f"/runs/{run.uuid}/").content.decode()
    assert client.post(f"/runs/{run.uuid}/act/", {"act": "withdraw", "reason": "spite"}).status_code == 403
    client.force_login(cast["maintainer"])
    page = client.get("/submissions/").content.decode()
    assert f"/runs/{run.uuid}/" in page and "(by command)" in page and "All runs" in page
    assert 'value="withdraw"' in client.get(f"/runs/{run.uuid}/").content.decode()
    client.post(f"/runs/{run.uuid}/act/", {"act": "withdraw", "reason": "  "})
    assert not run.withdrawals.exists()
    answer = client.post(f"/runs/{run.uuid}/act/", {"act": "withdraw", "reason": "wrong checkpoint"}, follow=True)
    assert "wrong checkpoint" in answer.content.decode() and "withdrawn" in words(
        client.get("/submissions/").content.decode()
    )
    assert not Standing.objects.filter(run=run).exists()


def test_cancel_that_comes_too_late_says_so(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
        run = finish(submission)
    client.force_login(cast["submitter"])
    for address in (f"/submissions/{submission.uuid}/act/", f"/runs/{run.uuid}/act/"):
        page = client.post(address, {"act": "cancel"}, follow=True).content.decode()
        assert "had ended already" in page and "is cancelled" not in page, address
    run.refresh_from_db()
    assert run.state == "finished" and not cancel_run(run)


def test_page_asks_for_its_live_part_alone_and_tells_failures_meanwhile(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([fail(400, "this model is asleep")]) as server:
        submission = submit(cast["submitter"], server, limit=3)
        page = client_page(client, cast["submitter"], submission)
        assert 'data-poll="?part=progress"' in page
        run = finish(submission)
        Run.objects.filter(pk=run.pk).update(state="running", finished_at=None)
    part = client.get(f"/submissions/{submission.uuid}/?part=progress").content.decode()
    assert "<h1" not in part and "data-poll" in part and "this model is asleep" in part
    share = submissions.make_share_token(submission)
    client.logout()
    part = client.get(f"/submissions/{submission.uuid}/?share={share}&part=progress").content.decode()
    assert "data-poll" in part and "asleep" not in part and "bad_request" not in part
    assert f'data-poll="?share={quote(share)}&amp;part=progress"' in part


def test_failures_that_a_retry_made_good_become_history(client: Client) -> None:
    import_samples()
    cast = make_cast()
    good = "sk-good-key-1234"

    def answer(request: FakeRequest) -> Answer:
        return say("ANSWER: YES") if request.key == good else fail(401)

    with FakeLLM(answer) as server:
        submission = submit(cast["submitter"], server, limit=3)
        finish(submission)
        page = words(client_page(client, cast["submitter"], submission))
        assert "Failures Kind Samples" in page and "unauthorized 3" in page and "made good" not in page
        act(client, cast["submitter"], submission, "retry", api_key=good)
        finish(submission)
    page = words(client_page(client, cast["submitter"], submission))
    assert "Failures Kind" not in page and "Failures that a later try made good Kind Tries" in page
    assert "unauthorized 3" in page


def test_judge_failures_close_when_a_verdict_comes(client: Client) -> None:
    from arena.failures import read_failures
    from arena.models import JudgeError, ScoreError

    import_samples()
    with FakeLLM([say("ANSWER: YES")]) as server:
        run = run_inline(server.base_url, limit=1)
    reply = run.replies.get()
    judge = _judge()
    JudgeError.objects.create(reply=reply, judge=judge, purpose="answer", kind="timeout", message="late")
    JudgeError.objects.create(reply=reply, judge=judge, purpose="criterion", kind="timeout", message="later")
    ScoreError.objects.create(reply=reply, scorer=run.scorer, kind="ValueError", message="after the judgment")
    found = read_failures(run, has_words=True)
    assert [(f.kind, f.n, f.message) for f in found.past] == [("timeout", 1, "late")]
    assert {(f.kind, f.message) for f in found.open} == {("timeout", "later"), ("ValueError", "after the judgment")}
    assert {f.message for f in read_failures(run, has_words=False).open} == {""}


def _judge():  # type: ignore[no-untyped-def]
    from arena.models import Judge

    return Judge.objects.create(model="judge-x", digest="d" * 64, prompt_sha256="p" * 64)


def test_stopped_run_goes_on_and_says_what_that_costs(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
        act(client, cast["submitter"], submission, "cancel")
        page = words(client_page(client, cast["submitter"], submission))
        assert "Go on with the run" in page and "Try the failed" not in page and "one more of the day's runs" in page
        assert act(client, cast["submitter"], submission, "retry") == 302
        assert finish(submission).replies.count() == submission.runs.get().planned


def test_retry_with_a_refused_key_starts_nothing_unless_somebody_insists(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([fail(401)]) as server:
        submission = submit(cast["submitter"], server, limit=3)
        run = finish(submission)
        client.force_login(cast["submitter"])
        data = {"act": "retry", "api_key": "sk-still-wrong-1"}
        page = client.post(f"/submissions/{submission.uuid}/act/", data, follow=True).content.decode()
        run.refresh_from_db()
        assert run.round == 1 and "Nothing was started: The key was refused" in page and 'value="retry-anyway"' in page
        act(client, cast["submitter"], submission, "retry-anyway", api_key="sk-still-wrong-1")
        run.refresh_from_db()
        assert run.round == 2 and run.is_live


def test_run_on_older_data_says_where_it_stands(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
        run = finish(submission)
    revision = run.revision
    revision.benchmark.revisions.update(is_current=False)
    client.force_login(cast["submitter"])
    answer = client.post(f"/submissions/{submission.uuid}/act/", {"act": "publish"}, follow=True)
    page = answer.content.decode()
    assert "on the board of data sample" in words(page) and f"/b/coin_flip/?revision={revision.label}" in page
    assert f"/b/coin_flip/?revision={revision.label}" in client.get(f"/runs/{run.uuid}/").content.decode()


def test_running_run_says_when_its_endpoint_is_silent_and_the_next_one_that_it_waits(client: Client) -> None:
    import_samples()
    owner = make_cast()["submitter"]
    with FakeLLM() as server:
        first, second = submit(owner, server), submit(owner, server)
    claim(first.runs.get())
    assert "o reply has come" not in client_page(client, owner, first)
    Run.objects.filter(submission=first).update(started_at=timezone.now() - timedelta(minutes=3))
    assert "No reply has come for 180 s" in client_page(client, owner, first)
    page = client_page(client, owner, second)
    assert "Waiting for another run of the same person" in page and "left" not in words(page).partition("state")[0]
