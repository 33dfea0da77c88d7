"""Old replies under new scorers: no call where stored words suffice, and only the missing ones bought otherwise."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from django.core.management import call_command

from arena.llm.call import Target
from arena.models import Judge, JudgeReply, Judgment, Run, Scorer
from arena.services import scorers
from arena.services.budgets import Meter
from arena.services.catalog import get_adapter
from arena.services.rescoring import Buying, rejudge_run, rescore_run
from arena.services.scorers import JudgeSpec, choose_scorer, get_judge, vary_scorer
from leaderboard.models import Standing
from tests.arena.judging.court import calls_of, finish_run, judged_run, play, start_run
from tests.factories import import_samples, run_inline
from tests.fake_llm import FakeLLM, say

pytestmark = pytest.mark.django_db


def buying(server: FakeLLM, scorer: Scorer, **budget: object) -> Buying:
    targets = {judge.pk: Target(server.base_url, judge.model) for judge in scorer.judges.all()}
    return Buying(targets, Meter(budget), concurrency=4)


def new_scorer(model: str = "judge-new", **params: object) -> Scorer:
    return choose_scorer(get_adapter("hipho"), judges=(JudgeSpec(model),), params=params)


def test_rescoring_with_another_rule_makes_no_call_at_all() -> None:
    import_samples("hipho")
    with FakeLLM(play(0.5)) as server:
        run = judged_run(server, scorer_params={"judge_repeats": 3})
        before = len(server.requests)
        median = vary_scorer(get_adapter("hipho"), run.scorer, "", {"combine": "median"})
        done = rescore_run(run, median, inline=True)
        assert len(server.requests) == before
    old = Judgment.objects.filter(scorer=run.scorer).count()
    assert done.judgments == old and done.unscored == 0
    assert rescore_run(run, median, inline=True).judgments == 0, "twice adds nothing"


def test_rescoring_where_no_judge_has_spoken_leaves_levels_unscored_and_calls_nobody() -> None:
    import_samples("hipho")
    with FakeLLM(play()) as server:
        run = judged_run(server)
        before = len(server.requests)
        done = rescore_run(run, new_scorer(), inline=True)
        assert len(server.requests) == before and done.unscored > 0


def test_judging_again_keeps_the_old_column_and_asks_the_model_nothing() -> None:
    import_samples("hipho")
    with FakeLLM(play(0.5)) as server:
        run = judged_run(server)
        old = {j.pk: j.points for j in Judgment.objects.all()}
        model_calls, judge_calls = calls_of(server, "Candidate"), calls_of(server)
        scorer = new_scorer()
        done = rejudge_run(run, scorer, buying(server, scorer), inline=True)
        assert calls_of(server, "Candidate") == model_calls
        assert calls_of(server) - judge_calls == judge_calls, "as many verdicts as the first judge gave"
    assert done.unscored == 0 and done.judgments == len(old)
    assert {j.pk: j.points for j in Judgment.objects.filter(pk__in=old)} == old


def test_judging_again_after_a_break_buys_only_what_is_missing() -> None:
    import_samples("hipho")
    with FakeLLM(play()) as server:
        run = judged_run(server)
        scorer = new_scorer()
        before = calls_of(server, "judge-new")
        half = rejudge_run(run, scorer, buying(server, scorer, tokens=10 * 18), inline=True)
        assert half.unscored > 0 and "budget" in half.stop_reason
        bought = calls_of(server, "judge-new") - before
        assert 10 <= bought <= 14
        done = rejudge_run(run, scorer, buying(server, scorer), inline=True)
        again = calls_of(server, "judge-new")
        assert done.unscored == 0
        assert again == JudgeReply.objects.filter(judge__in=scorer.judges.all()).count()
        rejudge_run(run, scorer, buying(server, scorer), inline=True)
        assert calls_of(server, "judge-new") == again


def test_scorer_that_differs_in_calls_reads_no_verdict_of_the_other_kind() -> None:
    import_samples("hipho")
    with FakeLLM(play()) as server:
        run = judged_run(server)
        scheme = vary_scorer(get_adapter("hipho"), run.scorer, "", {"calls": "scheme"})
        done = rescore_run(run, scheme, inline=True)
    assert done.unscored > 0
    assert not Judgment.objects.filter(scorer=scheme, level="step").exists()


def test_rejudge_command_prints_what_it_did_and_exits_zero() -> None:
    import_samples("hipho")
    out = io.StringIO()
    with FakeLLM(play()) as server:
        run = judged_run(server)
        call_command(
            "rejudge", "hipho", "--judge-model", "judge-other", "--judge-base-url", server.base_url, stdout=out
        )
    assert f"run {run.uuid}: 8 replies" in out.getvalue() and "0 unscored" in out.getvalue()
    assert Scorer.objects.count() == 2 and Judge.objects.count() == 2


def test_judge_is_another_one_under_another_temperature_and_another_prompt() -> None:
    first = get_judge(JudgeSpec("judge"), "hipho")
    assert get_judge(JudgeSpec("judge"), "hipho") == first
    assert get_judge(JudgeSpec("judge", "http://elsewhere.example/v1"), "hipho") == first, "the host is no identity"
    assert get_judge(JudgeSpec("judge", params={"temperature": 0.6}), "hipho") != first
    assert get_judge(JudgeSpec("judge"), "phyx_oe") != first
    assert (
        get_judge(JudgeSpec("judge"), "process").prompt_sha256
        != get_judge(JudgeSpec("judge"), "error_class").prompt_sha256
    )


def test_run_that_is_resumed_while_half_judged_buys_no_verdict_twice() -> None:
    import_samples("hipho")
    with FakeLLM(play()) as server:
        run = start_run(server, budget={"tokens": 30 * 18}, concurrency=2)
        run = finish_run(run)
        assert run.state == Run.State.CANCELLED
        Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING, budget={})
        finish_run(run)
        prompts = [r.body for r in server.requests]
    assert len(prompts) == len(set(prompts))


def test_after_an_upgrade_rescoring_moves_the_board_to_the_new_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Old numbers keep their version; new runs and the rescored old ones have the new one, under which all rank."""
    new = scorers.RULES["coin-flip"]
    monkeypatch.setitem(scorers.RULES, "coin-flip", replace(new, version="0"))
    benchmark = import_samples("coin_flip").revision.benchmark
    out = io.StringIO()
    with FakeLLM([say("ANSWER: YES")]) as server:
        old = run_inline(server.base_url)
        monkeypatch.setitem(scorers.RULES, "coin-flip", new)
        assert run_inline(server.base_url, model="Later").scorer.version == new.version
        before = len(server.requests)
        call_command("rescore", "coin_flip", stdout=out)
        assert len(server.requests) == before
    benchmark.refresh_from_db()
    assert benchmark.scorer is not None and benchmark.scorer.version == new.version and "ranks now" in out.getvalue()
    versions = Judgment.objects.filter(reply__run=old).values_list("scorer__version", flat=True)
    assert set(versions) == {"0", new.version} and len(versions) == 2 * 20
    ruling = Standing.objects.filter(subset__slug="overall", details__is_ruling=True)
    shown = ruling.values_list("entrant__name", "scorer__version").distinct()
    assert sorted(shown) == [("Later", new.version), ("Tester", new.version)]


def test_after_an_upgrade_the_official_judge_grades_by_the_new_version(monkeypatch: pytest.MonkeyPatch) -> None:
    new = scorers.RULES["hipho-steps"]
    monkeypatch.setitem(scorers.RULES, "hipho-steps", replace(new, version="0"))
    import_samples("hipho")
    with FakeLLM(play()) as server:
        run = judged_run(server)
        monkeypatch.setitem(scorers.RULES, "hipho-steps", new)
        coded = scorers.as_coded(get_adapter("hipho"), run.scorer)
    assert coded.version == new.version and list(coded.judges.all()) == list(run.scorer.judges.all())
    assert coded.params == run.scorer.params and scorers.as_coded(get_adapter("hipho"), coded) == coded
