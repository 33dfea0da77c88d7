"""A large site without any model: problems, runs, replies and judgments written in bulk into an empty database.

Sizes follow the real benchmarks: 30 models on five of them make about a million judgments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np

from arena.models import (
    Answer,
    Criterion,
    DatasetRevision,
    Entrant,
    Judgment,
    Problem,
    Reply,
    RevisionProblem,
    Run,
    Scorer,
    Subset,
)
from arena.services.catalog import ensure_benchmark, get_adapter

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
BATCH = 2000


@dataclass(frozen=True, slots=True)
class Size:
    """One benchmark: subsets with their problems, repeats of each run, problems that share a cluster."""

    slug: str
    subsets: dict[str, int]
    repeats: int
    parts: int = 1
    max_points: float = 1.0
    kind: str = "field"


HIPHO = dict(zip("abcdefghijklmn", (45, 43, 7, 6, 25, 25, 37, 39, 24, 20, 29, 23, 33, 47)))
FULL = (
    Size("hipho", {f"Exam_{name}": n for name, n in HIPHO.items()}, 8, parts=5, max_points=1.5, kind="exam"),
    Size("phybench", dict(zip(("mechanics", "electricity", "optics"), (200, 200, 100))), 9, max_points=100.0),
    Size(
        "arc_indic",
        dict.fromkeys(["bn", "gu", "hi", "kn", "ml", "mr", "or", "pa", "ta", "te"], 1150) | {"en": 1147},
        1,
        kind="language",
    ),
    Size("coin_flip", {"default": 3333}, 2),
    Size("phyx_oe", dict(zip(("mechanics", "electromagnetism", "optics"), (1000, 1000, 1000))), 1),
)


def load_site(sizes: tuple[Size, ...] = FULL, n_models: int = 30, *, fraction: float = 1.0, seed: int = 7) -> int:
    """Fill an empty database; returns the number of judgments. fraction: of each subset's problems."""
    rng = np.random.default_rng(seed)
    entrants = [
        Entrant.objects.create(
            slug=f"model-{i:02}", name=f"Model {i:02}", organisation=f"Lab {i % 6}", open_weights=bool(i % 2),
            release_date=(EPOCH + timedelta(days=11 * i)).date(),
        )
        for i in range(n_models)
    ]  # fmt: skip
    return sum(_load_benchmark(size, entrants, fraction, rng) for size in sizes)


def _load_benchmark(size: Size, entrants: list[Entrant], fraction: float, rng: np.random.Generator) -> int:
    benchmark = ensure_benchmark(get_adapter(size.slug))
    label = f"synthetic-{fraction:g}"
    revision = DatasetRevision.objects.create(benchmark=benchmark, label=label, sha256="0" * 64, is_current=True)
    Subset.objects.get_or_create(benchmark=benchmark, slug=Subset.OVERALL, defaults={"title": "Overall"})
    problems = _make_problems(size, benchmark, revision, fraction)
    scorer = Scorer.objects.create(
        name="synthetic", version="1", params={"policy": "corrected"}, digest=f"synthetic-{size.slug}"
    )
    type(benchmark).objects.filter(pk=benchmark.pk).update(scorer=scorer)
    difficulty = rng.normal(0, 1, len(problems))
    total = 0
    for number, entrant in enumerate(entrants):
        run = Run.objects.create(
            entrant=entrant, revision=revision, scorer=scorer, repeats=size.repeats, state=Run.State.FINISHED,
            started_at=EPOCH, finished_at=EPOCH, published_at=EPOCH, planned=len(problems) * size.repeats,
            params={"temperature": 0.6, "max_tokens": 4096}, prompt_digest="0" * 64,
        )  # fmt: skip
        total += _answer(run, scorer, problems, size, difficulty, 0.09 * number - 1.2, rng)
    return total


def _make_problems(size: Size, benchmark: object, revision: DatasetRevision, fraction: float) -> list[Problem]:
    problems: list[Problem] = []
    for position, (name, n) in enumerate(size.subsets.items(), start=1):
        full = size.max_points * n
        marks = (
            [Decimal(str(round(full * share, 1))) for share in (0.7, 0.5, 0.35, 0.95)]
            if size.kind == "exam"
            else [None] * 4
        )
        subset = Subset.objects.create(
            benchmark=benchmark, slug=name, title=name.replace("_", " "), kind=size.kind, position=position,
            language=name if size.kind == "language" else "en", gold=marks[0], silver=marks[1], bronze=marks[2],
            best_human=marks[3],
        )  # fmt: skip
        for i in range(max(1, round(n * fraction))):
            key = f"{name}:{i}" if size.slug == "arc_indic" else f"{name}_{i}" if len(size.subsets) > 1 else str(i)
            cluster = f"q{i}" if size.slug == "arc_indic" else f"{name}_{i // size.parts}" if size.parts > 1 else ""
            problems.append(
                Problem(
                    subset=subset, external_id=key, statement=f"Question {key}. Is the coin still heads up?",
                    max_points=Decimal(str(size.max_points)), content_hash=hashlib.sha256(key.encode()).hexdigest(),
                    cluster=cluster, field=name, choices=[["A", "x"], ["B", "y"], ["C", "z"], ["D", "w"]],
                )
            )  # fmt: skip
    Problem.objects.bulk_create(problems, batch_size=BATCH)
    Answer.objects.bulk_create(
        [
            Answer(
                problem=p,
                position=0,
                value=("YES", "NO")[i % 2] if size.slug == "coin_flip" else "A",
                points=p.max_points,
            )
            for i, p in enumerate(problems)
        ],
        batch_size=BATCH,
    )
    if size.kind == "exam":
        Criterion.objects.bulk_create(
            [Criterion(problem=p, scheme=0, position=0, text="all", max_points=p.max_points) for p in problems]
        )
    RevisionProblem.objects.bulk_create(
        [
            RevisionProblem(revision=revision, problem=p, position=i, external_id=p.external_id)
            for i, p in enumerate(problems)
        ],
        batch_size=BATCH,
    )
    return problems


def _answer(
    run: Run,
    scorer: Scorer,
    problems: list[Problem],
    size: Size,
    difficulty: np.ndarray,
    skill: float,
    rng: np.random.Generator,
) -> int:
    n = len(problems)
    chance = 1 / (1 + np.exp(difficulty - skill))
    right = rng.random((size.repeats, n)) < chance
    replies = list(_replies(run, problems, size.repeats, rng))
    Reply.objects.bulk_create(replies, batch_size=BATCH)
    judgments = []
    for reply, is_right, i in zip(replies, right.ravel(), np.tile(np.arange(n), size.repeats), strict=True):
        full = problems[i].max_points
        points = full if is_right else Decimal(int(rng.integers(0, 31))) if size.slug == "phybench" else Decimal(0)
        answer = _say(size.slug, bool(is_right), int(i))
        levels = ("step", "answer") if size.kind == "exam" else ("answer",)
        for level in levels:
            judgments.append(
                Judgment(
                    reply=reply, scorer=scorer, level=level, status="scored", points=points, max_points=full,
                    answer=answer, answer_class=answer,
                )
            )  # fmt: skip
    Judgment.objects.bulk_create(judgments, batch_size=BATCH)
    return len(judgments)


def _replies(run: Run, problems: list[Problem], repeats: int, rng: np.random.Generator) -> Iterator[Reply]:
    tokens = rng.integers(200, 4000, (repeats, len(problems)))
    for repeat in range(repeats):
        for i, problem in enumerate(problems):
            count = int(tokens[repeat, i])
            yield Reply(
                run=run, problem=problem, repeat=repeat, text="ANSWER: A", completion_tokens=count, prompt_tokens=300,
                latency_ms=10 * count, finish_reason="stop",
            )  # fmt: skip


def _say(slug: str, is_right: bool, i: int) -> str:
    if slug == "coin_flip":
        return "YES" if (i % 2 == 0) == is_right else "NO"
    return "A" if is_right else "B"
