"""Charts of models by subset: small multiples and the heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.rendering.charts import GridLine, IntervalRow, heat_map, small_multiples
from leaderboard.scores import full_of
from leaderboard.selectors.board_rows import BASELINE, REPORTED, RowData
from leaderboard.selectors.boards import Board
from leaderboard.selectors.chart_rows import (
    PERCENT,
    axis_of,
    link_of,
    make_view,
    name_in_table,
    print_number,
    scaled,
)
from leaderboard.selectors.chart_views import ChartView, Table
from leaderboard.selectors.fields import column_title
from leaderboard.selectors.languages import read_shared_accuracy

MOST_ROWS = 40
MOST_PANELS = 8

Line = Sequence[float | None]  # of one row, a value a subset


def subset_charts(board: Board) -> list[ChartView | None]:
    columns = list(board.facts.get("columns", ()))
    if board.subset or len(columns) < 2:
        return []
    lines = _lines(board, columns)
    return [fields_chart(board, columns, lines), heat_chart(board, columns, lines)]


def fields_chart(
    board: Board, columns: Sequence[Mapping[str, Any]], lines: Sequence[tuple[RowData, Line]]
) -> ChartView | None:
    """Small multiples: a panel a subset, a bar a model. What a radar shows, on scales that can be read."""
    if not lines:
        return None
    lines, title = lines[:MOST_PANELS], _("By subset")
    panels = [
        (
            column_title(column),
            [
                IntervalRow(
                    row.name, line[i], is_reported=row.mark == REPORTED, series=n % 8 + 1, text=print_number(line[i])
                )
                for n, (row, line) in enumerate(lines)
            ],
        )
        for i, column in enumerate(columns)
    ]
    return make_view(
        board, "subsets", title, _join(_say_unit(board), _say_hollow(lines)),
        lambda width: small_multiples(panels, title=title, low=0.0, high=_full(board), width=width),
        _table(columns, lines),
    )  # fmt: skip


def heat_chart(
    board: Board, columns: Sequence[Mapping[str, Any]], lines: Sequence[tuple[RowData, Line]]
) -> ChartView | None:
    """A shade and the number in each cell; languages only on the questions that all of them have."""
    title, caption = _("Models by subset"), _say_unit(board)
    if board.place.benchmark.slug == "arc_indic":
        title = _("Models by language")
        caption, lines = _shared_lines(board, columns)
    lines = lines[:MOST_ROWS]
    if not lines:
        return None
    rows = [GridLine(row.name, link_of(row), row.mark == REPORTED) for row, _line in lines]
    return make_view(
        board, "heat", title, _join(caption, _say_hollow(lines)),
        lambda width: heat_map(
            rows, [GridLine(column_title(column)) for column in columns], [line for _row, line in lines],
            title=title, low=0.0, high=_full(board), width=width,
        ),
        _table(columns, lines),
    )  # fmt: skip


def _lines(board: Board, columns: Sequence[Mapping[str, Any]]) -> list[tuple[RowData, Line]]:
    """Rows with a number in any subset."""
    rows = [row for row in board.data if row.mark != BASELINE and not _is_cut(board, row)]
    return _with_numbers([(row, [_share(board, row, column) for column in columns]) for row in rows])


def _shared_lines(board: Board, columns: Sequence[Mapping[str, Any]]) -> tuple[str, list[tuple[RowData, Line]]]:
    shared = read_shared_accuracy(board.place)
    found = []
    for row in board.data:
        own = shared.by_run.get(row.run, {})
        found.append((row, [scaled("accuracy", own.get(column["slug"])) for column in columns]))
    caption = _("Accuracy (%%) on the %(n)d questions that every language has.") % {"n": shared.n}
    return caption, _with_numbers(found)


def _is_cut(board: Board, row: RowData) -> bool:
    """Whether the run had only some problems of each exam: its share of the exam's points would count them as lost."""
    return board.metric == "exam_score" and row.unranked_reason == "limited run"


def _with_numbers(lines: Sequence[tuple[RowData, Line]]) -> list[tuple[RowData, Line]]:
    return [(row, line) for row, line in lines if any(value is not None for value in line)]


def _metric(board: Board) -> str:
    """The metric of the subset columns."""
    return "accuracy" if board.metric == "accuracy_macro" else board.metric


def _share(board: Board, row: RowData, column: Mapping[str, Any]) -> float | None:
    """Exams differ in full marks: shares compare, points do not."""
    value = row.cell(column["slug"], _metric(board)).value
    if board.metric == "exam_score":
        return None if value is None else 100 * value / column["full_mark"]
    return scaled(_metric(board), value)


def _full(board: Board) -> float:
    metric = _metric(board)
    return 100.0 if metric in PERCENT or metric == "exam_score" else full_of(metric)


def _say_unit(board: Board) -> str:
    if board.metric == "exam_score":
        return _("Share of the attainable points, per cent.")
    return f"{axis_of(_metric(board))}."


def _say_hollow(lines: Sequence[tuple[RowData, Line]]) -> str:
    has_reported = any(row.mark == REPORTED for row, _line in lines)
    return _("Hollow: reported elsewhere, not measured here.") if has_reported else ""


def _join(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _table(columns: Sequence[Mapping[str, Any]], lines: Sequence[tuple[RowData, Line]]) -> Table:
    return Table(
        (_("Model"), *(column_title(column) for column in columns)),
        tuple((name_in_table(row), *map(print_number, line)) for row, line in lines),
    )
