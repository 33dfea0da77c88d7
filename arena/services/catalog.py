"""Imports a benchmark: everything lands as one dataset revision, or nothing does."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from django.db import connection, transaction

from arena.benchmarks import BENCHMARKS, sample_path
from arena.benchmarks.base import Adapter, Import, ImportFault, ProblemRecord
from arena.errors import ImportRefused, Refused
from arena.models import SAMPLE, Answer, Benchmark, Criterion, DatasetRevision, Figure, Problem, RevisionProblem
from arena.services.baselines import compute_baselines
from arena.services.catalog_figures import check_figures, store_images
from arena.services.catalog_rows import BATCH, content_hash, store_problems, store_subsets
from arena.services.figures import CheckedFigure
from arena.services.scorers import ensure_default_scorer
from arena.signals import catalog_changed

FILLED = (Problem, RevisionProblem, Answer, Criterion, Figure)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did. `is_new` is False where the same data was there already."""

    revision: DatasetRevision
    is_new: bool
    problems: int
    figures: int
    images: int
    answers: int
    criteria: int
    subsets: dict[str, int]
    warnings: tuple[str, ...]


def get_adapter(slug: str) -> Adapter:
    """The adapter of a benchmark. Raises Refused for a slug that nobody knows."""
    try:
        return BENCHMARKS[slug]
    except KeyError:
        raise Refused("benchmark", f"unknown benchmark {slug!r}; known: {', '.join(BENCHMARKS)}") from None


def ensure_benchmark(adapter: Adapter) -> Benchmark:
    """The benchmark's row, its descriptions brought up to date with the adapter."""
    benchmark, _ = Benchmark.objects.update_or_create(
        slug=adapter.slug,
        defaults={
            "adapter": adapter.slug,
            "title": adapter.title,
            "title_zh": adapter.title_zh,
            "summary": adapter.summary,
            "summary_zh": adapter.summary_zh,
            "links": dict(adapter.links),
            "licence": adapter.licence,
            "citation": adapter.citation,
            "tags": list(adapter.tags),
            "headline_metric": adapter.headline_metric,
            "figures_public": adapter.figures_public,
            "position": list(BENCHMARKS).index(adapter.slug),
        },
    )
    ensure_default_scorer(benchmark, adapter)
    return benchmark


def import_benchmark(slug: str, path: Path | None = None, label: str = "", *, inline: bool = True) -> ImportReport:
    """Read official files (or, without a path, our samples) and store them as one revision.

    Raises ImportRefused naming every bad record; then nothing was stored.
    """
    adapter = get_adapter(slug)
    is_sample = path is None
    source = path or sample_path(slug)
    try:
        data = adapter.read(source)
    except ImportFault as fault:
        raise ImportRefused(fault.faults) from fault
    figures = check_figures(data, source)
    with transaction.atomic():
        report = _store(adapter, data, figures, SAMPLE if is_sample and not label else label, is_sample)
        compute_baselines(report.revision)
    catalog_changed.send(sender=import_benchmark, revision_id=report.revision.pk, inline=inline)
    return report


def _store(
    adapter: Adapter, data: Import, figures: dict[Path, CheckedFigure], label: str, is_sample: bool
) -> ImportReport:
    benchmark = ensure_benchmark(adapter)
    subsets = store_subsets(benchmark, data.subsets)
    hashes = [content_hash(problem, figures) for problem in data.problems]
    digest = _revision_digest(data.problems, hashes)
    revision, is_new = _find_revision(benchmark, digest, label, is_sample)
    if is_new:
        images = store_images(figures)
        problems = store_problems(data.problems, hashes, subsets, figures, images)
        added = _store_entries(revision, data.problems, [problems[content] for content in hashes])
        if added and revision.sha256 != digest:  # extended: the digest covers old and new
            revision.sha256 = hashlib.sha256(f"{revision.sha256}{digest}".encode()).hexdigest()
            revision.save(update_fields=["sha256"])
        is_new = added > 0
        _tell_planner()
    _make_current(revision)
    unique = {
        (problem.split, problem.external_id): problem for problem in data.problems if problem.split != "test_mini"
    }
    counts: dict[str, int] = {}
    for problem in unique.values():
        counts[problem.subset] = counts.get(problem.subset, 0) + 1
    return ImportReport(
        revision=revision,
        is_new=is_new,
        problems=len(unique),
        figures=sum(len(problem.figures) for problem in unique.values()),
        images=len({figure.sha256 for figure in figures.values()}),
        answers=sum(len(problem.answers) for problem in unique.values()),
        criteria=sum(len(scheme) for problem in unique.values() for scheme in problem.schemes),
        subsets=counts,
        warnings=data.warnings,
    )


def _tell_planner() -> None:
    """PostgreSQL plans by statistics of before, which may call tables empty that were just filled."""
    if connection.vendor == "postgresql":
        tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in FILLED)
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {tables}")


def _find_revision(benchmark: Benchmark, digest: str, label: str, is_sample: bool) -> tuple[DatasetRevision, bool]:
    """The revision to fill and whether it must be filled: without a label, equal data is found, not stored twice."""
    if label:
        if named := benchmark.revisions.filter(label=label).first():
            return named, named.sha256 != digest
    elif twin := benchmark.revisions.filter(sha256=digest).first():
        return twin, False
    origin = DatasetRevision.Origin.SAMPLE if is_sample else DatasetRevision.Origin.OFFICIAL
    revision = DatasetRevision.objects.create(
        benchmark=benchmark, label=label or f"{date.today():%Y-%m-%d}-{digest[:8]}", origin=origin, sha256=digest
    )
    return revision, True


def _make_current(revision: DatasetRevision) -> None:
    """The newest import is current; the samples never where another revision exists."""
    others = revision.benchmark.revisions.exclude(pk=revision.pk)
    if revision.is_sample and others.exclude(origin=DatasetRevision.Origin.SAMPLE).exists():
        return
    others.filter(is_current=True).update(is_current=False)
    DatasetRevision.objects.filter(pk=revision.pk).update(is_current=True)
    revision.is_current = True


def _revision_digest(problems: Sequence[ProblemRecord], hashes: Sequence[str]) -> str:
    lines = [f"{p.split}\t{p.subset}\t{p.external_id}\t{h}" for p, h in zip(problems, hashes, strict=True)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _store_entries(revision: DatasetRevision, records: Sequence[ProblemRecord], problems: Sequence[Problem]) -> int:
    """Adds what the revision does not have yet and counts it; the same id with other content is refused."""
    there = {
        (entry.split, entry.external_id): entry.problem_id
        for entry in RevisionProblem.objects.filter(revision=revision)
    }
    entries, faults = [], []
    for position, (record, problem) in enumerate(zip(records, problems, strict=True), start=len(there)):
        old = there.get((record.split, record.external_id))
        if old is None:
            entries.append(
                RevisionProblem(
                    revision=revision,
                    problem=problem,
                    split=record.split,
                    position=position,
                    external_id=record.external_id,
                )
            )
        elif old != problem.pk:
            faults.append(
                f"{record.origin}, id {record.external_id}: revision {revision.label!r} has this id with other content"
            )
    if faults:
        raise ImportRefused(faults)
    RevisionProblem.objects.bulk_create(entries, batch_size=BATCH)
    return len(entries)
