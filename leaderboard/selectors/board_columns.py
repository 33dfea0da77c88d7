"""What a board's address chooses to show: one subset, its headline metric, and the columns beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from arena.models import Subset
from leaderboard.scores import OVERALL_ONLY, full_of, metrics_of
from leaderboard.selectors.board_query import BoardQuery
from leaderboard.selectors.board_rows import REPORTED, CellValue, RowData
from leaderboard.selectors.catalog import Place
from leaderboard.selectors.fields import column_title
from leaderboard.selectors.formats import metric_label, print_metric

STYLES = {"full-text": "Full text", "text-minimal": "Text minimal"}
PLAIN_SORTS = ("scored", "repeats", "no_answer", "cut", "cost", "tokens", "latency", "date", "model", "rank")
BESIDE = {"accuracy": "string_match"}  # a small second value in the headline's cell

Facts = Mapping[str, Any]  # of one column, as `board_facts` keeps them


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the metric or subset it shows and how the board is sorted by it."""

    slug: str
    label: str
    next_sort: str
    direction: str = ""  # ascending, descending or empty


@dataclass(frozen=True, slots=True)
class Line:
    """A line across a column: kind gold, silver, bronze or human."""

    value: float
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Shown:
    """Which numbers a board shows.

    metric: the headline; metrics: all that are defined here. column_metric: that of the subset columns. column: facts
    of the one subset shown, None for all; subsets: those of the subset columns. receipts: the query of the addresses
    of receipts. Known once the rows are: others, the further metrics with a column; full, the end of the scale.
    """

    subset: str
    metric: str
    column_metric: str
    metrics: tuple[str, ...]
    basis: str
    column: Facts | None
    subsets: tuple[Facts, ...]
    receipts: str = ""
    others: tuple[str, ...] = ()
    full: float = 1.0

    @property
    def is_overall(self) -> bool:
        return self.column is None

    @property
    def beside(self) -> str:
        """The metric of the small second value; empty where there is none."""
        found = BESIDE.get(self.metric, "")
        return found if found in self.metrics else ""

    @property
    def lines(self) -> tuple[Line, ...]:
        """Medal and human lines of one exam."""
        return exam_lines(self.column) if self.column is not None and self.metric == "exam_score" else ()

    @property
    def scale(self) -> tuple[str, str]:
        return print_metric(self.metric, 0.0, with_unit=False), print_metric(self.metric, self.full, with_unit=False)

    def head(self, row: RowData) -> CellValue:
        return row.cell(self.subset, self.metric)


def choose_shown(place: Place, facts: Facts, query: BoardQuery) -> Shown:
    """What the query means on a board with these facts; an unknown subset or metric counts as none given."""
    columns = {column["slug"]: column for column in facts.get("columns", ())}
    column = columns.get(query.subset)
    usable = tuple(name for name in metrics_of(place.benchmark.slug) if column is None or name not in OVERALL_ONLY)
    metric = query.metric if query.metric in usable else usable[0]
    if query.has_slice and metric in ("exam_score", *OVERALL_ONLY):
        metric = "accuracy"
    return Shown(
        subset=query.subset if column is not None else Subset.OVERALL,
        metric=metric,
        column_metric="accuracy" if metric in OVERALL_ONLY else metric,
        metrics=usable,
        basis=query.basis,
        column=column,
        subsets=tuple(columns.values()) if column is None and len(columns) > 1 else (),
        receipts=f"?{urlencode(wanted)}" if (wanted := place.parameters | query.of_numbers) else "",
    )


def fit_columns(shown: Shown, facts: Facts, rows: Sequence[RowData]) -> Shown:
    """The same with what depends on the rows that are there: columns of published styles, the end of the scale."""
    plain = [name for name in shown.metrics if name not in (shown.metric, shown.beside)]
    return replace(shown, others=(*plain, *_published_styles(shown, rows)), full=_full_scale(shown, facts, rows))


def _published_styles(shown: Shown, rows: Sequence[RowData]) -> list[str]:
    """PhyX: published numbers come in three input styles, one column each."""
    cells = {key for row in rows if row.mark == REPORTED for key in row.cells}
    return sorted(name for subset, name in cells if subset == shown.subset and name.startswith(f"{shown.metric}:"))


def _full_scale(shown: Shown, facts: Facts, rows: Sequence[RowData]) -> float:
    if shown.metric != "exam_score":
        return full_of(shown.metric)
    if shown.column is None:
        return float(sum(column["full_mark"] for column in facts.get("columns", ()))) or 1.0
    ends = [shown.column[name] or 0.0 for name in ("full_mark", "best_human", "full_mark_human")]
    return float(max(*ends, *(shown.head(row).value or 0.0 for row in rows))) or 1.0


def exam_lines(column: Facts) -> tuple[Line, ...]:
    """Thresholds and the best human of an exam, lowest medal first; what is not known has no line."""
    names = {"bronze": _("bronze"), "silver": _("silver"), "gold": _("gold"), "best_human": _("best human")}
    return tuple(
        Line(column[key], "human" if key == "best_human" else key, label)
        for key, label in names.items()
        if column.get(key) is not None
    )


def label_of(metric: str) -> str:
    _name, _colon, style = metric.partition(":")
    return STYLES.get(style, style) if style else metric_label(metric)


def title_of(column: Facts) -> str:
    return column_title(column)


def make_column(slug: str, label: str, sort: str) -> Column:
    """The head of a column under an order; a second click on it turns the order round."""
    if sort.lstrip("-") != slug:
        return Column(slug, label, slug)
    turned = sort.startswith("-")
    is_text = slug == "model"
    return Column(slug, label, slug if turned else f"-{slug}", "ascending" if turned != is_text else "descending")


def plain_columns(sort: str, metric: str) -> dict[str, Column]:
    """Columns that every board has, by slug; `head` is the headline's."""
    found = {slug: make_column(slug, slug, sort) for slug in PLAIN_SORTS}
    return found | {"head": make_column(metric, "", sort or metric)}
