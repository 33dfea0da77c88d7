"""Two scorers on the same replies, before one of them is made to rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.models import Benchmark, Judgment, Reply, Run, Scorer
from arena.results import SampleResult, read_results
from arena.services.samples import planned_entries
from arena.summary import summarise
from leaderboard.rendering.charts import Point, draw_both, scatter
from leaderboard.scores import metrics_of
from leaderboard.selectors.formats import metric_label, print_metric, print_points
from leaderboard.selectors.judges import ScorerRow, scorer_row
from leaderboard.selectors.problem_parts import outcome_of
from leaderboard.sentences import say_sentence
from leaderboard.statistics.intervals import Interval, mean_intervals

WORST = 20
GRID = 20  # points of the scatter lie on twentieths of the maximum
OUTCOMES = ("right", "partial", "wrong", "unscored")


@dataclass(frozen=True, slots=True)
class Pair:
    """One reply under both scorers; share of its maximum, None while unscored."""

    run_id: int
    first: SampleResult
    second: SampleResult

    @property
    def shift(self) -> float | None:
        """Second minus first, as a share of the maximum."""
        if self.first.points is None or self.second.points is None or not self.first.max_points:
            return None
        return (self.second.points - self.first.points) / self.first.max_points


@dataclass(frozen=True, slots=True)
class WorstRow:
    """A reply on which the two differ most."""

    problem: str
    model: str
    url: str
    first: str
    second: str
    maximum: str


@dataclass(frozen=True, slots=True)
class RankRow:
    """A model's headline number and place among the compared runs under each scorer."""

    model: str
    url: str
    first: str
    second: str
    first_rank: str
    second_rank: str
    change: str


@dataclass(frozen=True, slots=True)
class ScorerComparison:
    benchmark: Benchmark
    first: ScorerRow
    second: ScorerRow
    n_replies: int
    n_compared: int
    n_changed: int
    shift: str
    shift_interval: str
    scatter: SafeString
    confusion_head: tuple[str, ...]
    confusion: tuple[tuple[str, tuple[int, ...]], ...]
    metric: str
    ranks: tuple[RankRow, ...]
    worst: tuple[WorstRow, ...]


def compare_scorers(benchmark: Benchmark, first: Scorer, second: Scorer) -> ScorerComparison:
    """On every published run of the current revision that both have judged."""
    runs = _shared_runs(benchmark, first, second)
    by_run = {run.pk: _pairs(run, first, second) for run in runs}
    pairs = [pair for found in by_run.values() for pair in found]
    shifts = [(pair.shift, pair.first.cluster) for pair in pairs if pair.shift is not None]
    interval = _mean_shift(shifts)
    metric = metrics_of(benchmark.slug)[0]
    return ScorerComparison(
        benchmark=benchmark,
        first=scorer_row(first, benchmark),
        second=scorer_row(second, benchmark),
        n_replies=len(pairs),
        n_compared=len(shifts),
        n_changed=sum(abs(shift) > 1e-9 for shift, _ in shifts),
        shift=_signed(interval.value if interval else None),
        shift_interval=_print_interval(interval),
        scatter=_draw(pairs),
        confusion_head=tuple(_outcome_label(name) for name in OUTCOMES),
        confusion=_tabulate(pairs),
        metric=metric_label(metric),
        ranks=_rank(runs, by_run, benchmark, metric, first, second),
        worst=_worst(pairs, runs),
    )


def _shared_runs(benchmark: Benchmark, first: Scorer, second: Scorer) -> list[Run]:
    judged = [
        set(Judgment.objects.filter(scorer=scorer).order_by().values_list("reply__run_id", flat=True).distinct())
        for scorer in (first, second)
    ]
    runs = Run.objects.on_board().filter(pk__in=judged[0] & judged[1], revision=benchmark.current_revision)
    return list(runs.select_related("entrant", "scorer", "revision__benchmark").order_by("entrant__name", "pk"))


def _pairs(run: Run, first: Scorer, second: Scorer) -> list[Pair]:
    """Replies that at least one of the two has scored."""
    entries = planned_entries(run)
    results = [read_results(run, entries=entries, scorer=scorer) for scorer in (first, second)]
    return [Pair(run.pk, a, b) for a, b in zip(*results, strict=True) if a.reply_id and (a.is_scored or b.is_scored)]


def _mean_shift(shifts: Sequence[tuple[float, str]]) -> Interval | None:
    """Clustered by problem, repeats and models of a problem moving together."""
    if not shifts:
        return None
    values = np.array([[shift for shift, _cluster in shifts]])
    clusters = [cluster for _shift, cluster in shifts]
    return mean_intervals(values, clusters, limits=(-1.0, 1.0), may_be_shares=False)[0]


def _print_interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    if interval.low is None or interval.high is None:
        return say_sentence(interval.note)
    return f"{_signed(interval.low)} – {_signed(interval.high)}"


def _signed(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:+.1f} %"


def _share(result: SampleResult) -> float:
    return (result.points or 0.0) / result.max_points if result.max_points else 0.0


def _draw(pairs: Sequence[Pair]) -> SafeString:
    """A dot for all replies at one place; its label says how many where there are several."""
    places: dict[tuple[float, float], int] = {}
    for pair in pairs:
        if pair.shift is not None:
            place = (round(_share(pair.first) * GRID) / GRID, round(_share(pair.second) * GRID) / GRID)
            places[place] = places.get(place, 0) + 1
    points = [
        Point(f"×{n}" if n > 1 else "", 100 * x, 100 * y, series=1 if x == y else 2)
        for (x, y), n in sorted(places.items())
    ]
    return draw_both(
        lambda width: scatter(
            points,
            title=_("Points of the same replies under both scorers"),
            x_axis=_("first scorer, percent of the points"),
            y_axis=_("second scorer, percent"),
            has_frontier=False,
            width=width,
        )
    )


def _outcome(result: SampleResult) -> str:
    return outcome_of(result.status, result.points, result.max_points) if result.is_scored else "unscored"


def _outcome_label(name: str) -> str:
    return {"right": _("right"), "partial": _("partial"), "wrong": _("wrong"), "unscored": _("unscored")}[name]


def _tabulate(pairs: Iterable[Pair]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Row: outcome under the first scorer; column: under the second. Zeros of every kind are wrong here."""
    counts = dict.fromkeys(((a, b) for a in OUTCOMES for b in OUTCOMES), 0)
    for pair in pairs:
        cell = tuple(name if name in OUTCOMES else "wrong" for name in (_outcome(pair.first), _outcome(pair.second)))
        counts[cell] += 1  # type: ignore[index]
    return tuple((_outcome_label(row), tuple(counts[row, column] for column in OUTCOMES)) for row in OUTCOMES)


def _rank(
    runs: Sequence[Run],
    by_run: dict[int, list[Pair]],
    benchmark: Benchmark,
    metric: str,
    first: Scorer,
    second: Scorer,
) -> tuple[RankRow, ...]:
    """Each run over the replies that both have scored, so that no gap passes for a change."""
    values: dict[int, tuple[float | None, float | None]] = {}
    for run in runs:
        both = [pair for pair in by_run[run.pk] if pair.shift is not None]
        values[run.pk] = (
            _headline(benchmark, metric, first, [pair.first for pair in both]),
            _headline(benchmark, metric, second, [pair.second for pair in both]),
        )
    rows = []
    for run in sorted(runs, key=lambda run: -(values[run.pk][1] or 0.0)):
        a, b = values[run.pk]
        ranks = [_place([pair[side] for pair in values.values()], value) for side, value in enumerate((a, b))]
        change = ranks[0] - ranks[1] if all(ranks) else 0
        rows.append(
            RankRow(
                model=run.entrant.name,
                url=reverse("run", args=[run.uuid]),
                first=print_metric(metric, a),
                second=print_metric(metric, b),
                first_rank=str(ranks[0] or "–"),
                second_rank=str(ranks[1] or "–"),
                change=f"{change:+d}" if change else "",
            )
        )
    return tuple(rows)


def _headline(benchmark: Benchmark, metric: str, scorer: Scorer, results: Sequence[SampleResult]) -> float | None:
    return summarise(benchmark.slug, results, scorer.params.get("policy", "corrected")).get(metric)


def _place(values: Iterable[float | None], value: float | None) -> int:
    """1 + how many are better; equal values share a place. 0 without a value."""
    if value is None:
        return 0
    return 1 + sum(other is not None and other > value + 1e-9 for other in values)


def _worst(pairs: Sequence[Pair], runs: Sequence[Run]) -> tuple[WorstRow, ...]:
    changed = [pair for pair in pairs if pair.shift is not None and abs(pair.shift) > 1e-9]
    chosen = sorted(changed, key=lambda pair: -abs(pair.shift or 0.0))[:WORST]
    uuids = dict(Reply.objects.filter(pk__in=[pair.first.reply_id for pair in chosen]).values_list("pk", "uuid"))
    names = {run.pk: run.entrant.name for run in runs}
    return tuple(
        WorstRow(
            problem=pair.first.external_id,
            model=names[pair.run_id],
            url=reverse("reply", args=[uuids[pair.first.reply_id]]),
            first=print_points(pair.first.points),
            second=print_points(pair.second.points),
            maximum=print_points(pair.first.max_points),
        )
        for pair in chosen
    )
