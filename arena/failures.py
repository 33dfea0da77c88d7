"""Why samples of a run failed: those that are still without a score, and what a later try made good."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from arena.models import CallError, JudgeError, Judgment, Level, Reply, Run, ScoreError
from arena.services.samples import STEP_PURPOSES

Errors = QuerySet[CallError] | QuerySet[JudgeError] | QuerySet[ScoreError]


@dataclass(frozen=True, slots=True)
class Failure:
    """One kind of failure. n: samples while they are open, tries afterwards. message: the newest, not for outsiders;
    empty where a judge's words may tell a withheld reference."""

    kind: str
    n: int
    message: str


@dataclass(frozen=True, slots=True)
class Failures:
    """open: of samples without a score, each counted once, by its newest failure. past: of samples scored since."""

    open: tuple[Failure, ...]
    past: tuple[Failure, ...]


def read_failures(run: Run, *, has_words: bool) -> Failures:
    """Failed calls to the model, failed verdicts of judges and faults of our own scoring, most frequent first."""
    reply = Reply.objects.filter(run=run, problem=OuterRef("problem"), repeat=OuterRef("repeat"))
    judged = Judgment.objects.filter(reply=OuterRef("reply"), scorer=run.scorer_id)
    is_step = Q(purpose__in=STEP_PURPOSES)
    graded = (is_step & Exists(judged.filter(level=Level.STEP))) | (
        ~is_step & Exists(judged.filter(level=Level.ANSWER))
    )
    scored_since = Exists(judged.filter(created_at__gt=OuterRef("created_at")))
    sources: tuple[tuple[Errors, Q | Exists, tuple[str, ...]], ...] = (
        (CallError.objects.filter(run=run), Exists(reply), ("problem", "repeat")),
        (JudgeError.objects.filter(reply__run=run), graded, ("reply",)),
        (ScoreError.objects.filter(reply__run=run, scorer=run.scorer_id), scored_since, ("reply",)),
    )
    still: list[Failure] = []
    past: list[Failure] = []
    for errors, is_made_good, sample in sources:
        newest = errors.exclude(is_made_good).order_by().values(*sample).annotate(newest=Max("pk")).values("newest")
        still += _by_kind(errors.model.objects.filter(pk__in=newest), has_words)
        past += _by_kind(errors.filter(is_made_good), has_words)
    return Failures(_most_first(still), _most_first(past))


def _by_kind(errors: Errors, has_words: bool) -> list[Failure]:
    counted = list(errors.order_by().values("kind").annotate(n=Count("pk"), newest=Max("pk")))
    newest = errors.model.objects.filter(pk__in=[row["newest"] for row in counted])
    if errors.model is not CallError:
        newest = newest.exclude(reply__problem__answers__is_hidden=True)
    words = dict(newest.values_list("pk", "message"))
    return [Failure(row["kind"], row["n"], words.get(row["newest"], "") if has_words else "") for row in counted]


def _most_first(failures: list[Failure]) -> tuple[Failure, ...]:
    return tuple(sorted(failures, key=lambda failure: -failure.n))
