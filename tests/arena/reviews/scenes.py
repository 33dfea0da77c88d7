"""Judged runs for review tests, written straight into the tables: no model, no judge, no waiting."""

from __future__ import annotations

from decimal import Decimal

from django.utils import timezone

from arena.models import (
    AnswerScore,
    Benchmark,
    CriterionScore,
    Entrant,
    Judge,
    Judgment,
    Level,
    Problem,
    Reply,
    ReviewItem,
    Run,
    Scorer,
    User,
)
from arena.review_parts import parts_to_decide
from arena.services.review_desk import Decision, Verdict
from arena.services.samples import levels_of, planned_entries
from tests.factories import import_samples, make_user

HALF = Decimal("0.5")


def make_scorer(benchmark: str = "hipho", judge: str = "judge-a") -> Scorer:
    scorer, is_new = Scorer.objects.get_or_create(
        digest=f"{benchmark}:{judge}", defaults={"name": "test", "version": "1", "params": {"policy": "corrected"}}
    )
    if is_new and judge:
        row, _ = Judge.objects.get_or_create(digest=judge, defaults={"model": judge, "prompt_sha256": "0" * 64})
        scorer.judges.add(row)
    return scorer


def make_run(
    entrant: str = "Alpha-7",
    benchmark: str = "hipho",
    *,
    share: Decimal = HALF,
    owner: User | None = None,
    scorer: Scorer | None = None,
    is_published: bool = True,
    organisation: str = "Alphaville Labs",
) -> Run:
    """A finished run over our samples whose judge gave every part `share` of its maximum."""
    if not Benchmark.objects.filter(slug=benchmark, revisions__is_current=True).exists():
        import_samples(benchmark)
    board = Benchmark.objects.get(slug=benchmark)
    scorer = scorer or make_scorer(benchmark)
    model, _ = Entrant.objects.get_or_create(
        slug=entrant.lower(), defaults={"name": entrant, "organisation": organisation}
    )
    now = timezone.now()
    run = Run.objects.create(
        entrant=model,
        owner=owner,
        revision=board.current_revision,
        scorer=scorer,
        split="test",
        state=Run.State.FINISHED,
        finished_at=now,
        published_at=now if is_published else None,
    )
    entries = planned_entries(run)
    run.planned = len(entries)
    run.save()
    for entry in entries:
        judge_reply(make_reply(run, entry.problem), scorer, share)
    return run


def make_reply(run: Run, problem: Problem, text: str = "") -> Reply:
    words = text or f"We write the balance of forces. The answer of {run.entrant.name} is \\boxed{{42}}."
    return Reply.objects.create(run=run, problem=problem, text=words, finish_reason="stop", completion_tokens=20)


def judge_reply(reply: Reply, scorer: Scorer, share: Decimal) -> list[Judgment]:
    """Judgments of all levels, every part at `share` of its maximum."""
    problem = Problem.objects.prefetch_related("answers", "criteria").get(pk=reply.problem_id)
    found = []
    for level in levels_of(problem):
        judgment = Judgment.objects.create(
            reply=reply,
            scorer=scorer,
            level=level,
            status="scored",
            points=(problem.max_points * share).quantize(Decimal("0.0001")),
            max_points=problem.max_points,
            counted_scheme=0 if level == Level.STEP else None,
            answer="42",
        )
        if level == Level.STEP:
            CriterionScore.objects.bulk_create(
                CriterionScore(
                    judgment=judgment,
                    criterion=criterion,
                    points=(criterion.max_points * share).quantize(Decimal("0.0001")),
                    evidence="balance of forces",
                    evidence_start=13,
                    evidence_end=30,
                    reason="The secret verdict of the machine.",
                )
                for criterion in problem.criteria.all()
            )
        else:
            answers = list(problem.answers.all())
            AnswerScore.objects.bulk_create(
                AnswerScore(
                    judgment=judgment,
                    answer=answer,
                    extracted="42",
                    points=(answer.points if len(answers) > 1 else problem.max_points) * share,
                )
                for answer in answers
            )
        found.append(judgment)
    return found


def decide_all(item: ReviewItem, share: Decimal | str, reason: str = "read closely") -> Verdict:
    """A hand-in that gives every part this share of its maximum."""
    return Verdict({part.key: Decision(str(part.maximum * Decimal(share)), reason) for part in parts_to_decide(item)})


def make_people(*names: str) -> list[User]:
    return [make_user(name, "reviewer") for name in names]
