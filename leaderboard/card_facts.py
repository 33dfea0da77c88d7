"""The data statistics of a benchmark card, computed from what was imported; made once a revision, kept as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena.benchmarks import BENCHMARKS
from arena.benchmarks.base import Adapter, FigurePart, TextPart
from arena.models import DatasetRevision, Figure, Problem, RevisionProblem
from arena.services.prompts import build_prompt, prompt_text

CHUNK = 1000


def read_card_facts(revision: DatasetRevision, split: str) -> dict[str, Any]:
    """Prompt lengths in code points of the filled prompt (text only), figures, and one sample as it is sent."""
    adapter = BENCHMARKS.get(revision.benchmark.adapter)
    entries = list(
        RevisionProblem.objects.filter(revision=revision, split=split)
        .order_by("position")
        .values_list("problem_id", "problem__subset__slug")
    )
    if adapter is None or not entries:
        return {}
    lengths: dict[str, list[int]] = {}
    sample: dict[str, Any] = {}
    for start in range(0, len(entries), CHUNK):
        part = entries[start : start + CHUNK]
        problems = (
            Problem.objects.filter(pk__in=[pk for pk, _ in part])
            .select_related("subset")
            .prefetch_related("answers", "criteria", "figures__image")
            .in_bulk()
        )
        for pk, subset in part:
            prompt = build_prompt(adapter, revision, problems[pk], adapter.default_shots)
            lengths.setdefault(subset, []).append(len(prompt_text(prompt)))
            sample = sample or _sample(problems[pk], prompt)
    return {
        "prompts": _summarise([n for group in lengths.values() for n in group]),
        "subsets": {subset: _summarise(group) for subset, group in sorted(lengths.items())},
        "figures": _figures(revision, split, len(entries)),
        "sample": sample,
        "prompt_files": _prompt_files(adapter),
    }


def _summarise(lengths: Sequence[int]) -> dict[str, Any]:
    return {"n": len(lengths), "mean": sum(lengths) / len(lengths), "min": min(lengths), "max": max(lengths)}


def _figures(revision: DatasetRevision, split: str, n_samples: int) -> dict[str, Any]:
    """References to figures: in all, by illustrated sample and over all samples; the range of sizes goes by area."""
    rows = list(
        Figure.objects.filter(problem__entries__revision=revision, problem__entries__split=split).values_list(
            "problem_id", "image__width", "image__height", "image__mime", "image_id"
        )
    )
    if not rows:
        return {"n": 0}
    counts: dict[int, int] = {}
    for problem_id, *_ in rows:
        counts[problem_id] = counts.get(problem_id, 0) + 1
    sizes = sorted({(width * height, width, height) for _, width, height, _, _ in rows})
    return {
        "n": len(rows),
        "files": len({row[4] for row in rows}),
        "illustrated": len(counts),
        "min": min(counts.values()),
        "max": max(counts.values()),
        "mean": len(rows) / len(counts),
        "mean_over_all": len(rows) / n_samples,
        "smallest": f"{sizes[0][1]}x{sizes[0][2]}",
        "largest": f"{sizes[-1][1]}x{sizes[-1][2]}",
        "formats": sorted({mime.removeprefix("image/") for _, _, _, mime, _ in rows}),
    }


def _sample(problem: Problem, prompt: Iterable[object]) -> dict[str, Any]:
    """The message of one problem as text; a figure stands as `[image: png, 101.8 KB]`."""
    images = [figure.image for figure in problem.figures.all()]
    parts = []
    for part in prompt:
        if isinstance(part, TextPart):
            parts.append(part.text)
        elif isinstance(part, FigurePart) and part.position < len(images):
            image = images[part.position]
            parts.append(f"[image: {image.mime.removeprefix('image/')}, {image.n_bytes / 1024:.1f} KB]")
    return {
        "id": problem.external_id,
        "subset": problem.subset.slug,
        "language": problem.language,
        "text": "\n".join(parts),
        "answers": [answer.value for answer in problem.answers.all() if not answer.is_hidden],
    }


def _prompt_files(adapter: Adapter) -> list[str]:
    return list(adapter.prompt_files)
