"""A board judged again by the workers: one order, one budget for all its runs, one slice at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from arena.costs import read_prices, read_spent
from arena.errors import Refused
from arena.models import AuditEvent, Benchmark, Judgment, Run, Scorer, User
from arena.roles import Forbidden
from arena.services.judge_admin import add_judge, add_scorer
from arena.services.rejudging import advance_rejudging, find_order, order_rejudging
from arena.services.scorers import JudgeSpec
from tests.arena.judging.court import calls_of, judged_run, play
from tests.factories import import_samples, make_cast
from tests.fake_llm import FakeLLM

pytestmark = pytest.mark.django_db
TOKENS_A_CALL = 18  # as the fake server counts


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with FakeLLM(play()) as running:
        yield running


@pytest.fixture
def cast() -> dict[str, User]:
    return make_cast()


@pytest.fixture
def scorer(server: FakeLLM, cast: dict[str, User]) -> Scorer:
    """Two published runs, and a scorer of another judge that has a place."""
    import_samples("hipho")
    for _ in range(2):
        run = judged_run(server, concurrency=1)
        Run.objects.filter(pk=run.pk).update(published_at=run.finished_at)
    benchmark = Benchmark.objects.get(slug="hipho")
    seat = add_judge(benchmark, JudgeSpec("judge-new", server.base_url), "", cast["maintainer"])
    return add_scorer(benchmark, "hipho-steps", [seat.judge], {}, cast["maintainer"])


def work_off(order: AuditEvent) -> int:
    """As the worker does; how many slices."""
    place, n = advance_rejudging(order.pk), 1
    while place is not None:
        place, n = advance_rejudging(order.pk, *place), n + 1
    return n


def order(scorer: Scorer, by: User, **budget: float) -> AuditEvent:
    return order_rejudging(Benchmark.objects.get(slug="hipho"), scorer, by, budget)


def test_every_run_is_judged_by_one_order(server: FakeLLM, scorer: Scorer, cast: dict[str, User]) -> None:
    work_off(order(scorer, cast["maintainer"]))
    for run in Run.objects.all():
        assert Judgment.objects.filter(scorer=scorer, reply__run=run).count() == run.planned * 2
    bought = calls_of(server, "judge-new")
    work_off(order(scorer, cast["maintainer"]))
    assert calls_of(server, "judge-new") == bought, "what is there is not bought again"


def test_budget_holds_for_all_runs_together(server: FakeLLM, scorer: Scorer, cast: dict[str, User]) -> None:
    whole = order(scorer, cast["maintainer"], tokens=10 * TOKENS_A_CALL)
    work_off(whole)
    assert 10 <= calls_of(server, "judge-new") <= 12, "only what was out when it was spent goes over"
    assert advance_rejudging(whole.pk) is None, "and the next slice starts nothing"
    found = find_order(scorer)
    assert found is not None and found.is_spent and found.spent.tokens >= 10 * TOKENS_A_CALL
    work_off(order(scorer, cast["maintainer"], tokens=10 * TOKENS_A_CALL))
    assert calls_of(server, "judge-new") >= 20, "a new order has a budget of its own"


def test_budget_in_money_needs_prices_and_orders_need_a_maintainer(scorer: Scorer, cast: dict[str, User]) -> None:
    with pytest.raises(Refused, match="no price is known for judge-new"):
        order(scorer, cast["maintainer"], usd=1.0)
    with pytest.raises(Forbidden):
        order(scorer, cast["reviewer"])
    assert not AuditEvent.objects.filter(act="rejudge").exists()


def test_withdrawn_run_is_left_out(server: FakeLLM, scorer: Scorer, cast: dict[str, User]) -> None:
    ordered = order(scorer, cast["maintainer"])
    first, second = Run.objects.order_by("pk")
    first.withdrawals.create(reason="the wrong checkpoint")
    work_off(ordered)
    assert not Judgment.objects.filter(scorer=scorer, reply__run=first).exists()
    assert Judgment.objects.filter(scorer=scorer, reply__run=second).exists()


def test_page_takes_a_budget_and_tells_what_was_spent(client: Client, scorer: Scorer, cast: dict[str, User]) -> None:
    client.force_login(cast["maintainer"])
    address = reverse("scorer-act", args=[scorer.digest])
    page = client.post(address, {"act": "rejudge", "budget_tokens": "none"}).content.decode()
    assert 'id="id_budget_tokens_error"' in page and 'value="none"' in page
    assert not AuditEvent.objects.filter(act="rejudge").exists()
    client.post(address, {"act": "rejudge", "budget_tokens": str(5 * TOKENS_A_CALL)})
    ordered = AuditEvent.objects.get(act="rejudge")
    assert ordered.after["budget"] == {"tokens": 5 * TOKENS_A_CALL}
    work_off(ordered)
    page = client.get(reverse("scorer", args=[scorer.digest])).content.decode()
    assert "Budget: 90 tokens" in page and "The budget is spent" in page
    client.logout()
    assert "The budget is spent" not in client.get(reverse("scorer", args=[scorer.digest])).content.decode()


def test_run_of_its_own_budget_is_not_charged_for_it(scorer: Scorer, cast: dict[str, User]) -> None:
    run = Run.objects.order_by("pk")[0]
    before = read_spent(run, read_prices(), only_own=True).tokens
    work_off(order(scorer, cast["maintainer"]))
    assert read_spent(run, read_prices(), only_own=True).tokens == before
