"""What an endpoint says that a call took, as columns."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from arena.llm.call import CallFailure, Completion


def billed(call: Completion | CallFailure) -> dict[str, Any]:
    """The columns of `models.base.Billed`."""
    return {
        "prompt_tokens": call.prompt_tokens,
        "completion_tokens": call.completion_tokens,
        "cost_usd": None if call.cost_usd is None else Decimal(str(round(call.cost_usd, 6))),
    }
