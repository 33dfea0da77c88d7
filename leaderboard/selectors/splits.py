"""A board cut by what its problems are like: modality, field, answer type, reasoning type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.models import Answer, Problem, Run
from arena.results import SampleResult, read_results
from arena.services.samples import planned_entries
from arena.summary import accuracy_of
from leaderboard.models import Standing
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_metric
from leaderboard.selectors.problem_groups import replies_url
from leaderboard.selectors.wordings import say_group
from leaderboard.sentences import say_sentence
from leaderboard.statistics.intervals import Interval, mean_interval

GROUPS = {"modality": "modalities", "field": "fields", "subfield": "subfields", "reasoning_type": "tags"}


@dataclass(frozen=True, slots=True)
class SplitCell:
    """Accuracy of one model on one kind of problem. n: scored problems; url: of the replies to them,
    empty for types of answers, of which a problem may have several."""

    text: str
    interval: str
    n: int
    url: str = ""


@dataclass(frozen=True, slots=True)
class SplitRow:
    model: str
    url: str
    cells: tuple[SplitCell, ...]


@dataclass(frozen=True, slots=True)
class SplitTable:
    """heads: kind and how many problems of it there are. A problem may stand under several answer types."""

    place: Place
    by: str
    options: tuple[tuple[str, str], ...]
    heads: tuple[tuple[str, int], ...]
    rows: tuple[SplitRow, ...]


def split_options(slug: str) -> dict[str, str]:
    """What this benchmark's problems can be cut by."""
    if slug == "hipho":
        return {"modality": _("modality"), "field": _("field"), "answer_type": _("answer type")}
    if slug.startswith("phyx"):
        return {"subfield": _("subfield"), "reasoning_type": _("reasoning type")}
    return {}


def read_splits(place: Place, by: str = "") -> SplitTable:
    """Every ruling run of the board, cut by `by`; mean accuracy with its interval in each cell."""
    options = split_options(place.benchmark.slug)
    by = by if by in options else next(iter(options), "")
    problems = Problem.objects.filter(entries__revision=place.revision, entries__split=place.split)
    kinds = _kinds(problems, by)
    names = sorted({name for found in kinds.values() for name in found})
    counts = tuple((say_group(name), sum(name in found for found in kinds.values())) for name in names)
    rows = [_row(run, place, by, names, kinds) for run in _runs(place)]
    return SplitTable(place, by, tuple(options.items()), counts, tuple(rows))


def split_results(results: Iterable[SampleResult], slug: str, name: str, kinds: dict[int, tuple[str, ...]]) -> Interval:
    """The mean over problems of this kind of a run's accuracy, clustered as on the board."""
    value = accuracy_of(slug)
    groups: dict[int, list[float]] = {}
    clusters: dict[int, str] = {}
    for result in results:
        number = value(result)
        if number is not None and name in kinds.get(result.problem_id, ()):
            groups.setdefault(result.problem_id, []).append(number)
            clusters[result.problem_id] = result.cluster
    means = [sum(found) / len(found) for found in groups.values()]
    return mean_interval(means, [clusters[problem] for problem in groups], limits=(0.0, 1.0))


def _kinds(problems: object, by: str) -> dict[int, tuple[str, ...]]:
    """Problem -> its kinds; a problem whose answers differ in type has several."""
    if by == "answer_type":
        found: dict[int, list[str]] = {}
        for problem, kind in Answer.objects.filter(problem__in=problems).values_list("problem_id", "kind"):
            found.setdefault(problem, []).append(kind)
        return {problem: tuple(dict.fromkeys(kinds)) for problem, kinds in found.items()}
    if by == "reasoning_type":
        return {pk: tuple(tags) for pk, tags in problems.values_list("pk", "tags")}  # type: ignore[attr-defined]
    if not by:
        return {}
    return {pk: (name or _("none"),) for pk, name in problems.values_list("pk", by)}  # type: ignore[attr-defined]


def _runs(place: Place) -> list[Run]:
    """Whole runs on the board, best first; a model once."""
    rows = Standing.objects.filter(
        Q(is_ranked=True) | Q(run__partial=False),
        revision=place.revision,
        split=place.split,
        subset__slug="overall",
        metric="accuracy",
        basis="machine",
    ).select_related("run__entrant", "run__scorer", "run__revision__benchmark", "scorer")
    runs: dict[int, Run] = {}
    for row in sorted(rows, key=lambda row: (row.value is None, -(row.value or 0.0))):
        run = row.run
        if run.pk not in runs and row.scorer_id in (place.benchmark.scorer_id, run.scorer_id):
            run.scorer = row.scorer
            runs[run.pk] = run
    return list(runs.values())


def _row(run: Run, place: Place, by: str, names: list[str], kinds: dict[int, tuple[str, ...]]) -> SplitRow:
    results = read_results(run, entries=planned_entries(run), scorer=run.scorer)
    intervals = [split_results(results, place.benchmark.slug, name, kinds) for name in names]
    urls = [replies_url(run, place.split, GROUPS[by], name) if by in GROUPS else "" for name in names]
    cells = tuple(_cell(interval, url) for interval, url in zip(intervals, urls, strict=True))
    return SplitRow(run.entrant.name, reverse("run", args=[run.uuid]), cells)


def _cell(interval: Interval, url: str) -> SplitCell:
    if interval.n == 0:
        return SplitCell("–", "", 0)
    text = print_metric("accuracy", interval.value)
    if interval.low is None or interval.high is None:
        return SplitCell(text, say_sentence(interval.note), interval.n, url)
    span = f"{print_metric('accuracy', interval.low)}–{print_metric('accuracy', interval.high)}"
    return SplitCell(text, span, interval.n, url)
