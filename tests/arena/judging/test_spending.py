"""Prices by the day, what a run has cost, and a budget that judges spend too."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from arena.costs import read_prices, read_spent
from arena.errors import Refused
from arena.models import JudgeReply, Judgment, Price, Reply, Run
from arena.services.engine import advance_run
from arena.services.estimates import estimate_run
from arena.services.prices import set_price
from arena.services.runs import Credentials, RunRequest, reopen_run
from arena.services.samples import read_progress
from arena.services.scorers import JudgeSpec
from tests.arena.judging.court import finish_run, judged_run, play, start_run
from tests.factories import import_samples
from tests.fake_llm import Answer, FakeLLM, FakeRequest, cut_short, say

pytestmark = pytest.mark.django_db
TOKENS_A_CALL = 18  # as the fake server counts


def price(model: str, input_usd: str, output_usd: str, day: str = "2026-01-01") -> Price:
    return set_price(model, date.fromisoformat(day), Decimal(input_usd), Decimal(output_usd))


def test_the_newest_price_that_has_begun_counts() -> None:
    price("gpt", "2", "8", "2025-01-01")
    price("GPT", "1", "4", "2026-06-01")
    prices = read_prices(["gpt"])
    assert prices.cost("gpt", date(2026, 5, 31), 1_000_000, 0) == 2
    assert prices.cost("Gpt", date(2026, 6, 1), 1_000_000, 500_000) == 3
    assert prices.cost("gpt", date(2024, 1, 1), 1, 1) is None
    assert prices.cost("other", date(2026, 6, 1), 1, 1) is None


def test_what_the_endpoint_states_beats_the_price_list() -> None:
    price("gpt", "1", "1")
    assert read_prices().cost("gpt", date(2026, 6, 1), 10, 10, Decimal("0.5")) == Decimal("0.5")


def test_price_of_a_day_is_corrected_and_not_doubled() -> None:
    price("gpt", "2", "8")
    price("gpt", "3", "8")
    assert [row.input_usd for row in Price.objects.all()] == [3]
    with pytest.raises(Refused, match="output"):
        price("gpt", "1", "-1")
    with pytest.raises(CommandError, match="no number"):
        call_command("set_price", "gpt", "--input", "one", "--output", "2")


def empty_first(play_on: Callable[[FakeRequest], Answer]) -> Callable[[FakeRequest], Answer]:
    """Each prompt is first answered with an empty text, which is billed and tried again."""
    seen: set[tuple[str, str]] = set()

    def answer(request: FakeRequest) -> Answer:
        key = (request.json["model"], request.prompt)
        if key in seen:
            return play_on(request)
        seen.add(key)
        return say("", usage={"prompt_tokens": 100, "completion_tokens": 1})

    return answer


def test_call_without_a_reply_costs_what_the_endpoint_billed(client: Client) -> None:
    import_samples("hipho")
    price("Candidate", "10", "10")
    price("judge", "1", "1")
    with FakeLLM(empty_first(play())) as server:
        run = judged_run(server, limit=1)
    replies, verdicts = Reply.objects.count(), JudgeReply.objects.count()
    spent = read_spent(run)
    assert spent.tokens == (replies + verdicts) * (TOKENS_A_CALL + 101)
    assert spent.n_calls == 2 * (replies + verdicts)
    assert spent.usd == pytest.approx((10 * replies + verdicts) * Decimal(TOKENS_A_CALL + 101) / 10**6)
    run.published_at = timezone.now()
    run.save()
    page = client.get(f"/runs/{run.uuid}/costs/").content.decode()
    assert "calls without a reply" in page and str(spent.tokens) in page


def test_empty_tries_use_up_the_budget_too() -> None:
    import_samples("coin_flip")
    with FakeLLM(empty_first(play())) as server:
        run = judged_run(server, "coin_flip", (), budget={"tokens": 5 * (TOKENS_A_CALL + 101)}, concurrency=1)
    assert Reply.objects.count() == 5 and "budget" in run.stop_reason


def test_failed_call_of_unknown_cost_is_told(client: Client) -> None:
    import_samples("coin_flip")
    with FakeLLM([cut_short(say("ANSWER: YES")), say("ANSWER: YES")]) as server:
        run = judged_run(server, "coin_flip", (), limit=2)
    run.published_at = timezone.now()
    run.save()
    assert "may have been billed too" in client.get(f"/runs/{run.uuid}/costs/").content.decode()
    assert read_spent(run).n_calls == 2


def test_run_costs_what_model_and_judges_cost() -> None:
    import_samples("hipho")
    price("Candidate", "10", "20")
    price("judge", "1", "2")
    with FakeLLM(play()) as server:
        run = judged_run(server)
    spent = read_spent(run)
    replies, verdicts = Reply.objects.count(), JudgeReply.objects.count()
    assert spent.n_calls == replies + verdicts and spent.n_unpriced == 0
    assert spent.tokens == TOKENS_A_CALL * (replies + verdicts)
    assert spent.usd == (replies * (11 * 10 + 7 * 20) + verdicts * (11 * 1 + 7 * 2)) / Decimal(1_000_000)


def test_cost_without_a_price_is_unknown_and_said_so() -> None:
    import_samples("hipho")
    price("judge", "1", "2")
    with FakeLLM(play()) as server:
        spent = read_spent(judged_run(server, limit=1))
    assert spent.n_unpriced == Reply.objects.count() and spent.usd > 0


@pytest.mark.parametrize("concurrency", [1, 4])
def test_token_budget_counts_judge_calls_and_only_what_is_out_goes_over(concurrency: int) -> None:
    import_samples("hipho")
    limit = 20 * TOKENS_A_CALL
    with FakeLLM(play()) as server:
        run = judged_run(server, concurrency=concurrency, budget={"tokens": limit})
        n_calls = len(server.requests)
    assert run.state == Run.State.CANCELLED and run.stop_reason == f"the budget of {limit} tokens is spent"
    assert JudgeReply.objects.exists()
    in_flight = 2 * concurrency  # of the model and of the judge
    assert 20 <= n_calls <= 20 + in_flight
    assert read_spent(run).tokens == TOKENS_A_CALL * n_calls, "all that was bought is kept"


def test_budget_in_dollars_stops_the_run_and_it_can_go_on_with_more() -> None:
    import_samples("hipho")
    price("Candidate", "1000", "1000")
    price("judge", "1000", "1000")
    a_call = Decimal("0.018")
    with FakeLLM(play()) as server:
        run = judged_run(server, concurrency=2, budget={"usd": float(10 * a_call)})
        assert run.state == Run.State.CANCELLED and "0.18 US dollars" in run.stop_reason
        assert 10 <= len(server.requests) <= 14
        Run.objects.filter(pk=run.pk).update(budget={})
        run.refresh_from_db()
        reopen_run(run)
        advance_run(run.pk, credentials=Credentials(), inline=True)
        total = len(server.requests)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED and read_progress(run).scored == run.planned
    assert Reply.objects.count() + JudgeReply.objects.count() == total, "nothing was bought twice"


def test_spent_budget_before_the_first_call_ends_the_run_at_once() -> None:
    import_samples("hipho")
    with FakeLLM(play()) as server:
        run = judged_run(server, limit=1)
        n_calls = len(server.requests)
        Run.objects.filter(pk=run.pk).update(budget={"tokens": 1}, repeats=2)
        run.refresh_from_db()
        finish_run(reopen_run(run))
        assert len(server.requests) == n_calls
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED and Judgment.objects.exists()


def test_budget_in_dollars_without_a_price_is_refused_by_name() -> None:
    import_samples("hipho")
    price("Candidate", "1", "1")
    with FakeLLM(play()) as server, pytest.raises(Refused, match="budget-usd.*judge"):
        start_run(server, budget={"usd": 1})
    assert not Run.objects.exists()


def test_endpoint_that_counts_no_tokens_still_spends_a_budget() -> None:
    import_samples("coin_flip")
    with FakeLLM([say("step by step " * 100 + "ANSWER: YES", usage={})]) as server:
        run = judged_run(server, "coin_flip", (), concurrency=1, budget={"tokens": 700})
    assert run.state == Run.State.CANCELLED and Reply.objects.count() == 3


def test_estimate_counts_problems_figures_judge_calls_and_money() -> None:
    import_samples("hipho")
    price("m", "1", "10")
    price("judge", "2", "20")
    request = RunRequest(
        benchmark="hipho",
        model="m",
        base_url="",
        judges=(JudgeSpec("judge", "http://127.0.0.1:9/v1"),),
        max_tokens=1000,
    )
    single = estimate_run(request)
    assert single.problems == 8 and single.figures > 0 and single.prompt_tokens > 1000
    assert single.output_tokens == 8000 and not single.is_measured
    assert single.judge_calls > 8 and single.usd is not None and single.usd > Decimal("0.08")
    scheme = estimate_run(RunRequest(**{**fields(request), "scorer_params": {"calls": "scheme"}}))
    thrice = estimate_run(RunRequest(**{**fields(request), "scorer_params": {"judge_repeats": 3}}))
    assert scheme.judge_calls < single.judge_calls and thrice.judge_calls == 3 * single.judge_calls


def test_estimate_without_a_price_gives_no_money_but_names_who_lacks_one() -> None:
    import_samples("hipho")
    found = estimate_run(RunRequest(benchmark="hipho", model="m", base_url="", judges=(JudgeSpec("judge", ""),)))
    assert found.usd is None and found.unpriced == ("m", "judge")


def test_estimate_learns_the_length_of_replies_from_earlier_runs() -> None:
    import_samples("coin_flip")
    with FakeLLM([say("ANSWER: YES", usage={"prompt_tokens": 50, "completion_tokens": 40})]) as server:
        judged_run(server, "coin_flip", ())
    found = estimate_run(RunRequest(benchmark="coin_flip", model="m", base_url=""))
    assert found.is_measured and found.output_tokens == 40 * found.calls < found.output_tokens_max


def fields(request: RunRequest) -> dict[str, object]:
    return {name: getattr(request, name) for name in request.__dataclass_fields__}


def test_run_whose_judge_has_no_endpoint_any_more_fails_with_the_reason() -> None:
    import_samples("hipho")
    with FakeLLM(play()) as server:
        run = start_run(server)
        Run.objects.filter(pk=run.pk).update(judge_endpoint=None)
        run.refresh_from_db()
        run = finish_run(run)
    assert run.state == Run.State.FAILED and "no endpoint is known for the judge judge" in run.stop_reason
