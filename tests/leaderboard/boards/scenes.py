"""Boards without any model: problems, runs and judgments written straight into the records of truth."""

from __future__ import annotations

import hashlib
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from arena.models import (
    Answer,
    AnswerScore,
    Benchmark,
    Criterion,
    CriterionScore,
    DatasetRevision,
    Entrant,
    Judgment,
    Problem,
    Reply,
    ReportedResult,
    Review,
    RevisionProblem,
    Run,
    Scorer,
    Subset,
    User,
)
from arena.services.catalog import ensure_benchmark, get_adapter
from arena.signals import scores_changed

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def make_board(
    slug: str,
    subsets: Mapping[str, int],
    *,
    answers: Sequence[str] = ("1",),
    max_points: float = 1.0,
    kind: str = "field",
    parts: int = 1,
    marks: tuple[float, float, float] | None = None,
) -> DatasetRevision:
    """A benchmark with `subsets` (name -> problems); reference answers take turns, `parts` problems share a cluster."""
    benchmark = ensure_benchmark(get_adapter(slug))
    revision = DatasetRevision.objects.create(benchmark=benchmark, label="r1", sha256="0" * 64, is_current=True)
    Subset.objects.get_or_create(benchmark=benchmark, slug=Subset.OVERALL, defaults={"title": "Overall"})
    position = 0
    for order, (name, n) in enumerate(subsets.items(), start=1):
        gold, silver, bronze = (Decimal(str(mark)) for mark in marks) if marks else (None, None, None)
        subset = Subset.objects.create(
            benchmark=benchmark, slug=name, title=name.replace("_", " "), kind=kind, position=order,
            gold=gold, silver=silver, bronze=bronze,
        )  # fmt: skip
        for i in range(n):
            problem = add_problem(subset, f"{name}_{i}", answers[position % len(answers)], max_points, i // parts)
            RevisionProblem.objects.create(
                revision=revision, problem=problem, position=position, external_id=problem.external_id
            )
            position += 1
    scorer = make_scorer(slug)
    Benchmark.objects.filter(pk=benchmark.pk).update(scorer=scorer)
    return DatasetRevision.objects.select_related("benchmark__scorer").get(pk=revision.pk)


def add_problem(subset: Subset, external_id: str, answer: str, max_points: float, group: int) -> Problem:
    problem = Problem.objects.create(
        subset=subset,
        external_id=external_id,
        statement=f"Question {external_id}",
        max_points=Decimal(str(max_points)),
        content_hash=external_id,
        cluster=f"{subset.slug}_{group}",
        field=subset.slug,
    )
    Answer.objects.create(problem=problem, position=0, value=answer, points=problem.max_points)
    if subset.kind == "exam":
        Criterion.objects.create(problem=problem, scheme=0, position=0, text="all", max_points=problem.max_points)
    return problem


def make_scorer(slug: str, name: str = "ruler", version: str = "1", policy: str = "corrected") -> Scorer:
    digest = hashlib.sha256(f"{slug} {name} {version}".encode()).hexdigest()
    return Scorer.objects.create(
        name=name, version=version, params={"policy": policy, "benchmark": slug}, digest=digest
    )


def make_run(
    revision: DatasetRevision,
    name: str,
    *,
    repeats: int = 1,
    day: int = 0,
    scorer: Scorer | None = None,
    **fields: object,
) -> Run:
    """A finished, published run without replies yet."""
    entrant, _ = Entrant.objects.get_or_create(slug=name.lower().replace(" ", "-"), defaults={"name": name})
    at = EPOCH + timedelta(days=day)
    own = scorer or revision.benchmark.scorer
    assert own is not None
    return Run.objects.create(
        entrant=entrant, revision=revision, scorer=own, repeats=repeats, state=Run.State.FINISHED,
        started_at=at, finished_at=at, published_at=at, planned=revision.entries.count() * repeats, **fields,
    )  # fmt: skip


def give(
    run: Run,
    entry: RevisionProblem,
    points: float | None,
    *,
    repeat: int = 0,
    answer: str = "1",
    status: str = "scored",
    scorer: Scorer | None = None,
    details: Mapping[str, object] | None = None,
) -> Reply:
    """A reply, and its judgment unless `points` is None. A second call with another scorer judges the same reply."""
    reply, _ = Reply.objects.get_or_create(
        run=run, problem=entry.problem, repeat=repeat, defaults={"text": answer, "completion_tokens": 10 + repeat}
    )
    if points is not None:
        judge(reply, points, answer=answer, status=status, scorer=scorer or run.scorer, details=details)
    return reply


def judge(
    reply: Reply,
    points: float,
    *,
    scorer: Scorer,
    answer: str = "1",
    status: str = "scored",
    details: Mapping[str, object] | None = None,
) -> Judgment:
    full = reply.problem.max_points
    level = "step" if reply.problem.subset.kind == "exam" else "answer"
    judgment = Judgment.objects.create(
        reply=reply, scorer=scorer, level=level, status=status, points=Decimal(str(points)), max_points=full,
        answer=answer if status == "scored" else "", answer_class=answer if status == "scored" else "",
        details=dict(details or {}),
    )  # fmt: skip
    if level == "step":
        CriterionScore.objects.create(judgment=judgment, criterion=reply.problem.criteria.get(), points=judgment.points)
        Judgment.objects.create(
            reply=reply, scorer=scorer, level="answer", status=status, points=Decimal(0), max_points=full
        )
    else:
        AnswerScore.objects.create(judgment=judgment, answer=reply.problem.answers.get(), points=judgment.points)
    return judgment


def give_all(run: Run, points: Sequence[float | None], *, repeat: int = 0, answers: Sequence[str] = ()) -> None:
    """One reply a problem in official order."""
    for i, entry in enumerate(run.revision.entries.filter(split=run.split).select_related("problem__subset")):
        give(run, entry, points[i], repeat=repeat, answer=answers[i] if answers else "1")


def override(judgment: Judgment, points: float, reviewer: User) -> Review:
    """A maintainer says that the first part of a judgment deserves other points."""
    parts = {"criterion_score": judgment.criterion_scores.first(), "answer_score": judgment.answer_scores.first()}
    return Review.objects.create(
        judgment=judgment, reviewer=reviewer, role="maintainer", decision="override", points=Decimal(str(points)),
        reason="seen", **{name: part for name, part in parts.items() if part is not None},
    )  # fmt: skip


def sit(revision: DatasetRevision, **scores: list[float | None]) -> dict[str, Run]:
    """One run a model, on its board at once."""
    runs = {name: make_run(revision, name) for name in scores}
    for name, points in scores.items():
        give_all(runs[name], points)
    scores_changed.send(sender=None, run_ids=[run.pk for run in runs.values()], inline=True)
    return runs


def part_of(page: str, start: str, end: str = "</section>") -> str:
    """The page from one mark to the next."""
    rest = page[page.index(start) :]
    return rest[: rest.index(end)]


def cells_of(row: str) -> list[str]:
    """Texts of a table row, without elements."""
    tree = ElementTree.fromstring(f"<tr>{row}</tr>")
    return [" ".join("".join(cell.itertext()).split()) for cell in tree]


def spread(n_right: int, n: int = 20) -> list[float | None]:
    """EED scores: the first n_right of n problems right."""
    return [100.0] * n_right + [0.0] * (n - n_right)


def report(revision: DatasetRevision, name: str, value: float, **fields: Any) -> ReportedResult:
    """A number published elsewhere, by default an EED."""
    entrant, _ = Entrant.objects.get_or_create(slug=name.lower(), defaults={"name": name})
    values = {"metric": "eed", "source": "a paper", "date": "2025-05", "digest": f"{name}{value}{fields}"} | fields
    return ReportedResult.objects.create(benchmark=revision.benchmark, entrant=entrant, value=value, **values)
