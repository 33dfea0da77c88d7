"""What calls cost: as the endpoint states it, else from the tokens and the price of that day. Read only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce, TruncDate

from arena.models import CallError, JudgeError, JudgeReply, Price, Reply, Run, Scorer

MILLION = 1_000_000
# Of a failed call: the endpoint said what it took.
IS_BILLED = Q(prompt_tokens__isnull=False) | Q(completion_tokens__isnull=False) | Q(cost_usd__isnull=False)
# Failures after which the model may have worked, although nobody says what for.
MAYBE_BILLED = Q(kind__in=("timeout", "reset", "broken_body", "response_too_large", "empty")) & ~IS_BILLED


@dataclass(frozen=True, slots=True)
class Rate:
    """US dollars a token from a day on."""

    valid_from: date
    input_usd: Decimal
    output_usd: Decimal

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        return self.input_usd * prompt_tokens + self.output_usd * completion_tokens


@dataclass(frozen=True, slots=True)
class PriceList:
    """Every known rate of some models, newest first. Names are compared without regard to case."""

    rates: dict[str, tuple[Rate, ...]]

    def rate(self, model: str, day: date) -> Rate | None:
        """The newest rate that had begun on that day."""
        return next((rate for rate in self.rates.get(model.lower(), ()) if rate.valid_from <= day), None)

    def cost(
        self,
        model: str,
        day: date,
        prompt_tokens: int | None,
        completion_tokens: int | None,
        stated: Decimal | None = None,
    ) -> Decimal | None:
        """US dollars of one call; None where neither the endpoint nor a price tells it."""
        if stated is not None:
            return stated
        rate = self.rate(model, day)
        if rate is None or prompt_tokens is None or completion_tokens is None:
            return None
        return rate.cost(prompt_tokens, completion_tokens)


def read_prices(models: Iterable[str] | None = None) -> PriceList:
    """The price list of these models, or of all."""
    wanted = None if models is None else {model.lower() for model in models}
    rates: dict[str, list[Rate]] = {}
    for row in Price.objects.order_by("-valid_from"):
        if wanted is None or row.model.lower() in wanted:
            rate = Rate(row.valid_from, row.input_usd / MILLION, row.output_usd / MILLION)
            rates.setdefault(row.model.lower(), []).append(rate)
    return PriceList({model: tuple(found) for model, found in rates.items()})


@dataclass(slots=True)
class Spent:
    """Tokens, and US dollars as far as prices are known. n_unpriced: calls whose cost nobody knows."""

    tokens: int = 0
    usd: Decimal = Decimal(0)
    n_calls: int = 0
    n_unpriced: int = 0


def read_spent(run: Run, prices: PriceList | None = None, *, only_own: bool = False) -> Spent:
    """What the run's replies and its judges' replies have cost, day by day at that day's price; calls that gave none
    with what the endpoint says it billed all the same.

    only_own: without judges that another scorer asked later.
    """
    prices = prices if prices is not None else read_prices()
    spent = Spent()
    model = run.endpoint.api_model if run.endpoint else ""
    for rows in (Reply.objects.filter(run=run), CallError.objects.filter(IS_BILLED, run=run)):
        _add_calls(spent, rows.annotate(model=Value(model)), prices)
    asked = Q(reply__run=run)
    if only_own:
        asked &= Q(judge__in=run.scorer.judges.all())
    _add_judges(spent, asked, prices)
    return spent


def read_judges_spent(scorer: Scorer, since: datetime, prices: PriceList) -> Spent:
    """What this scorer's judges have cost from a moment on, whosever replies they judged."""
    spent = Spent()
    _add_judges(spent, Q(judge__in=scorer.judges.all(), created_at__gte=since), prices)
    return spent


def _add_judges(spent: Spent, asked: Q, prices: PriceList) -> None:
    for rows in (JudgeReply.objects.filter(asked), JudgeError.objects.filter(asked, IS_BILLED)):
        _add_calls(spent, rows.annotate(model=F("judge__model")), prices)


def _add_calls(spent: Spent, rows: QuerySet[Any], prices: PriceList) -> None:
    """Add what these rows of `Billed` cost; `model` is annotated."""
    rows = rows.annotate(day=TruncDate("created_at"))
    spent.usd += rows.filter(cost_usd__isnull=False).aggregate(usd=Sum("cost_usd"))["usd"] or 0
    for row in _sums(rows):
        spent.tokens += row["prompt"] + row["completion"]
        spent.n_calls += row["n"]
    for row in _sums(rows.filter(cost_usd__isnull=True)):
        cost = prices.cost(row["model"], row["day"], row["prompt"], row["completion"])
        spent.usd += cost or 0
        spent.n_unpriced += row["n"] if cost is None else 0


def _sums(rows: QuerySet[Any]) -> list[dict[str, Any]]:
    """Sums by day and model."""
    sums = {"prompt": Coalesce(Sum("prompt_tokens"), 0), "completion": Coalesce(Sum("completion_tokens"), 0)}
    return list(rows.order_by().values("day", "model").annotate(n=Count("pk"), **sums))
