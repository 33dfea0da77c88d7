"""Runs and judged replies with the words a test wants, written straight into the tables."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from django.utils import timezone
from django.utils.text import slugify

from arena.models import (
    AnswerScore,
    Benchmark,
    CriterionScore,
    Entrant,
    Judgment,
    Level,
    Problem,
    Reply,
    Run,
    Scorer,
    Subset,
)
from arena.services.catalog import import_benchmark
from scoring.judge import anchor_quote
from tests.arena.reviews.scenes import make_scorer

HALF = Decimal("0.5")


def make_board(benchmark: str = "hipho") -> Benchmark:
    if not Benchmark.objects.filter(slug=benchmark, revisions__is_current=True).exists():
        import_benchmark(benchmark)
    return Benchmark.objects.get(slug=benchmark)


def make_run(name: str = "Alpha-7", benchmark: str = "hipho", *, repeats: int = 1, is_published: bool = True) -> Run:
    """A finished run without replies yet."""
    board = make_board(benchmark)
    entrant, _ = Entrant.objects.get_or_create(slug=slugify(name), defaults={"name": name})
    now = timezone.now()
    return Run.objects.create(
        entrant=entrant,
        revision=board.current_revision,
        scorer=make_scorer(benchmark),
        split="test",
        repeats=repeats,
        state=Run.State.FINISHED,
        finished_at=now,
        published_at=now if is_published else None,
        params={"system_prompt": ""},
        prompt_digest="d" * 64,
    )


def find_problem(external_id: str, benchmark: str = "hipho") -> Problem:
    return Problem.objects.get(external_id=external_id, subset__benchmark__slug=benchmark)


def add_reply(run: Run, problem: Problem, text: str, repeat: int = 0, **columns: object) -> Reply:
    facts = {"finish_reason": "stop", "prompt_tokens": 120, "completion_tokens": 345, "latency_ms": 4100} | columns
    return Reply.objects.create(run=run, problem=problem, repeat=repeat, text=text, **facts)


def mark_steps(
    reply: Reply, quotes: Mapping[str, str], *, share: Decimal = HALF, reason: str = "", scorer: Scorer | None = None
) -> Judgment:
    """A step-level judgment; quotes: `s0c1` -> the judge's evidence, looked for in the reply as judging does."""
    criteria = list(reply.problem.criteria.all())
    judgment = Judgment.objects.create(
        reply=reply,
        scorer=scorer or reply.run.scorer,
        level=Level.STEP,
        status="scored",
        points=reply.problem.max_points * share,
        max_points=reply.problem.max_points,
        counted_scheme=0,
    )
    for criterion in criteria:
        quote = quotes.get(criterion.target, "")
        place = anchor_quote(quote, reply.text) if quote else None
        CriterionScore.objects.create(
            judgment=judgment,
            criterion=criterion,
            points=criterion.max_points * share,
            evidence=quote,
            evidence_start=place[0] if place else None,
            evidence_end=place[1] if place else None,
            reason=reason,
        )
    return judgment


def mark_answers(
    reply: Reply,
    extracted: str,
    *,
    share: Decimal = HALF,
    details: Mapping[str, object] | None = None,
    reason: str = "",
) -> Judgment:
    """An answer-level judgment that gives every answer the share of its points."""
    answers = list(reply.problem.answers.all())
    judgment = Judgment.objects.create(
        reply=reply,
        scorer=reply.run.scorer,
        level=Level.ANSWER,
        status="scored",
        points=reply.problem.max_points * share,
        max_points=reply.problem.max_points,
        answer=extracted,
        details=dict(details or {}),
        explanation=reason,
    )
    for answer in answers:
        points = (answer.points if len(answers) > 1 else reply.problem.max_points) * share
        AnswerScore.objects.create(
            judgment=judgment, answer=answer, extracted=extracted, points=points, matched_by="rule", reason=reason
        )
    return judgment


def make_own_problem(text: str = "What is $x$?", **columns: object) -> Problem:
    """A problem of our own beside the samples, last in the current revision of HiPhO."""
    board = make_board("hipho")
    subset = Subset.objects.filter(benchmark=board, slug="Sample_2026_en").get()
    name = str(columns.pop("external_id", "Sample_2026_en_9_1"))
    facts = {"max_points": Decimal(1), "content_hash": name} | columns
    problem = Problem.objects.create(subset=subset, external_id=name, statement=text, **facts)
    entries = board.current_revision.entries  # type: ignore[union-attr]
    entries.create(problem=problem, split="test", position=entries.count(), external_id=name)
    return problem
