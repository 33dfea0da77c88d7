"""The ratings page: one table with its intervals, warnings and win matrix, and how it compares with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.models import Entrant, LeakCheck
from leaderboard.ballots import BY_PROBLEM, SCORES_POOL, Scope, names_of
from leaderboard.ratings import RatingReport, StyleReport, read_report, read_style
from leaderboard.rendering.charts import IntervalRow, draw_both, heat_step, interval_plot
from leaderboard.selectors.arena import Option
from leaderboard.selectors.arena_comparison import (
    DASH,
    ComparedRow,
    Correlation,
    compare_tables,
    correlate_tables,
    print_range,
    print_rating,
)
from leaderboard.selectors.arena_scope import Counted, count_votes, list_filters, read_scope
from leaderboard.sentences import say_sentence
from leaderboard.statistics.intervals import Kind
from leaderboard.statistics.ratings import Rating as RatingValue
from leaderboard.statistics.ratings import RatingTable
from leaderboard.statistics.votes import PRELIMINARY_BELOW, WinMatrix

MOST_IN_MATRIX = 40


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
        **list_filters(scope),
        what=_what(scope, table),
        method=_method(scope, table),
        rows=tuple(_row(report, table, i, entrants[report.entrants[i]], style) for i in shown),
        chart=_chart(table, shown, names),
        warnings=_warnings(report, table, names),
        names=tuple(names[i] for i in shown[:MOST_IN_MATRIX]),
        matrix=_matrix(report.wins_with_all if is_with else report.wins, shown[:MOST_IN_MATRIX], names),
        coefficients=tuple(_coefficient(c) for c in style.table.coefficients) if style else (),
        style_note=_style_note(has_style, style),
        compared=compare_tables(scope),
        correlations=correlate_tables(scope, report, table),
        counts=count_votes(scope),
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


def _row(report: RatingReport, table: RatingTable, i: int, entrant: Entrant, style: StyleReport | None) -> RatingRow:
    rating = table.ratings[i]
    other = report.table.ratings[i] if table is report.with_all else report.with_all.ratings[i]
    styled = DASH
    if style and entrant.pk in style.entrants:
        styled = print_rating(style.table.ratings[style.entrants.index(entrant.pk)].rating)
    return RatingRow(
        rank=str(rating.rank or DASH),
        rank_upper=str(rating.rank_upper or DASH),
        name=entrant.name,
        url=reverse("entrant", args=[entrant.slug]),
        organisation=entrant.organisation,
        rating=print_rating(rating.rating),
        interval=print_range(rating.low, rating.high),
        n_votes=rating.n_votes,
        wins=rating.wins,
        losses=rating.losses,
        ties=rating.ties,
        is_preliminary=rating.is_preliminary,
        note=say_sentence(rating.note),
        other=print_rating(other.rating),
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


def _style_note(has_style: bool, style: StyleReport | None) -> str:
    if not has_style:
        return ""
    if style is None:
        return _("No style is known of these replies, or none varies: nothing to hold equal.")
    return _("%(n)d votes whose texts are here.") % {"n": style.n_votes}
