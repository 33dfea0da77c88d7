"""Who may see, stop, retry and publish what: stories of the cast and a second submitter."""

from __future__ import annotations

import re
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from arena.errors import Refused
from arena.models import Entrant, QuotaEntry, Run, Submission, User
from arena.services import quotas, submissions
from arena.services.engine import advance_run
from arena.services.people import close_account
from arena.services.runs import Credentials, RunRequest
from arena.services.submissions import NotAllowed
from leaderboard.models import Standing
from tests.factories import import_samples, make_cast, make_user
from tests.fake_llm import Answer, FakeLLM, FakeRequest, fail, say

pytestmark = pytest.mark.django_db


def submit(owner: User, server: FakeLLM, model: str = "Aurora-2", **choices: object) -> Submission:
    request = RunRequest(benchmark="coin_flip", model=model, base_url=server.base_url, **choices)  # type: ignore[arg-type]
    return submissions.submit(request, Credentials("sk-story-key-123"), owner)


def finish(submission: Submission) -> Run:
    run = submission.runs.get()
    while advance_run(run.pk):
        pass
    run.refresh_from_db()
    submission.refresh_from_db()
    return run


def act(client: Client, user: User, submission: Submission, name: str, **data: str) -> int:
    client.force_login(user)
    return client.post(f"/submissions/{submission.uuid}/act/", {"act": name, **data}).status_code


def test_private_submission_is_seen_by_its_owner_and_maintainers_alone(client: Client) -> None:
    import_samples()
    cast, stranger = make_cast(), make_user("stranger")
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
        run = finish(submission)
    pages = (f"/submissions/{submission.uuid}/", f"/runs/{run.uuid}/", f"/replies/{run.replies.first().uuid}/")
    for person, seen in ((cast["submitter"], True), (cast["maintainer"], True), (stranger, False), (None, False)):
        client.force_login(person) if person else client.logout()
        for page in pages:
            assert (client.get(page).status_code == 200) is seen, (person, page)
    assert client.get("/m/aurora-2/").status_code == 404, "not even the name is told"
    assert not Standing.objects.filter(run=run).exists()
    assert "Aurora-2" not in client.get("/b/coin_flip/").content.decode()


def test_owner_publishes_their_own_model(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
        run = finish(submission)
    assert act(client, cast["submitter"], submission, "publish") == 302
    submission.refresh_from_db()
    run.refresh_from_db()
    assert run.published_at is not None and submission.visibility == "published"
    client.logout()
    assert client.get(f"/runs/{run.uuid}/").status_code == 200
    board = client.get("/b/coin_flip/").content.decode()
    assert "Aurora-2" in board and "sample set" in board


def test_model_belongs_to_who_brought_it_first_and_others_need_a_maintainer(client: Client) -> None:
    import_samples()
    cast, second = make_cast(), make_user("second")
    with FakeLLM([say("ANSWER: YES")]) as server:
        finish(submit(cast["submitter"], server))
        later = submit(second, server, model=" aurora-2 ")
        run = finish(later)
    assert Entrant.objects.get(name="Aurora-2").owner == cast["submitter"] and run.entrant.name == "Aurora-2"
    assert act(client, second, later, "publish") == 403
    assert act(client, cast["submitter"], later, "publish") == 404, "the model's owner does not even see it"
    assert "maintainer publishes" in client_page(client, second, later)
    assert act(client, cast["maintainer"], later, "publish") == 302
    client.logout()
    assert "(by second)" in client.get("/b/coin_flip/").content.decode()


def client_page(client: Client, user: User, submission: Submission) -> str:
    client.force_login(user)
    return client.get(f"/submissions/{submission.uuid}/").content.decode()


def test_stranger_can_do_nothing_to_a_published_run(client: Client) -> None:
    import_samples()
    cast, stranger = make_cast(), make_user("stranger")
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
        finish(submission)
    submissions.publish(submission, cast["submitter"])
    page = client_page(client, stranger, submission)
    assert "/act/" not in page and "Cost" not in page and server.base_url.split("/")[2] not in page
    for name in ("cancel", "retry", "withdraw", "publish"):
        assert act(client, stranger, submission, name, reason="spite") == 403, name
    assert act(client, cast["submitter"], submission, "explode") == 404
    client.logout()
    assert client.post(f"/submissions/{submission.uuid}/act/", {"act": "withdraw"}).status_code == 302


def test_running_submission_is_not_published(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
        with pytest.raises(Refused, match="finished"):
            submissions.publish(submission, cast["maintainer"])
        assert act(client, cast["submitter"], submission, "cancel") == 302
    run = submission.runs.get()
    assert run.state == "cancelled" and run.endpoint.key_ciphertext == ""
    submission.refresh_from_db()
    assert submission.state == "cancelled"


def test_retry_asks_for_the_key_again_and_keeps_what_is_done(client: Client) -> None:
    import_samples()
    cast = make_cast()
    seen: list[str] = []

    def answer(request: FakeRequest) -> Answer:
        seen.append(request.key)
        return fail(400) if len(seen) <= 2 else say("ANSWER: YES")

    with FakeLLM(answer) as server:
        submission = submit(cast["submitter"], server, limit=5)
        run = finish(submission)
        done = run.replies.count()
        assert done == 3 and run.endpoint.key_ciphertext == ""
        page = client_page(client, cast["submitter"], submission)
        assert 'name="api_key"' in page and "asked for again" in page
        assert act(client, cast["submitter"], submission, "retry", api_key="sk-second-key-456") == 302
        run = finish(submission)
    assert run.replies.count() == 5 and len(seen) == 8, "the two that failed, and one call to see whether it answers"
    assert set(seen[5:]) == {"sk-second-key-456"}
    assert run.endpoint.key_ciphertext == ""


def test_shared_link_reads_and_changes_nothing(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
        other = submit(cast["submitter"], server, model="Other")
    page = client_page(client, cast["submitter"], submission)
    address = re.search(rf"/submissions/{submission.uuid}/\?share=[\w:.-]+", page)[0]
    client.logout()
    page = client.get(address).content.decode()
    assert "Aurora-2" in page and "/act/" not in page and "127.0.0.1" not in page
    assert "shared by a link" in page and "only you" not in page
    stolen = f"/submissions/{other.uuid}/?share={submissions.make_share_token(submission)}"
    assert client.get(stolen).status_code == 404
    assert client.get(f"/submissions/{submission.uuid}/?share=x").status_code == 404


def test_shared_link_ends_when_it_is_made_void_when_it_is_old_and_when_its_owner_leaves(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_samples()
    cast, stranger = make_cast(), make_user("stranger")
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
    visitor, path = Client(), f"/submissions/{submission.uuid}/?share="
    first = path + submissions.make_share_token(submission)
    assert visitor.get(first).status_code == 200
    assert act(client, stranger, submission, "void-links") == 404
    assert act(client, cast["submitter"], submission, "void-links") == 302
    second = path + submissions.make_share_token(submission)
    assert [visitor.get(address).status_code for address in (first, second)] == [404, 200]
    then = time.time() - timedelta(days=31).total_seconds()
    with monkeypatch.context() as past:
        past.setattr("django.core.signing.time.time", lambda: then)
        old = path + submissions.make_share_token(submission)
    assert visitor.get(old).status_code == 404
    close_account(cast["submitter"])
    assert visitor.get(second).status_code == 404


def test_owner_reads_result_and_every_reply_before_publishing(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server, repeats=3)
        run = finish(submission)
    page = client_page(client, cast["submitter"], submission)
    assert "F1" in page and "0.667" in page and page.count("/replies/") == 50
    assert str(run.replies.first().uuid) in page and "?page=2" in page
    client.logout()
    shared = client.get(
        f"/submissions/{submission.uuid}/?share={submissions.make_share_token(submission)}"
    ).content.decode()
    assert "0.667" in shared and "/replies/" not in shared


def test_withdrawn_run_leaves_the_board_and_says_why(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
        run = finish(submission)
    submissions.publish(submission, cast["submitter"])
    assert Standing.objects.filter(run=run).exists()
    act(client, cast["submitter"], submission, "withdraw", reason="")
    assert not run.withdrawals.exists(), "a reason is needed"
    act(client, cast["submitter"], submission, "withdraw", reason="wrong checkpoint")
    assert not Standing.objects.filter(run=run).exists() and run.replies.exists()
    assert "wrong checkpoint" in client_page(client, cast["submitter"], submission)


def test_official_judge_is_not_for_submitters() -> None:
    import_samples()
    with FakeLLM([say("x")]) as server, pytest.raises(Refused):
        submit(make_cast()["submitter"], server, is_official_judge=True)


def test_runs_of_a_day_are_counted_and_maintainers_are_not(settings: object) -> None:
    import_samples()
    cast = make_cast()
    settings.QUOTA_RUNS_PER_DAY = 2  # type: ignore[attr-defined]
    with FakeLLM([say("ANSWER: YES")]) as server:
        for model in ("A", "B"):
            finish(submit(cast["submitter"], server, model=model))
        with pytest.raises(Refused, match="all 2 runs of today"):
            submit(cast["submitter"], server, model="C")
        assert not Entrant.objects.filter(name="C").exists(), "nothing is stored"
        for model in ("D", "E", "F"):
            submit(cast["maintainer"], server, model=model)


@pytest.mark.django_db(transaction=True)
def test_forms_sent_at_once_do_not_outrun_the_quota(settings: object) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite in memory is not shared between threads; its transactions exclude each other anyway")
    import_samples()
    owner = make_cast()["submitter"]
    settings.QUOTA_RUNS_PER_DAY = 2  # type: ignore[attr-defined]
    refused: list[str] = []

    def send(number: int) -> None:
        try:
            submit(owner, server, model=f"M{number}")
        except Refused as error:
            refused.append(str(error))
        finally:
            connection.close()

    with FakeLLM([say("ANSWER: YES")]) as server:
        threads = [threading.Thread(target=send, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert Run.objects.count() == 2 and len(refused) == 4
    assert all("00:00 UTC" in words for words in refused), "and each says when it may go on"


def test_run_that_got_nothing_is_given_back(settings: object) -> None:
    import_samples()
    cast = make_cast()
    settings.QUOTA_RUNS_PER_DAY = 1  # type: ignore[attr-defined]
    with FakeLLM([fail(401)]) as server:
        assert finish(submit(cast["submitter"], server)).state == "failed"
    assert quotas.read_allowance(cast["submitter"]).runs_left == 1
    with FakeLLM([say("ANSWER: YES")]) as server:
        finish(submit(cast["submitter"], server))
        assert quotas.read_allowance(cast["submitter"]).runs_left == 0


def test_replies_of_the_official_judge_are_counted_and_own_judges_are_not(settings: object) -> None:
    import_samples("phyx_oe")
    from arena.services.scorers import JudgeSpec

    cast = make_cast()
    settings.QUOTA_JUDGED_PER_DAY = 10  # type: ignore[attr-defined]
    with FakeLLM([say('{"verdict": true, "reason": "same"}')]) as server:
        official = RunRequest(
            benchmark="phyx_oe",
            model="M",
            base_url=server.base_url,
            judges=(JudgeSpec("judge-x", server.base_url),),
            judge_base_url=server.base_url,
            is_official_judge=True,
        )
        from arena.services.runs import create_run

        create_run(official, Credentials())
        ask = RunRequest(benchmark="phyx_oe", model="N", base_url=server.base_url)
        submissions.submit(ask, Credentials(), cast["submitter"])
        left = quotas.read_allowance(cast["submitter"]).judged_left
        n = Run.objects.get(entrant__name="N").planned
        assert left == 10 - n and n > 2
        with pytest.raises(Refused, match="official judge would grade"):
            submissions.submit(
                RunRequest(benchmark="phyx_oe", model="O", base_url=server.base_url, repeats=2),
                Credentials(),
                cast["submitter"],
            )
        own = RunRequest(
            benchmark="phyx_oe",
            model="P",
            base_url=server.base_url,
            judges=(JudgeSpec("mine", server.base_url),),
            judge_base_url=server.base_url,
        )
        submissions.submit(own, Credentials(), cast["submitter"])
        assert quotas.read_allowance(cast["submitter"]).judged_left == left
        submissions.cancel(Submission.objects.get(entrant__name="N"), cast["submitter"])
    assert quotas.read_allowance(cast["submitter"]).judged_left == 10, "what no judge saw is given back"
    assert QuotaEntry.objects.filter(amount__lt=0).exists()


def test_my_runs_lists_ones_own(client: Client) -> None:
    import_samples()
    cast, second = make_cast(), make_user("second")
    with FakeLLM([say("ANSWER: YES")]) as server:
        submit(cast["submitter"], server)
        submit(second, server, model="Borealis")
    client.force_login(second)
    page = client.get("/submissions/").content.decode()
    assert "Borealis" in page and "Aurora-2" not in page
    client.force_login(cast["maintainer"])
    page = client.get("/submissions/").content.decode()
    assert "Borealis" in page and "(by submitter)" in page


def test_list_of_runs_costs_the_same_for_one_and_for_ten(client: Client, django_assert_max_num_queries: object) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        for n in range(10):
            submit(cast["submitter"], server, model=f"M{n}")
    client.force_login(cast["submitter"])
    with django_assert_max_num_queries(12):  # type: ignore[operator]
        client.get("/submissions/")


def test_waiting_run_says_its_place_and_that_nobody_listens(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        first = submit(cast["submitter"], server)
        second = submit(cast["submitter"], server, model="Second")
    assert "Waiting for a worker" in client_page(client, cast["submitter"], first)
    assert "1 run is ahead of it" in client_page(client, cast["submitter"], second)
    Run.objects.update(created_at=timezone.now() - timezone.timedelta(seconds=60))
    assert "queue does not answer" in client_page(client, cast["submitter"], first)


def test_rate_limited_run_says_until_when(client: Client) -> None:
    import_samples()
    cast = make_cast()
    with FakeLLM([say("ANSWER: YES")]) as server:
        submission = submit(cast["submitter"], server)
    until = timezone.now() + timezone.timedelta(minutes=5)
    Run.objects.update(limited_until=until)
    assert f"Rate limited until {until:%H:%M}" in client_page(client, cast["submitter"], submission)


def test_only_owner_of_both_may_publish() -> None:
    import_samples()
    cast, second = make_cast(), make_user("second")
    with FakeLLM([say("ANSWER: YES")]) as server:
        finish(submit(cast["submitter"], server))
        later = submit(second, server)
        finish(later)
    with pytest.raises(NotAllowed):
        submissions.publish(later, second)
