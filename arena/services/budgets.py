"""What a run has cost so far and whether it may spend more; checked before every call, so at most one batch goes over."""

from __future__ import annotations

from django.db.models import Sum

from arena.models import JudgeReply, Reply, Run


class Meter:
    """Counts tokens against `run.budget` (`{"tokens": n}`); unlimited where no budget is set."""

    def __init__(self, run: Run) -> None:
        self.tokens_max = run.budget.get("tokens")
        self.tokens = 0
        self.reason = ""
        if self.tokens_max:
            self.tokens = spent_tokens(run)

    def add_reply(self, reply: Reply) -> None:
        self.tokens += (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)

    def has_left(self) -> bool:
        if self.tokens_max and self.tokens >= self.tokens_max:
            self.reason = f"the budget of {self.tokens_max} tokens is spent"
            return False
        return True


def spent_tokens(run: Run) -> int:
    total = 0
    for rows in (Reply.objects.filter(run=run), JudgeReply.objects.filter(reply__run=run)):
        sums = rows.aggregate(prompt=Sum("prompt_tokens"), completion=Sum("completion_tokens"))
        total += (sums["prompt"] or 0) + (sums["completion"] or 0)
    return total
