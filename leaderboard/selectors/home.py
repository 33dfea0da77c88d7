"""The home page: every benchmark with its leader, and every model across them. Missing is missing, never zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from arena.models import Benchmark, Entrant, Subset
from leaderboard.models import BoardState, Standing
from leaderboard.rendering.charts import GridLine, draw_both, heat_map
from leaderboard.scores import metrics_of
from leaderboard.selectors.catalog import localised, main_split
from leaderboard.selectors.chart_views import ChartView, Table
from leaderboard.selectors.formats import metric_label, print_count, print_metric
from leaderboard.selectors.language_names import name_languages
from leaderboard.selectors.leaders import (
    Leader,
    count_reported,
    describe_unranked,
    find_leader,
    find_reported_leaders,
    may_lead,
)
from leaderboard.selectors.standing_words import reason_in_words
from leaderboard.standings import ensure_state
from leaderboard.statistics.ranks import order_missing_last


@dataclass(frozen=True, slots=True)
class BoardCard:
    """One benchmark on the home page. Without a leader: the best published number, and why no run here leads."""

    slug: str
    title: str
    summary: str
    tags: tuple[str, ...]
    n_problems: int
    n_figures: int
    n_subsets: int
    languages: str
    modality: str
    n_models: int
    n_reported: int
    metric: str
    leader: Leader | None
    reported: Leader | None
    unranked: str
    is_sample: bool
    changed_at: datetime | None


@dataclass(frozen=True, slots=True)
class OverallCell:
    """note: why a number that stands here is not like the others of its column."""

    text: str
    title: str = ""
    receipt: str = ""
    rank: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class OverallRow:
    entrant: str
    entrant_slug: str
    organisation: str
    cells: tuple[OverallCell, ...]
    n_boards: int


@dataclass(frozen=True, slots=True)
class OverallColumn:
    slug: str
    title: str
    metric: str
    next_sort: str
    direction: str


@dataclass(frozen=True, slots=True)
class Home:
    cards: tuple[BoardCard, ...]
    columns: tuple[OverallColumn, ...]
    rows: tuple[OverallRow, ...]
    tags: tuple[tuple[str, bool], ...]
    tag: str
    tokens: ChartView | None
    model_column: OverallColumn


def read_home(sort: str = "", tag: str = "") -> Home:
    """A fixed number of queries. sort: a benchmark's slug or `model`, `-` in front turns the order round."""
    benchmarks = list(Benchmark.objects.filter(is_public=True, revisions__is_current=True).select_related("scorer"))
    states = _states(benchmarks)
    standings = _headlines(benchmarks)
    all_tags = sorted({name for benchmark in benchmarks for name in benchmark.tags})
    shown = [b for b in benchmarks if not tag or tag in b.tags]
    cards = _cards([b for b in shown if b.pk in states], states, standings)
    columns = tuple(_column(b, sort) for b in shown)
    return Home(
        cards=cards,
        columns=columns,
        rows=_sort(_rows(shown, standings), sort, shown, standings),
        tags=tuple((name, name == tag) for name in all_tags),
        tag=tag,
        tokens=_tokens_chart(shown, standings),
        model_column=OverallColumn(
            "model", _("Model"), "", "-model" if sort == "model" else "model", _direction(sort, "model")
        ),
    )


def _states(benchmarks: Sequence[Benchmark]) -> dict[int, BoardState]:
    """The state of each benchmark's main split in its current revision."""
    rows = BoardState.objects.filter(revision__benchmark__in=benchmarks, revision__is_current=True)
    found: dict[int, dict[str, BoardState]] = {}
    for row in rows.select_related("revision"):
        found.setdefault(row.revision.benchmark_id, {})[row.split] = row
    for benchmark in benchmarks:
        revision = None if benchmark.pk in found else benchmark.current_revision
        splits = (
            revision.entries.exclude(split="validation").values_list("split", flat=True).distinct() if revision else ()
        )
        for split in sorted(set(splits)):
            found.setdefault(benchmark.pk, {})[split] = ensure_state(revision, split)
    return {pk: splits[main_split(splits)] for pk, splits in found.items()}


def _headlines(benchmarks: Sequence[Benchmark]) -> dict[int, list[Standing]]:
    """Ruling rows of the headline metric over everything, by benchmark."""
    metrics = {benchmark.pk: metrics_of(benchmark.slug)[0] for benchmark in benchmarks}
    rows = Standing.objects.filter(
        benchmark__in=benchmarks, revision__is_current=True, subset__slug=Subset.OVERALL, basis="machine",
        metric__in=set(metrics.values()), entrant__kind=Entrant.Kind.MODEL,
    ).select_related("entrant", "run", "revision")  # fmt: skip
    found: dict[int, list[Standing]] = {}
    for row in rows:
        if row.metric == metrics[row.benchmark_id] and row.details.get("is_ruling", True):
            found.setdefault(row.benchmark_id, []).append(row)
    for pk, group in found.items():
        split = main_split({row.split: 1 for row in group})
        found[pk] = [row for row in group if row.split == split]
    return found


def _cards(
    benchmarks: Sequence[Benchmark], states: Mapping[int, BoardState], standings: Mapping[int, Sequence[Standing]]
) -> tuple[BoardCard, ...]:
    leaders = {b.pk: find_leader(b, standings.get(b.pk, ())) for b in benchmarks}
    official = [b for b in benchmarks if not states[b.pk].revision.is_sample]  # nothing compares with a sample set
    counts = count_reported(official)
    reported = find_reported_leaders([b for b in official if leaders[b.pk] is None], states)
    return tuple(
        _card(b, states[b.pk], standings.get(b.pk, ()), leaders[b.pk], reported.get(b.pk), counts.get(b.pk, 0))
        for b in benchmarks
    )


def _card(
    benchmark: Benchmark,
    state: BoardState,
    rows: Sequence[Standing],
    leader: Leader | None,
    reported: Leader | None,
    n_reported: int,
) -> BoardCard:
    facts = state.facts
    return BoardCard(
        slug=benchmark.slug,
        title=localised(benchmark, "title"),
        summary=localised(benchmark, "summary"),
        tags=tuple(benchmark.tags),
        n_problems=facts["n_problems"],
        n_figures=facts["n_figures"],
        n_subsets=len(facts["columns"]),
        languages=name_languages(facts["languages"]),
        modality=_("text and figures") if facts["n_figures"] else _("text"),
        n_models=len({row.entrant_id for row in rows}),
        n_reported=n_reported,
        metric=metric_label(metrics_of(benchmark.slug)[0]),
        leader=leader,
        reported=reported,
        unranked="" if leader else describe_unranked(rows),
        is_sample=state.revision.is_sample,
        changed_at=state.changed_at,
    )


def _direction(sort: str, slug: str) -> str:
    if sort.lstrip("-") != slug:
        return ""
    is_up = sort.startswith("-") != (slug == "model")
    return "ascending" if is_up else "descending"


def _column(benchmark: Benchmark, sort: str) -> OverallColumn:
    slug = benchmark.slug
    return OverallColumn(
        slug,
        localised(benchmark, "title"),
        metric_label(metrics_of(slug)[0]),
        f"-{slug}" if sort == slug else slug,
        _direction(sort, slug),
    )


def best_rows(standings: Mapping[int, Sequence[Standing]]) -> dict[int, dict[int, Standing]]:
    """Entrant -> benchmark -> its row: a ranked one before others, then a whole one, then the newest."""
    found: dict[int, dict[int, Standing]] = {}
    for pk, rows in standings.items():
        for row in sorted(
            rows, key=lambda r: (r.is_ranked, not r.run.partial, r.run.finished_at is not None, r.run_id)
        ):
            found.setdefault(row.entrant_id, {})[pk] = row
    return found


def _rows(benchmarks: Sequence[Benchmark], standings: Mapping[int, Sequence[Standing]]) -> list[OverallRow]:
    return [
        OverallRow(
            entrant=next(iter(own.values())).entrant.name,
            entrant_slug=next(iter(own.values())).entrant.slug,
            organisation=next(iter(own.values())).entrant.organisation,
            cells=tuple(_cell(benchmark, own.get(benchmark.pk)) for benchmark in benchmarks),
            n_boards=sum(benchmark.pk in own for benchmark in benchmarks),
        )
        for own in best_rows(standings).values()
        if any(benchmark.pk in own for benchmark in benchmarks)
    ]


def _cell(benchmark: Benchmark, row: Standing | None) -> OverallCell:
    if row is None:
        return OverallCell("–")
    title = ""
    if row.low is not None and row.high is not None:
        title = _("95 %% interval %(low)s to %(high)s") % {
            "low": print_metric(row.metric, row.low),
            "high": print_metric(row.metric, row.high),
        }
    path = f"/b/{benchmark.slug}/receipt/{str(row.run.uuid)[:8]}/{Subset.OVERALL}/{row.metric}/"
    note = "" if row.is_ranked or may_lead(row) else reason_in_words(row.unranked_reason)
    return OverallCell(print_metric(row.metric, row.value), title, path, str(row.rank or ""), note)


def _sort(
    rows: list[OverallRow],
    sort: str,
    benchmarks: Sequence[Benchmark],
    standings: Mapping[int, Sequence[Standing]],
) -> tuple[OverallRow, ...]:
    """What is missing or no number of the whole comes last in both directions; else models on most boards first."""
    by_name = sorted(rows, key=lambda row: row.entrant.casefold())
    key = sort.lstrip("-")
    chosen = next((b for b in benchmarks if b.slug == key), None)
    if key == "model":
        return tuple(reversed(by_name) if sort.startswith("-") else by_name)
    if chosen is None:
        return tuple(sorted(by_name, key=lambda row: -row.n_boards))
    rows_there = (own.get(chosen.pk) for own in best_rows(standings).values())
    best = {row.entrant.slug: row.value for row in rows_there if row and may_lead(row)}
    order = order_missing_last([best.get(row.entrant_slug) for row in by_name], descending=not sort.startswith("-"))
    return tuple(by_name[i] for i in order)


def _tokens_chart(benchmarks: Sequence[Benchmark], standings: Mapping[int, Sequence[Standing]]) -> ChartView | None:
    """Mean output tokens by model and benchmark."""
    own = best_rows(standings)
    names = {pk: next(iter(rows.values())).entrant for pk, rows in own.items()}
    order = sorted(own, key=lambda pk: names[pk].name.casefold())
    values = [
        [own[pk][b.pk].details.get("output_tokens") if b.pk in own[pk] else None for b in benchmarks] for pk in order
    ]
    known = [value for row in values for value in row if value is not None]
    if not known:
        return None
    titles = [localised(benchmark, "title") for benchmark in benchmarks]
    title = _("Mean output tokens by model and benchmark")
    svg = draw_both(
        lambda width: heat_map(
            [GridLine(names[pk].name, f"/m/{names[pk].slug}/") for pk in order],
            [GridLine(name) for name in titles],
            values,
            title=title,
            low=0.0,
            high=max(known),
            width=width,
        )
    )
    table = Table(
        (_("Model"), *titles),
        tuple((names[pk].name, *map(print_count, row)) for pk, row in zip(order, values)),
    )
    return ChartView("output-tokens", title, "", svg, table, reverse("home-chart"))
