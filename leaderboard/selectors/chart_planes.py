"""Charts of score against something else: cost, output tokens, release date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from django.utils.translation import gettext as _

from leaderboard.rendering.charts import Point, scatter
from leaderboard.selectors.board_rows import REPORTED, RowData
from leaderboard.selectors.boards import Board
from leaderboard.selectors.chart_rows import axis_of, has_total, link_of, make_view, print_cells, print_tip, scaled
from leaderboard.selectors.chart_views import ChartView, Table
from leaderboard.selectors.formats import print_cost, print_count

Found = Sequence[tuple[RowData, Point]]


def plane_charts(board: Board) -> list[ChartView | None]:
    return [cost_chart(board), tokens_chart(board), release_chart(board)]


def cost_chart(board: Board) -> ChartView | None:
    """Score against US dollars a problem, with the frontier of what is not beaten in both."""
    found = _points(board, lambda row: row.cost_usd or None, print_cost)
    caption = _("Dashed: the models that no other beats in both.")
    return _view(board, "cost", _("Score against cost"), caption, _("US dollars a problem"), _("Cost"), found)


def tokens_chart(board: Board) -> ChartView | None:
    found = _points(board, lambda row: row.facts.get("output_tokens") or None, print_count)
    caption = _("Mean output tokens a reply, reasoning included where the endpoint counts it.")
    title = _("Score against output tokens")
    return _view(board, "tokens", title, caption, _("output tokens"), _("Output tokens"), found)


def release_chart(board: Board) -> ChartView | None:
    """Score over release date; the step line is the best so far."""
    found = _points(board, lambda row: float(row.release_date.toordinal()) if row.release_date else None, _print_day)
    if len(found) < 2:
        return None
    days = [point.x for _row, point in found]
    caption = _("Step line: the best model released so far.")
    title, ticks = _("Score over release date"), _date_ticks(min(days), max(days))
    return _view(board, "release", title, caption, _("release date"), _("Released"), found, x_labels=ticks)


def _points(board: Board, x_of: Callable[[RowData], float | None], print_x: Callable[[float], str]) -> Found:
    """Rows that have both numbers."""
    found = []
    for row in board.data:
        head, x = board.shown.head(row), x_of(row)
        y, low, high = (scaled(board.metric, value) for value in (head.value, head.low, head.high))
        if y is not None and x is not None and has_total(board, row):
            tip = print_tip(board, row, print_x(x))
            found.append(
                (row, Point(row.name, x, y, link_of(row), low, high, row.mark == REPORTED, 1, tip, print_x(x)))
            )
    return found


def _view(
    board: Board,
    name: str,
    title: str,
    caption: str,
    x_axis: str,
    x_head: str,
    found: Found,
    x_labels: Sequence[tuple[float, str]] = (),
) -> ChartView | None:
    """x_labels: ticks of an even scale; without them it is logarithmic."""
    if not found:
        return None
    points = [point for _row, point in found]
    return make_view(
        board, name, title, caption,
        lambda width: scatter(
            points, title=title, x_axis=x_axis, y_axis=axis_of(board.metric), x_is_log=not x_labels, x_labels=x_labels,
            width=width,
        ),
        Table(
            (_("Model"), board.metric_label, _("Low"), _("High"), x_head),
            tuple((*print_cells(board, row), point.x_text) for row, point in found),
        ),
    )  # fmt: skip


def _print_day(ordinal: float) -> str:
    return date.fromordinal(int(ordinal)).isoformat()


def _date_ticks(low: float, high: float) -> list[tuple[float, str]]:
    first, last = date.fromordinal(int(low)), date.fromordinal(int(high))
    months = [(year, month) for year in range(first.year, last.year + 1) for month in range(1, 13)]
    inside = [(y, m) for y, m in months if low <= date(y, m, 1).toordinal() <= high]
    step = max(1, len(inside) // 5)
    found = [(float(date(y, m, 1).toordinal()), f"{y}-{m:02}") for y, m in inside[::step]]
    return found or [(low, first.isoformat())]
