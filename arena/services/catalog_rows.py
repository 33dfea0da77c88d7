"""A benchmark's rows below its revision: subsets, and problems with their figures, answers and criteria."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from arena.benchmarks.base import ProblemRecord, SubsetInfo
from arena.models import Answer, Benchmark, Criterion, Figure, Image, Problem, Subset
from arena.services.figures import CheckedFigure

BATCH = 1000
New = Sequence[tuple[Problem, ProblemRecord]]


def store_subsets(benchmark: Benchmark, infos: Sequence[SubsetInfo]) -> dict[str, Subset]:
    """Slug -> subset, brought up to date with the official files; and the row `overall`."""
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


def content_hash(problem: ProblemRecord, figures: Mapping[Path, CheckedFigure]) -> str:
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


def store_problems(
    records: Sequence[ProblemRecord],
    hashes: Sequence[str],
    subsets: Mapping[str, Subset],
    figures: Mapping[Path, CheckedFigure],
    images: Mapping[str, Image],
) -> dict[str, Problem]:
    """Content hash -> problem, old rows shared and new ones stored with figures, answers and criteria."""
    known = _find_problems(hashes, subsets)
    fresh = {content: record for content, record in zip(hashes, records, strict=True) if content not in known}
    rows = [_problem_row(record, content, subsets[record.subset]) for content, record in fresh.items()]
    new = list(zip(Problem.objects.bulk_create(rows, batch_size=BATCH), fresh.values(), strict=True))
    Answer.objects.bulk_create(_answers(new), batch_size=BATCH)
    Criterion.objects.bulk_create(_criteria(new), batch_size=BATCH)
    Figure.objects.bulk_create(_figures(new, figures, images), batch_size=BATCH)
    return {**known, **{row.content_hash: row for row, _record in new}}


def _find_problems(hashes: Sequence[str], subsets: Mapping[str, Subset]) -> dict[str, Problem]:
    known = {}
    for start in range(0, len(hashes), BATCH):
        chunk = hashes[start : start + BATCH]
        found = Problem.objects.filter(subset__in=subsets.values(), content_hash__in=chunk)
        known.update({problem.content_hash: problem for problem in found})
    return known


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


def _answers(new: New) -> Iterator[Answer]:
    for problem, record in new:
        for position, answer in enumerate(record.answers):
            yield Answer(
                problem=problem,
                position=position,
                value=answer.value,
                kind=answer.kind,
                unit=answer.unit,
                points=Decimal(str(answer.points)),
                tolerance=answer.tolerance,
            )


def _criteria(new: New) -> Iterator[Criterion]:
    for problem, record in new:
        for scheme, criteria in enumerate(record.schemes):
            for position, criterion in enumerate(criteria):
                yield Criterion(
                    problem=problem,
                    scheme=scheme,
                    position=position,
                    text=criterion.text,
                    max_points=Decimal(str(criterion.max_points)),
                )


def _figures(new: New, figures: Mapping[Path, CheckedFigure], images: Mapping[str, Image]) -> Iterator[Figure]:
    for problem, record in new:
        for position, path in enumerate(record.figures):
            yield Figure(problem=problem, position=position, image=images[figures[path].sha256], name=path.name)
