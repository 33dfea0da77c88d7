"""A large site without any model: problems, runs, replies and judgments written in bulk into an empty database.

Sizes follow the real benchmarks: 30 models on five of them, 60 on one, make about a million judgments. A smaller
site has the same models, boards and columns and fewer problems, so that pages of both are alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from django.db import connection, models

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
    n_models: int = 30


HIPHO = dict(zip("abcdefghijklmn", (45, 43, 7, 6, 25, 25, 37, 39, 24, 20, 29, 23, 33, 47)))
LANGUAGES = dict.fromkeys(["bn", "gu", "hi", "kn", "ml", "mr", "or", "pa", "ta", "te"], 1150) | {"en": 1147}
FULL = (
    Size("hipho", {f"Exam_{name}": n for name, n in HIPHO.items()}, 8, parts=5, max_points=1.5, kind="exam"),
    Size("phybench", dict(zip(("mechanics", "electricity", "optics"), (200, 200, 100))), 10, max_points=100.0),
    Size("arc_indic", LANGUAGES, 1, kind="language"),
    Size("coin_flip", {"default": 3333}, 1),
    Size("phyx_oe", dict.fromkeys(("mechanics", "electromagnetism", "optics"), 1000), 1, n_models=60),
)


def load_site(sizes: tuple[Size, ...] = FULL, *, fraction: float = 1.0, seed: int = 7) -> int:
    """Fill an empty database; returns the number of judgments. fraction: of each subset's problems, at least one."""
    rng = np.random.default_rng(seed)
    entrants = [
        Entrant.objects.create(
            slug=f"model-{i:02}", name=f"Model {i:02}", organisation=f"Lab {i % 6}", open_weights=bool(i % 2),
            release_date=(EPOCH + timedelta(days=11 * i)).date(),
        )
        for i in range(max(size.n_models for size in sizes))
    ]  # fmt: skip
    return sum(_load_benchmark(size, entrants[: size.n_models], fraction, rng) for size in sizes)


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
    tokens = rng.integers(200, 4000, (size.repeats, n)).tolist()
    first = (Reply.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    blank = Reply(run=run, problem=problems[0], text="ANSWER: A", prompt_tokens=300, finish_reason="stop")
    replies = (
        (first + repeat * n + i, _uuid(rng), problem.pk, repeat, tokens[repeat][i], 10 * tokens[repeat][i])
        for repeat in range(size.repeats)
        for i, problem in enumerate(problems)
    )
    _insert(blank, ("id", "uuid", "problem", "repeat", "completion_tokens", "latency_ms"), replies)
    rows = _judgments(size, problems, right, first, rng)
    blank = Judgment(reply_id=first, scorer=scorer, status="scored", points=0, max_points=0)
    _insert(blank, ("reply", "uuid", "level", "points", "max_points", "answer", "answer_class"), rows)
    return len(rows)


def _judgments(
    size: Size, problems: Sequence[Problem], right: np.ndarray, first: int, rng: np.random.Generator
) -> list[tuple[Any, ...]]:
    levels = ("step", "answer") if size.kind == "exam" else ("answer",)
    partial = rng.integers(0, 31, right.shape).tolist()
    rows = []
    for repeat, row in enumerate(right.tolist()):
        for i, is_right in enumerate(row):
            full = float(problems[i].max_points)
            points = full if is_right else partial[repeat][i] if size.slug == "phybench" else 0
            answer = _say(size.slug, is_right, i)
            reply = first + repeat * len(row) + i
            rows += [(reply, _uuid(rng), level, points, full, answer, answer) for level in levels]
    return rows


def _insert(blank: models.Model, names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    """Rows like `blank` but for the fields named: a million model instances would take minutes."""
    fields = [field for field in blank._meta.concrete_fields if not field.primary_key or field.name in names]
    columns = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    same = [field.get_db_prep_save(field.pre_save(blank, add=True), connection) for field in fields]
    places = [next(i for i, field in enumerate(fields) if field.name == name) for name in names]

    def fill(row: tuple[Any, ...]) -> list[Any]:
        values = same.copy()
        for place, value in zip(places, row, strict=True):
            values[place] = value
        return values

    table = connection.ops.quote_name(blank._meta.db_table)
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", map(fill, rows))


def _uuid(rng: np.random.Generator) -> str:
    return rng.bytes(16).hex()


def _say(slug: str, is_right: bool, i: int) -> str:
    if slug == "coin_flip":
        return "YES" if (i % 2 == 0) == is_right else "NO"
    return "A" if is_right else "B"
