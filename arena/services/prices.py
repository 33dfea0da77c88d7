"""The price list as maintainers keep it, and the prices that a budget in currency needs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from django.utils.translation import gettext as _

from arena.costs import MILLION, read_prices
from arena.errors import Refused
from arena.models import Price


def require_prices(models: Iterable[str], day: date) -> None:
    """Raises Refused for a model without a price: a budget in currency could not be kept."""
    prices = read_prices()
    if missing := sorted({model for model in models if prices.rate(model, day) is None}):
        raise Refused(
            "budget-usd",
            _("no price is known for %(models)s: a maintainer adds it (set_price), or give a budget in tokens")
            % {"models": ", ".join(missing)},
        )


def set_price(model: str, valid_from: date, input_usd: Decimal, output_usd: Decimal, source: str = "") -> Price:
    """Store or correct what a model costs from a day on, in US dollars a million tokens. Raises Refused."""
    if not model.strip():
        raise Refused("model", _("name the model as its endpoint does"))
    for name, value in (("input", input_usd), ("output", output_usd)):
        if not (value.is_finite() and 0 <= value < MILLION):
            raise Refused(name, _("%(value)s is no price in US dollars a million tokens") % {"value": value})
    price, _is_new = Price.objects.update_or_create(
        model=model.strip(),
        valid_from=valid_from,
        defaults={"input_usd": input_usd, "output_usd": output_usd, "source": source},
    )
    return price
