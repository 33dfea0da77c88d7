"""Pages about judges, scorers and costs: who sees what, who may change what."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from arena.llm.call import Target
from arena.models import (
    MAINTAINER,
    Answer,
    AuditEvent,
    Benchmark,
    CanaryReply,
    JudgeReply,
    JudgeSeat,
    Judgment,
    Reply,
    Run,
    Scorer,
)
from arena.opinions import read_opinion
from arena.services.canaries import check_leniency
from arena.services.catalog import get_adapter
from arena.services.judge_admin import add_judge, add_scorer, make_current
from arena.services.process_judge import judge_opinions
from arena.services.rescoring import rescore_run
from arena.services.scorers import JudgeSpec, vary_scorer
from leaderboard.selectors.scorer_compare import compare_scorers
from scoring.judge import Purpose
from tests.arena.judging.court import calls_of, judged_run, play, start_run
from tests.factories import import_samples, make_cast, make_user
from tests.fake_llm import FakeLLM, say

pytestmark = pytest.mark.django_db


def two_columns(server: FakeLLM) -> tuple[Run, Scorer, Scorer]:
    """A published run under two scorers: mean and majority of three repeats."""
    import_samples("hipho")
    votes = iter(range(10_000))
    server._script = play(lambda model, prompt: 1.0 if next(votes) % 3 else 0.0)
    run = judged_run(server, scorer_params={"judge_repeats": 3})
    other = vary_scorer(get_adapter("hipho"), run.scorer, "", {"combine": "majority"})
    rescore_run(run, other, inline=True)
    return run, run.scorer, other


@pytest.fixture
def server():  # type: ignore[no-untyped-def]
    with FakeLLM(play()) as fake:
        yield fake


def test_visitor_reads_judges_scorer_comparison_and_costs(client: Client, server: FakeLLM) -> None:
    run, first, second = two_columns(server)
    reply = Reply.objects.filter(run=run).first()
    assert reply is not None
    pages = {
        reverse("judges-overview"): "HiPhO",
        reverse("judges", args=["hipho"]): "Krippendorff",
        reverse("scorer", args=[first.digest]): first.digest,
        reverse("scorer", args=[first.digest[:12]]): "Award",
        reverse("scorer-compare", args=["hipho"]) + f"?a={first.digest[:12]}&b={second.digest[:12]}": "mean shift",
        reverse("run-costs", args=[run.uuid]): "judge",
        reverse("reply-judging", args=[reply.uuid]): "s0c0",
        reverse("splits", args=["hipho"]) + "?by=answer_type": "Candidate",
    }
    for url, word in pages.items():
        page = client.get(url)
        assert page.status_code == 200, url
        assert word in page.content.decode(), (url, word)
        assert "Make it rank" not in page.content.decode()


def test_unknown_and_ambiguous_digests_are_not_found(client: Client) -> None:
    assert client.get("/scorers/abc/").status_code == 404
    assert client.get("/scorers/ffffffffffff/").status_code == 404


@pytest.mark.parametrize("who", ["reviewer", "submitter"])
def test_others_may_not_configure_judges(client: Client, server: FakeLLM, who: str) -> None:
    run, first, _second = two_columns(server)
    client.force_login(make_cast()[who])
    assert "Add a judge" not in client.get(reverse("judges", args=["hipho"])).content.decode()
    form = {"model": "judge-x", "base_url": server.base_url, "temperature": "0"}
    assert client.post(reverse("judge-add", args=["hipho"]), form).status_code == 403
    assert client.post(reverse("scorer-act", args=[first.digest]), {"act": "current"}).status_code == 403
    assert not JudgeSeat.objects.exists() and Benchmark.objects.get(slug="hipho").scorer is None


def test_maintainer_adds_a_judge_makes_a_scorer_and_lets_it_rank(client: Client, server: FakeLLM) -> None:
    import_samples("hipho")
    client.force_login(make_cast()["maintainer"])
    form = {"model": "judge-x", "base_url": server.base_url, "api_key": "sk-CANARY", "temperature": "0.6"}
    assert client.post(reverse("judge-add", args=["hipho"]), form).status_code == 302
    seat = JudgeSeat.objects.get()
    assert seat.judge.params == {"temperature": 0.6}
    assert "sk-CANARY" not in seat.endpoint.key_ciphertext and seat.endpoint.key_ciphertext
    page = client.get(reverse("judges", args=["hipho"])).content.decode()
    assert "judge-x" in page and "sk-CANARY" not in page
    choices = {"judges": [seat.judge.digest], "rule": "hipho-steps", "calls": "scheme", "combine": "median"}
    choices |= {"judge_repeats": "2", "verdict_attempts": "3", "solution": "content"}
    made = client.post(reverse("scorer-add", args=["hipho"]), choices)
    scorer = Scorer.objects.get()
    assert made.status_code == 302 and made["location"].endswith(f"/scorers/{scorer.digest}/")
    assert Benchmark.objects.get(slug="hipho").scorer is None, "nothing ranks by itself"
    client.post(reverse("scorer-act", args=[scorer.digest]), {"act": "current"})
    benchmark = Benchmark.objects.get(slug="hipho")
    assert benchmark.scorer == scorer and benchmark.judge_endpoint == seat.endpoint
    assert list(AuditEvent.objects.order_by("pk").values_list("act", flat=True)) == [
        "judge",
        "scorer",
        "current-scorer",
    ]


def test_run_without_a_judge_of_its_own_is_graded_by_the_official_one_with_its_stored_key(server: FakeLLM) -> None:
    import_samples("hipho")
    maintainer = make_user("boss", MAINTAINER)
    benchmark = Benchmark.objects.get(slug="hipho")
    seat = add_judge(benchmark, JudgeSpec("judge-official", server.base_url), "sk-official", maintainer)
    make_current(benchmark, add_scorer(benchmark, "hipho-steps", [seat.judge], {}, maintainer), maintainer)
    run = judged_run(server, judges=())
    keys = {request.key for request in server.requests if request.json["model"] == "judge-official"}
    assert keys == {"sk-official"} and not run.is_own_judge
    own = judged_run(server, judges=("judge-own",))
    assert own.is_own_judge and own.scorer != run.scorer
    seat.endpoint.refresh_from_db()
    assert seat.endpoint.key_ciphertext, "the end of a run does not purge the official key"


def test_bad_address_of_a_judge_is_told_beside_its_field(client: Client) -> None:
    import_samples("hipho")
    client.force_login(make_cast()["maintainer"])
    page = client.post(
        reverse("judge-add", args=["hipho"]), {"model": "j", "base_url": "http://10.0.0.1/v1", "temperature": "0"}
    )
    assert page.status_code == 200 and "private" in page.content.decode() and not JudgeSeat.objects.exists()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_leniency_is_what_a_judge_gives_for_nothing(client: Client, server: FakeLLM, share: float) -> None:
    import_samples("hipho")
    server._script = play(share)
    user = make_cast()["maintainer"]
    seat = add_judge(Benchmark.objects.get(slug="hipho"), JudgeSpec("judge-x", server.base_url), "", user)
    client.force_login(user)
    client.post(reverse("judge-act", args=["hipho", seat.pk]), {"act": "canary"})
    rows = CanaryReply.objects.all()
    assert rows and {row.awarded for row in rows} == {share}
    assert all("I have no solution." in request.prompt for request in server.requests)
    page = client.get(reverse("judges", args=["hipho"])).content.decode()
    assert f"{len(rows) if share else 0} of {len(rows)} above 0" in page


def test_judge_that_gives_no_verdict_to_the_canary_is_no_lenient_judge_and_no_strict_one(server: FakeLLM) -> None:
    import_samples("hipho")
    server._script = [say("I cannot grade this.")]
    seat = add_judge(
        Benchmark.objects.get(slug="hipho"), JudgeSpec("judge-x", server.base_url), "", make_user("boss", MAINTAINER)
    )
    found = check_leniency(seat.benchmark, seat.judge)
    assert found.share is None and found.n_failed == found.n > 0
    assert set(CanaryReply.objects.values_list("kind", flat=True)) == {"prose"}


def test_ranking_judge_keeps_its_endpoint_until_another_ranks(client: Client, server: FakeLLM) -> None:
    import_samples("hipho")
    user, benchmark = make_cast()["maintainer"], Benchmark.objects.get(slug="hipho")
    seat = add_judge(benchmark, JudgeSpec("judge-x", server.base_url), "sk-1", user)
    make_current(benchmark, add_scorer(benchmark, "hipho-steps", [seat.judge], {}, user), user)
    client.force_login(user)
    page = client.post(reverse("judge-act", args=["hipho", seat.pk]), {"act": "remove"}, follow=True)
    assert JudgeSeat.objects.count() == 1 and "This judge ranks" in page.content.decode()


def test_comparison_tells_shift_ranks_and_worst_replies(client: Client, server: FakeLLM) -> None:
    run, first, second = two_columns(server)
    page = compare_scorers(Benchmark.objects.get(slug="hipho"), first, second)
    assert page.n_compared == run.planned and page.n_changed > 0 and len(page.worst) == page.n_changed
    assert page.shift.startswith("+") and sum(sum(row) for _name, row in page.confusion) == page.n_replies
    assert page.ranks[0].first_rank == page.ranks[0].second_rank == "1"
    assert float(page.ranks[0].second) > float(page.ranks[0].first)
    same = compare_scorers(Benchmark.objects.get(slug="hipho"), first, first)
    assert same.n_changed == 0 and not same.worst


def test_process_judge_stands_beside_the_score_and_changes_none(server: FakeLLM) -> None:
    import_samples("phybench")
    run = judged_run(server, "phybench", ())
    before = list(Judgment.objects.order_by("pk").values_list("points", flat=True))
    asked = judge_opinions(run, Purpose.PROCESS, JudgeSpec("judge-p"), Target(server.base_url, "judge-p"))
    assert asked.replies and asked.verdicts == asked.replies
    reply = JudgeReply.objects.filter(purpose="process")[0].reply
    judge, verdict = read_opinion(reply, Purpose.PROCESS) or (None, None)
    assert judge and verdict and verdict.subscores["overall_score"] == 40 and verdict.reason == "another route"
    assert list(Judgment.objects.order_by("pk").values_list("points", flat=True)) == before
    n = calls_of(server)
    judge_opinions(run, Purpose.PROCESS, JudgeSpec("judge-p"), Target(server.base_url, "judge-p"))
    assert calls_of(server) == n, "bought once"


def test_error_class_is_suggested_for_wrong_replies_alone_with_the_quoted_step(server: FakeLLM) -> None:
    import_samples("phybench")
    run = judged_run(server, "phybench", ())
    wrong = Judgment.objects.filter(points__lt=100).count()
    asked = judge_opinions(run, Purpose.ERROR_CLASS, JudgeSpec("judge-e"), Target(server.base_url, "judge-e"))
    assert asked.replies == wrong
    _judge, verdict = read_opinion(Reply.objects.filter(run=run)[0], Purpose.ERROR_CLASS) or (None, None)
    assert verdict is not None and (verdict.error_class, verdict.evidence) == ("symbolic", "$F = ma$")


def test_hidden_answer_is_given_to_no_judge_of_opinions(server: FakeLLM) -> None:
    import_samples("phybench")
    hidden = {answer.value for answer in Answer.objects.filter(is_hidden=True)}
    run = judged_run(server, "phybench", ())
    for purpose in (Purpose.PROCESS, Purpose.ERROR_CLASS):
        judge_opinions(run, purpose, JudgeSpec("judge-o"), Target(server.base_url, "judge-o"))
    said = "\n".join(request.prompt for request in server.requests)
    assert not [value for value in hidden if value in said]


def test_admin_shows_truth_read_only_and_lets_prices_be_edited(client: Client, server: FakeLLM) -> None:
    two_columns(server)
    boss = make_user("root")
    boss.is_staff = boss.is_superuser = True
    boss.save()
    client.force_login(boss)
    judgment = Judgment.objects.first()
    assert judgment is not None
    for name in (
        "judgment",
        "reply",
        "run",
        "scorer",
        "judge",
        "judgereply",
        "judgeerror",
        "canaryreply",
        "benchmark",
        "price",
    ):
        assert client.get(f"/admin/arena/{name}/").status_code == 200, name
    assert client.post(f"/admin/arena/judgment/{judgment.pk}/change/", {"points": "9"}).status_code == 403
    assert client.post(f"/admin/arena/judgment/{judgment.pk}/delete/", {"post": "yes"}).status_code == 403
    row = {"model": "gpt", "valid_from": "2026-01-01", "input_usd": "1", "output_usd": "2", "source": ""}
    assert client.post("/admin/arena/price/add/", row).status_code == 302
    assert b"key_ciphertext" not in client.get(f"/admin/arena/endpoint/{start_run(server).endpoint_id}/change/").content
