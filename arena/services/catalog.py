"""Imports a benchmark: everything lands as one dataset revision, or nothing does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from django.conf import settings
from django.db import transaction

from arena.benchmarks import BENCHMARKS, sample_path
from arena.benchmarks.base import Adapter, Import, ImportFault, ProblemRecord, SubsetInfo
from arena.errors import ImportRefused, Refused
from arena.models import (
    SAMPLE,
    Answer,
    Benchmark,
    Criterion,
    DatasetRevision,
    Figure,
    Image,
    Problem,
    RevisionProblem,
    Subset,
)
from arena.services.baselines import compute_baselines
from arena.services.figures import CheckedFigure, FigureFault, read_figure
from arena.services.scorers import ensure_default_scorer
from arena.signals import catalog_changed

BATCH = 1000


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
    figures = _read_figures(data, source)
    with transaction.atomic():
        report = _store(adapter, data, figures, SAMPLE if is_sample and not label else label, is_sample)
        compute_baselines(report.revision)
    catalog_changed.send(sender=import_benchmark, revision_id=report.revision.pk, inline=inline)
    return report


def _read_figures(data: Import, source: Path) -> dict[Path, CheckedFigure]:
    root = source.parent if source.is_file() else source
    found: dict[Path, CheckedFigure] = {}
    faults = []
    for problem in data.problems:
        for path in problem.figures:
            if path in found:
                continue
            try:
                found[path] = read_figure(path, root)
            except FigureFault as fault:
                faults.append(f"{problem.origin}, id {problem.external_id}: {fault}")
    if faults:
        raise ImportRefused(faults)
    return found


def _store(
    adapter: Adapter, data: Import, figures: dict[Path, CheckedFigure], label: str, is_sample: bool
) -> ImportReport:
    benchmark = ensure_benchmark(adapter)
    subsets = _store_subsets(benchmark, data.subsets)
    hashes = [_content_hash(problem, figures) for problem in data.problems]
    digest = _revision_digest(data.problems, hashes)
    revision, is_new = _find_revision(benchmark, digest, label, is_sample)
    if is_new:
        images = _store_images(figures)
        problems = _store_problems(data.problems, hashes, subsets, figures, images)
        added = _store_entries(revision, data.problems, [problems[content] for content in hashes])
        if added and revision.sha256 != digest:  # extended: the digest covers old and new
            revision.sha256 = hashlib.sha256(f"{revision.sha256}{digest}".encode()).hexdigest()
            revision.save(update_fields=["sha256"])
        is_new = added > 0
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


def _store_subsets(benchmark: Benchmark, infos: Sequence[SubsetInfo]) -> dict[str, Subset]:
    Subset.objects.get_or_create(
        benchmark=benchmark, slug=Subset.OVERALL, defaults={"title": "Overall", "kind": "overall", "position": 0}
    )
    rows = {}
    for position, info in enumerate(infos, start=1):
        marks = {
            name: getattr(info, name)
            for name in ("full_mark", "full_mark_human", "gold", "silver", "bronze", "best_human")
        }
        rows[info.slug], _ = Subset.objects.update_or_create(
            benchmark=benchmark,
            slug=info.slug,
            defaults={
                "title": info.title,
                "native_title": info.native_title,
                "kind": info.kind,
                "language": info.language,
                "position": position,
                **{name: None if value is None else Decimal(str(value)) for name, value in marks.items()},
            },
        )
    return rows


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


def _content_hash(problem: ProblemRecord, figures: dict[Path, CheckedFigure]) -> str:
    """SHA-256 over all that a problem says, figures by their bytes; split and origin are no content."""
    content = [
        problem.external_id,
        problem.statement,
        problem.information,
        problem.context,
        [[option.label, option.text] for option in problem.choices],
        problem.solution,
        problem.modality,
        problem.field,
        problem.subfield,
        list(problem.tags),
        problem.language,
        problem.max_points,
        problem.cluster,
        [[a.value, a.kind, a.unit, a.points, a.tolerance] for a in problem.answers],
        [[[c.text, c.max_points] for c in scheme] for scheme in problem.schemes],
        [figures[path].sha256 for path in problem.figures],
    ]
    return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()


def _revision_digest(problems: Sequence[ProblemRecord], hashes: Sequence[str]) -> str:
    lines = [f"{p.split}\t{p.subset}\t{p.external_id}\t{h}" for p, h in zip(problems, hashes, strict=True)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _store_images(figures: dict[Path, CheckedFigure]) -> dict[str, Image]:
    by_sha = {figure.sha256: figure for figure in figures.values()}
    known = {image.sha256: image for image in Image.objects.filter(sha256__in=by_sha)}
    for sha256, figure in by_sha.items():
        relative = f"figures/{sha256[:2]}/{sha256}{figure.suffix}"
        path = settings.MEDIA_ROOT / relative
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            partial.write_bytes(figure.data)
            partial.replace(path)
        if sha256 not in known:
            known[sha256] = Image.objects.create(
                sha256=sha256,
                path=relative,
                mime=figure.mime,
                width=figure.width,
                height=figure.height,
                n_bytes=len(figure.data),
            )
    return known


def _store_problems(
    records: Sequence[ProblemRecord],
    hashes: Sequence[str],
    subsets: dict[str, Subset],
    figures: dict[Path, CheckedFigure],
    images: dict[str, Image],
) -> dict[str, Problem]:
    """Content hash -> Problem, old rows shared and new ones stored with figures, answers and criteria."""
    wanted = dict(zip(hashes, records, strict=True))
    known = {}
    for start in range(0, len(hashes), BATCH):
        chunk = hashes[start : start + BATCH]
        found = Problem.objects.filter(subset__in=subsets.values(), content_hash__in=chunk)
        known.update({problem.content_hash: problem for problem in found})
    new = {content: record for content, record in wanted.items() if content not in known}
    rows = Problem.objects.bulk_create(
        [_problem_row(record, content, subsets[record.subset]) for content, record in new.items()], batch_size=BATCH
    )
    Answer.objects.bulk_create(
        [
            Answer(
                problem=row,
                position=position,
                value=answer.value,
                kind=answer.kind,
                unit=answer.unit,
                points=Decimal(str(answer.points)),
                tolerance=answer.tolerance,
            )
            for row, record in zip(rows, new.values(), strict=True)
            for position, answer in enumerate(record.answers)
        ],
        batch_size=BATCH,
    )
    Criterion.objects.bulk_create(
        [
            Criterion(
                problem=row,
                scheme=scheme,
                position=position,
                text=criterion.text,
                max_points=Decimal(str(criterion.max_points)),
            )
            for row, record in zip(rows, new.values(), strict=True)
            for scheme, criteria in enumerate(record.schemes)
            for position, criterion in enumerate(criteria)
        ],
        batch_size=BATCH,
    )
    Figure.objects.bulk_create(
        [
            Figure(problem=row, position=position, image=images[figures[path].sha256], name=path.name)
            for row, record in zip(rows, new.values(), strict=True)
            for position, path in enumerate(record.figures)
        ],
        batch_size=BATCH,
    )
    return {**known, **{row.content_hash: row for row in rows}}


def _problem_row(record: ProblemRecord, content_hash: str, subset: Subset) -> Problem:
    return Problem(
        subset=subset,
        external_id=record.external_id,
        information=record.information,
        context=record.context,
        statement=record.statement,
        choices=[[option.label, option.text] for option in record.choices],
        solution=record.solution,
        modality=record.modality,
        field=record.field,
        subfield=record.subfield,
        tags=list(record.tags),
        language=record.language,
        max_points=Decimal(str(record.max_points)),
        content_hash=content_hash,
        cluster=record.cluster or record.external_id,
    )


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
