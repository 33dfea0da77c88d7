"""What the charts of a board share: how a row is named, linked, scaled and printed."""

from __future__ import annotations

from collections.abc import Callable

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.rendering.charts import draw_both
from leaderboard.selectors.board_rows import REPORTED, RowData
from leaderboard.selectors.boards import Board
from leaderboard.selectors.chart_views import ChartView, Table
from leaderboard.selectors.formats import metric_label, print_metric
from leaderboard.selectors.standing_words import interval_in_words

PERCENT = frozenset({"accuracy", "accuracy_macro", "yes_ratio"})

Draw = Callable[[int], SafeString]


def make_view(board: Board, name: str, title: str, caption: str, draw: Draw, table: Table) -> ChartView:
    """A chart in both widths, with the address of its SVG file."""
    export = reverse("chart-file", args=[board.place.benchmark.slug, name])
    return ChartView(name, title, caption, draw_both(draw), table, export)


def scaled(metric: str, value: float | None) -> float | None:
    """Rates in per cent, points as they are."""
    return None if value is None else 100 * value if metric in PERCENT else value


def axis_of(metric: str) -> str:
    return f"{metric_label(metric)} (%)" if metric in PERCENT else metric_label(metric)


def has_total(board: Board, row: RowData) -> bool:
    """Whether the row's number compares: exam points over part of the problems are a sum of fewer."""
    is_part = row.n_planned is not None and row.n_planned < (row.n_problems or 0)
    return board.metric != "exam_score" or not is_part


def say_left_out(board: Board) -> str:
    is_any = any(not has_total(board, row) for row in board.data)
    return _("Runs over part of the problems have no total to compare.") if is_any else ""


def link_of(row: RowData) -> str:
    return f"/m/{row.entrant_slug}/" if row.entrant_slug else ""


def name_in_table(row: RowData) -> str:
    """The name with what a drawing says by its marks."""
    if row.mark == REPORTED:
        return _("%(name)s (reported)") % {"name": row.name}
    return row.name


def print_value(board: Board, row: RowData) -> str:
    return print_metric(board.metric, board.shown.head(row).value)


def print_tip(board: Board, row: RowData, *more: str) -> str:
    """What a mark says of itself: name, value with its interval, and more where there is more."""
    head = board.shown.head(row)
    words = (print_value(board, row), interval_in_words(board.metric, head), *more)
    return f"{name_in_table(row)}: {', '.join(filter(None, words))}"


def print_cells(board: Board, row: RowData) -> tuple[str, ...]:
    """Name, value and interval in a chart's table."""
    head = board.shown.head(row)
    return (name_in_table(row), *(print_metric(board.metric, value) for value in (head.value, head.low, head.high)))


def print_number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"
