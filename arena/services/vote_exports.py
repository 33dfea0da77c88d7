"""Our votes for others: model names and outcomes; voters under names of this export alone, no address, no cookie.

The battle's public id is left out too: with it one voter could look up the names behind a battle still open to them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

from django.conf import settings

from arena.models import Vote
from arena.services.battles import excluded_ids

_WINNERS = {"a": "model_a", "b": "model_b", "tie": "tie", "both_bad": "tie (bothbad)"}
FIELDS = (
    "question_id", "model_a", "model_b", "winner", "judge", "anony", "language", "benchmark", "field", "pool", "source",
    "answer_opened", "seconds", "excluded", "tstamp",
)  # fmt: skip


def export_votes(pools: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """One row a vote in the shape of Chatbot Arena's clean battles; model_a stood left. tstamp: the hour, in s UTC."""
    votes = Vote.objects.select_related("battle__entrant_a", "battle__entrant_b", "battle__benchmark").order_by("pk")
    if pools:
        votes = votes.filter(pool__in=pools)
    out = excluded_ids()
    for vote in votes.iterator(chunk_size=2000):
        yield _row(vote, vote.pk in out)


def _row(vote: Vote, is_excluded: bool) -> dict[str, Any]:
    battle = vote.battle
    left, right = battle.entrant_a.name, battle.entrant_b.name
    outcome = vote.outcome
    if vote.swapped:
        left, right = right, left
        outcome = {"a": "b", "b": "a"}.get(outcome, outcome)
    return {
        "question_id": battle.question,
        "model_a": left,
        "model_b": right,
        "winner": _WINNERS[outcome],
        "judge": rename_voter(vote),
        "anony": True,
        "language": battle.language,
        "benchmark": battle.benchmark.slug if battle.benchmark else "",
        "field": battle.field,
        "pool": vote.pool,
        "source": battle.source,
        "answer_opened": vote.answer_opened,
        "seconds": vote.seconds,
        "excluded": is_excluded,
        "tstamp": int(vote.created_at.timestamp()) // 3600 * 3600,
    }


def rename_voter(vote: Vote) -> str:
    """A name that is the same for one voter throughout an export and leads back to nobody."""
    key = hashlib.sha256(b"arena.export\0" + settings.SECRET_KEY.encode()).digest()
    kind = "judge" if vote.pool in ("judge", "imported-judge") else "voter"
    return f"{kind}_{hmac.new(key, vote.voter.encode(), hashlib.sha256).hexdigest()[:12]}"
