"""What enters the review queue by itself: verdicts that rest on words the reply does not hold, and zeros of our making.

A quote that is not in the reply is never guessed, and a zero by `timeout` or `unparseable` may be our failure and not
the model's. One person looks at each.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from arena.models import CriterionScore, Judgment, Policy, Run
from arena.services.review_queue import Candidate, Queued, add_candidates
from scoring.score import Status

OWN_ZEROS = (Status.UNPARSEABLE.value, Status.TIMEOUT.value)
LOST_QUOTE = "a quote is not in the reply"


def queue_doubts(run: Run) -> Queued:
    """Queue what is doubtful in the run, under every scorer that graded it; one person decides each.

    Replies that nobody may see yet wait until the run is published. A second call changes nothing.
    """
    if run.published_at is None:
        return Queued(0, 0)
    judgments = Judgment.objects.filter(reply__run=run, reply__withdrawals__isnull=True)
    return add_candidates(Policy.LOW_CONFIDENCE, find_doubts(judgments), needed=1)


def find_doubts(judgments: QuerySet[Judgment]) -> Iterator[Candidate]:
    """One candidate a reply and scorer, zeros first: they question the whole reply, a lost quote one criterion."""
    seen: set[tuple[int, int]] = set()
    for candidate in (*_own_zeros(judgments), *_lost_quotes(judgments)):
        key = (candidate.reply_id, candidate.scorer_id)
        if key not in seen:
            seen.add(key)
            yield candidate


def _own_zeros(judgments: QuerySet[Judgment]) -> Iterator[Candidate]:
    zeros = judgments.filter(status__in=OWN_ZEROS, points=0).order_by("pk")
    for reply_id, scorer_id, status in zeros.values_list("reply_id", "scorer_id", "status"):
        yield Candidate(reply_id, scorer_id, status)


def _lost_quotes(judgments: QuerySet[Judgment]) -> Iterator[Candidate]:
    """Of several such criteria in a reply the one with the most points is asked about: it is what the quote bought."""
    lost = (
        CriterionScore.objects.filter(judgment__in=judgments, evidence_start=None)
        .exclude(evidence="")
        .order_by("-points", "pk")
    )
    columns = ("judgment__reply_id", "judgment__scorer_id", "criterion_id", "evidence")
    for reply_id, scorer_id, criterion_id, evidence in lost.values_list(*columns):
        if evidence.strip():
            yield Candidate(reply_id, scorer_id, LOST_QUOTE, criterion_id)
