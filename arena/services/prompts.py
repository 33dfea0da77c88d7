"""Problem rows back into what the model is sent: records, figures, messages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from arena.benchmarks.base import Adapter, ProblemRecord, Prompt, TextPart, read_prompt
from arena.llm.messages import FigureData, Message, build_messages
from arena.models import DatasetRevision, Problem, RevisionProblem
from arena.services.figures import scale_figure
from scoring.reference import Answer, Criterion, Option, Reference


def to_record(problem: Problem) -> ProblemRecord:
    """The problem as its adapter reads it, with references; callers prefetch figures, answers and criteria."""
    answers = tuple(
        Answer(answer.value, answer.kind, answer.unit, float(answer.points), answer.tolerance)
        for answer in problem.answers.all()
    )
    schemes: dict[int, list[Criterion]] = {}
    for criterion in problem.criteria.all():
        schemes.setdefault(criterion.scheme, []).append(Criterion(criterion.text, float(criterion.max_points)))
    return ProblemRecord(
        external_id=problem.external_id,
        subset=problem.subset.slug,
        statement=problem.statement,
        information=problem.information,
        context=problem.context,
        choices=tuple(Option(label, text) for label, text in problem.choices),
        modality=problem.modality,
        field=problem.field,
        subfield=problem.subfield,
        tags=tuple(problem.tags),
        language=problem.language,
        max_points=float(problem.max_points),
        cluster=problem.cluster,
        answers=answers,
        schemes=tuple(tuple(schemes[number]) for number in sorted(schemes)),
        figures=tuple(Path(figure.image.path) for figure in problem.figures.all()),
    )


def to_reference(problem: Problem) -> Reference:
    return to_record(problem).reference


def shots_of(revision: DatasetRevision, problem: Problem, n: int) -> tuple[ProblemRecord, ...]:
    """The first `n` worked examples of the problem's subset, in file order; fewer where there are fewer."""
    return _shots(revision.pk, problem.subset_id, n) if n else ()


@lru_cache(maxsize=64)
def _shots(revision_id: int, subset_id: int, n: int) -> tuple[ProblemRecord, ...]:
    entries = (
        RevisionProblem.objects.filter(revision_id=revision_id, split="validation", problem__subset_id=subset_id)
        .select_related("problem__subset")
        .prefetch_related("problem__answers", "problem__criteria", "problem__figures__image")
        .order_by("position")[:n]
    )
    return tuple(to_record(entry.problem) for entry in entries)


def build_prompt(adapter: Adapter, revision: DatasetRevision, problem: Problem, shots: int) -> Prompt:
    return adapter.prompt(to_record(problem), shots_of(revision, problem, shots))


def prompt_text(prompt: Prompt) -> str:
    """The text of a prompt without its figures; benchmark cards measure it in code points."""
    return "".join(part.text for part in prompt if isinstance(part, TextPart))


def messages_for(
    adapter: Adapter,
    revision: DatasetRevision,
    problem: Problem,
    *,
    shots: int = 0,
    system_prompt: str = "",
    max_image_bytes: int | None = None,
) -> list[Message]:
    """What is sent for one problem, byte for byte; figures are scaled only where the endpoint has a limit."""
    figures = load_figures(problem, max_image_bytes)
    return build_messages(build_prompt(adapter, revision, problem, shots), figures, system_prompt)


def load_figures(problem: Problem, max_image_bytes: int | None) -> Sequence[FigureData]:
    return [_load(figure.image.path, figure.image.mime, max_image_bytes) for figure in problem.figures.all()]


@lru_cache(maxsize=64)
def _load(path: str, mime: str, max_bytes: int | None) -> FigureData:
    data = (settings.MEDIA_ROOT / path).read_bytes()
    if max_bytes:
        data, mime, _, _ = scale_figure(data, max_bytes)
    return FigureData(data, mime)


def prompt_digest(adapter: Adapter, shots: int, system_prompt: str = "") -> str:
    """SHA-256 of the official prompt texts, the number of shots and the system prompt."""
    texts = [read_prompt(name) for name in adapter.prompt_files]
    return hashlib.sha256("\0".join([*texts, str(shots), system_prompt]).encode()).hexdigest()
