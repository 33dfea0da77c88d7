"""What judges said beside the scores: opinions on a reply that rank nothing, and how lenient a judge was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.models import CanaryReply, Judge, JudgeReply, Reply
from scoring.errors import VerdictError
from scoring.judge import Purpose, Verdict, parse_verdict


def read_opinion(reply: Reply, purpose: Purpose) -> tuple[Judge, Verdict] | None:
    """The newest readable opinion about a reply."""
    rows = JudgeReply.objects.filter(reply=reply, purpose=purpose.value).select_related("judge").order_by("-pk")
    for row in rows:
        try:
            return row.judge, parse_verdict(purpose, row.text, candidate=reply.text)
        except VerdictError:
            continue
    return None


@dataclass(frozen=True, slots=True)
class Leniency:
    """share: mean of awarded / maximum, 0 for a judge one can trust; None where it gave no verdict at all."""

    n: int
    n_lenient: int
    n_failed: int
    share: float | None


def measure_leniency(rows: Sequence[CanaryReply]) -> Leniency:
    shares = [float(row.awarded / row.max_points) for row in rows if row.awarded is not None]
    return Leniency(
        n=len(rows),
        n_lenient=sum(share > 0 for share in shares),
        n_failed=len(rows) - len(shares),
        share=sum(shares) / len(shares) if shares else None,
    )
