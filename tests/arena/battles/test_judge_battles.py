"""A judge asked in both orders: a win holds both ways or is none; failures leave no vote and harm no score."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command

from arena.errors import Refused
from arena.models import Battle, Benchmark, JudgeError, JudgeReply, Pool, Problem, Vote
from arena.services.judge_battles import JudgedBattles, JudgePlace, judge_battles
from tests.arena.battles.scenes import entrant, publish_run
from tests.fake_llm import Answer, FakeLLM, FakeRequest, fail, say

pytestmark = pytest.mark.django_db(transaction=True)

N = 20  # problems of the sample set


def wood(name: str, problem: Problem) -> str:
    return f"The wood is hard. {'Good' if name == 'Alderwood' else 'Poor'} reasoning. I am {name}. ANSWER: YES"


def replies_of(request: FakeRequest) -> tuple[str, str]:
    """What the judge reads as A and as B."""
    before, _, second = request.prompt.rpartition("Reply B:")
    return before.rpartition("Reply A:")[2], second


def prefers_good(request: FakeRequest) -> Answer:
    return say('{"winner": "%s", "reason": "r"}' % ("a" if "Good" in replies_of(request)[0] else "b"))


def prefers_first(request: FakeRequest) -> Answer:
    return say('{"winner": "a", "reason": "it came first"}')


def run(script: Callable[[FakeRequest], Answer] | list[Answer], limit: int = N) -> tuple[JudgedBattles, FakeLLM]:
    for name in ("Alderwood", "Birchwood"):
        if not Benchmark.objects.filter(revisions__runs__entrant__name=name).exists():
            publish_run(name, words=wood)
    with FakeLLM(script) as server:
        place = JudgePlace("judge-x", server.base_url)
        return judge_battles(Benchmark.objects.get(slug="coin_flip"), place, limit=limit, inline=True), server


def test_a_consistent_judge_gives_wins() -> None:
    report, server = run(prefers_good)
    assert (report.drawn, report.wins, report.ties, report.flipped, report.failed) == (N, N, 0, 0, 0)
    assert len(server.requests) == 2 * N
    good = entrant("Alderwood").pk
    for vote in Vote.objects.select_related("battle"):
        assert vote.pool == Pool.JUDGE
        assert {"a": vote.battle.entrant_a_id, "b": vote.battle.entrant_b_id}[vote.outcome] == good


def test_a_judge_that_likes_the_first_reply_gives_ties_alone() -> None:
    report, _ = run(prefers_first)
    assert (report.wins, report.ties, report.flipped) == (0, N, N)
    assert set(Vote.objects.values_list("games", flat=True)) == {"a,b"}


def test_a_win_and_a_tie_make_a_tie() -> None:
    report, _ = run(lambda r: say('{"winner": "%s"}' % ("a" if "Good" in replies_of(r)[0] else "tie")))
    assert (report.wins, report.ties) == (0, N)


def test_the_judge_reads_no_name_and_the_reference() -> None:
    _, server = run(prefers_good, limit=3)
    for request in server.requests:
        assert "Alderwood" not in request.prompt and "Birchwood" not in request.prompt
        assert "Reference answer" in request.prompt


def test_a_judge_that_fails_leaves_no_vote_and_no_final_error() -> None:
    report, _ = run([fail(400)], limit=2)
    assert (report.failed, report.wins, report.ties) == (2, 0, 0)
    assert Vote.objects.count() == 0
    assert JudgeError.objects.exists() and not JudgeError.objects.filter(is_final=True).exists()


def test_a_verdict_quoted_from_a_reply_is_none() -> None:
    report, _ = run([say("I cannot decide.")], limit=1)
    assert report.failed == 1 and Vote.objects.count() == 0
    assert JudgeReply.objects.count() == 6  # three attempts in each order


def test_what_a_judge_has_judged_is_not_asked_again() -> None:
    run(prefers_good)
    report, server = run(prefers_good)
    assert report.drawn == 0 and not server.requests


def test_words_already_bought_are_read_again() -> None:
    """A vote was lost between the reply and the end of the round: the next round asks nothing."""
    report, _ = run(prefers_good, limit=1)
    assert report.wins == 1
    battle = Battle.objects.get()
    from arena.models import Guard

    Guard.objects.update(enforced=False)
    Vote.objects.all().delete()
    Battle.objects.filter(pk=battle.pk).delete()
    Guard.objects.update(enforced=True)
    bought = JudgeReply.objects.count()
    report, server = run(prefers_good, limit=N)
    assert (
        report.wins == N and len(server.requests) == 2 * (N - 1) and JudgeReply.objects.count() == bought + 2 * (N - 1)
    )


def test_a_benchmark_without_a_judge_says_so() -> None:
    publish_run("Alderwood", words=wood)
    with pytest.raises(Refused, match="no judge of its own"):
        judge_battles(Benchmark.objects.get(slug="coin_flip"))


def test_the_command_judges_with_a_named_judge() -> None:
    for name in ("Alderwood", "Birchwood"):
        publish_run(name, words=wood)
    out = StringIO()
    with FakeLLM(prefers_good) as server:
        call_command("judge_battles", "coin_flip", limit=5, judge_model="m", judge_base_url=server.base_url, stdout=out)
    assert "5 battles, 5 wins" in out.getvalue()
