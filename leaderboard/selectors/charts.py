"""The charts of a board, each with its table; all from stored numbers and arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.board_entries import Entry, read_entries
from leaderboard.problem_index import ProblemIndex, read_index
from leaderboard.rendering.charts import (
    Curve,
    GridLine,
    IntervalRow,
    Point,
    ReferenceLine,
    curves,
    draw_both,
    heat_map,
    histogram,
    interval_plot,
    scatter,
    small_multiples,
)
from leaderboard.scores import full_of, make_sheet, mark_solved, values_of
from leaderboard.selectors.board_rows import BASELINE, REPORTED, CellValue, RowData
from leaderboard.selectors.boards import Board
from leaderboard.selectors.chart_views import ChartView, Table
from leaderboard.selectors.fields import column_title
from leaderboard.selectors.formats import metric_label, print_cost, print_metric
from leaderboard.selectors.languages import read_shared_accuracy
from leaderboard.selectors.wordings import say_floor
from leaderboard.sentences import say_sentence
from leaderboard.statistics.curves import (
    best_curve,
    bin_eed,
    default_ks,
    follow_order,
    majority_curve,
    pass_curve,
    pass_hat_curve,
)
from leaderboard.vectors import NO_CLASS

MOST_ROWS = 40
MOST_PANELS = 8
PERCENT = frozenset({"accuracy", "accuracy_macro", "yes_ratio"})

Draw = Callable[[int], SafeString]


def board_charts(board: Board) -> tuple[ChartView, ...]:
    """What stands on the board itself: the interval plot."""
    chart = interval_chart(board)
    return (chart,) if chart else ()


def all_charts(board: Board) -> tuple[ChartView, ...]:
    """Every chart of which there is something to show."""
    found = [
        interval_chart(board),
        cost_chart(board),
        tokens_chart(board),
        release_chart(board),
        fields_chart(board),
        heat_chart(board),
    ]
    entries = read_entries(board.place.revision, board.place.split)
    index = read_index(board.place.revision, board.place.split)
    found += _repeat_charts(board, entries, index)
    found.append(eed_chart(board, entries, index))
    return tuple(chart for chart in found if chart is not None)


def _view(board: Board, name: str, title: str, caption: str, draw: Draw, table: Table) -> ChartView:
    export = reverse("chart-file", args=[board.place.benchmark.slug, name])
    return ChartView(name, title, caption, draw_both(draw), table, export)


def scaled(metric: str, value: float | None) -> float | None:
    """Rates in per cent, points as they are."""
    return None if value is None else 100 * value if metric in PERCENT else value


def axis_of(metric: str) -> str:
    return f"{metric_label(metric)} (%)" if metric in PERCENT else metric_label(metric)


def _head(board: Board, row: RowData) -> CellValue:
    return board.shown.head(row)


def _link(row: RowData) -> str:
    return f"/m/{row.entrant_slug}/" if row.entrant_slug else ""


def _print_cells(board: Board, row: RowData) -> tuple[str, ...]:
    head = _head(board, row)
    bounds = [print_metric(board.metric, bound) if bound is not None else "–" for bound in (head.low, head.high)]
    return (row.entrant, print_metric(board.metric, head.value), *bounds)


def interval_chart(board: Board) -> ChartView | None:
    """One row a model: estimate and interval; reported numbers are hollow; medal, human and floor lines across."""
    rows = [row for row in board.data if _head(board, row).value is not None and row.mark != BASELINE]
    rows.sort(key=lambda row: -(_head(board, row).value or 0.0))
    rows = rows[:MOST_ROWS]
    if not rows:
        return None
    tier, plotted = 0, []
    for row in rows:
        head, starts = _head(board, row), bool(row.tier and row.tier > tier)
        tier = row.tier or tier
        low, high = (scaled(board.metric, bound) for bound in (head.low, head.high))
        plotted.append(
            IntervalRow(
                row.entrant,
                scaled(board.metric, head.value),
                low,
                high,
                _link(row),
                row.mark == REPORTED,
                starts,
                1,
                say_sentence(head.note),
            )
        )
    references = [ReferenceLine(line.value, line.kind, line.label) for line in board.lines]
    floors = [(r, scaled(board.metric, _head(board, r).value)) for r in board.data if r.mark == BASELINE]
    references += [ReferenceLine(value, "human", say_floor(row.entrant)) for row, value in floors if value]
    title = _("%(metric)s with 95 %% intervals") % {"metric": board.metric_label}
    caption = _("A rule parts tiers. Hollow: reported elsewhere, no interval of ours.")
    full = 100.0 if board.metric in PERCENT else None
    return _view(
        board,
        "intervals",
        title,
        caption,
        lambda width: interval_plot(
            plotted, title=title, axis=axis_of(board.metric), low=0.0 if full else None, high=full,
            references=references, width=width,
        ),
        Table((_("Model"), board.metric_label, _("Low"), _("High")), tuple(_print_cells(board, row) for row in rows)),
    )  # fmt: skip


def _points(board: Board, value: Callable[[RowData], float | None]) -> list[tuple[RowData, Point]]:
    found = []
    for row in board.data:
        head, x = _head(board, row), value(row)
        if head.value is None or x is None:
            continue
        y, low, high = (scaled(board.metric, v) for v in (head.value, head.low, head.high))
        assert y is not None
        found.append((row, Point(row.entrant, x, y, _link(row), low, high, row.mark == REPORTED)))
    return found


def cost_chart(board: Board) -> ChartView | None:
    """Score against US dollars a problem, with the frontier of what is not beaten in both."""
    found = [(row, point) for row, point in _points(board, lambda row: row.cost_usd) if point.x > 0]
    if not found:
        return None
    title = _("Score against cost")
    return _view(
        board, "cost", title, _("Dashed: the models that no other beats in both."),
        lambda width: scatter(
            [p for _row, p in found], title=title, x_axis=_("US dollars a problem"), y_axis=axis_of(board.metric),
            x_is_log=True, width=width,
        ),
        Table(
            (_("Model"), board.metric_label, _("Low"), _("High"), _("Cost")),
            tuple((*_print_cells(board, row), print_cost(point.x)) for row, point in found),
        ),
    )  # fmt: skip


def tokens_chart(board: Board) -> ChartView | None:
    found = [(r, p) for r, p in _points(board, lambda row: row.facts.get("output_tokens")) if p.x > 0]
    if not found:
        return None
    title = _("Score against output tokens")
    return _view(
        board, "tokens", title, _("Mean output tokens a reply, reasoning included where the endpoint counts it."),
        lambda width: scatter(
            [p for _row, p in found], title=title, x_axis=_("output tokens"), y_axis=axis_of(board.metric),
            x_is_log=True, width=width,
        ),
        Table(
            (_("Model"), board.metric_label, _("Low"), _("High"), _("Output tokens")),
            tuple((*_print_cells(board, row), f"{point.x:,.0f}") for row, point in found),
        ),
    )  # fmt: skip


def release_chart(board: Board) -> ChartView | None:
    """Score over release date; the step line is the best so far."""
    found = _points(board, lambda row: float(row.release_date.toordinal()) if row.release_date else None)
    if len(found) < 2:
        return None
    days = [point.x for _row, point in found]
    title = _("Score over release date")
    return _view(
        board, "release", title, _("Step line: the best model released so far."),
        lambda width: scatter(
            [p for _row, p in found], title=title, x_axis=_("release date"), y_axis=axis_of(board.metric),
            x_labels=_date_ticks(min(days), max(days)), width=width,
        ),
        Table(
            (_("Model"), board.metric_label, _("Low"), _("High"), _("Released")),
            tuple(
                (*_print_cells(board, row), row.release_date.isoformat() if row.release_date else "–")
                for row, _p in found
            ),
        ),
    )  # fmt: skip


def _date_ticks(low: float, high: float) -> list[tuple[float, str]]:
    first, last = date.fromordinal(int(low)), date.fromordinal(int(high))
    months = [(year, month) for year in range(first.year, last.year + 1) for month in range(1, 13)]
    inside = [(y, m) for y, m in months if low <= date(y, m, 1).toordinal() <= high]
    step = max(1, len(inside) // 5)
    return [(float(date(y, m, 1).toordinal()), f"{y}-{m:02}") for y, m in inside[::step]]


def _column_values(board: Board) -> tuple[str, list[Mapping[str, Any]], list[RowData]]:
    """The metric of the subset columns, the columns, and the rows with a number in any of them."""
    metric = "accuracy" if board.metric == "accuracy_macro" else board.metric
    columns = list(board.facts.get("columns", ()))
    if metric == "exam_score":
        metric = "accuracy"  # exams differ in full marks: shares compare, points do not
    rows = [r for r in board.data if r.mark != BASELINE and any((c["slug"], metric) in r.cells for c in columns)]
    return metric, columns, rows


def _share_cells(board: Board, row: RowData, column: Mapping[str, Any], metric: str) -> float | None:
    if board.metric == "exam_score":
        value = row.cell(column["slug"], "exam_score").value
        return None if value is None else 100 * value / column["full_mark"]
    return scaled(metric, row.cell(column["slug"], metric).value)


def fields_chart(board: Board) -> ChartView | None:
    """Small multiples: a panel a subset, a bar a model. What a radar shows, on scales that can be read."""
    metric, columns, _rows = _column_values(board)
    source = "exam_score" if board.metric == "exam_score" else metric
    rows = [r for r in board.data if r.mark != BASELINE and any((c["slug"], source) in r.cells for c in columns)]
    if board.subset or len(columns) < 2 or not rows:
        return None
    rows = rows[:MOST_PANELS]
    title = _("By subset")
    panels = [
        (
            column_title(column),
            [
                IntervalRow(row.entrant, _share_cells(board, row, column, metric), series=number % 8 + 1)
                for number, row in enumerate(rows)
            ],
        )
        for column in columns
    ]
    full = full_of(metric) if metric not in PERCENT else 100.0
    return _view(
        board, "subsets", title,
        _("Share of the attainable points, per cent.") if board.metric == "exam_score" else axis_of(metric),
        lambda width: small_multiples(panels, title=title, low=0.0, high=full, width=width),
        Table(
            (_("Model"), *(column_title(column) for column in columns)),
            tuple(
                (row.entrant, *(_print_number(_share_cells(board, row, c, metric)) for c in columns)) for row in rows
            ),
        ),
    )  # fmt: skip


def heat_chart(board: Board) -> ChartView | None:
    """Models by subsets, a shade and the number in each cell; languages only on the questions that all of them have."""
    metric, columns, _rows = _column_values(board)
    if board.subset or len(columns) < 2:
        return None
    rows = [row for row in board.data if row.mark != BASELINE]
    title, caption = _("Models by subset"), ""
    if board.place.benchmark.slug == "arc_indic":
        shared = read_shared_accuracy(board.place)
        title = _("Models by language")
        caption = _("Accuracy (%%) on the %(n)d questions that every language has.") % {"n": shared.n}
        found = [
            (row, [scaled("accuracy", shared.by_run.get(row.run, {}).get(column["slug"])) for column in columns])
            for row in rows
        ]
    else:
        found = [(row, [_share_cells(board, row, column, metric) for column in columns]) for row in rows]
    found = [(row, line) for row, line in found if any(value is not None for value in line)][:MOST_ROWS]
    if not found:
        return None
    full = full_of(metric) if metric not in PERCENT else 100.0
    return _view(
        board, "heat", title, caption,
        lambda width: heat_map(
            [GridLine(row.entrant, _link(row)) for row, _line in found],
            [GridLine(column_title(column)) for column in columns],
            [line for _row, line in found], title=title, low=0.0, high=full, width=width,
        ),
        Table(
            (_("Model"), *(column_title(column) for column in columns)),
            tuple((row.entrant, *map(_print_number, line)) for row, line in found),
        ),
    )  # fmt: skip


def _print_number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _repeat_charts(board: Board, entries: Sequence[Entry], index: ProblemIndex) -> list[ChartView | None]:
    """Test-time scaling: pass@k, pass^k, best@k and maj@k over k, of the runs that have repeats."""
    repeated = [entry for entry in entries if entry.machine.repeats > 1]
    if not repeated:
        return []
    slug = board.place.benchmark.slug
    found: list[ChartView | None] = []
    sheets = [
        (entry, make_sheet(entry.machine, index, slug, entry.scorer.params.get("policy", "corrected")).only_planned())
        for entry in repeated
    ]
    has_points = slug == "hipho"
    kinds = ["best"] if has_points else ["pass", "pass-hat", "maj"]
    for kind in kinds:
        lines, rows, firsts = [], [], []
        for entry, sheet in sheets:
            ks = default_ks(sheet.vectors.repeats)
            points = values_of("exam_score" if has_points else "accuracy", sheet)
            if kind == "pass":
                curve = pass_curve(mark_solved(points), ks, sheet.clusters)
            elif kind == "pass-hat":
                curve = pass_hat_curve(mark_solved(points), ks, sheet.clusters)
            elif kind == "best":
                curve = best_curve(points, ks, sheet.clusters)
            else:
                classes = [[None if c == NO_CLASS else int(c) for c in row] for row in sheet.vectors.answer_class]
                curve = majority_curve(classes, points, ks, sheet.clusters)
            kept = [(k, i) for k, i in zip(curve.ks, curve.points) if i.value is not None]
            factor = 1.0 if has_points else 100.0
            lines.append(
                Curve(
                    entry.run.entrant.name,
                    [k for k, _i in kept],
                    [factor * (i.value or 0.0) for _k, i in kept],
                    [factor * (i.low if i.low is not None else i.value or 0.0) for _k, i in kept],
                    [factor * (i.high if i.high is not None else i.value or 0.0) for _k, i in kept],
                    f"/m/{entry.run.entrant.slug}/",
                )
            )
            rows += [
                (
                    entry.run.entrant.name,
                    str(k),
                    _print_number(factor * (i.value or 0.0)),
                    _print_number(None if i.low is None else factor * i.low),
                    _print_number(None if i.high is None else factor * i.high),
                )
                for k, i in kept
            ]
            firsts.append({k: i.value for k, i in kept})
        found.append(_curve_view(board, kind, lines, rows, firsts, has_points))
    return found


def _curve_view(
    board: Board,
    kind: str,
    lines: Sequence[Curve],
    rows: Sequence[tuple[str, ...]],
    firsts: Sequence[Mapping[int, float | None]],
    has_points: bool,
) -> ChartView:
    titles = {
        "pass": _("pass@k: at least one of k attempts right"),
        "pass-hat": _("pass^k: all of k attempts right"),
        "best": _("best@k: the best of k attempts by points, mean over problems"),
        "maj": _("maj@k: the majority of k answers"),
    }
    common = sorted(set.intersection(*(set(first) for first in firsts))) if firsts else []
    caption = _("Bands: over problems (95 %).")
    if len(firsts) > 1 and len(common) > 1:
        change = follow_order(np.array([[first[k] for k in common] for first in firsts], dtype=float), common)
        taus = ", ".join(f"k = {k}: {tau:.2f}" for k, tau in zip(change.ks[1:], change.taus[1:]) if tau is not None)
        if taus:
            caption += " " + _("Kendall's tau of the model order against k = 1: %(taus)s.") % {"taus": taus}
    title = titles[kind]
    return _view(
        board, f"{kind}-k", title, caption,
        lambda width: curves(
            lines, title=title, x_axis="k", y_axis=_("points") if has_points else "%", x_is_log=True, width=width
        ),
        Table((_("Model"), "k", _("Value"), _("Low"), _("High")), tuple(rows)),
    )  # fmt: skip


def eed_chart(board: Board, entries: Sequence[Entry], index: ProblemIndex) -> ChartView | None:
    """PHYBench: all replies by EED score, with the four bands."""
    if board.place.benchmark.slug != "phybench" or not entries:
        return None
    scores = np.concatenate([entry.machine.points.ravel() for entry in entries])
    bins = bin_eed(scores)
    if not sum(bins.counts):
        return None
    title = _("Distribution of EED scores")
    words = {
        "exact": _("exact: 100"),
        "minor": _("a coefficient is wrong: 30 to 60"),
        "structural": _("the structure is wrong: 0 to 30"),
        "nothing in common": _("nothing in common: 0"),
    }
    return _view(
        board, "eed", title, _("All scored replies of all models on the board."),
        lambda width: histogram(bins.edges, bins.counts, title=title, axis="EED", width=width),
        Table((_("Band"), _("Replies")), tuple((words[band.name], str(band.count)) for band in bins.bands)),
    )  # fmt: skip
