"""What a run has cost so far and whether it may spend more; asked before every call, so only what is out goes over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from django.utils import timezone

from arena.costs import PriceList, Spent, read_prices, read_spent
from arena.models import CallError, JudgeError, JudgeReply, Reply, Run

CHARS_PER_TOKEN = 4  # where an endpoint counts nothing


class Meter:
    """Counts the calls of a model and of judges against a budget (`{"tokens": n, "usd": x}`); none means no limit.

    read_stored: what the tables hold, where several slices may spend at once. model: as its endpoint names it.
    """

    def __init__(
        self, budget: Mapping[str, Any], model: str = "", read_stored: Callable[[PriceList], Spent] | None = None
    ) -> None:
        self.tokens_max = int(budget.get("tokens") or 0)
        self.usd_max = Decimal(str(budget.get("usd") or 0))
        self.reason = ""
        self.spent = Spent()
        self._model = model
        self._read_stored = read_stored
        self._prices = read_prices() if self.has_budget else PriceList({})
        self.refresh()

    @classmethod
    def of_run(cls, run: Run) -> Meter:
        model = run.endpoint.api_model if run.endpoint else ""
        return cls(run.budget, model, lambda prices: read_spent(run, prices, only_own=True))

    @property
    def has_budget(self) -> bool:
        return bool(self.tokens_max or self.usd_max)

    def refresh(self) -> None:
        """Never less than this slice has counted itself: its newest rows may not be stored yet."""
        if self.has_budget and self._read_stored is not None:
            stored = self._read_stored(self._prices)
            self.spent.tokens = max(self.spent.tokens, stored.tokens)
            self.spent.usd = max(self.spent.usd, stored.usd)

    def add_call(self, row: Reply | CallError) -> None:
        self._add(self._model, row)

    def add_judge_call(self, row: JudgeReply | JudgeError) -> None:
        self._add(row.judge.model, row)

    def _add(self, model: str, row: Reply | CallError | JudgeReply | JudgeError) -> None:
        """A failure counts with what the endpoint says it billed all the same."""
        given = row.completion_tokens
        if given is None:
            given = len(getattr(row, "text", "")) // CHARS_PER_TOKEN
        self.spent.tokens += (row.prompt_tokens or 0) + given
        cost = self._prices.cost(model, timezone.now().date(), row.prompt_tokens or 0, given, row.cost_usd)
        self.spent.usd += cost or 0

    def has_left(self) -> bool:
        if self.tokens_max and self.spent.tokens >= self.tokens_max:
            self.reason = f"the budget of {self.tokens_max} tokens is spent"
        elif self.usd_max and self.spent.usd >= self.usd_max:
            self.reason = f"the budget of {self.usd_max:f} US dollars is spent"
        return not self.reason
