"""The ratings page: one table with its intervals, warnings and win matrix, and how it compares with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from django.db.models import Count
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.models import Benchmark, Entrant, LeakCheck, Subset
from leaderboard.ballots import BY_PROBLEM, POOLS, SCORES_POOL, Scope, names_of, votes_of
from leaderboard.models import Standing
from leaderboard.ratings import RatingReport, StyleReport, read_report, read_style
from leaderboard.rendering.charts import IntervalRow, draw_both, heat_step, interval_plot
from leaderboard.selectors.arena import LANGUAGE_NAMES, Option
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.fields import say_field
from leaderboard.sentences import say_sentence
from leaderboard.statistics.agreement import spearman_r
from leaderboard.statistics.intervals import Kind
from leaderboard.statistics.ratings import Rating as RatingValue
from leaderboard.statistics.ratings import RatingTable
from leaderboard.statistics.votes import PRELIMINARY_BELOW, WinMatrix

MOST_IN_MATRIX = 40
COMPARED = ("people", "judge", SCORES_POOL)
DASH = "–"


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One model, printed. other: its rating in the other table, with or without quarantined voters."""

    rank: str
    rank_upper: str
    name: str
    url: str
    organisation: str
    rating: str
    interval: str
    n_votes: int
    wins: int
    losses: int
    ties: int
    is_preliminary: bool
    note: str
    other: str
    styled: str


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """How often row won against column; step -1 where they never met."""

    share: str
    n: int
    step: int


@dataclass(frozen=True, slots=True)
class MatrixRow:
    name: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """What one standard deviation more of a style does to the log odds of winning."""

    name: str
    value: str
    interval: str
    p: str


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One model in the three tables."""

    name: str
    url: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rho between two orders of models."""

    label: str
    n: int
    rho: str


@dataclass(frozen=True, slots=True)
class Counted:
    """A count with the link that narrows the page to it."""

    label: str
    n: int
    url: str


@dataclass(frozen=True, slots=True)
class RatingsPage:
    """Everything on the ratings page."""

    scope: Scope
    pools: tuple[Option, ...]
    benchmarks: tuple[Option, ...]
    fields: tuple[Option, ...]
    languages: tuple[Option, ...]
    sources: tuple[Option, ...]
    has_style: bool
    quarantine: tuple[Option, ...]
    what: str
    method: str
    rows: tuple[RatingRow, ...]
    chart: SafeString
    warnings: tuple[str, ...]
    names: tuple[str, ...]
    matrix: tuple[MatrixRow, ...]
    coefficients: tuple[Coefficient, ...]
    style_note: str
    compared: tuple[ComparedRow, ...]
    correlations: tuple[Correlation, ...]
    counts: tuple[tuple[str, tuple[Counted, ...]], ...]
    n_votes: int
    n_units: int
    n_held: int
    n_held_voters: int
    excluded: tuple[tuple[str, int], ...]
    n_masked: int
    n_left_out: int


def pool_label(pool: str) -> str:
    return {
        "people": _("people, all pools"),
        "reviewer": _("reviewers"),
        "signed-in": _("signed in"),
        "anonymous": _("anonymous"),
        "judge": _("LLM judges"),
        SCORES_POOL: _("from scores"),
        "imported-people": _("imported: people"),
        "imported-judge": _("imported: judges"),
    }.get(pool, pool)


def read_scope(query: Mapping[str, str]) -> Scope:
    """The scope of an address; an imported pool shows one collection at a time."""
    # PostgreSQL takes no NUL in text.
    asked = {name: query.get(name, "") for name in ("benchmark", "field", "language", "source")}
    pool = query.get("pool", "")
    scope = Scope(pool=pool if pool in POOLS else "people", **asked)
    if scope.pool.startswith("imported") and not scope.source:
        first = votes_of(scope).order_by("-pk").values_list("battle__source", flat=True).first()
        return Scope(scope.pool, scope.benchmark, scope.field, scope.language, first or "")
    return scope


def read_ratings(query: Mapping[str, str]) -> RatingsPage:
    """The page of an address: `pool benchmark field language source`, `style=1`, `quarantine=with`."""
    scope = read_scope(query)
    report = read_report(scope)
    # Where everything is held back there is nothing but the table with it to show.
    is_with = bool(report.n_held) and (query.get("quarantine") == "with" or not report.n_votes)
    table = report.with_all if is_with else report.table
    entrants = names_of(report.entrants)
    names = [entrants[pk].name for pk in report.entrants]
    has_style = query.get("style") == "1" and scope.pool != SCORES_POOL
    style = read_style(scope, report) if has_style else None
    order = sorted(range(len(names)), key=lambda i: _order(table.ratings[i]))
    shown = [i for i in order if report.with_all.ratings[i].n_votes]
    masked = LeakCheck.objects.filter(n_hits__gt=0)
    return RatingsPage(
        scope=scope,
        has_style=has_style,
        quarantine=(
            Option("", _("left out"), not is_with),
            Option("with", _("counted"), is_with),
        )
        if report.n_held
        else (),
        **_filters(scope),
        what=_what(scope, table),
        method=_method(scope, table),
        rows=tuple(_row(report, table, i, entrants[report.entrants[i]], style) for i in shown),
        chart=_chart(table, shown, names),
        warnings=_warnings(report, table, names),
        names=tuple(names[i] for i in shown[:MOST_IN_MATRIX]),
        matrix=_matrix(report.wins_with_all if is_with else report.wins, shown[:MOST_IN_MATRIX], names),
        coefficients=tuple(_coefficient(c) for c in style.table.coefficients) if style else (),
        style_note=_style_note(has_style, style),
        compared=_compare(scope),
        correlations=_correlate(scope, report, table),
        counts=_counts(scope),
        n_votes=table.n_votes,
        n_units=table.n_units,
        n_held=report.n_held,
        n_held_voters=len(report.held),
        excluded=report.excluded,
        n_masked=masked.filter(is_left_out=False).count(),
        n_left_out=masked.filter(is_left_out=True).count(),
    )


def _order(rating: RatingValue) -> tuple[bool, float]:
    return rating.rating is None, -(rating.rating or 0.0)


def _points(value: float | None) -> str:
    return DASH if value is None else f"{value:.0f}"


def _range(low: float | None, high: float | None) -> str:
    return DASH if low is None or high is None else f"{low:.0f} – {high:.0f}"


def _row(report: RatingReport, table: RatingTable, i: int, entrant: Entrant, style: StyleReport | None) -> RatingRow:
    rating = table.ratings[i]
    other = report.table.ratings[i] if table is report.with_all else report.with_all.ratings[i]
    styled = DASH
    if style and entrant.pk in style.entrants:
        styled = _points(style.table.ratings[style.entrants.index(entrant.pk)].rating)
    return RatingRow(
        rank=str(rating.rank or DASH),
        rank_upper=str(rating.rank_upper or DASH),
        name=entrant.name,
        url=reverse("entrant", args=[entrant.slug]),
        organisation=entrant.organisation,
        rating=_points(rating.rating),
        interval=_range(rating.low, rating.high),
        n_votes=rating.n_votes,
        wins=rating.wins,
        losses=rating.losses,
        ties=rating.ties,
        is_preliminary=rating.is_preliminary,
        note=say_sentence(rating.note),
        other=_points(other.rating),
        styled=styled,
    )


def _chart(table: RatingTable, shown: Sequence[int], names: Sequence[str]) -> SafeString:
    if not shown:
        return SafeString("")
    rows = [
        IntervalRow(names[i], rating.rating, rating.low, rating.high) for i in shown for rating in [table.ratings[i]]
    ]
    title = _("Arena ratings with their intervals")
    return draw_both(lambda width: interval_plot(rows, title=title, axis=_("Elo points"), width=width))


def _what(scope: Scope, table: RatingTable) -> str:
    values = {"votes": table.n_votes, "units": table.n_units}
    if scope.pool == SCORES_POOL:
        return _("Battles derived from scores: %(votes)d, on problems: %(units)d; no vote is in them") % values
    if scope.pool in BY_PROBLEM:
        return _("Verdicts: %(votes)d, on problems: %(units)d") % values
    return _("Votes: %(votes)d, by voters: %(units)d") % values


def _unit(scope: Scope) -> str:
    if scope.pool in BY_PROBLEM:
        return pgettext("what is resampled", "problems")
    return pgettext("what is resampled", "voters")


def _method(scope: Scope, table: RatingTable) -> str:
    ties = _("a tie is half a win each")
    if table.tie_parameter is not None:
        ties = _("ties by Davidson's parameter, %(nu).2f") % {"nu": table.tie_parameter}
    unit = _unit(scope)
    interval = {
        Kind.BOOTSTRAP: _("95 %% intervals by %(rounds)d resamples of %(unit)s, seed %(seed)s")
        % {"rounds": table.rounds, "unit": unit, "seed": table.seed},
        Kind.SANDWICH: _("95 %% intervals by a sandwich clustered by %(unit)s, t with %(df)d degrees of freedom")
        % {"unit": unit, "df": max(table.n_units - 1, 0)},
    }.get(table.kind, _("no intervals: too few %(unit)s") % {"unit": unit})
    return _(
        "Bradley-Terry by maximum likelihood, %(ties)s; 400 points are odds of 10 : 1, mean 1000; %(interval)s."
    ) % {
        "ties": ties,
        "interval": interval,
    }


def _warnings(report: RatingReport, table: RatingTable, names: Sequence[str]) -> tuple[str, ...]:
    """What must be known before the table is read."""
    check, found = table.check, []
    if report.n_held and not report.n_votes:
        found.append(_("Every vote here is in quarantine: this is the table with them."))
    if not check.is_connected:
        groups = "; ".join(", ".join(names[i] for i in group) for group in check.components[:12])
        found.append(
            _("Wins do not connect all models (%(n)d groups): ratings compare only within a group. %(groups)s")
            % {"n": len(check.components), "groups": groups}
        )
    for models, text in (
        (check.all_win, _("Won every battle, so there is no upper end: %(names)s.")),
        (check.all_loss, _("Lost every battle, so there is no lower end: %(names)s.")),
        (check.preliminary, _("Preliminary, under %(least)d votes: %(names)s.")),
    ):
        if models:
            found.append(text % {"names": ", ".join(names[i] for i in models), "least": PRELIMINARY_BELOW})
    if table.n_votes and table.kind == Kind.NONE:
        unit = _unit(report.scope)
        found.append(_("n = %(n)d %(unit)s: no intervals.") % {"n": table.n_units, "unit": unit})
    return tuple(found)


def _matrix(counted: WinMatrix, shown: Sequence[int], names: Sequence[str]) -> tuple[MatrixRow, ...]:
    wins, battles = counted.wins, counted.battles

    def cell(i: int, j: int) -> MatrixCell:
        n = int(battles[i, j])
        share = wins[i, j] / n if n else np.nan
        return MatrixCell(f"{100 * share:.0f}" if n else "", n, heat_step(share, 0.0, 1.0) if n else -1)

    return tuple(MatrixRow(names[i], tuple(cell(i, j) for j in shown)) for i in shown)


def _coefficient(found: object) -> Coefficient:
    name, value, low, high, p = (getattr(found, key) for key in ("name", "value", "low", "high", "p"))
    labels = {"length": _("length"), "formulas": _("formulas"), "lists": _("list items")}
    interval = DASH if low is None or high is None else f"{low:+.2f} – {high:+.2f}"
    return Coefficient(
        labels[name], f"{value:+.2f}", interval, DASH if p is None else "< 0.001" if p < 1e-3 else f"{p:.3f}"
    )


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "\u2212")


def _style_note(has_style: bool, style: StyleReport | None) -> str:
    if not has_style:
        return ""
    if style is None:
        return _("No style is known of these replies, or none varies: nothing to hold equal.")
    return _("%(n)d votes whose texts are here.") % {"n": style.n_votes}


def _compare(scope: Scope) -> tuple[ComparedRow, ...]:
    """People, judges and scores side by side, over everything or one benchmark."""
    table = _three_tables(scope)
    entrants = names_of([pk for column in table.values() for pk in column])
    best = {pk: rating for name in reversed(COMPARED) for pk, rating in table[name].items()}
    return tuple(
        ComparedRow(
            entrants[pk].name,
            reverse("entrant", args=[entrants[pk].slug]),
            tuple(_compared(table[name].get(pk)) for name in COMPARED),
        )
        for pk in sorted(entrants, key=lambda pk: -(best[pk].rating or 0.0))
    )


def _compared(rating: RatingValue | None) -> str:
    if rating is None:
        return DASH
    interval = f" ({_range(rating.low, rating.high)})" if rating.low is not None else ""
    return f"{_points(rating.rating)}{interval}"


def _three_tables(scope: Scope) -> dict[str, dict[int, RatingValue]]:
    """Kind -> entrant -> rating, of those that have one."""
    reports = {name: read_report(Scope(name, benchmark=scope.benchmark)) for name in COMPARED}
    return {
        name: {report.entrants[r.model]: r for r in report.table.ratings if r.rating is not None}
        for name, report in reports.items()
    }


def _correlate(scope: Scope, report: RatingReport, table: RatingTable) -> tuple[Correlation, ...]:
    """Spearman's rho of this table with each board, and between the three tables."""
    mine = {report.entrants[r.model]: r.rating for r in table.ratings if r.rating is not None}
    found = [
        _correlation(_("this table and the board of %(board)s") % {"board": localised(benchmark, "title")}, mine, board)
        for benchmark, board in _boards(scope)
    ]
    stored = {name: {pk: row.rating for pk, row in rows.items()} for name, rows in _three_tables(scope).items()}
    for one, two in combinations(COMPARED, 2):
        label = _("%(one)s and %(two)s") % {"one": pool_label(one), "two": pool_label(two)}
        found.append(_correlation(label, stored[one], stored[two]))
    return tuple(row for row in found if row.n)


def _correlation(label: str, one: Mapping[int, float | None], two: Mapping[int, float | None]) -> Correlation:
    shared = sorted(set(one) & set(two))
    rho = spearman_r([one[pk] for pk in shared], [two[pk] for pk in shared])
    return Correlation(label, len(shared), _("under 3 models") if rho is None else _signed(rho))


def _boards(scope: Scope) -> list[tuple[Benchmark, dict[int, float | None]]]:
    """Each public benchmark's current board: entrant -> headline value."""
    benchmarks = Benchmark.objects.filter(is_public=True)
    if scope.benchmark:
        benchmarks = benchmarks.filter(slug=scope.benchmark)
    boards = []
    for benchmark in benchmarks:
        rows = Standing.objects.filter(
            benchmark=benchmark,
            revision__is_current=True,
            subset__slug=Subset.OVERALL,
            metric=benchmark.headline_metric,
            basis=Standing.Basis.MACHINE,
            value__isnull=False,
        ).order_by("run__finished_at")
        boards.append((benchmark, dict(rows.values_list("entrant_id", "value"))))
    return boards


def _filters(scope: Scope) -> dict[str, tuple[Option, ...]]:
    votes = votes_of(Scope("people" if scope.pool == SCORES_POOL else scope.pool)).order_by()
    benchmarks = Benchmark.objects.filter(is_public=True)

    def distinct(name: str) -> list[str]:
        return sorted(value for value in votes.values_list(name, flat=True).distinct() if value)

    return {
        "pools": tuple(Option(name, pool_label(name), name == scope.pool) for name in POOLS),
        "benchmarks": tuple(Option(b.slug, localised(b, "title"), b.slug == scope.benchmark) for b in benchmarks),
        "fields": tuple(Option(v, say_field(v), v == scope.field) for v in distinct("battle__field")),
        "languages": tuple(
            Option(v, LANGUAGE_NAMES.get(v, v), v == scope.language) for v in distinct("battle__language")
        ),
        "sources": tuple(Option(v, v, v == scope.source) for v in distinct("battle__source")),
    }


def _counts(scope: Scope) -> tuple[tuple[str, tuple[Counted, ...]], ...]:
    """Votes by pool, and within this pool by benchmark, field and language."""
    base = reverse("arena-ratings")
    pools = []
    for name in POOLS:
        if name not in ("people", SCORES_POOL) and (n := votes_of(Scope(name)).count()):
            pools.append(Counted(pool_label(name), n, f"{base}?pool={name}"))
    if scope.pool == SCORES_POOL:
        return ((_("Votes by pool"), tuple(pools)),)
    titles = {b.slug: localised(b, "title") for b in Benchmark.objects.all()}
    groups = [(_("Votes by pool"), tuple(pools))]
    for title, key, path, labels in (
        (_("by benchmark"), "benchmark", "battle__benchmark__slug", titles),
        (_("by field"), "field", "battle__field", {}),
        (_("by language"), "language", "battle__language", LANGUAGE_NAMES),
    ):
        rows = votes_of(Scope(scope.pool)).order_by().values_list(path).annotate(n=Count("pk")).order_by("-n")
        groups.append(
            (
                title,
                tuple(
                    Counted(labels.get(value, value), n, f"{base}?pool={scope.pool}&{key}={value}")
                    for value, n in rows
                    if value
                ),
            )
        )
    return tuple(group for group in groups if group[1])
