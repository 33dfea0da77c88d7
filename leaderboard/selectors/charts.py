"""The charts of a board, each with its table; all from stored numbers and arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from leaderboard.rendering.charts import IntervalRow, ReferenceLine, interval_plot
from leaderboard.selectors.board_rows import BASELINE, REPORTED, RowData
from leaderboard.selectors.boards import Board
from leaderboard.selectors.chart_planes import plane_charts
from leaderboard.selectors.chart_repeats import reply_charts
from leaderboard.selectors.chart_rows import (
    PERCENT,
    axis_of,
    has_total,
    link_of,
    make_view,
    print_cells,
    print_tip,
    print_value,
    say_left_out,
    scaled,
)
from leaderboard.selectors.chart_subsets import subset_charts
from leaderboard.selectors.chart_views import ChartView, Table
from leaderboard.selectors.wordings import say_floor

MOST_ROWS = 40


def board_charts(board: Board) -> tuple[ChartView, ...]:
    """What stands on the board itself: the interval plot."""
    chart = interval_chart(board)
    return (chart,) if chart else ()


def all_charts(board: Board) -> tuple[ChartView, ...]:
    """Every chart of which there is something to show."""
    found = [interval_chart(board), *plane_charts(board), *subset_charts(board), *reply_charts(board)]
    return tuple(chart for chart in found if chart is not None)


def interval_chart(board: Board) -> ChartView | None:
    """One row a model: estimate and interval; reported numbers are hollow; medal, human and floor lines across."""
    there = [
        row
        for row in board.data
        if board.shown.head(row).value is not None and row.mark != BASELINE and has_total(board, row)
    ]
    rows = sorted(there, key=lambda row: -(board.shown.head(row).value or 0.0))[:MOST_ROWS]
    if not rows:
        return None
    title = _("%(metric)s with 95 %% intervals") % {"metric": board.metric_label}
    caption = " ".join(_say_marks(board, rows))
    plotted, references = list(_plot(board, rows)), list(_references(board))
    full = 100.0 if board.metric in PERCENT else None
    return make_view(
        board, "intervals", title, caption,
        lambda width: interval_plot(
            plotted, title=title, axis=axis_of(board.metric), low=0.0 if full else None, high=full,
            references=references, width=width,
        ),
        Table((_("Model"), board.metric_label, _("Low"), _("High")), tuple(print_cells(board, row) for row in rows)),
    )  # fmt: skip


def _say_marks(board: Board, rows: Sequence[RowData]) -> Iterator[str]:
    """Of the marks that there are."""
    if board.has_tiers:
        yield _("A rule parts tiers.")
    if any(row.mark == REPORTED for row in rows):
        yield _("Hollow: reported elsewhere, no interval of ours.")
    if left_out := say_left_out(board):
        yield left_out


def _plot(board: Board, rows: Sequence[RowData]) -> Iterator[IntervalRow]:
    tier = 0
    for row in rows:
        head = board.shown.head(row)
        value, low, high = (scaled(board.metric, number) for number in (head.value, head.low, head.high))
        yield IntervalRow(
            row.name,
            value,
            low,
            high,
            link_of(row),
            is_reported=row.mark == REPORTED,
            starts_tier=bool(row.tier and row.tier > tier),
            text=print_value(board, row),
            tip=print_tip(board, row),
        )
        tier = row.tier or tier


def _references(board: Board) -> Iterator[ReferenceLine]:
    for line in board.lines:
        yield ReferenceLine(line.value, line.kind, line.label)
    for row in board.data:
        if row.mark == BASELINE and (value := scaled(board.metric, board.shown.head(row).value)):
            yield ReferenceLine(value, "human", say_floor(row.entrant))
