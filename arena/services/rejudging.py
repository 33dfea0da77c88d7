"""Judging the replies of a board again, for the workers: one order with one budget, worked off slice by slice.

The audit log is its record. One slice of an order is under way at a time, so that its budget holds as a whole.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from arena.costs import PriceList, Spent, read_judges_spent, read_prices
from arena.models import AuditEvent, Benchmark, Run, Scorer, User
from arena.roles import Rank, require_rank
from arena.services.audit import record_event
from arena.services.budgets import Meter
from arena.services.prices import require_prices
from arena.services.rescoring import Buying, rejudge_run
from arena.services.seats import seat_targets

ACT = "rejudge"
SLICE_S = 60.0


@dataclass(frozen=True, slots=True)
class Order:
    """The newest order for a scorer. budget: `{"tokens": n, "usd": x}`, empty without one; spent: since then."""

    by: str
    at: datetime
    n_runs: int
    budget: Mapping[str, Any]
    spent: Spent
    is_spent: bool


def order_rejudging(benchmark: Benchmark, scorer: Scorer, by: User, budget: Mapping[str, Any]) -> AuditEvent:
    """Write down that the board's replies are to be judged by this scorer too. Raises Forbidden, Refused."""
    require_rank(by, benchmark, Rank.MAINTAINER)
    if budget.get("usd"):
        require_prices(scorer.judges.values_list("model", flat=True), timezone.now().date())
    runs = Run.objects.on_board().filter(revision=benchmark.current_revision, state=Run.State.FINISHED).order_by("pk")
    after = {"runs": list(runs.values_list("pk", flat=True)), "budget": dict(budget)}
    return record_event(by, ACT, _target(scorer), {}, after, benchmark)


def advance_rejudging(order_id: int, run_id: int = 0, after_pk: int | None = None) -> tuple[int, int | None] | None:
    """Judge one slice with our own judges, behind this reply of this run, or in the next run where none is named.

    Returns where to go on, in the same words; None at the end of the order or of its budget.
    """
    order = AuditEvent.objects.get(pk=order_id)
    scorer = Scorer.objects.get(digest=order.target.partition(":")[2])
    meter = _meter(order, scorer)
    runs = Run.objects.on_board().filter(pk__in=order.after["runs"]).select_related("revision__benchmark", "scorer")
    runs = runs.filter(pk__gt=run_id) if after_pk is None else runs.filter(pk=run_id)
    run = runs.order_by("pk").first()
    if run is None or not meter.has_left():
        return None
    targets = seat_targets(run.revision.benchmark, list(scorer.judges.all()))
    buying = Buying(targets, meter, run.concurrency, time.monotonic() + SLICE_S)
    done = rejudge_run(run, scorer, buying, after_pk=after_pk or 0)
    return None if meter.reason else (run.pk, done.next_pk)


def find_order(scorer: Scorer) -> Order | None:
    """What was ordered last, and what it has cost so far."""
    order = AuditEvent.objects.filter(act=ACT, target=_target(scorer)).select_related("actor").last()
    if order is None:
        return None
    meter = _meter(order, scorer)
    return Order(
        by=order.actor.get_username() if order.actor else "",
        at=order.created_at,
        n_runs=len(order.after["runs"]),
        budget=order.after["budget"],
        spent=read_judges_spent(scorer, order.created_at, read_prices()),
        is_spent=not meter.has_left(),
    )


def _meter(order: AuditEvent, scorer: Scorer) -> Meter:
    def read_stored(prices: PriceList) -> Spent:
        return read_judges_spent(scorer, order.created_at, prices)

    return Meter(order.after["budget"], read_stored=read_stored)


def _target(scorer: Scorer) -> str:
    return f"scorer:{scorer.digest}"
