"""What a run of a benchmark can be made of, with its defaults, and what it would send, before it is started."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count
from django.utils.translation import gettext as _

from arena.benchmarks import BENCHMARKS
from arena.errors import Refused
from arena.models import Benchmark, DatasetRevision, Problem, RevisionProblem, Subset
from arena.services.catalog import get_adapter
from arena.services.prompts import build_prompt, prompt_text
from arena.services.runs import RunRequest, choose_problems

FIGURE_TOKENS_MAX = 1600
PIXELS_PER_TOKEN = 750
_KEPT_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class SubsetChoice:
    slug: str
    title: str
    n_problems: int


@dataclass(frozen=True, slots=True)
class Choices:
    """One benchmark as a person who starts a run must know it. judge: none, optional or required."""

    slug: str
    title: str
    title_zh: str
    revision: str
    is_sample: bool
    splits: tuple[str, ...]
    default_split: str
    subsets: tuple[SubsetChoice, ...]
    default_max_tokens: int
    default_shots: int
    max_shots: int
    has_figures: bool
    judge: str
    official_judge: str  # its model, empty where maintainers have set none


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a full run sends. Tokens are estimates: about 4 characters of Latin script a token, 1.5 of any other.

    figure_tokens: width x height / 750 px, at most 1,600 a figure. output_tokens_max: calls x max_tokens.
    judge_calls_max: of the official or own judge, if every answer had to be asked.
    """

    problems: int
    calls: int
    figures: int
    figure_bytes: int
    input_tokens: int
    figure_tokens: int
    output_tokens_max: int
    judge_calls_max: int


def list_choices() -> list[tuple[str, str, str]]:
    """Slug, title and Chinese title of each benchmark that has data."""
    rows = Benchmark.objects.filter(is_public=True, revisions__is_current=True).distinct()
    return [(row.slug, row.title, row.title_zh) for row in rows if row.slug in BENCHMARKS]


def read_choices(slug: str) -> Choices:
    """Raises Refused for a benchmark without data."""
    adapter = get_adapter(slug)
    benchmark = Benchmark.objects.filter(slug=slug, is_public=True).select_related("scorer", "judge_endpoint").first()
    revision = benchmark.current_revision if benchmark else None
    if benchmark is None or revision is None:
        raise Refused("benchmark", _("%(benchmark)s has no data yet") % {"benchmark": slug})
    entries = RevisionProblem.objects.filter(revision=revision).order_by()
    splits = list(entries.values_list("split", flat=True).distinct())
    wanted = (adapter.default_split, *adapter.split_fallbacks, *splits)
    split = next((name for name in wanted if name in splits and name != "validation"), "")
    counts = dict(entries.filter(split=split).values_list("problem__subset__slug").annotate(n=Count("pk")))
    shots = (
        entries.filter(split="validation").values("problem__subset").annotate(n=Count("pk")).values_list("n", flat=True)
    )
    judges = list(benchmark.scorer.judges.all()) if benchmark.scorer and benchmark.judge_endpoint else []
    return Choices(
        slug=slug,
        title=benchmark.title,
        title_zh=benchmark.title_zh,
        revision=revision.label,
        is_sample=revision.is_sample,
        splits=tuple(sorted((name for name in splits if name != "validation"), key=lambda name: name != split)),
        default_split=split,
        subsets=tuple(
            SubsetChoice(row.slug, row.native_title or row.title, counts[row.slug])
            for row in Subset.objects.filter(benchmark=benchmark).order_by("position")
            if row.slug in counts
        ),
        default_max_tokens=adapter.max_tokens,
        default_shots=adapter.default_shots,
        max_shots=min(shots, default=0) if slug in ("arc_indic", "coin_flip") else 0,
        has_figures=entries.filter(problem__figures__isnull=False).exists(),
        judge=adapter.judge,
        official_judge=judges[0].model if judges else "",
    )


def estimate_run(request: RunRequest) -> Estimate:
    """What this run would send. Raises Refused for a choice that cannot be made."""
    adapter = get_adapter(request.benchmark)
    _benchmark, revision, split, subsets = choose_problems(adapter, request)
    shots = adapter.default_shots if request.shots is None else request.shots
    sizes = [size for size in _sizes(revision, split, shots) if size.subset in subsets]
    if request.limit is not None:
        taken: dict[str, int] = {}
        kept = []
        for size in sizes:
            taken[size.subset] = taken.get(size.subset, 0) + 1
            if taken[size.subset] <= request.limit:
                kept.append(size)
        sizes = kept
    repeats = max(1, request.repeats)
    is_judged = adapter.judge != "none" and request.judge_strategy != "rule"
    return Estimate(
        problems=len(sizes),
        calls=len(sizes) * repeats,
        figures=sum(size.figures for size in sizes) * repeats,
        figure_bytes=sum(size.figure_bytes for size in sizes) * repeats,
        input_tokens=sum(size.text_tokens + size.figure_tokens for size in sizes) * repeats,
        figure_tokens=sum(size.figure_tokens for size in sizes) * repeats,
        output_tokens_max=len(sizes) * repeats * (request.max_tokens or adapter.max_tokens),
        judge_calls_max=sum(size.verdicts for size in sizes) * repeats if is_judged else 0,
    )


@dataclass(frozen=True, slots=True)
class Size:
    """How large one problem's prompt is, and how many verdicts its reply may need."""

    subset: str
    text_tokens: int
    figures: int
    figure_bytes: int
    figure_tokens: int
    verdicts: int


def _sizes(revision: DatasetRevision, split: str, shots: int) -> list[Size]:
    """Every problem's size in official order; measured once a revision, split and number of shots."""
    key = f"prompt-sizes:{revision.pk}:{revision.sha256[:16]}:{split}:{shots}"
    found: list[Size] | None = cache.get(key)
    if found is None:
        found = _measure(revision, split, shots)
        cache.set(key, found, _KEPT_S)
    return found


def _measure(revision: DatasetRevision, split: str, shots: int) -> list[Size]:
    adapter = get_adapter(revision.benchmark.slug)
    entries = (
        RevisionProblem.objects.filter(revision=revision, split=split)
        .select_related("problem__subset")
        .prefetch_related("problem__answers", "problem__criteria", "problem__figures__image")
        .order_by("position")
    )
    return [
        _measure_problem(entry.problem, prompt_text(build_prompt(adapter, revision, entry.problem, shots)))
        for entry in entries.iterator(chunk_size=1000)
    ]


def _measure_problem(problem: Problem, text: str) -> Size:
    images = [figure.image for figure in problem.figures.all()]
    return Size(
        subset=problem.subset.slug,
        text_tokens=estimate_tokens(text),
        figures=len(images),
        figure_bytes=sum(image.n_bytes for image in images),
        figure_tokens=sum(min(FIGURE_TOKENS_MAX, image.width * image.height // PIXELS_PER_TOKEN) for image in images),
        verdicts=len(problem.answers.all()) + len(problem.criteria.all()),
    )


def estimate_tokens(text: str) -> int:
    """About 4 characters of Latin script a token, 1.5 of any other; real tokenisers differ by a third either way."""
    latin = sum(character < "\u0250" for character in text)
    return round(latin / 4 + (len(text) - latin) / 1.5)
