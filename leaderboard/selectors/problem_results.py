"""What every model got on one problem, and on one criterion of it: a fixed number of queries, however many models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.effective import effective_parts
from arena.models import Benchmark, Criterion, CriterionScore, Judgment, RevisionProblem, Run, Scorer
from arena.problem_results import RunSample, judged_scorers, read_problem_results
from leaderboard.board_entries import newest_runs, ruling_scorer
from leaderboard.rendering.charts import dot_plot, draw_both
from leaderboard.scores import mark_solved
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.formats import print_points
from leaderboard.selectors.problem_parts import name_scheme, outcome_of, print_marks, render, render_quote

MOST_PLOTTED = 60  # models in the dot plot, best first; the table beside it has all


@dataclass(frozen=True, slots=True)
class ReplyDot:
    """What one model got, one repeat. share: of the attainable points, None while unscored."""

    entrant: str
    entrant_slug: str
    repeat: int
    url: str
    outcome: str
    points: str
    share: float | None


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One run's attempts at the problem. mean: of the scored attempts' shares, None without any."""

    entrant: str
    entrant_url: str
    dots: tuple[ReplyDot, ...]
    mean: float | None
    printed: str


@dataclass(frozen=True, slots=True)
class ProblemResults:
    """rows best first. mean: of the models' means; solved: how many models have all points in every attempt."""

    rows: tuple[ModelRow, ...]
    plot: SafeString
    mean: str
    solved: str


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """One model's points on one criterion with the quote they rest on. is_lost: the quote is not in the reply."""

    entrant: str
    repeat: int
    url: str
    outcome: str
    points: str
    is_changed: bool
    quote: SafeString
    is_lost: bool
    reason: SafeString


@dataclass(frozen=True, slots=True)
class CriterionPage:
    """One criterion with what every model got on it; number: its place in its scheme from 1, as on replies."""

    number: int
    scheme: str
    text: SafeString
    maximum: str
    rows: tuple[CriterionRow, ...]
    n_awarded: int


def choose_scorers(benchmark: Benchmark, problem_id: int, runs: Sequence[Run]) -> dict[int, Scorer]:
    """Run -> the scorer whose numbers stand on the board, judged by what it has said of this problem."""
    judged = judged_scorers(problem_id, runs)
    chosen = {run.pk: ruling_scorer(run, judged.get(run.pk, ()), benchmark) for run in runs}
    known = {scorer.pk: scorer for scorer in (*(run.scorer for run in runs), benchmark.scorer) if scorer}
    return {run_id: known[scorer_id] for run_id, scorer_id in chosen.items()}


def read_samples(place: Place, entry: RevisionProblem, also: Run | None = None) -> list[RunSample]:
    """The samples of every run on the board, and of one more where it is not on it."""
    runs = newest_runs(place.revision, place.split)
    if also is not None and also.pk not in {run.pk for run in runs}:
        runs.append(also)
    return read_problem_results(entry, runs, choose_scorers(place.benchmark, entry.problem_id, runs))


def read_results_of_problem(place: Place, entry: RevisionProblem) -> ProblemResults:
    groups: dict[int, list[RunSample]] = {}
    for sample in read_samples(place, entry):
        groups.setdefault(sample.run.pk, []).append(sample)
    rows = [_row(samples) for samples in groups.values()]
    rows.sort(key=lambda row: (-(row.mean if row.mean is not None else -1.0), row.entrant))
    means = [row.mean for row in rows if row.mean is not None]
    counts = {"n": int(mark_solved(np.array(means)).sum()), "all": len(means)}
    solved = ngettext("%(n)d of %(all)d model", "%(n)d of %(all)d models", len(means)) % counts
    return ProblemResults(
        rows=tuple(rows),
        plot=_plot(rows),
        mean=f"{100 * fmean(means):.0f}{chr(8239)}%" if means else "–",
        solved=solved if means else "–",
    )


def _row(samples: Sequence[RunSample]) -> ModelRow:
    dots = tuple(_dot(sample) for sample in samples)
    shares = [dot.share for dot in dots if dot.share is not None]
    entrant = samples[0].run.entrant
    most = samples[0].result.max_points
    mean = fmean(shares) if shares else None
    return ModelRow(
        entrant=entrant.name,
        entrant_url=reverse("entrant", args=[entrant.slug]),
        dots=dots,
        mean=mean,
        printed="–" if mean is None else f"{print_points(round(mean * most, 2))} / {print_points(most)}",
    )


def _dot(sample: RunSample) -> ReplyDot:
    result = sample.result
    return ReplyDot(
        entrant=sample.run.entrant.name,
        entrant_slug=sample.run.entrant.slug,
        repeat=result.repeat + 1,
        url=reverse("reply", args=[sample.uuid]) if sample.uuid else "",
        outcome=outcome_of(result.status, result.points, result.max_points),
        points=f"{print_marks(result.points, result.max_points)} / {print_points(result.max_points)}",
        share=None if result.points is None or not result.max_points else result.points / result.max_points,
    )


def _plot(rows: Sequence[ModelRow]) -> SafeString:
    """A dot an attempt, on the share of the attainable points; nothing where one model is all there is."""
    groups = [
        (row.entrant, [100 * dot.share for dot in row.dots if dot.share is not None], row.dots[0].url)
        for row in rows[:MOST_PLOTTED]
        if row.mean is not None
    ]
    if len(groups) < 2:
        return SafeString("")
    title = _("What every model got, in percent of the attainable points")
    axis = _("percent of the attainable points")
    return draw_both(lambda width: dot_plot(groups, title=title, low=0.0, high=100.0, axis=axis, width=width))


def find_criterion(criteria: Sequence[Criterion], name: str) -> Criterion | None:
    """The criterion that `?criterion=` names: its number over all schemes from 1 (0 is the first too), or `s0c2`."""
    for number, criterion in enumerate(criteria, start=1):
        if name in (str(number), criterion.target) or (name == "0" and number == 1):
            return criterion
    return None


def read_criterion(place: Place, entry: RevisionProblem, criterion: Criterion) -> CriterionPage:
    """Every board model's points and quote for one criterion, best first."""
    runs = newest_runs(place.revision, place.split)
    scorers = choose_scorers(place.benchmark, entry.problem_id, runs)
    scores = (
        CriterionScore.objects.filter(
            criterion=criterion, judgment__reply__run__in=runs, judgment__reply__withdrawals__isnull=True
        )
        .select_related("judgment__reply__run__entrant")
        .defer("judgment__details", "judgment__reply__text", "judgment__reply__reasoning", "judgment__reply__raw")
    )
    ruling = [score for score in scores if scorers[score.judgment.reply.run_id].pk == score.judgment.scorer_id]
    changed = effective_parts(Judgment.objects.filter(pk__in=[score.judgment_id for score in ruling]))
    rows = [_criterion_row(score, criterion, changed) for score in ruling]
    criteria = entry.problem.criteria.all()
    schemes = {c.scheme for c in criteria}
    return CriterionPage(
        number=sum(c.scheme == criterion.scheme and c.position <= criterion.position for c in criteria),
        scheme=name_scheme(criterion.scheme, len(schemes)),
        text=render(criterion.text),
        maximum=print_points(criterion.max_points),
        rows=tuple(row for _points, row in sorted(rows, key=lambda pair: (-pair[0], pair[1].entrant, pair[1].repeat))),
        n_awarded=sum(points > 0 for points, _row in rows),
    )


def _criterion_row(
    score: CriterionScore, criterion: Criterion, changed: Mapping[tuple[str, int], tuple[int, object]]
) -> tuple[float, CriterionRow]:
    reply, evidence = score.judgment.reply, score.evidence.strip()
    points = float(changed.get(("c", score.pk), (0, score.points))[1])  # type: ignore[arg-type]
    row = CriterionRow(
        entrant=reply.run.entrant.name,
        repeat=reply.repeat + 1,
        url=f"{reverse('reply', args=[reply.uuid])}#r-c{criterion.scheme}-{criterion.position}",
        outcome=outcome_of("scored", points, float(criterion.max_points)),
        points=print_points(points),
        is_changed=("c", score.pk) in changed,
        quote=render_quote(evidence) if evidence else SafeString(""),
        is_lost=bool(evidence) and score.evidence_start is None,
        reason=render(score.reason),
    )
    return points, row
