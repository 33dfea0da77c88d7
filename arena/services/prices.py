"""What calls cost: as the endpoint states it, else from the tokens and the price of that day."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from arena.errors import Refused
from arena.models import Price

MILLION = 1_000_000


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


def require_prices(models: Iterable[str], day: date) -> None:
    """Raises Refused for a model without a price: a budget in currency could not be kept."""
    prices = read_prices()
    if missing := sorted({model for model in models if prices.rate(model, day) is None}):
        raise Refused(
            "budget-usd",
            f"no price is known for {', '.join(missing)}: a maintainer adds it (set_price), or use --budget-tokens",
        )


def set_price(model: str, valid_from: date, input_usd: Decimal, output_usd: Decimal, source: str = "") -> Price:
    """Store or correct what a model costs from a day on, in US dollars a million tokens. Raises Refused."""
    if not model.strip():
        raise Refused("model", "name the model as its endpoint does")
    for name, value in (("input", input_usd), ("output", output_usd)):
        if not (value.is_finite() and 0 <= value < MILLION):
            raise Refused(name, f"{value} is no price in US dollars a million tokens")
    price, _ = Price.objects.update_or_create(
        model=model.strip(),
        valid_from=valid_from,
        defaults={"input_usd": input_usd, "output_usd": output_usd, "source": source},
    )
    return price
