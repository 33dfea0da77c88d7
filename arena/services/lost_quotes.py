"""Verdicts that rest on words which are not in the reply: each such reply is queued for a person, none is guessed."""

from __future__ import annotations

from arena.models import CriterionScore, Policy, Run
from arena.services.review_queue import Candidate, Queued, add_candidates

DETAIL = "a quote is not in the reply"


def queue_lost_quotes(run: Run) -> Queued:
    """Queue the run's replies whose judge quotes what they do not say; one person decides.

    Of several such criteria in a reply the one with the most points is asked about: it is what the quote bought.
    Replies that nobody may see yet wait until the run is published. A second call changes nothing.
    """
    if run.published_at is None:
        return Queued(0, 0)
    lost = (
        CriterionScore.objects.filter(judgment__reply__run=run, evidence_start=None)
        .exclude(evidence="")
        .order_by("-points", "pk")
        .values_list("judgment__reply_id", "judgment__scorer_id", "criterion_id", "evidence")
    )
    found: dict[tuple[int, int], Candidate] = {}
    for reply_id, scorer_id, criterion_id, evidence in lost:
        if evidence.strip():
            found.setdefault((reply_id, scorer_id), Candidate(reply_id, scorer_id, DETAIL, criterion_id))
    return add_candidates(Policy.LOW_CONFIDENCE, found.values(), needed=1)
